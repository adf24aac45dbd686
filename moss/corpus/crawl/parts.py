"""Parts of crawls' files, which can be read side by side, each by another process.

- Lines of JSON that are not compressed, and WARC that is not or record by record: the records that begin between two
  places of the file.
- Parquet: rows from one number to another, which DuckDB reads, here or behind a URL.
- All else that is compressed is a stream without places to begin at. Several processes unpack it from the beginning,
  and each takes every so many-th run of its records.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from moss.corpus.crawl.records import AS_USUAL, CrawlItem, ReadingChoice, of_fields, of_line, of_warc, with_tongue
from moss.corpus.crawl.streams import InflatedMembers, TruncatedError, inflated, without_compression
from moss.corpus.crawl.warc import WarcError, WarcFile, WarcRecord, streamed_records, warc_records
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.documents import CorpusDocument
from moss.corpus.places import file_system, is_url, opened_file
from moss.intake.folders import cannot_read
from moss.intake.limits import MIB
from moss.intake.names import displayable
from moss.messages import gettext
from moss.model import Problem

_AT_ONCE = 1000  # rows
LINES, WARCS, PARQUET = (".jsonl", ".ndjson"), (".warc", ".wet"), (".parquet",)
_RUN = 256  # consecutive records of a stream that one process takes
_STREAMED = 16 * MIB  # of a compressed stream for each process that reads it
_SLICES = 32  # processes that unpack the same stream, at most
_ROWS = 20_000  # of Parquet in a part
_RATIO = 5  # to which pages unpack, about
_EVERYTHING = 1 << 62


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


@dataclass(frozen=True, slots=True)
class CrawlPart:
    """The records of a crawl's file that begin between two places: bytes of the file, rows of Parquet, or the numbers
    of records in a stream, of which `slices` processes take turns."""

    path: str
    start: int
    end: int
    name: str = ""  # what it is called, if that is not its path
    choice: ReadingChoice = AS_USUAL
    stream: bool = False
    slices: int = 1
    turn: int = 0

    @property
    def is_single(self) -> bool:
        """Whether the part is one record, and cannot be split."""
        return self.end - self.start == 1

    @property
    def shown(self) -> str:
        """The name of the crawl in messages."""
        return displayable(self.name or self.path)

    @property
    def kind(self) -> tuple[str, ...]:
        """The endings of files of this format."""
        name = without_compression(self.path)
        return next(endings for endings in (LINES, WARCS, PARQUET) if name.endswith(endings))

    def takes(self, number: int) -> bool:
        """Whether a record of a stream is one of this part."""
        return self.start <= number < self.end and number // _RUN % self.slices == self.turn


Place = tuple[int, CorpusDocument | Problem | None]
"""Where a record begins, and what it is; None if it is not meant to be a document."""


def is_crawl(name: str) -> bool:
    """Whether a file's name says that it holds many documents."""
    return without_compression(name).endswith((*LINES, *WARCS, *PARQUET))


