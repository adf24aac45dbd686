"""Sources of documents: folders, files, archives and crawls, cut into portions that can be read side by side.

Crawls (`moss.corpus.crawl`) are files of many documents, recognised by their names. Everything else is read as
submissions are: encodings, notebooks, archives inside archives, limits. Both may be behind a URL. A portion only names
files, and the process that gets it reads them, so nothing large is sent between processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from moss.corpus.crawl.parts import CrawlPart, is_crawl, parts_of, read_part, split_part
from moss.corpus.crawl.records import AS_USUAL, CrawlItem, ReadingChoice, content_of, with_tongue
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.documents import PROSE, CorpusDocument, language_of
from moss.corpus.places import check_scheme, files_below, is_url, modified_at, opened_file, size_of
from moss.intake import IntakeError, Limits
from moss.intake.entries import CHUNK, Entry, UnreadableError
from moss.intake.folders import cannot_read, file_chunks, walk
from moss.intake.limits import MIB, Account, IntakeRun
from moss.intake.names import displayable
from moss.intake.source_files import Part, with_documents
from moss.intake.source_files import read_part as read_entry
from moss.messages import gettext
from moss.model import Problem, SourceFile

PORTION = 8 * MIB  # of text in a portion, about
_FILES = 500  # in a portion
_ARCHIVE = 1024 * MIB  # unpacked: all of it is in memory at once
_LIMITS = Limits(submission_bytes=_ARCHIVE, entries=50_000_000)


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """Files to read: the address and the path of each."""

    paths: tuple[tuple[str, str], ...]
    choice: ReadingChoice = AS_USUAL

    @property
    def is_single(self) -> bool:
        """Whether the portion is one file, and cannot be split."""
        return len(self.paths) == 1


Portion = SourceFiles | CrawlPart

Found = tuple[str, str, str, int]
"""Address, path, refusal and size of a file."""


def portions(paths: Iterable[str], choice: ReadingChoice = AS_USUAL) -> Iterator[Portion | Problem]:
    """The portions of everything at these paths, in a fixed order; raises IntakeError for a path that is not there, and
    CorpusError for a URL at which nothing is."""
    for path in paths:
        if is_url(check_scheme(path)):
            found = files_below(path)
            yield from _of_files(((displayable(file.url), file.url, "", file.size) for file in found), choice)
        elif os.path.isdir(path):
            yield from _of_files(_below(path), choice)
        elif not os.path.exists(path):
            raise IntakeError(gettext("no such file or folder: %(path)s", path=displayable(path)))
        else:
            yield from _of_files([(displayable(path), path, "", size_of(path))], choice)


def _below(folder: str) -> Iterator[Found]:
    """Each file below a folder, without files that are ignored on purpose."""
    shown = displayable(folder)
    for entry in walk(folder, IntakeRun(_LIMITS)):
        if (entry.refusal or entry.chunks is not None) and not entry.ignored:
            address = os.path.join(shown, entry.path) if entry.path else shown
            path = os.path.join(folder, entry.path)
            yield address, path, entry.refusal, size_of(path)


def _of_files(found: Iterable[Found], choice: ReadingChoice) -> Iterator[Portion | Problem]:
    waiting: list[tuple[str, str]] = []
    waiting_size = 0
    for address, path, refusal, size in found:
        if refusal:
            yield Problem(address, refusal)
        elif is_crawl(path):
            yield from parts_of(path, size, choice, PORTION)
        else:
            waiting.append((address, path))
            waiting_size += size
            if waiting_size >= PORTION or len(waiting) >= _FILES:
                yield SourceFiles(tuple(waiting), choice)
                waiting, waiting_size = [], 0
    if waiting:
        yield SourceFiles(tuple(waiting), choice)


def read(portion: Portion) -> Iterator[CrawlItem]:
    """The documents of a portion, and the problems of those that could not be read, in order."""
    return read_part(portion) if isinstance(portion, CrawlPart) else _read_files(portion)


def split(portion: Portion) -> list[Portion]:
    """The portion cut into the smallest possible ones, so that a document that cannot be read costs no other."""
    if isinstance(portion, CrawlPart):
        return list(split_part(portion))
    return [SourceFiles((path,), portion.choice) for path in portion.paths]


def anywhere(portion: Portion) -> Portion:
    """The portion with absolute paths, for a reader that works in another folder; addresses stay as they are."""
    if isinstance(portion, CrawlPart):
        return replace(portion, path=_absolute(portion.path), name=portion.name or portion.path)
    return replace(portion, paths=tuple((address, _absolute(path)) for address, path in portion.paths))


def _absolute(path: str) -> str:
    return path if is_url(path) else os.path.abspath(path)


# Files


def read_file(path: str, address: str | None = None) -> list[CorpusDocument | Problem]:
    """The document in a file, or those in an archive or a crawl."""
    if is_crawl(path):
        whole = parts_of(path, size_of(path), AS_USUAL, PORTION)
        found = [item for part in whole for item in ([part] if isinstance(part, Problem) else read_part(part))]
    else:
        found = list(_read_files(SourceFiles(((displayable(path) if address is None else address, path),))))
    return [item for item in found if isinstance(item, (CorpusDocument, Problem))]


def _read_files(files: SourceFiles) -> Iterator[CrawlItem]:
    for address, path in files.paths:
        name = os.path.basename(address)
        part = Part(Entry(name, _chunks(path)), name, address, lone=True)
        run = IntakeRun(_LIMITS, jobs=1)
        for outcome in with_documents(list(read_entry(part, Account(run), depth=0)), run):
            at = address if outcome.path == name else f"{address}/{outcome.path}"
            if outcome.file is not None:
                yield with_tongue(_of_file(outcome.file, at, modified_at(path)), files.choice, tell=False)
            if outcome.reason and not outcome.ignored:
                yield Problem(at, outcome.reason)


def _chunks(path: str) -> Callable[[], Iterator[bytes]]:
    """How to read a file piece by piece, here or behind a URL."""
    if not is_url(path):
        return file_chunks(path)

    def chunks() -> Iterator[bytes]:
        try:
            with opened_file(path) as file:
                while chunk := file.read(CHUNK):
                    yield chunk
        except OSError as error:
            raise UnreadableError(cannot_read(error)) from None
        except CorpusError as error:
            raise UnreadableError(str(error)) from None

    return chunks


def _of_file(file: SourceFile, address: str, date: datetime | None) -> CorpusDocument:
    language = PROSE if file.cells else language_of(file.path, file.text)
    return CorpusDocument(address, file.text, *content_of(file.text), date, language)
