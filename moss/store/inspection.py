"""Inspection: whether a database is damaged. Opening one reads a few pages of it; this reads every value."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from zipfile import BadZipFile

from sqlalchemy import Connection, Row, Table, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError

from moss.report.packed_page import PackedPage
from moss.store.database import Store, newest_schema
from moss.store.results.reports import unpack_ranking
from moss.store.submissions.contents import digest_of, unpack
from moss.store.tables import Base, ContentRow, RenderedPageRow, ResultRow

_MOST = 10  # findings of one kind: the first ones say enough
_AT_ONCE = 500  # rows in memory at once
_DAMAGE = (SQLAlchemyError, ValueError, TypeError, LookupError, AttributeError, zlib.error, BadZipFile)


def findings(store: Store) -> Iterator[str]:
    """The damage to a database, each in a few words; nothing if there is none."""
    try:
        with store.engine.connect() as connection:
            damaged = list(_damaged_pages(connection)) if store.is_sqlite else []
            yield from damaged
            missing = [] if damaged else list(_missing(connection))  # with damaged pages, nothing more can be said
            yield from missing
            if not damaged and not missing:
                yield from _dangling(connection) if store.is_sqlite else ()
                yield from _damaged_rows(connection)
    except (*_DAMAGE, sqlite3.Error) as error:
        yield f"it cannot be read: {_words(error)}"


def missing_parts(store: Store) -> list[str]:
    """Tables and columns that are missing; takes no longer for a large database."""
    with store.engine.connect() as connection:
        return list(_missing(connection))


def _damaged_pages(connection: Connection) -> Iterator[str]:
    for (found,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST})"):
        if found != "ok":
            yield str(found)


def _dangling(connection: Connection) -> Iterator[str]:
    for table, row, other, _ in connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(_MOST):
        yield f"row {row} of {table} refers to a row of {other} that is not there"


def _missing(connection: Connection) -> Iterator[str]:
    there = inspect(connection)
    tables = set(there.get_table_names())
    for table in Base.metadata.sorted_tables:
        if table.name not in tables:
            yield f"the table {table.name} is missing"
            continue
        columns = {column["name"] for column in there.get_columns(table.name)}
        yield from (f"{table.name} has no column {name}" for name in sorted({c.name for c in table.columns} - columns))
    if "alembic_version" not in tables:
        yield "nothing says which version of the schema it has"
    elif (found := connection.scalar(text("SELECT version_num FROM alembic_version"))) != newest_schema():
        newest = newest_schema()
        yield f"its schema has the version {found}, not {newest} as this program; `moss serve` brings it up to date"


def _damaged_rows(connection: Connection) -> Iterator[str]:
    """Rows whose values do not fit their columns, and packed values that do not unpack."""
    for table in Base.metadata.sorted_tables:
        count, check = 0, _CHECKS.get(table.name, lambda row: None)
        for key, problem in _read(connection, table, check):
            yield f"{key} of {table.name} is damaged: {problem}"
            if (count := count + 1) == _MOST:
                break


def _read(connection: Connection, table: Table, check: Callable[[Row[Any]], None]) -> Iterator[tuple[str, str]]:
    """The rows of a table that cannot be read; only if there are any, the rows are read one by one."""
    try:
        for row in connection.execute(select(table), execution_options={"yield_per": _AT_ONCE}):
            check(row)
        return
    except _DAMAGE:
        pass
    keys = list(table.primary_key.columns)
    for key in connection.execute(select(*keys).order_by(*keys)).all():
        shown = f"row {' '.join(map(str, key))}"
        try:
            check(connection.execute(select(table).where(*(c == v for c, v in zip(keys, key, strict=True)))).one())
        except _DAMAGE as error:
            yield shown, _words(error)


def _check_text(row: Row[Any]) -> None:
    if digest_of(unpack(row.packed)) != row.digest:
        raise ValueError("its text is not the one that was stored")


def _check_page(row: Row[Any]) -> None:
    page = PackedPage.from_bytes(row.packed)
    if page is None:  # of an earlier version, which is rendered again when somebody opens it
        unpack(row.packed)
    elif any(zlib.crc32(piece.text.encode()) != piece.checksum for piece in page.pieces):
        raise ValueError("its text is not the one that was stored")


_CHECKS: Mapping[str, Callable[[Row[Any]], Any]] = {
    ContentRow.__tablename__: _check_text,
    RenderedPageRow.__tablename__: _check_page,
    ResultRow.__tablename__: lambda row: unpack_ranking(row.ranking),
}


def _words(error: Exception) -> str:
    return " ".join(str(getattr(error, "orig", None) or error).split())[:200] or type(error).__name__
