"""Databases that have our schema already: copies of one that was migrated, for tests whose subject is not migrating.

All of a kind share the statements that SQLAlchemy has compiled. It keeps them for each database alone, because two
servers may be of different versions; in a process that runs tests there is one of each.
"""

from __future__ import annotations

import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, make_url
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

from moss.store import Store

_STATEMENTS = LRUCache(2000)


def _share_statements() -> None:
    begin = Engine.__init__

    def begin_with_them(engine: Engine, *arguments: Any, **options: Any) -> None:
        begin(engine, *arguments, **options)
        engine._compiled_cache = _STATEMENTS

    Engine.__init__ = begin_with_them
    DefaultDialect.__eq__ = lambda dialect, other: type(dialect) is type(other)
    DefaultDialect.__hash__ = lambda dialect: hash(type(dialect))


_share_statements()


@cache
def migrated_file() -> bytes:
    """The file of an SQLite database in which there is nothing but the schema."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "moss.sqlite3")
        migrate(f"sqlite:///{file}")
        with sqlite3.connect(file) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return file.read_bytes()


def migrate(url: str) -> None:
    """Bring a database up to date, as the program does."""
    store = Store(url)
    store.migrate()
    store.close()


def open_migrated(url: str) -> Store:
    """The store at this address; if there is none yet, a new one whose schema is a copy."""
    store = Store(url)
    file = make_url(url).database if store.is_sqlite else None
    if file and not Path(file).exists():
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_bytes(migrated_file())
    else:
        store.migrate()
    return store
