"""Postings: sorted hashes, each with a document that has it, and where a hash is found in those of all segments.

Hashes of a range are spread evenly, so their first bits say where to look. Each sixteenth of all values is divided into
as many cells as make two to four entries share one (fingerprints are the least of their windows, and crowd in the first
sixteenths); `starts` has the place of each cell's first entry, and what is sought is among the next few.

All segments are asked together: most of the time goes into calls of numpy, of which there are as many for one hash as
for hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from moss.hashing import Hashes

Numbers = NDArray[np.int64]
SIGN = np.uint64(1 << 63)  # signed numbers in their order are unsigned ones in theirs, but for this bit
_RANGE_BITS = 4  # of a hash, which say in which range it is
_RANGES = 1 << _RANGE_BITS
_AT_ONCE = 64  # entries of a cell that are all looked at
_TOGETHER = 1 << 14  # hashes that are sought at once: more would take hundreds of megabytes
_SLICE = 4_000_000  # hashes whose cells are counted at once


@dataclass(frozen=True, slots=True)
class HashCells:
    """Where the entries of each cell begin, and how many bits tell apart the cells of each range.

    >>> cells = HashCells.of(np.array([3, 5, 2**61, 2**63 + 1, 2**63 + 2], np.uint64))
    >>> cells.bits.tolist()[:9], cells.starts.tolist()[:4]
    ([1, 1, 1, 1, 1, 1, 1, 1, 1], [0, 2, 2, 2])
    """

    bits: NDArray[np.uint8]
    starts: NDArray[np.uint32]  # and the end

    @classmethod
    def of(cls, hashes: Hashes) -> HashCells:
        """The cells of ascending hashes."""
        edges = np.searchsorted(hashes, np.arange(1, _RANGES, dtype=np.uint64) << np.uint64(64 - _RANGE_BITS))
        sizes = np.diff(edges, prepend=0, append=len(hashes)).tolist()
        bits = np.array([max(1, size.bit_length() - 2) for size in sizes], np.uint8)
        places = _CellPlaces(bits[np.newaxis])
        counts = np.zeros(int((1 << bits.astype(np.int64)).sum()), np.int64)
        for low in range(0, len(hashes), _SLICE):
            counts += np.bincount(places.of(hashes[low : low + _SLICE])[0], minlength=len(counts))
        return cls(bits, np.append(0, np.cumsum(counts)).astype(np.uint32))


class _CellPlaces:
    """The numbers of the cells in which hashes belong, for each of some tables of cells."""

    def __init__(self, bits: NDArray[np.uint8]) -> None:
        sizes = np.int64(1) << bits.astype(np.int64)
        self._first = np.cumsum(sizes, axis=1) - sizes
        self._shift = np.uint64(64) - bits.astype(np.uint64)

    def of(self, hashes: Hashes) -> Numbers:
        """A row for each table."""
        at = (hashes >> np.uint64(64 - _RANGE_BITS)).astype(np.int64)
        within = (hashes << np.uint64(_RANGE_BITS)) >> self._shift.take(at, axis=1)
        found: Numbers = within.view(np.int64)
        found += self._first.take(at, axis=1)
        return found


@dataclass(frozen=True, slots=True)
class HashPostings:
    """Hashes of a segment, ascending, each with a document. The first bit of stored hashes is flipped, so that their
    order is that of the tables' signed numbers."""

    hashes: Hashes
    documents: NDArray[np.int32]  # counted from the segment's first
    cells: HashCells
    first: int = 0  # document of the segment

    @classmethod
    def of(cls, hashes: Hashes, documents: NDArray[np.int32], first: int = 0) -> HashPostings:
        """The postings of these hashes and documents."""
        return cls(hashes, documents, HashCells.of(hashes), first)


class SegmentPostings:
    """The postings of several segments; `once`, if no document has two entries of one hash.

    >>> one, two = (np.array(hashes, np.uint64) ^ SIGN for hashes in ([3, 7, 7, 9], [7]))
    >>> segments = [HashPostings.of(one, np.array([0, 0, 2, 1])), HashPostings.of(two, np.array([0]), first=3)]
    >>> low, high = SegmentPostings(segments).find(np.array([7, 8], np.uint64))
    >>> int(low[0][0]), (high - low).tolist()
    (1, [[2, 0], [1, 0]])
    """

    def __init__(self, segments: Sequence[HashPostings], *, once: bool = False) -> None:
        self.segments, self.once = segments, once
        self.firsts = np.array([each.first for each in segments], np.int64)  # documents
        self._cells = _CellPlaces(np.array([each.cells.bits for each in segments], np.uint8).reshape(-1, _RANGES))

    def find(self, hashes: Hashes) -> tuple[Numbers, Numbers]:
        """Start and end of the entries of each hash, a row for each segment; of one that is not there, some place
        twice."""
        blocks = [hashes[begin : begin + _TOGETHER] for begin in range(0, max(1, len(hashes)), _TOGETHER)]
        low, high = zip(*map(self._find, blocks), strict=True)
        return np.concatenate(low, axis=1), np.concatenate(high, axis=1)

    def _find(self, hashes: Hashes) -> tuple[Numbers, Numbers]:
        keys = hashes ^ SIGN
        low, end = self._bounds(keys)
        sizes = end - low
        crowded = np.flatnonzero(sizes > _AT_ONCE)
        sizes.flat[crowded] = 0
        which, places, stored = self._entries(low, sizes)
        equal = np.flatnonzero(stored == np.tile(keys, len(self.segments)).take(which))
        which, places = which.take(equal), places.take(equal)
        low.flat[which[::-1]] = places[::-1]  # the first that is equal: what is written last stays
        high = low + np.bincount(which, minlength=low.size).reshape(low.shape)
        self._search(keys, crowded, low, high)
        return low, high

    def _bounds(self, keys: Hashes) -> tuple[Numbers, Numbers]:
        """Start and end of the cells of these keys, a row for each segment."""
        cells = self._cells.of(keys)
        begin, end = np.empty_like(cells), np.empty_like(cells)
        for number, each in enumerate(self.segments):
            begin[number] = each.cells.starts.take(cells[number])
            end[number] = each.cells.starts.take(cells[number] + 1)
        return begin, end

    def _entries(self, begin: Numbers, sizes: Numbers) -> tuple[Numbers, Numbers, Hashes]:
        """All entries of so many from these places on: which of the places each belongs to, where it is, and its
        hash."""
        flat = sizes.ravel()
        ends = np.cumsum(flat)
        which = np.repeat(np.arange(len(flat)), flat)
        places = np.arange(len(which)) + (begin.ravel() - ends + flat).take(which)
        edges = np.append(0, np.cumsum(sizes.sum(axis=1))).tolist()
        stored = np.empty(len(which), np.uint64)
        for each, (first, last) in zip(self.segments, pairwise(edges), strict=True):
            each.hashes.take(places[first:last], out=stored[first:last], mode="clip")
        return which, places, stored

    def _search(self, keys: Hashes, crowded: Numbers, low: Numbers, high: Numbers) -> None:
        """Find keys whose cells have very many entries by halving."""
        segments, numbers = np.divmod(crowded, max(1, len(keys)))
        for segment in np.unique(segments).tolist():
            at = numbers[segments == segment]
            stored = self.segments[segment].hashes
            low[segment, at] = np.searchsorted(stored, keys[at])
            high[segment, at] = np.searchsorted(stored, keys[at], side="right")
