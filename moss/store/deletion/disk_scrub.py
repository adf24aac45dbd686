"""Scrubbing: what was deleted leaves the disk.

SQLite overwrites what it deletes (`secure_delete`, see `moss.store.database`), but keeps the room, and its journal has
the old pages until it is emptied. PostgreSQL does both by itself, in its own time.
"""

from __future__ import annotations

import time
from typing import Any

from moss.store.database import Store

_PAGES_AT_ONCE = 2000  # given back in one step, between which others may write
_AT_ONCE = 50  # milliseconds for which all writers are kept waiting until those who read are done
_PAUSE = 0.2  # seconds for the writers, before the next try
_TRIES = 300


def scrub(store: Store, tries: int = _TRIES) -> bool:
    """Give back the room of what was deleted, and empty the journal; whether that could be done, or somebody was
    reading whenever it was tried."""
    if not store.is_sqlite:
        return True
    connection: Any = store.engine.raw_connection()
    try:
        left = _free_pages(connection)
        while left:
            connection.execute(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
            before, left = left, _free_pages(connection)
            if left >= before:  # a file from before this was asked for keeps its room
                break
        return _empty_journal(connection, tries)
    finally:
        connection.close()


def _empty_journal(connection: Any, tries: int) -> bool:
    """Whoever empties the journal keeps writers out and waits for readers; one of those may itself be about to write.
    So nobody is waited for long."""
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout={_AT_ONCE}")
    try:
        for _ in range(tries):
            is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not is_busy:
                return True
            time.sleep(_PAUSE)
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout={patience}")


def _free_pages(connection: Any) -> int:
    return int(connection.execute("PRAGMA freelist_count").fetchone()[0])
