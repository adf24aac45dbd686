"""Phase 2 on one machine: shingles sorted and counted as arrays, with the rows that the relations give.

Every shingle of the corpus goes through this phase, and most of them are in one document. Sorting arrays takes a third
of the time that an engine takes to group the rows (`moss.corpus.cluster.relations` has the SQL, for engines that are
spread over several machines).

    >>> rows = SortedRows(np.array([7, 5, 7, 5, 7, 9]), np.array([0, 1, 2, 3, 4, 5]))
    >>> {name: column.tolist() for name, column in rows.holders().items()}
    {'shingle': [5, 7], 'holders': [2, 3], 'a': [1, 0], 'b': [3, 4]}
    >>> {name: column.tolist() for name, column in rows.several().items()}
    {'shingle': [7, 7, 7], 'doc': [0, 2, 4], 'holders': [3, 3, 3]}
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moss.corpus.cluster.relations import within
from moss.corpus.engines.duckdb import DuckEngine
from moss.corpus.engines.engine import Columns
from moss.corpus.storage.tables import SHINGLES
from moss.hashing import order_by_hash

_COUNTERS = 1 << 26  # in memory at once: 256 MB
_SIGN = np.uint64(1 << 63)

Numbers = NDArray[np.int64]


class DepthCounters:
    """Counts how many shingles with each lowest bit each document has.

    >>> counters = DepthCounters(documents=2, masks=[0, 1])
    >>> counters.add(np.array([0, 4, 3, 5]), np.array([0, 0, 0, 1]))
    >>> {name: column.tolist() for name, column in counters.columns().items()}
    {'doc': [0, 0, 1], 'low': [1, 2, 1], 'n': [1, 2, 1]}
    """

    def __init__(self, documents: int, masks: Sequence[int]) -> None:
        self._levels = (max(masks, default=0) + 1).bit_length()
        self._counts = np.zeros(documents * self._levels, np.int32)

    @staticmethod
    def fit(documents: int, masks: Sequence[int]) -> bool:
        """Whether the counters for so many documents may be in memory."""
        return documents * (max(masks, default=0) + 1).bit_length() <= _COUNTERS

    def add(self, shingle: Numbers, doc: Numbers) -> None:
        """Count rows of the table of shingles."""
        bits = shingle.view(np.uint64)
        zeros = np.bitwise_count((bits & -bits) - np.uint64(1))  # below the lowest bit; 64 if there is none
        np.add.at(self._counts, doc * self._levels + np.minimum(zeros, self._levels - 1), np.int32(1))

    def columns(self) -> Columns:
        """The rows of `relations.depths`."""
        found = np.flatnonzero(self._counts)
        low = np.int64(1) << (found % self._levels)
        return {"doc": found // self._levels, "low": low, "n": self._counts[found].astype(np.int64)}


class SortedRows:
    """The rows of a slice of shingles, by shingle and document, and how many documents have each shingle."""

    def __init__(self, shingle: Numbers, doc: Numbers) -> None:
        if not (shingle[1:] >= shingle[:-1]).all():  # a slice of one segment is sorted
            order = order_by_hash(shingle.view(np.uint64) ^ _SIGN)
            shingle, doc = shingle.take(order), doc.take(order)
        same = shingle[1:] == shingle[:-1]
        if (same & (doc[1:] < doc[:-1])).any():  # an engine that gave the rows of a later segment first
            order = np.lexsort((doc, shingle))
            shingle, doc = shingle.take(order), doc.take(order)
        self._shingle, self._doc = shingle, doc
        self._first = np.flatnonzero(np.concatenate([[True], ~same])) if len(shingle) else np.zeros(0, np.int64)
        self._count = np.diff(self._first, append=len(shingle))

    def count_depths(self, counters: DepthCounters) -> None:
        """Add all rows to the counters."""
        counters.add(self._shingle, self._doc)

    def holders(self) -> Columns:
        """The rows of `relations.holders`."""
        chosen = self._count > 1
        first, count = self._first[chosen], self._count[chosen]
        last = first + count - 1
        return {
            "shingle": self._shingle.take(first),
            "holders": count,
            "a": self._doc.take(first),
            "b": self._doc.take(last),
        }

    def several(self) -> Columns:
        """The rows of `relations.sorted_shingles`."""
        chosen = self._count > 2
        at = np.flatnonzero(np.repeat(chosen, self._count))
        holders = np.repeat(self._count[chosen], self._count[chosen])
        return {"shingle": self._shingle.take(at), "doc": self._doc.take(at), "holders": holders}


class SliceWriter:
    """Writes the tables of the slice between two shingles, both included, whose rows are read at most once."""

    def __init__(self, engine: DuckEngine, low: int, high: int) -> None:
        self._engine, self._chosen = engine, within("shingle", low, high)

    @cached_property
    def _rows(self) -> SortedRows:
        rows = self._engine.fetch(f"SELECT shingle, doc FROM {SHINGLES} WHERE {self._chosen}")
        return SortedRows(rows["shingle"], rows["doc"])

    def count_depths(self, counters: DepthCounters) -> None:
        """Count the slice's shingles by document and lowest bit."""
        self._rows.count_depths(counters)

    def write_holders(self, path: Path) -> None:
        """Write the shingles that several documents have."""
        self._engine.write_arrays(self._rows.holders(), path)

    def write_several(self, path: Path) -> None:
        """Write the shingles that more than two documents have, with their documents."""
        self._engine.write_arrays(self._rows.several(), path)
