"""Parquet files of others: rows with named columns, each a document. DuckDB reads them, here or behind a URL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from moss.corpus.crawl.records import ReadingChoice
from moss.corpus.errors import CorpusError
from moss.corpus.places import file_system, is_url
from moss.messages import gettext

_AT_ONCE = 1000  # rows


@contextmanager
def _connection(path: str) -> Iterator[Any]:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    try:
        connection.execute("SET TimeZone = 'UTC'")
        if is_url(path):
            connection.register_filesystem(file_system(path))
        yield connection
    except duckdb.Error as error:
        raise CorpusError(
            gettext("not a Parquet file that can be read: %(error)s", error=str(error).splitlines()[0])
        ) from None
    finally:
        connection.close()


def row_count(path: str) -> int:
    """How many rows a file has; raises CorpusError if it is no Parquet."""
    with _connection(path) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM read_parquet(?)", [path]).fetchone()[0])


def parquet_rows(path: str, start: int, end: int, choice: ReadingChoice) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number and fields of each row from `start` on and before `end`; only columns that say something of a document are
    read."""
    wanted = {name for names in choice.fields.values() for name in names}
    with _connection(path) as connection:
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall()
        names = [row[0] for row in described if row[0] in wanted]
        if not set(names) & {*choice.fields["text"], *choice.fields["html"]}:
            known = ", ".join(row[0] for row in described)
            raise CorpusError(
                gettext("it has no column with texts: name one with --text-field (its columns: %(known)s)", known=known)
            )
        listed = ", ".join(_plain_column(name, kind) for name, kind, *_ in described if name in wanted)
        rows = connection.execute(
            f"SELECT file_row_number, {listed} FROM read_parquet(?, file_row_number = true) "
            f"WHERE file_row_number BETWEEN {start} AND {end - 1} ORDER BY file_row_number",
            [path],
        )
        while some := rows.fetchmany(_AT_ONCE):
            for number, *values in some:
                yield int(number), dict(zip(names, values, strict=True))


def _plain_column(name: str, kind: str) -> str:
    """The SQL that reads a column. Days and times come as times in UTC without a zone: DuckDB needs another package to
    hand over times with one.

    >>> _plain_column("crawled", "TIMESTAMP WITH TIME ZONE")
    '"crawled"::TIMESTAMP'
    >>> _plain_column("page", "VARCHAR")
    '"page"'
    """
    return f'"{name}"::TIMESTAMP' if kind.startswith(("TIMESTAMP", "DATE")) else f'"{name}"'
