"""Sorted tables of fingerprints: the questions of a search by leading bits, and the plain table."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from moss.corpus.search.interpolation import search_one
from moss.hashing import Hashes, Positions

_LARGEST = (1 << 64) - 1


class SortedTable(Protocol):
    """Permuted fingerprints, in order."""

    def between(self, low: int, high: int) -> Hashes:
        """The fingerprints from `low` to `high`, both included."""

    def ranges(self, low: Hashes, high: Hashes) -> tuple[Positions, Positions]:
        """The rows of those from each `low` to its `high`: where they begin and end. Both ascend."""

    def rows(self, rows: Positions) -> Hashes:
        """The fingerprints in these rows."""


class PlainTable:
    """A table as it is: eight bytes for each fingerprint."""

    def __init__(self, fingerprints: Hashes) -> None:
        self.sorted = fingerprints

    def between(self, low: int, high: int) -> Hashes:
        begin = search_one(self.sorted, low)
        end = len(self.sorted) if high == _LARGEST else search_one(self.sorted, high + 1)
        return self.sorted[begin:end]

    def ranges(self, low: Hashes, high: Hashes) -> tuple[Positions, Positions]:
        # Halving goes on from the place before, if values ascend; nothing is left for interpolation to save.
        return np.searchsorted(self.sorted, low), np.searchsorted(self.sorted, high, side="right")

    def rows(self, rows: Positions) -> Hashes:
        return self.sorted[rows]
