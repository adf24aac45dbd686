"""Registers: from hashes to numbers, for millions of them, as sorted arrays.

>>> register = Register()
>>> register.add(np.array([7, 5, 7], np.uint64), np.array([0, 1, 2]))
>>> register.find(np.array([5, 6, 7], np.uint64)).tolist(), first_of(np.array([7, 5, 7], np.uint64)).tolist()
([1, -1, 0], [0, 1, 0])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moss.corpus.ingest.shingles import Counts
from moss.engine.sort_order import ascending
from moss.hashing import Hashes

UNKNOWN = -1


class Register:
    """A table from hashes to the number that was first given with each. Sorted arrays are merged as they grow, so each
    element is copied rarely."""

    def __init__(self) -> None:
        self._runs: list[tuple[Hashes, Counts]] = []

    def add(self, hashes: Hashes, numbers: Counts) -> None:
        """Remember these; of equal hashes the first counts."""
        order, new = _grouped(hashes)
        first = order[new]
        self._runs.append((hashes[first], numbers[first]))
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            newer, older = self._runs.pop(), self._runs.pop()
            both = np.concatenate([older[0], newer[0]])
            order, new = _grouped(both)
            self._runs.append((both[order[new]], np.concatenate([older[1], newer[1]])[order[new]]))

    def find(self, hashes: Hashes) -> Counts:
        """The number of each hash, or UNKNOWN."""
        found = np.full(len(hashes), UNKNOWN, np.int64)
        for known, numbers in reversed(self._runs):  # the oldest last, so that the first counts
            if len(known):
                at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
                hit = known[at] == hashes
                found[hit] = numbers[at[hit]]
        return found

    @property
    def hashes(self) -> Hashes:
        """All hashes, sorted."""
        return np.unique(np.concatenate([np.zeros(0, np.uint64), *(known for known, _ in self._runs)]))


def first_of(hashes: Hashes) -> Counts:
    """For each hash the position of the first one that equals it."""
    order, new = _grouped(hashes)
    first = np.empty(len(hashes), np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def _grouped(hashes: Hashes) -> tuple[Counts, NDArray[np.bool_]]:
    """The positions of hashes in order, of equal ones the first before the others, and where in it another begins."""
    order = ascending(hashes)
    values = hashes.take(order)
    new = np.ones(len(hashes), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return order, new
