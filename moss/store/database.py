"""The database: one engine, and sessions that are one transaction each."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

_PATIENCE = 60  # seconds that a writer waits for another one
_WRITES, _AT_ONCE = "moss_writes", "moss_at_once"
_PRAGMAS = (
    f"busy_timeout={_PATIENCE * 1000}",
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "secure_delete=ON",  # overwrite what is deleted, because it was somebody's work
)


class StoreError(ValueError):
    """A database that cannot be used; the message is one sentence for the operator."""


class Store:
    """Owns the engine. `session` reads and writes, `reading` only reads; each is one transaction."""

    def __init__(self, url: str) -> None:
        try:
            address = make_url(url)
        except ArgumentError:
            raise StoreError(f"the database's address cannot be read: {url.partition('@')[2] or url!r}") from None
        self.url = url
        self.is_sqlite = address.get_backend_name() == "sqlite"
        self.engine = _sqlite(url) if self.is_sqlite else create_engine(url, pool_pre_ping=True, pool_size=20)
        self._writers = self.engine.execution_options(**{_WRITES: True})
        self._hasty = self.engine.execution_options(**{_WRITES: True, _AT_ONCE: True})

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A transaction that may write: committed at the end, rolled back if anything goes wrong."""
        with Session(self._writers, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def session_at_once(self) -> Iterator[Session]:
        """A transaction for changes that can be skipped: if another writer is at work, it raises OperationalError at
        once."""
        with Session(self._hasty, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that sees one moment of the database and changes nothing."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    def migrate(self) -> None:
        """Bring the schema up to date."""
        from moss.store.upkeep.schema import is_current, upgrade

        if not is_current(self.engine):
            upgrade(self.engine)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def make_private(file: Path) -> None:
    """Create a file and its folder, readable by this user alone; if they exist, their permissions stay."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _sqlite(url: str) -> Engine:
    engine = create_engine(url, connect_args={"timeout": _PATIENCE})
    event.listen(engine, "do_connect", _make_file)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _make_file(dialect: Any, record: Any, arguments: list[Any], options: dict[str, Any]) -> None:
    """Create the file before SQLite does, which would let others read it; journals get the permissions of the file."""
    if arguments[0] != ":memory:" and not options.get("uri"):
        make_private(Path(arguments[0]))


def _prepare(connection: sqlite3.Connection, record: Any) -> None:
    connection.isolation_level = None  # we begin transactions ourselves; the driver would guess
    if not connection.execute("PRAGMA page_count").fetchone()[0]:
        # Lets freed pages be returned to the disk. On a file that is not empty, setting it would need the write lock.
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # A writer takes its lock at once: after another writer's commit, one that has read first could no longer get it.
    options = connection.get_execution_options()
    try:
        if options.get(_AT_ONCE):
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(_WRITES) else "BEGIN")
    finally:
        if options.get(_AT_ONCE):
            connection.exec_driver_sql(f"PRAGMA {_PRAGMAS[0]}")
