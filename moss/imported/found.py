"""The findings of another tool as plain data, and the report that is made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from frontends import GENERIC, for_path
from moss.lines import count_lines, line_starts
from moss.model import (
    Channel,
    EqualRun,
    FileRecord,
    ImportedFrom,
    Match,
    Pair,
    Problem,
    Ranking,
    Region,
    Report,
    Role,
    Status,
    SubmissionRecord,
)
from moss.version import __version__

PASSAGES = 10_000  # the most of one pair that are shown
_TOKEN = re.compile(r"\w+|[^\w\s]")


class ForeignText(NamedTuple):
    """The text of a file, and the bytes that it was read from, if these are what was handed in."""

    text: str
    content: bytes | None = None


class ForeignPassage(NamedTuple):
    """Lines of a file on each side, from 1, the last included; tokens as the tool counts them, if it does."""

    a_file: str
    a_lines: tuple[int, int]
    b_file: str
    b_lines: tuple[int, int]
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ForeignPair:
    """Two submissions, by their names, with the tool's figures from 0 to 1."""

    a: str
    b: str
    score: float
    share_a: float
    share_b: float
    passages: tuple[ForeignPassage, ...]


@dataclass(frozen=True, slots=True)
class ForeignResult:
    """Everything that a tool found."""

    source: ImportedFrom
    texts: Mapping[str, Mapping[str, ForeignText]]  # by submission and path
    pairs: Sequence[ForeignPair]
    clusters: Sequence[Sequence[str]] = ()
    problems: list[Problem] = field(default_factory=list)


def make_report(found: ForeignResult, path: str) -> Report:
    """The report of what was found at a path."""
    problems = list(found.problems)
    submissions = tuple(_record(name, found.texts[name]) for name in sorted(found.texts))
    pairs = [_pair(pair, found.texts, problems) for pair in found.pairs]
    pairs.sort(key=lambda pair: (-pair.score, -pair.tokens, pair.a, pair.b))
    place = {record.id: number for number, record in enumerate(submissions)}
    ranking = Ranking(
        np.array([place[pair.a] for pair in pairs], np.int64), np.array([place[pair.b] for pair in pairs], np.int64),
        np.array([pair.score for pair in pairs], np.float64),
    )  # fmt: skip
    return Report(
        datetime.now(UTC).replace(microsecond=0),
        __version__,
        {"paths": [path], "base": [], "archive": [], "comment": "", "cluster": None, "show": len(pairs), "limits": {},
         "thresholds": []},
        submissions,
        tuple(pairs),
        ranking,
        tuple(tuple(cluster) for cluster in found.clusters if len(cluster) > 1),
        tuple(problems),
        imported=found.source,
    )  # fmt: skip


def _record(name: str, texts: Mapping[str, ForeignText]) -> SubmissionRecord:
    files = tuple(_file(path, found) for path, found in sorted(texts.items()))
    languages = [file.language for file in files]
    language = max(sorted(set(languages)), key=languages.count, default="")
    return SubmissionRecord(name, name, Role.NEW, language, sum(file.tokens for file in files), 0, files)


def _file(path: str, found: ForeignText) -> FileRecord:
    language = (for_path(path) or GENERIC).name
    digest = sha256(found.content).hexdigest() if found.content is not None else ""
    lines, tokens = count_lines(found.text), count_tokens(found.text)
    return FileRecord(path, lines, tokens, language, Status.OK, digest=digest, text=found.text)


def count_tokens(text: str) -> int:
    """How many words and signs a text has.

    >>> count_tokens("total = total + 1;")
    6
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def _pair(pair: ForeignPair, texts: Mapping[str, Mapping[str, ForeignText]], problems: list[Problem]) -> Pair:
    matches = tuple(_matches(pair, texts))
    shown = pair.passages[:PASSAGES]
    if missing := len(pair.passages) - len(matches):
        why = (
            f"more than {PASSAGES:,} of them"
            if len(shown) < len(pair.passages)
            else "their lines are not there, or others have them"
        )
        problems.append(Problem(f"{pair.a} and {pair.b}", f"{missing} passages are not shown: {why}"))
    tokens = [match.tokens for match in matches]
    similarity = (pair.share_a + pair.share_b) / 2
    return Pair(
        pair.a, pair.b, pair.score, similarity, pair.share_a, pair.share_b, sum(tokens), max(tokens, default=0), 0.0,
        matches,
    )  # fmt: skip


def _matches(pair: ForeignPair, texts: Mapping[str, Mapping[str, ForeignText]]) -> Iterator[Match]:
    """The passages, the largest first. Where two have a line in common, it is the larger one's."""
    a, b = _Side(texts[pair.a]), _Side(texts[pair.b])
    ordered = sorted(pair.passages[:PASSAGES], key=lambda each: (-(each.tokens or 0), each))
    found = []
    for passage in ordered:
        ours, theirs = a.free(passage.a_file, *passage.a_lines), b.free(passage.b_file, *passage.b_lines)
        if ours and theirs:
            left, right = a.take(passage.a_file, ours), b.take(passage.b_file, theirs)
            run = EqualRun(left.start, left.end, right.start, right.end)
            counted = count_tokens(a.text(left)) if passage.tokens is None else passage.tokens
            found.append(Match(left, right, counted, 0, Channel.STRUCTURE, (), (run,)))
    yield from sorted(found, key=lambda match: -match.tokens)


class _Side:
    """The files of one side of a pair, and the lines of them that belong to a passage already."""

    def __init__(self, texts: Mapping[str, ForeignText]) -> None:
        self._texts = texts
        self._taken: dict[str, bytearray] = {}

    def free(self, file: str, first: int, last: int) -> tuple[int, int] | None:
        """The lines of these that are there and free, in one piece; None if there are none."""
        if file not in self._texts:
            return None
        taken = self._taken.setdefault(file, bytearray(count_lines(self._texts[file].text)))
        start = taken.find(0, max(0, first - 1), max(0, last))
        if start < 0:
            return None
        end = taken.find(1, start, last)
        return start + 1, min(len(taken), last) if end < 0 else end

    def take(self, file: str, lines: tuple[int, int]) -> Region:
        """The region of these lines, which are taken from now on."""
        first, last = lines
        self._taken[file][first - 1 : last] = b"\1" * (last - first + 1)
        text = self._texts[file].text
        starts = line_starts(text)
        end = int(starts[last]) if last < len(starts) else len(text)
        begin = int(starts[first - 1])
        return Region(file, first, last, begin, max(begin, begin + len(text[begin:end].rstrip("\r\n"))))

    def text(self, region: Region) -> str:
        """The text of a region."""
        return self._texts[region.file].text[region.start : region.end]
