"""Sources of documents: folders, files, archives and crawls, cut into portions that can be read side by side.

A crawl is a file of JSON Lines, one object for each document: `{"url": …, "date": …, "text": …}`, or `"html"` in
place of `"text"`. Everything else is read as submissions are: encodings, notebooks, archives inside archives, limits.
A portion only names files, and the process that gets it reads them, so nothing large is sent between processes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from frontends import HTML, UnknownLanguageError, by_name
from moss.corpus.ingest.documents import PROSE, CorpusDocument, language_of
from moss.intake import IntakeError, Limits
from moss.intake.entries import Entry
from moss.intake.folders import cannot_read, file_chunks, walk
from moss.intake.limits import MIB, Account, IntakeRun
from moss.intake.names import displayable
from moss.intake.source_files import Part, read_part, with_documents
from moss.model import Problem, SourceFile

CRAWL_ENDINGS = (".jsonl", ".ndjson")
_PORTION = 8 * MIB  # of text in a portion, about
_FILES = 500  # in a portion
_ARCHIVE = 1024 * MIB  # unpacked: all of it is in memory at once
_LIMITS = Limits(submission_bytes=_ARCHIVE, entries=50_000_000)


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """Files to read: the address and the path of each."""

    paths: tuple[tuple[str, str], ...]

    @property
    def is_single(self) -> bool:
        """Whether the portion is one file or line, and cannot be split."""
        return len(self.paths) == 1


@dataclass(frozen=True, slots=True)
class CrawlLines:
    """The lines of a crawl that begin between two places in it."""

    path: str
    start: int
    end: int
    name: str = ""  # what it is called, if that is not its path

    @property
    def is_single(self) -> bool:
        """Whether the portion is one file or line, and cannot be split."""
        return self.end - self.start == 1

    @property
    def shown(self) -> str:
        """The name of the crawl in messages."""
        return displayable(self.name or self.path)


Portion = SourceFiles | CrawlLines


def portions(paths: Iterable[str]) -> Iterator[Portion | Problem]:
    """The portions of everything at these paths, in a fixed order; raises IntakeError for a path that is not there."""
    for path in paths:
        if os.path.isdir(path):
            yield from _of_files(_below(path))
        elif not os.path.exists(path):
            raise IntakeError(f"no such file or folder: {displayable(path)}")
        else:
            yield from _of_files([(displayable(path), path, "")])


def _below(folder: str) -> Iterator[tuple[str, str, str]]:
    """Address, path and refusal of each file below a folder, without files that are ignored on purpose."""
    shown = displayable(folder)
    for entry in walk(folder, IntakeRun(_LIMITS)):
        if (entry.refusal or entry.chunks is not None) and not entry.ignored:
            address = os.path.join(shown, entry.path) if entry.path else shown
            yield address, os.path.join(folder, entry.path), entry.refusal


def _of_files(found: Iterable[tuple[str, str, str]]) -> Iterator[Portion | Problem]:
    waiting: list[tuple[str, str]] = []
    size = 0
    for address, path, refusal in found:
        if refusal:
            yield Problem(address, refusal)
        elif path.lower().endswith(CRAWL_ENDINGS):
            yield from _of_crawl(path)
        else:
            waiting.append((address, path))
            size += _size(path)
            if size >= _PORTION or len(waiting) >= _FILES:
                yield SourceFiles(tuple(waiting))
                waiting, size = [], 0
    if waiting:
        yield SourceFiles(tuple(waiting))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # whoever reads it will say so


def _of_crawl(path: str) -> Iterator[Portion]:
    size = _size(path)
    for start in range(0, max(size, 1), _PORTION):
        yield CrawlLines(path, start, min(start + _PORTION, size))


def read(portion: Portion) -> Iterator[CorpusDocument | Problem]:
    """The documents of a portion, and the problems of those that could not be read, in order."""
    return _read_lines(portion) if isinstance(portion, CrawlLines) else _read_files(portion)


def split(portion: Portion) -> list[Portion]:
    """The portion cut into the smallest possible ones, so that a document that cannot be read costs no other."""
    if isinstance(portion, SourceFiles):
        return [SourceFiles((path,)) for path in portion.paths]
    with open(portion.path, "rb") as file:
        places = [place for place, _ in _lines(file.seek, file.readline, portion)]
    return [CrawlLines(portion.path, place, place + 1, portion.name) for place in places]


# Files


def read_file(path: str, address: str | None = None) -> list[CorpusDocument | Problem]:
    """The document in a file, or those in an archive."""
    return list(_read_files(SourceFiles(((displayable(path) if address is None else address, path),))))


def _read_files(files: SourceFiles) -> Iterator[CorpusDocument | Problem]:
    for address, path in files.paths:
        name = os.path.basename(address)
        part = Part(Entry(name, file_chunks(path)), name, address, lone=True)
        run = IntakeRun(_LIMITS, jobs=1)
        for outcome in with_documents(list(read_part(part, Account(run), depth=0)), run):
            at = address if outcome.path == name else f"{address}/{outcome.path}"
            if outcome.file is not None:
                yield _of_file(outcome.file, at, _time(path))
            if outcome.reason and not outcome.ignored:
                yield Problem(at, outcome.reason)


def _of_file(file: SourceFile, address: str, date: datetime | None) -> CorpusDocument:
    language = PROSE if file.cells else language_of(file.path, file.text)
    return CorpusDocument(address, file.text, *_content(file.text), date, language)


def _content(text: str) -> tuple[int, int]:
    """One number for a text, and its size. (The digest of a file's bytes would not do: a notebook's cells and its JSON
    are two texts.)"""
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(sha256(content).digest()[:8], "big"), len(content)


def _time(path: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(os.stat(path).st_mtime), UTC)
    except (OSError, OverflowError, ValueError):
        return None


# Crawls


def _read_lines(portion: CrawlLines) -> Iterator[CorpusDocument | Problem]:
    try:
        with open(portion.path, "rb") as file:
            for place, line in _lines(file.seek, file.readline, portion):
                yield _of_line(line, f"{portion.shown}, byte {place}")
    except OSError as error:
        yield Problem(portion.shown, cannot_read(error))


def _lines(
    seek: Callable[[int], int], readline: Callable[[], bytes], portion: CrawlLines
) -> Iterator[tuple[int, bytes]]:
    """Place and content of each line that begins in the portion; the one before it may reach into it."""
    place = portion.start
    if place:
        seek(place - 1)
        place += len(readline()) - 1
    while place < portion.end and (line := readline()):
        if not line.isspace():
            yield place, line
        place += len(line)


def _of_line(line: bytes, where: str) -> CorpusDocument | Problem:
    try:
        return _of_record(json.loads(line), where)
    except (ValueError, RecursionError) as error:
        return Problem(where, f"not a document: {_reason(error)}")


def _reason(error: Exception) -> str:
    return str(error) if type(error) is ValueError else "not an object in JSON"


def _of_record(record: Any, where: str) -> CorpusDocument:
    if not isinstance(record, dict):
        raise ValueError("not an object in JSON")
    page = record.get("html")
    text = record.get("text") if page is None else page
    if not isinstance(text, str):
        raise ValueError('it has no "text"')
    address = record.get("url", record.get("address", where))
    if not isinstance(address, str) or not address:
        raise ValueError('its "url" is not a text')
    date = _date(record.get("date"))
    language = HTML.name if page is not None else _language(record.get("language"))
    return CorpusDocument(displayable(address), text, *_content(text), date, language, dated=date is not None)


def _language(name: Any) -> str:
    """The name of a front end, if this is one; crawls use the field for human languages, too."""
    try:
        return by_name(name).name if isinstance(name, str) else PROSE
    except UnknownLanguageError:
        return PROSE


def _date(value: Any) -> datetime | None:
    """A time in ISO's form or in seconds since 1970; without a zone it is taken as UTC."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        date = datetime.fromisoformat(value)
    except (TypeError, ValueError, OverflowError, OSError):
        raise ValueError('its "date" is not a time such as 2024-05-31T12:00:00') from None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
