"""Scrubbing the disk: data that was deleted is removed from the database's files.

SQLite overwrites what it deletes (`secure_delete`, see `moss.store.database`), but keeps the space, and its journal has
the old pages until it is emptied. PostgreSQL does both by itself, in its own time.
"""

from __future__ import annotations

import time
from typing import Any

from moss.store.database import Store

_PAGES_AT_ONCE = 2000  # pages freed in one step; others may write between two steps
_AT_ONCE = 50  # milliseconds for which writers wait until readers are done
_PAUSE = 0.2  # seconds for writers, before the next try
_TRIES = 300


def scrub(store: Store, tries: int = _TRIES) -> bool:
    """Return the space of deleted data to the disk, and empty the journal; False if it was being read at every try."""
    if not store.is_sqlite:
        return True
    connection: Any = store.engine.raw_connection()
    try:
        left = _free_pages(connection)
        while left:
            connection.execute(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
            before, left = left, _free_pages(connection)
            if left >= before:  # a file that was made without auto_vacuum keeps its space
                break
        return _empty_journal(connection, tries)
    finally:
        connection.close()


def _empty_journal(connection: Any, tries: int) -> bool:
    """Empty the journal; False if it was being read at every try. Emptying keeps writers out and waits for readers, one
    of which may be about to write, so no try lasts long."""
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