def parts_of(path: str, size: int, choice: ReadingChoice, portion: int) -> Iterator[CrawlPart | Problem]:
    """The parts of a crawl's file of this size, of about `portion` bytes each."""
    whole = CrawlPart(path, 0, _EVERYTHING, choice=choice)
    try:
        if whole.kind == PARQUET:
            whole = replace(whole, end=row_count(path))
            yield from _cut(whole, _ROWS)
        elif _has_places(whole):
            yield from _cut(
                replace(whole, end=size), max(1, portion // _RATIO) if path.lower().endswith(".gz") else portion
            )
        else:
            slices = max(1, min(-(-size // _STREAMED), _SLICES))
            yield from (replace(whole, stream=True, slices=slices, turn=turn) for turn in range(slices))
    except OSError as error:
        yield Problem(whole.shown, cannot_read(error))
    except CorpusError as error:
        yield Problem(whole.shown, str(error))


def _cut(whole: CrawlPart, step: int) -> Iterator[CrawlPart]:
    for start in range(0, max(whole.end, 1), step):
        yield replace(whole, start=start, end=min(start + step, whole.end))


def _has_places(part: CrawlPart) -> bool:
    """Whether reading can begin at any record: the file is not compressed, or each record is by itself."""
    lower = part.path.lower()
    if not lower.endswith(".gz") or part.kind == LINES:
        return without_compression(lower) == lower
    with opened_file(part.path) as file:
        member = WarcFile(io.BufferedReader(InflatedMembers(file, alone=True), MIB))
        try:
            return member.next() is not None and member.next() is None
        except (WarcError, TruncatedError):
            return True  # whose records are then found where they begin


def read_part(part: CrawlPart) -> Iterator[CrawlItem]:
    """The documents of a part, and the problems of records that are none, in order."""
    choice, tell = part.choice, part.kind == WARCS
    try:
        for _, item in _items(part):
            if isinstance(item, CorpusDocument):
                yield with_tongue(item, choice, tell)
            elif item is not None:
                yield item
    except (OSError, WarcError, TruncatedError, CorpusError) as error:
        if not part.turn:  # else the first process that reads the stream says so
            yield Problem(part.shown, _reason(error))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return cannot_read(error)
    return str(error) if isinstance(error, CorpusError) else f"damaged, and not read from there on: {error}"


def split_part(part: CrawlPart) -> list[CrawlPart]:
    """The part cut into single records."""
    try:
        places = dict.fromkeys(place for place, _ in _items(replace(part, choice=ReadingChoice(whole_pages=True))))
    except (OSError, ValueError):
        return [part]
    return [replace(part, start=place, end=place + 1, slices=1, turn=0) for place in places]


def _items(part: CrawlPart) -> Iterator[Place]:
    if part.kind == PARQUET:
        return _rows(part)
    if part.kind == LINES:
        return _numbered_lines(part) if part.stream else _lines(part)
    return _numbered_warc(part) if part.stream else _warc(part)


def _lines(part: CrawlPart) -> Iterator[Place]:
    shown = part.shown
    with opened_file(part.path) as file:
        place = part.start
        if place:  # the line before may reach behind it
            file.seek(place - 1)
            place += len(file.readline()) - 1
        while place < part.end and (line := file.readline()):
            if not line.isspace():
                yield place, of_line(line, f"{shown}, byte {place}", part.choice)
            place += len(line)


def _numbered_lines(part: CrawlPart) -> Iterator[Place]:
    shown = part.shown
    with inflated(part.path) as file:
        for number, line in enumerate(file):
            if number >= part.end:
                return
            if part.takes(number) and not line.isspace():
                yield number, of_line(line, f"{shown}, line {number + 1}", part.choice)


def _rows(part: CrawlPart) -> Iterator[Place]:
    for number, record in parquet_rows(part.path, part.start, part.end, part.choice):
        yield number, of_fields(record, f"{part.shown}, row {number + 1}", part.choice)


def _warc(part: CrawlPart) -> Iterator[Place]:
    packed = part.path.lower().endswith(".gz")
    with opened_file(part.path) as file:
        for place, record in warc_records(file, part.start, part.end, packed):
            yield from _of_record(place, record, f"{part.shown}, byte {place}", part)


def _numbered_warc(part: CrawlPart) -> Iterator[Place]:
    with inflated(part.path) as file:
        for number, record in enumerate(streamed_records(file)):
            if number >= part.end:
                return
            if part.takes(number):
                yield from _of_record(number, record, f"{part.shown}, record {number + 1}", part)


def _of_record(place: int, record: WarcRecord | str, where: str, part: CrawlPart) -> Iterator[Place]:
    if isinstance(record, str):
        yield place, Problem(where, f"{record}; reading goes on at the next record")
        return
    found = [*of_warc(record, where, part.choice)]
    yield from ((place, item) for item in (found or (None,)))
