"""The database: one engine, sessions that are one transaction each, and the upkeep of its schema and files.

Alembic is imported only if there is a migration to do, which is rare: importing it takes longer than opening a
database.

SQLite overwrites what is deleted (`secure_delete`), but keeps the space, and its journal has the old pages until it is
emptied; `scrub` sees to both. PostgreSQL does that by itself, in its own time.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

if TYPE_CHECKING:
    from alembic.config import Config

_PATIENCE = 60  # seconds that a writer waits for another one
_BUSY_PAUSE = 0.01  # seconds, where SQLite itself does not wait
_WRITES, _AT_ONCE = "moss_writes", "moss_at_once"
_PRAGMAS = (
    f"busy_timeout={_PATIENCE * 1000}",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "secure_delete=ON",  # overwrite what is deleted, because it was somebody's work
)


_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 7_690_2003  # any number: the process that holds PostgreSQL's advisory lock of this number migrates
_PAGES_AT_ONCE = 2000  # pages freed in one step; others may write between two steps
_CHECKPOINT_MILLISECONDS = 50  # for which writers wait until readers are done
_CHECKPOINT_PAUSE = 0.2  # seconds for writers, before the next try
_CHECKPOINT_TRIES = 300


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
        if not has_newest_schema(self.engine):
            upgrade_schema(self.engine)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def alembic_configuration(engine: Engine | None = None) -> Config:
    """Alembic's configuration, for this database."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["engine"] = engine
    return config


def newest_schema() -> str:
    """The newest revision, with which the name of its file begins."""
    return max(file.name for file in (_MIGRATIONS / "versions").glob("[0-9]*_*.py")).partition("_")[0]


def has_newest_schema(engine: Engine) -> bool:
    """Whether the database has the newest schema."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return False
        return bool(connection.scalar(text("SELECT version_num FROM alembic_version")) == newest_schema())


def upgrade_schema(engine: Engine, revision: str = "head") -> None:
    """Migrate the database to a revision; of several processes that start at once, one does it."""
    from alembic import command
    from alembic.util import CommandError

    config = alembic_configuration(engine)
    with engine.connect().execution_options(moss_writes=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, revision)
        except CommandError as error:
            raise StoreError(f"the database was made by a newer version of moss: {error}") from None


def scrub(store: Store, tries: int = _CHECKPOINT_TRIES) -> bool:
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
    connection.execute(f"PRAGMA busy_timeout={_CHECKPOINT_MILLISECONDS}")
    try:
        for _ in range(tries):
            is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not is_busy:
                return True
            time.sleep(_CHECKPOINT_PAUSE)
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout={patience}")


def _free_pages(connection: Any) -> int:
    return int(connection.execute("PRAGMA freelist_count").fetchone()[0])


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
    _use_write_ahead_log(connection)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Let readers and a writer work at once. On a new file SQLite does not wait for others who ask for the same."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_BUSY_PAUSE)


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
