"""Which fingerprints differ in at most k bits: sorted tables of permuted fingerprints.

Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling. WWW 2007, Section 3. `table_designs` says which bits
lead in which table; fingerprints that agree in a table's leading bits stand side by side in it and are compared in
full. A table is a plain sorted array, or compressed (`compressed_blocks`).

  - Online: `HammingTables` of the collection, asked for one fingerprint or for many.
  - Batch: the tables are built of the queries, and the collection, however large, streams past them (`batch`).
  - All against all (`pairs`): in each sorted table neighbours are compared, and nothing needs to be sought.

Two fingerprints may meet in several tables. They are reported by the first in which they do, which their differing bits
tell, so no list of what was seen is needed.

    >>> tables = HammingTables(np.array([0b0000, 0b0111, 1 << 63], np.uint64), k=3)
    >>> tables.near(0b0011).tolist(), distances(np.array([7], np.uint64), np.array([4], np.uint64)).tolist()
    ([0, 7, 9223372036854775808], [2])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from moss.corpus.near.table_designs import ALL, ALONE, BITS, MANY, Permutation, TableDesign, choose
from moss.corpus.search.interpolation import search_one
from moss.hashing import Hashes, Positions

_CANDIDATES = 1 << 18  # compared at a time: bounds the memory
_FEW_QUERIES = 16  # so few are asked one after the other: an array operation costs as much for one as for a hundred
_SCANNED = 64  # so few queries are compared with everything sooner than tables are probed


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
        return self.sorted[search_one(self.sorted, low) : search_one(self.sorted, high + 1)]

    def ranges(self, low: Hashes, high: Hashes) -> tuple[Positions, Positions]:
        # Halving goes on from the place before, if values ascend; nothing is left for interpolation to save.
        return np.searchsorted(self.sorted, low), np.searchsorted(self.sorted, high, side="right")

    def rows(self, rows: Positions) -> Hashes:
        return self.sorted[rows]


class HammingTables:
    """A collection of fingerprints, each kept once, ready to be asked for what is near."""

    def __init__(
        self,
        fingerprints: Hashes,
        k: int,
        design: TableDesign | None = None,
        table: Callable[[Hashes], SortedTable] = PlainTable,
    ) -> None:
        self.k = k
        unique = distinct(fingerprints)
        self.design = design or choose(k, len(unique), ALONE)
        self._tables = [table(np.sort(permutation(unique))) for permutation in self.design.permutations]

    def near(self, fingerprint: int) -> Hashes:
        """The fingerprints within k bits of this one, in order; itself among them, if it is in the collection."""
        found = [np.empty(0, np.uint64)]
        for i, (permutation, table) in enumerate(zip(self.design.permutations, self._tables, strict=True)):
            permuted, rest = permutation.one(fingerprint), (1 << (BITS - permutation.leading)) - 1
            candidates = table.between(permuted & ~rest, permuted | rest)
            met = _first_met(candidates ^ np.uint64(permuted), self.k, self.design, i)
            found.append(permutation.undo(candidates[met]))
        return np.sort(np.concatenate(found))

    def near_each(self, queries: Hashes) -> tuple[Positions, Hashes]:
        """For many at once: which query, and a fingerprint within k bits of it; ordered by both."""
        if len(queries) <= _FEW_QUERIES:
            answers = [self.near(int(query)) for query in queries]
            which = np.repeat(np.arange(len(queries)), [len(answer) for answer in answers])
            return which, np.concatenate([np.empty(0, np.uint64), *answers])
        parts = [part for i in range(len(self._tables)) for part in self._probe(i, queries)]
        which = np.concatenate([np.empty(0, np.int64), *(which for which, _ in parts)])
        found = np.concatenate([np.empty(0, np.uint64), *(found for _, found in parts)])
        order = np.lexsort((found, which))
        return which[order], found[order]

    def _probe(self, i: int, queries: Hashes) -> Iterator[tuple[Positions, Hashes]]:
        """The fingerprints that the queries meet first in table i."""
        permutation, table = self.design.permutations[i], self._tables[i]
        permuted = permutation(queries)
        order = np.argsort(permuted)  # places that ascend are found sooner, and lie in the cache
        permuted = permuted[order]
        rest = np.uint64((1 << (BITS - permutation.leading)) - 1)
        begin, end = table.ranges(permuted & ~rest, permuted | rest)
        for which, rows in _expanded(begin, end):
            candidates = table.rows(rows)
            met = _first_met(candidates ^ permuted[which], self.k, self.design, i)
            yield order[which[met]], permutation.undo(candidates[met])


def batch(queries: Hashes, collection: Iterable[Hashes], k: int) -> Iterator[tuple[Positions, Positions]]:
    """For each chunk of the collection: which query is within k bits of which of the chunk's fingerprints, as positions
    in both, ordered by both. The tables are built of the queries; the collection is read once."""
    unique, inverse = np.unique(queries, return_inverse=True)
    members, offsets = _members(inverse, len(unique))
    nearest = _scan(unique, k) if len(unique) <= _SCANNED else _probing(unique, k)
    for chunk in collection:
        row, found = nearest(chunk)
        kept = np.searchsorted(unique, found)
        which, entry = _expand(offsets[kept], offsets[kept + 1])
        query, row = members[entry], row[which]
        order = np.lexsort((row, query))
        yield query[order], row[order]


def pairs(fingerprints: Hashes, k: int, design: TableDesign | None = None) -> Iterator[tuple[Hashes, Hashes]]:
    """All pairs of different fingerprints within k bits of each other, the smaller first, each once, in portions."""
    unique = distinct(fingerprints)
    design = design or choose(k, len(unique) // 2, ALL)  # of two neighbours one is compared with the other
    for i, permutation in enumerate(design.permutations):
        table = np.sort(permutation(unique))
        for left, right in _neighbours(table, permutation):
            met = _first_met(table[left] ^ table[right], k, design, i)
            if len(met):
                one, other = permutation.undo(table[left[met]]), permutation.undo(table[right[met]])
                yield np.minimum(one, other), np.maximum(one, other)


def distances(a: Hashes, b: Hashes) -> NDArray[np.uint8]:
    """The number of bits in which each two differ."""
    bits: NDArray[np.uint8] = np.bitwise_count(a ^ b)
    return bits


def distinct(fingerprints: Hashes) -> Hashes:
    """Each fingerprint once, in order."""
    ordered = np.sort(fingerprints)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def _first_met(differing: Hashes, k: int, design: TableDesign, i: int) -> Positions:
    """Which differ in at most k bits, and in some leading bit of every table before table i, where they would have met;
    `differing` are their differing bits, as permuted in table i."""
    near = np.flatnonzero(np.bitwise_count(differing) <= k)
    if not len(near):
        return near
    bits = design.permutations[i].undo(differing[near])
    first = np.ones(len(near), np.bool_)
    for earlier in design.permutations[:i]:
        first &= (bits & earlier.mask) != 0
    return near[first]


def _neighbours(table: Hashes, permutation: Permutation) -> Iterator[tuple[Positions, Positions]]:
    """The rows of all pairs with the same leading bits: those next to each other, those one further, and so on."""
    leading = table >> np.uint64(BITS - permutation.leading)
    left = np.arange(len(table))
    step = 1
    while True:
        left = left[: np.searchsorted(left, len(table) - step)]
        left = left[leading[left] == leading[left + step]]
        if not len(left):
            return
        for begin in range(0, len(left), _CANDIDATES):
            part = left[begin : begin + _CANDIDATES]
            yield part, part + step
        step += 1


def _expanded(begin: Positions, end: Positions) -> Iterator[tuple[Positions, Positions]]:
    """`_expand` in portions: a range is never split, so that one alone may be larger."""
    total = np.cumsum(end - begin)
    first = 0
    while first < len(begin):
        before = int(total[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(total, before + _CANDIDATES, side="right")))
        which, rows = _expand(begin[first:last], end[first:last])
        yield which + first, rows
        first = last


def _expand(begin: Positions, end: Positions) -> tuple[Positions, Positions]:
    """Each range's number, and each row in it."""
    size = end - begin
    which = np.repeat(np.arange(len(size)), size)
    return which, np.arange(len(which)) + (begin - (np.cumsum(size) - size))[which]


def _members(inverse: Positions, count: int) -> tuple[Positions, Positions]:
    """The positions of each value's copies, one value after the other, and where each value's begin."""
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(inverse, minlength=count), out=offsets[1:])
    return np.argsort(inverse, kind="stable"), offsets


def _probing(queries: Hashes, k: int) -> Callable[[Hashes], tuple[Positions, Hashes]]:
    return HammingTables(queries, k, choose(k, len(queries), MANY)).near_each


def _scan(queries: Hashes, k: int) -> Callable[[Hashes], tuple[Positions, Hashes]]:
    """Every query compared with every fingerprint: for few queries there is nothing to sort."""

    def nearest(chunk: Hashes) -> tuple[Positions, Hashes]:
        rows = [np.flatnonzero(distances(chunk, query) <= k) for query in queries]
        found = np.repeat(queries, [len(part) for part in rows])
        return np.concatenate([np.empty(0, np.int64), *rows]), found

    return nearest
