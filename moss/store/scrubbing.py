"""Scrubbing: what was deleted leaves the disk.

SQLite overwrites what it deletes (`secure_delete`, see `moss.store.database`), but keeps the room, and its journal has
the old pages until it is emptied. PostgreSQL does both by itself, in its own time.
"""

from __future__ import annotations

from typing import Any

from moss.store.database import Store

_PAGES_AT_ONCE = 2000  # given back in one step, between which others may write


def scrub(store: Store) -> None:
    """Give back the room of what was deleted, and empty the journal."""
    if not store.is_sqlite:
        return
    connection: Any = store.engine.raw_connection()
    try:
        left = _free_pages(connection)
        while left:
            connection.execute(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
            before, left = left, _free_pages(connection)
            if left >= before:  # a file from before this was asked for keeps its room
                break
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.close()


def _free_pages(connection: Any) -> int:
    return int(connection.execute("PRAGMA freelist_count").fetchone()[0])
