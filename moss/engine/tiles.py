"""Tiles: disjoint parts of the equal runs of two documents.

The longest run is taken first, then the longest of what the rest still has to offer, as in Wise's greedy string tiling,
until nothing of k tokens is left. Tiles can be put elsewhere afterwards, at the cost of their neighbours, which are
trimmed or removed.

    >>> tiling = Tiling((10, 10), k=2)
    >>> tiling.fill([Tile(0, 0, 6), Tile(4, 3, 5)])  # the second overlaps the first on both sides
    >>> tiling.tiles
    [Tile(a=0, b=0, length=6), Tile(a=7, b=6, length=2)]
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from moss.engine.documents import Mask
from moss.engine.kgrams import ranges
from moss.hashing import Positions


class Tile(NamedTuple):
    """Equal tokens: `length` of them from `a` in one document and from `b` in the other."""

    a: int
    b: int
    length: int

    @property
    def a_end(self) -> int:
        """The token after the last in the first document."""
        return self.a + self.length

    @property
    def b_end(self) -> int:
        """The token after the last in the second document."""
        return self.b + self.length

    def part(self, start: int, end: int) -> Tile:
        """Some of these tokens, counted from the first."""
        return Tile(self.a + start, self.b + start, end - start)


class Tiling:
    """Tiles that are disjoint on both sides, none shorter than k."""

    def __init__(self, sizes: tuple[int, int], k: int) -> None:
        self.k = k
        self._a_used, self._b_used = bytearray(sizes[0]), bytearray(sizes[1])
        self._marks = np.frombuffer(self._a_used, np.uint8), np.frombuffer(self._b_used, np.uint8)
        self._by_a: list[Tile] = []
        self._by_b: list[tuple[int, int, int]] = []  # b, a, length

    @property
    def tiles(self) -> list[Tile]:
        """All tiles, in the order of the first document."""
        return list(self._by_a)

    def fill(self, runs: Iterable[Tile]) -> None:
        """Add parts of these runs where there are no tiles yet, the longest first, of equal ones the earliest."""
        heap = [(-run.length, run.a, run.b) for run in runs]
        heapify(heap)
        found = []
        while heap:
            negative, i, j = heappop(heap)
            run = Tile(i, j, -negative)
            if self._is_free(run):
                self._mark(run, b"\1")
                found.append(run)
                continue
            for start, end in self._free(run):
                if end - start >= self.k:
                    heappush(heap, (start - end, i + start, j + start))
        self._by_a = sorted([*self._by_a, *found])
        self._by_b = sorted((t.b, t.a, t.length) for t in self._by_a)

    def covers(self, run: Tile) -> bool:
        """Whether all tokens of one side of a run lie in tiles."""
        a, b, length = run
        return self._a_used.find(0, a, a + length) < 0 or self._b_used.find(0, b, b + length) < 0

    @property
    def size(self) -> int:
        """How many tokens the two documents have."""
        return len(self._a_used) + len(self._b_used)

    def used_between(self, side: int, first: int, last: int) -> Positions:
        """How many tokens of one side lie in tiles from the first to before each later one, until the last."""
        until = np.zeros(max(0, last - first) + 1, np.int64)
        self._marks[side][first:last].cumsum(out=until[1:])
        return until

    def used_in(self, side: int, starts: Positions, lengths: Positions) -> Positions:
        """How many tokens of one side lie in tiles, of each of some runs, none of which is empty."""
        marks = self._marks[side].take(ranges(starts, lengths))
        return np.add.reduceat(marks, lengths.cumsum() - lengths, dtype=np.int64)

    def free(self, side: int) -> Mask:
        """Which tokens of one side lie in no tile."""
        free: Mask = self._marks[side] == 0
        return free

    def free_tokens(self, run: Tile, side: int) -> list[int]:
        """The tokens of one side of a run that lie in no tile."""
        start = run[side]
        found: list[int] = (np.flatnonzero(self._marks[side][start : start + run.length] == 0) + start).tolist()
        return found

    def free_around(self, run: Tile, at: int) -> tuple[int, int]:
        """Start and end of the longest part of a run around a token that is used on neither side, apart from this
        token."""
        i, j = run.a + at, run.b + at
        start = max(self._a_used.rfind(1, run.a, i) - run.a, self._b_used.rfind(1, run.b, j) - run.b, -1) + 1
        ends = self._a_used.find(1, i + 1, run.a_end) - run.a, self._b_used.find(1, j + 1, run.b_end) - run.b
        return start, min(end if end >= 0 else run.length for end in ends)

    def change_for(self, tile: Tile) -> tuple[list[Tile], list[Tile]]:
        """The change that makes this a tile: tiles to remove, and new ones, this and what is left of those in its way,
        unless that is fewer than k tokens."""
        gone = self._in_the_way(tile)
        return gone, [tile, *(part for other in gone for part in _without(other, tile) if part.length >= self.k)]

    def swap(self, gone: Iterable[Tile], new: Iterable[Tile]) -> None:
        """Replace tiles by others that need no more room."""
        self.mark(gone, new)
        for old in gone:
            self._by_a.pop(bisect_left(self._by_a, old))
            self._by_b.pop(bisect_left(self._by_b, (old.b, old.a, old.length)))
        for tile in new:
            insort(self._by_a, tile)
            insort(self._by_b, (tile.b, tile.a, tile.length))

    def mark(self, gone: Iterable[Tile], new: Iterable[Tile]) -> None:
        """Count tokens as free or used as if tiles were replaced by others, which undoes itself the other way round."""
        for old in gone:
            self._mark(old, b"\0")
        for tile in new:
            self._mark(tile, b"\1")

    def _in_the_way(self, tile: Tile) -> list[Tile]:
        """The tiles that have a token of this one on either side."""
        return sorted({*_overlapping_a(self._by_a, tile), *_overlapping_b(self._by_b, tile)})

    def _mark(self, tile: Tile, value: bytes) -> None:
        self._a_used[tile.a : tile.a_end] = self._b_used[tile.b : tile.b_end] = value * tile.length

    def _is_free(self, run: Tile) -> bool:
        return self._a_used.find(1, run.a, run.a_end) == self._b_used.find(1, run.b, run.b_end) == -1

    def _free(self, run: Tile) -> list[tuple[int, int]]:
        """Start and end of each part of a run that is used on neither side."""
        a_used, b_used, (i, j, length) = self._a_used, self._b_used, run
        parts = []
        at = end = 0
        while end < length:
            a_free, b_free = a_used.find(0, i + at, i + length) - i, b_used.find(0, j + at, j + length) - j
            if a_free < 0 or b_free < 0:
                break
            if a_free != b_free:  # on one side it is used
                at = max(a_free, b_free)
                continue
            a_next, b_next = a_used.find(1, i + a_free, i + length), b_used.find(1, j + a_free, j + length)
            end = min(a_next - i if a_next >= 0 else length, b_next - j if b_next >= 0 else length)
            parts.append((a_free, end))
            at = end
        return parts


def _overlapping_a(by_a: Sequence[Tile], tile: Tile) -> Iterator[Tile]:
    """The tiles that have a token of this one in the first document, from disjoint tiles sorted by their places
    there."""
    at = max(0, bisect_right(by_a, (tile.a, -1, -1)) - 1)
    while at < len(by_a) and by_a[at].a < tile.a_end:
        if by_a[at].a_end > tile.a:
            yield by_a[at]
        at += 1


def _overlapping_b(by_b: Sequence[tuple[int, int, int]], tile: Tile) -> Iterator[Tile]:
    """The tiles that have a token of this one in the second document, from (b, a, length) sorted."""
    at = max(0, bisect_right(by_b, (tile.b, -1, -1)) - 1)
    while at < len(by_b) and by_b[at][0] < tile.b_end:
        b, a, length = by_b[at]
        if b + length > tile.b:
            yield Tile(a, b, length)
        at += 1


def _without(tile: Tile, other: Tile) -> list[Tile]:
    """The parts of a tile that remain if another tile takes its tokens, on either side.

    >>> _without(Tile(0, 10, 9), Tile(2, 15, 3))  # takes 2 to 4 on one side and 5 to 7 on the other
    [Tile(a=0, b=10, length=2), Tile(a=8, b=18, length=1)]
    """
    a, b, length = tile
    offsets = (other.a - a, other.b - b)
    left, at = [], 0
    for start in sorted(offsets):
        end = start + other.length
        if end <= 0 or start >= length:  # nothing on this side
            continue
        if start > at:
            left.append(Tile(a + at, b + at, start - at))
        at = max(at, end)
    if at < length:
        left.append(Tile(a + at, b + at, length - at))
    return left
