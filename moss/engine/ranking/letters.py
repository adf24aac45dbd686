"""Letters: which triples of letters submissions have, and what two of them share.

Nearly all triples are common, so lists of who has each would be long. Here each submission has its triples, and what
two share is summed up for the pairs that are asked for. A triple is a number of 17 bits: of the two thousand that a
text has, one in sixty shares its number with another.

    >>> abba, abbc = triples([[np.array([ord(c) for c in text], np.uint64)] for text in ("abba", "abbc")])
    >>> len(abba), len(abbc), len(np.intersect1d(abba, abbc))
    (2, 2, 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.engine.index import count_authors
from moss.engine.ranking.bags import Bags
from moss.engine.ranking.candidates import Numbers, Weights

_BITS = 17
_FACTORS = [np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)]
Triples = NDArray[np.uint64]


def triples(submissions: Sequence[Sequence[NDArray[Any]]]) -> list[Triples]:
    """All triples of the texts of each submission, each once, ascending."""
    has = np.zeros(1 << _BITS, np.bool_)
    found: list[Triples] = []
    for texts in submissions:
        for letters in texts:
            has[triples_in_order(letters).view(np.int64)] = True
        mine = np.flatnonzero(has)
        has[mine] = False
        found.append(mine.view(np.uint64))
    return found


def triples_in_order(letters: NDArray[Any]) -> Triples:
    """The triple that begins at each letter of a text but the last two."""
    if len(letters) < 3:
        return np.zeros(0, np.uint64)
    letters = letters.astype(np.uint64, copy=False)
    mixed = letters[:-2] * _FACTORS[0]
    mixed += letters[1:-1] * _FACTORS[1]
    mixed += letters[2:] * _FACTORS[2]
    mixed >>= np.uint64(64 - _BITS)
    return mixed


class Letters(NamedTuple):
    """The triples of submission i are `triples[first[i]:end[i]]`."""

    triples: NDArray[np.int32]
    first: NDArray[np.int64]
    end: NDArray[np.int64]
    weights: NDArray[np.int32]  # of each triple
    unit: float  # what a weight of 1 is worth
    own: NDArray[np.float64]  # of each submission

    def shared(self, a: Numbers, b: Numbers) -> NDArray[np.float64]:
        """The weight of what the two of each pair share."""
        found = np.zeros(len(a))
        order = np.argsort(a, kind="stable")
        begins = np.flatnonzero(np.diff(a[order], prepend=-1))
        has = np.zeros(1 << _BITS, np.int32)
        for pairs in np.split(order, begins[1:]) if len(order) else []:
            mine = self._of(int(a[pairs[0]]))
            has[mine] = self.weights.take(mine)
            others = [self._of(other) for other in b[pairs].tolist()]
            found[pairs] = _sums(has.take(np.concatenate(others)), [len(other) for other in others])
            has[mine] = 0
        return found * self.unit

    def _of(self, submission: int) -> NDArray[np.int32]:
        return self.triples[self.first[submission] : self.end[submission]]


def make_letters(bags: Sequence[Bags], author: NDArray[np.int64], weights: Weights, unit: float) -> Letters:
    """The triples of a class; one that m authors have weighs `weights[m]` times `unit`."""
    weight = weights[_authors(bags, author)].astype(np.int32)
    first, counts, own = (np.zeros(len(author), np.int64) for _ in range(3))
    found = [np.zeros(0, np.int32)]
    size = 0
    for some in bags:
        some = some.where(weight.take(some.hashes) > 0)  # triples that half of a large class has weigh nothing
        ends = np.cumsum(some.counts)
        first[some.numbers], counts[some.numbers] = size + ends - some.counts, some.counts
        own[some.numbers] = _sums(weight.take(some.hashes), some.counts)
        found.append(some.hashes.astype(np.int32))
        size += len(some.hashes)
    return Letters(np.concatenate(found), first, first + counts, weight, unit, own * np.float64(unit))


def _authors(bags: Sequence[Bags], author: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many authors have each triple. Few authors have several submissions, so only those are looked at closely."""
    several = (np.bincount(author) > 1)[author]
    having = np.zeros(1 << _BITS, np.int64)
    theirs = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    for some in bags:
        mine = np.flatnonzero(several.take(some.numbers).repeat(some.counts))
        having += np.bincount(some.hashes, minlength=len(having))
        theirs[0].append(some.hashes.take(mine).astype(np.int64))
        theirs[1].append(some.submissions.take(mine).astype(np.int32))
    triple, submission = np.concatenate(theirs[0]), np.concatenate(theirs[1])
    once = count_authors(triple, submission, author, len(having))
    return having - np.bincount(triple, minlength=len(having)) + once


def _sums(values: NDArray[np.int32], counts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of the first so many values, then of the next ones, and so on."""
    until, bounds = np.zeros(len(values) + 1, np.int64), np.zeros(len(counts) + 1, np.int64)
    values.cumsum(out=until[1:])
    np.cumsum(counts, out=bounds[1:])
    at = until.take(bounds)
    return at[1:] - at[:-1]
