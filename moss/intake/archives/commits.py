"""The history of a git repository: which commit was the first to have each line, next to one of its neighbours.

All commits are read, of all branches, and each tree and each file once, so the work grows with what was stored and not
with the number of commits. A line alone says little (`return 0;`), so a line counts as being there from the first
commit on that had it beside the line before or behind it. Two versions of a text are compared by keys, numbers that
stand for a line together with the one before it. Blanks do not count in a line, and lines of mere signs not at all:
they are there from the commit on that has the line before them. So a passage that was moved, indented or renamed with
its file keeps its date; one whose names were changed gets a new one.

Commits come after their parents, whatever their dates say; only unrelated ones are in the order of their dates.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.intake.archives.git import OpenedRepository, RepositoryFiles, committed_at, read_repository
from moss.intake.encodings import binary_reason, decode
from moss.intake.entries import UnreadableError
from moss.intake.ignored import ignored_file, ignored_folder
from moss.intake.limits import MIB, human_size
from moss.intake.names import displayable
from moss.intake.notebooks import NOTEBOOK, extract
from moss.lines import line_starts
from moss.messages import gettext as _
from moss.messages import number
from moss.model import Commit as CommitRecord
from moss.model import LineOrigin

if TYPE_CHECKING:
    from dulwich.objects import Commit

COMMITS, OBJECTS, TEXT = 5_000, 50_000, 32 * MIB
"""The most commits, trees and files, and bytes of text of which a history may be made; a larger one is not read."""

_LARGEST_TEXT = MIB
_LONGEST_WORDS = 200  # characters of a name or of a message's first line
_FOLDER = 0o040000
_FACTOR, _BITS = 0x9E3779B97F4A7C15, (1 << 64) - 1
_EDGE = 0  # stands before the first line and behind the last


class RepositoryHistory(NamedTuple):
    """All commits, the oldest first, and the number of the one that was the first to have each line."""

    commits: tuple[CommitRecord, ...]
    keys: NDArray[np.uint64]  # of lines, sorted
    firsts: NDArray[np.int64]
    cut: bool  # whether older commits are missing

    @classmethod
    def made(cls, commits: list[CommitRecord], firsts: dict[int, int], cut: bool) -> RepositoryHistory:
        """A history from the first commit of each key."""
        keys = np.fromiter(firsts, np.uint64, len(firsts))
        order = np.argsort(keys)
        numbers = np.fromiter(firsts.values(), np.int64, len(firsts))
        return cls(tuple(commits), keys[order], numbers[order], cut)


def history_of(encoding: str, files: RepositoryFiles) -> RepositoryHistory:
    """The history of a repository; texts are decoded by this encoding first. Raises UnreadableError."""
    return read_repository(partial(_read, encoding), files)


def _read(encoding: str, repository: OpenedRepository) -> RepositoryHistory:
    commits, cut = _in_order(repository)
    firsts: dict[int, int] = {}
    walker = _Walker(repository, encoding)
    for place, commit in enumerate(commits):
        for text in walker.new_texts(commit):
            for key in keys_of(text):
                firsts.setdefault(key, place)
    return RepositoryHistory.made(list(map(_described, commits)), firsts, cut)


def _in_order(repository: OpenedRepository) -> tuple[list[Commit], bool]:
    """All commits, each behind its parents, and whether any parent is missing."""
    known, cut = _reachable(repository)
    waiting = {id: sum(parent in known for parent in set(commit.parents)) for id, commit in known.items()}
    children: dict[bytes, list[bytes]] = {}
    for id, commit in known.items():
        for parent in set(commit.parents):
            children.setdefault(parent, []).append(id)
    ready = [committed_at(known[id]) for id, count in waiting.items() if not count]
    heapq.heapify(ready)
    ordered = []
    while ready:
        id = heapq.heappop(ready)[1]
        ordered.append(known[id])
        for child in children.get(id, ()):
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, committed_at(known[child]))
    return ordered, cut


def _reachable(repository: OpenedRepository) -> tuple[dict[bytes, Commit], bool]:
    known: dict[bytes, Commit] = {}
    cut = False
    waiting = list(repository.references.values())
    named = set(waiting)
    while waiting:
        name = waiting.pop()
        commit = repository.commit(name)
        if commit is None:
            cut = cut or name not in named
        elif commit.id not in known:
            known[commit.id] = commit
            waiting += commit.parents
        if len(known) > COMMITS:
            raise UnreadableError(_("it has more than %(limit)s commits", limit=number(COMMITS)))
    if not known:
        raise UnreadableError(_("it has no commit"))
    return known, cut


class _Walker:
    """Reads each tree and each file of a repository once, up to the limits."""

    def __init__(self, repository: OpenedRepository, encoding: str) -> None:
        self._store: Any = repository.store
        self._encoding = encoding
        self._seen: set[tuple[bytes, bool]] = set()
        self._bytes = 0

    def new_texts(self, commit: Commit) -> Iterator[str]:
        """The texts of a commit that no commit before had."""
        pending: list[Any] = [commit.tree]
        while pending:
            for name, mode, id in self._store[pending.pop()].iteritems():
                words = name.decode("utf-8", "replace")
                notebook = words.endswith(NOTEBOOK)
                if (id, notebook) in self._seen or mode & 0o170000 not in (_FOLDER, 0o100000):
                    continue
                self._count((id, notebook))
                if mode & 0o170000 == _FOLDER:
                    pending += [] if ignored_folder(words, tuple, ()) else [id]
                elif not ignored_file(words) and id in self._store:
                    yield from self._text(self._store[id].as_raw_string(), notebook)

    def _count(self, object: tuple[bytes, bool]) -> None:
        self._seen.add(object)
        if len(self._seen) > OBJECTS:
            raise UnreadableError(_("it has more than %(limit)s versions of files and folders", limit=number(OBJECTS)))

    def _text(self, content: bytes, notebook: bool) -> Iterator[str]:
        if len(content) > _LARGEST_TEXT or binary_reason(content):
            return
        self._bytes += len(content)
        if self._bytes > TEXT:
            raise UnreadableError(_("its versions are larger than %(limit)s in total", limit=human_size(TEXT)))
        text = decode(content, self._encoding)[0]
        try:
            yield extract(text)[0] if notebook else text
        except ValueError:
            yield text


def _described(commit: Commit) -> CommitRecord:
    name, mail = (*commit.author.split(b"<", 1), b"")[:2]
    written = _moment(commit.author_time, commit.author_timezone)
    committed = _moment(commit.commit_time, commit.commit_timezone)
    lines = _words(commit.message).splitlines()
    return CommitRecord(
        commit.id.decode(), _words(name), _words(mail.partition(b">")[0]), written,
        committed if commit.commit_time != commit.author_time else "", lines[0].strip() if lines else "",
    )  # fmt: skip


def _words(content: bytes) -> str:
    return displayable(content[: 4 * _LONGEST_WORDS].decode("utf-8", "replace").strip())[:_LONGEST_WORDS]


def _moment(seconds: int | None, zone: int | None) -> str:
    """A date in ISO 8601; nothing if there is none, or one that no calendar has."""
    if seconds is None:
        return ""
    try:
        return datetime.fromtimestamp(seconds, timezone(timedelta(seconds=zone or 0))).isoformat()
    except (OverflowError, OSError, ValueError):
        return ""


class NumberedLines(NamedTuple):
    """The lines of a text that count, by their numbers from 1, and the keys: one before each line, and one behind."""

    numbers: NDArray[np.int64]
    keys: NDArray[np.uint64]


def keys_of(text: str) -> list[int]:
    """The keys of a text: for each line that counts with the one before it, and for the last one with the end.

    >>> first, second = keys_of("a = 1\\n\\nb = 2\\n")[1:], keys_of("  a = 1\\n{\\nb  =  2\\nc = 3\\n")
    >>> first[0] in second
    True
    """
    return _joined([_digest(line) for line in _lines(text) if _counts(line)])


def numbered_lines(text: str) -> NumberedLines:
    """The lines of a text that count, with their keys."""
    counted = [(number, line) for number, line in enumerate(_lines(text), 1) if _counts(line)]
    keys = _joined([_digest(line) for _, line in counted])
    return NumberedLines(np.array([number for number, _ in counted], np.int64), np.array(keys, np.uint64))


def origins_in(lines: NumberedLines, history: RepositoryHistory) -> list[tuple[int, int | None]]:
    """For each line that counts its number, and the place in the history of the commit that first had it beside one of
    its neighbours; None if no commit did."""
    unknown = len(history.commits)
    firsts = np.full(len(lines.keys), unknown)
    if len(history.keys):
        places = np.minimum(history.keys.searchsorted(lines.keys), len(history.keys) - 1)
        found = history.keys[places] == lines.keys
        firsts[found] = history.firsts[places[found]]
    best = np.minimum(firsts[:-1], firsts[1:])
    return [(n, c if c < unknown else None) for n, c in zip(lines.numbers.tolist(), best.tolist(), strict=True)]


def as_table(origins: Sequence[tuple[int, int]]) -> tuple[LineOrigin, ...]:
    """The origins of a file's lines, of those in a row that have the same one only the first."""
    before = [None, *(commit for _, commit in origins)]
    return tuple(
        LineOrigin(number if place else 1, commit)
        for place, ((number, commit), last) in enumerate(zip(origins, before, strict=False))
        if commit != last
    )


def _lines(text: str) -> list[str]:
    starts = [*line_starts(text).tolist(), len(text)]
    return [text[start:end] for start, end in pairwise(starts)]


def _counts(line: str) -> bool:
    return any(map(str.isalnum, line))


@lru_cache(maxsize=1 << 16)  # versions of a file have most lines in common
def _digest(line: str) -> int:
    content = " ".join(line.split()).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


def _joined(digests: list[int]) -> list[int]:
    return [(a * _FACTOR + b) & _BITS for a, b in pairwise([_EDGE, *digests, _EDGE])] if digests else []
