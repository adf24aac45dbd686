"""Shingles that more than two documents have, kept in memory from sorting to measuring.

What two documents share of them is counted for candidates alone, which are few; but a join of all rows with themselves
reads every row twice, and makes a table of them. As arrays, the rows of documents that are in no candidate are left out
at the first look. Each of the others asks whether the partners of its document have its shingle, too: they come soon
after it, or not at all.

    >>> rows = RowsAtHand(documents=9, common=5)
    >>> rows.add(SortedRows(np.array([4, 4, 4, 6, 6, 6, 6]), np.array([0, 3, 7, 0, 2, 3, 7])))
    >>> rows.shared(a=np.array([0, 0, 2]), b=np.array([3, 7, 7])).tolist()
    [2, 2, 1]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from moss.corpus.cluster.local_sort import Numbers, SortedRows

MOST = 1 << 25  # rows in memory: 400 MB
_TOGETHER = 1 << 16  # rows that are looked at together: their arrays stay in the cache
_ALONE = -1  # in no pair


class RowsAtHand:
    """Rows of shingles that more than two documents have, but at most `common`."""

    def __init__(self, documents: int, common: int) -> None:
        self._documents, self._common, self._count = documents, common, 0
        self._slices: list[tuple[Numbers, NDArray[np.int32]]] = []

    @property
    def complete(self) -> bool:
        """Whether all rows that came are here; too many are not kept."""
        return self._count <= MOST

    def add(self, rows: SortedRows) -> None:
        """Keep the rows of a slice."""
        shingle, doc, holders = rows.several.values()
        few = holders <= self._common
        self._count += int(few.sum())
        if self.complete:
            self._slices.append((shingle[few], doc[few].astype(np.int32)))
        else:
            self._slices.clear()

    def shared(self, a: Numbers, b: Numbers) -> Numbers:
        """How many of these shingles both documents of each pair have; pairs are in the order of a, which is the
        lesser."""
        partners = _Partners(a, b, self._documents)
        for shingle, doc in self._portions():
            partners.meet(shingle, doc)
        return partners.shared

    def _portions(self) -> Iterator[tuple[Numbers, NDArray[np.int32]]]:
        """Some rows at a time, those of a shingle together."""
        for shingle, doc in self._slices:
            begin = 0
            while begin < len(shingle):
                last = shingle[min(begin + _TOGETHER, len(shingle)) - 1]
                end = int(np.searchsorted(shingle, last, side="right"))
                yield shingle[begin:end], doc[begin:end]
                begin = end


class _Partners:
    """Pairs by their first documents, and how many shingles both have."""

    def __init__(self, a: Numbers, b: Numbers, documents: int) -> None:
        self._b, self._documents = b, documents
        self._first = np.full(documents, _ALONE, np.int32)  # of a document's pairs
        self._first[b] = len(a)  # no pair, for one that is never the first of two
        self._first[a[::-1]] = np.arange(len(a), dtype=np.int32)[::-1]  # the last that is written stays
        self._last = np.append(a[1:] != a[:-1], True)[: len(a)]  # whether a pair is its document's last
        self.shared = np.zeros(len(a), np.int64)

    def meet(self, shingle: Numbers, doc: NDArray[np.int32]) -> None:
        """Count the pairs of which both are among the documents of a shingle; rows are by shingle and document."""
        first = self._first.take(doc)
        here = np.flatnonzero(first != _ALONE)
        shingle, doc, first = shingle.take(here), doc.take(here), first.take(here)
        group = np.zeros(len(here), np.int64)
        np.cumsum(shingle[1:] != shingle[:-1], out=group[1:])
        group *= self._documents
        key = group + doc  # ascending
        row = np.flatnonzero(first < len(self.shared))
        pair = first.take(row)
        while len(row):  # once for each partner
            both = _among(key, row, group.take(row) + self._b.take(pair))
            np.add.at(self.shared, pair[both], 1)
            more = ~self._last.take(pair)
            row, pair = row[more], pair[more] + 1


def _among(keys: Numbers, rows: Numbers, wanted: Numbers) -> NDArray[np.bool_]:
    """Which of these numbers are among ascending ones. Each is behind a row, and most often the next."""
    last = len(keys) - 1
    found: NDArray[np.bool_] = keys.take(np.minimum(rows + 1, last)) == wanted
    far = np.flatnonzero(~found)
    found[far] = keys.take(np.minimum(np.searchsorted(keys, wanted[far]), last)) == wanted[far]
    return found
