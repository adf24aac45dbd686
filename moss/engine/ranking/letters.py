"""Letters: which triples of letters submissions have, and what two of them share.

Nearly all triples are common, so lists of who has each would be long. Here each submission has its triples, and what
two share is summed up for the pairs that are asked for. A triple is a number of 17 bits: of the two thousand that a
text has, one in sixty shares its number with another.

    >>> abba, abbc = (triples([np.array([ord(c) for c in text], np.uint64)]) for text in ("abba", "abbc"))
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
from moss.model import Codes

_BITS = 17
_FACTORS = [np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)]
Triples = NDArray[np.uint64]


def triples(texts: Sequence[Codes]) -> Triples:
    """All triples of some texts, each once, ascending."""
    has = np.zeros(1 << _BITS, np.bool_)
    for letters in texts:
        has[triples_in_order(letters)] = True
    return np.flatnonzero(has).astype(np.uint64)


def triples_in_order(letters: Codes) -> Triples:
    """The triple that begins at each letter of a text but the last two."""
    if len(letters) < 3:
        return np.zeros(0, np.uint64)
    mixed = np.zeros(len(letters) - 2, np.uint64)
    for place, factor in enumerate(_FACTORS):
        mixed += letters[place : len(mixed) + place] * factor
    return mixed >> np.uint64(64 - _BITS)


class Letters(NamedTuple):
    """The triples of submission i are `triples[first[i]:first[i+1]]`."""

    triples: NDArray[np.int32]
    first: NDArray[np.int64]
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
            has[mine] = self.weights[mine]
            found[pairs] = [has.take(self._of(other)).sum() for other in b[pairs].tolist()]
            has[mine] = 0
        return found * self.unit

    def _of(self, submission: int) -> NDArray[np.int32]:
        return self.triples[self.first[submission] : self.first[submission + 1]]


def make_letters(bags: Sequence[Bags], author: NDArray[np.int64], weights: Weights, unit: float) -> Letters:
    """The triples of a class; one that m authors have weighs `weights[m]` times `unit`."""
    parts: list[NDArray[Any]] = [np.zeros(0, np.int32)] * len(author)
    for some in bags:
        for number, one in zip(some.numbers.tolist(), some.split(), strict=True):
            parts[number] = one
    counts = np.array([len(part) for part in parts], np.int64)
    found = np.concatenate([*parts, np.zeros(0, np.int32)]).astype(np.int32)
    document = np.repeat(np.arange(len(author), dtype=np.int32), counts)
    weight = weights[count_authors(found.astype(np.int64), document, author, 1 << _BITS)].astype(np.int32)
    told = weight[found] > 0  # triples that half of a large class has weigh nothing
    found, document = found.compress(told), document.compress(told)
    counts = np.bincount(document, minlength=len(author))
    own = np.bincount(document, weight[found], len(author)) * np.float64(unit)
    return Letters(found, np.append(0, np.cumsum(counts)), weight, unit, own)
