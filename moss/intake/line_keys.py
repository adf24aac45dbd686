"""Lines as numbers that two versions of a text are compared by, and the tables of the commits that first had them.

A key stands for a line together with the one before it. Blanks do not count in a line, and lines of mere signs not at
all: they are there from the commit on that has the line before them.

>>> first, second = keys_of("a = 1\\n\\nb = 2\\n")[1:], keys_of("  a = 1\\n{\\nb  =  2\\nc = 3\\n")
>>> first[0] in second
True
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.lines import line_starts
from moss.model import LineOrigin

if TYPE_CHECKING:
    from moss.intake.archives.commits import RepositoryHistory

_FACTOR, _BITS = 0x9E3779B97F4A7C15, (1 << 64) - 1
_EDGE = 0  # stands before the first line and behind the last


class NumberedLines(NamedTuple):
    """The lines of a text that count, by their numbers from 1, and the keys: one before each line, and one behind."""

    numbers: NDArray[np.int64]
    keys: NDArray[np.uint64]


def keys_of(text: str) -> list[int]:
    """The keys of a text: for each line that counts with the one before it, and for the last one with the end."""
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
