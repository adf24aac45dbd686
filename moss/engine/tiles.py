"""Tiles: disjoint parts of the runs that two documents share.

The longest run is taken first, then the longest of what the rest still has to offer, as in Wise's greedy string tiling,
until nothing of k tokens is left. That alone loses runs: a longer one takes some tokens of a run, and the rest is too
short to be a tile. So whoever is promised to be seen is looked at again: of a run of at least `promised` tokens all
tokens of one side should lie in tiles, whichever tiles. Where they do not, a part of the run becomes a tile at the cost
of its neighbours, which are trimmed or go, if fewer runs are broken afterwards than before.

It cannot always be done. Two runs that overlap and have fewer than 2 k tokens together leave room for one tile, and the
longer one has it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from moss.hashing import Positions

_WORK = 30_000  # runs that are looked at to mend others, in one pair of documents: bounds the time for hostile ones
_PLACES = 16  # of a part of k tokens that are tried


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


def tile(runs: Sequence[Tile], sizes: tuple[int, int], k: int, promised: int) -> list[Tile]:
    """Disjoint parts of the runs in the order of the first document, none shorter than k. `sizes` are those of the
    documents."""
    tiling = Tiling(sizes, k)
    tiling.fill(runs)
    if not all(tiling.covers(run) for run in runs if run.length >= promised):
        _mend(tiling, runs, promised)
    return tiling.tiles


class Tiling:
    """Tiles that are disjoint on both sides, none shorter than k."""

    def __init__(self, sizes: tuple[int, int], k: int) -> None:
        self.k = k
        self._a_used, self._b_used = map(bytearray, sizes)
        self._by_a: list[Tile] = []
        self._by_b: list[tuple[int, int, int]] = []  # b, a, length

    @property
    def tiles(self) -> list[Tile]:
        """All of them, in the order of the first document."""
        return list(self._by_a)

    def fill(self, runs: Iterable[Tile]) -> None:
        """Add parts of these runs, the longest first, of equal ones the earliest, where nothing is yet."""
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

    def holes(self, run: Tile, side: int) -> tuple[int, int] | None:
        """From the first to behind the last token of one side of a run that are in no tile, counted from its first."""
        used, start = (self._b_used, run.b) if side else (self._a_used, run.a)
        first = used.find(0, start, start + run.length)
        return None if first < 0 else (first - start, used.rfind(0, start, start + run.length) + 1 - start)

    def put(self, tile: Tile) -> tuple[list[Tile], list[Tile]]:
        """Make this a tile, and trim those in its way, or remove them if fewer than k tokens are left; returns tiles
        that are gone and new ones, for `swap` to undo it."""
        gone = self._in_the_way(tile)
        new = [tile, *(part for other in gone for part in _without(other, tile) if part.length >= self.k)]
        self.swap(gone, new)
        return gone, new

    def swap(self, gone: Iterable[Tile], new: Iterable[Tile]) -> None:
        """Replace tiles by others that need no more room."""
        for old in gone:
            self._mark(old, b"\0")
            self._by_a.pop(bisect_left(self._by_a, old))
            self._by_b.pop(bisect_left(self._by_b, (old.b, old.a, old.length)))
        for tile in new:
            self._mark(tile, b"\1")
            insort(self._by_a, tile)
            insort(self._by_b, (tile.b, tile.a, tile.length))

    def _in_the_way(self, tile: Tile) -> list[Tile]:
        """The tiles that have a token of this one on either side."""
        return sorted({*_overlapping_a(self._by_a, tile), *_overlapping_b(self._by_b, tile)})

    def _mark(self, tile: Tile, value: bytes) -> None:
        self._a_used[tile.a : tile.a_end] = self._b_used[tile.b : tile.b_end] = value * tile.length

    def _is_free(self, run: Tile) -> bool:
        return self._a_used.find(1, run.a, run.a_end) == self._b_used.find(1, run.b, run.b_end) == -1

    def _free(self, run: Tile) -> list[tuple[int, int]]:
        """Start and end of each stretch of a run that is used on neither side."""
        a_used, b_used, (i, j, length) = self._a_used, self._b_used, run
        stretches = []
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
            stretches.append((a_free, end))
            at = end
        return stretches


def _overlapping_a(by_a: Sequence[Tile], tile: Tile) -> Iterator[Tile]:
    """Those of disjoint tiles, by their places in the first document, that have a token of this one there."""
    at = max(0, bisect_right(by_a, (tile.a, -1, -1)) - 1)
    while at < len(by_a) and by_a[at].a < tile.a_end:
        if by_a[at].a_end > tile.a:
            yield by_a[at]
        at += 1


def _overlapping_b(by_b: Sequence[tuple[int, int, int]], tile: Tile) -> Iterator[Tile]:
    """The same in the second document."""
    at = max(0, bisect_right(by_b, (tile.b, -1, -1)) - 1)
    while at < len(by_b) and by_b[at][0] < tile.b_end:
        b, a, length = by_b[at]
        if b + length > tile.b:
            yield Tile(a, b, length)
        at += 1


def _without(tile: Tile, other: Tile) -> list[Tile]:
    """What is left of a tile if another has its tokens, on either side."""
    cuts = []
    for ours, theirs in ((tile.a, other.a), (tile.b, other.b)):
        start, end = max(0, theirs - ours), min(tile.length, theirs + other.length - ours)
        if start < end:
            cuts.append((start, end))
    left, at = [], 0
    for start, end in [*sorted(cuts), (tile.length, tile.length)]:
        if start > at:
            left.append(tile.part(at, start))
        at = max(at, end)
    return left


def _mend(tiling: Tiling, runs: Sequence[Tile], promised: int) -> None:
    """Cover a side of each run that is long enough, where it is possible; the longest first."""
    long = sorted((run for run in runs if run.length >= promised), key=lambda run: (-run.length, run.a, run.b))
    promise = _Promise(long)
    work = _WORK
    for least in (1, 0, 1):  # to move what is broken elsewhere may be a way to mend it
        broken = [run for run in long if not tiling.covers(run)]
        for run in broken:
            if work > 0 and not tiling.covers(run):
                work -= _mend_one(tiling, run, promise, least)
        if work <= 0 or not broken:
            return


class _Promise:
    """The runs of which a side is to be covered, and how many of those around some tiles are not."""

    def __init__(self, runs: Sequence[Tile]) -> None:
        self._runs = runs
        self._a, self._b, self._length = np.array(runs, np.int64).reshape(-1, 3).T

    def around(self, tiles: Iterable[Tile]) -> list[Tile]:
        """The runs that have a token of one of these tiles on the same side."""
        near = np.zeros(len(self._runs), np.bool_)
        for tile in tiles:
            near |= _touch(self._a, self._length, tile.a, tile.a_end) | _touch(
                self._b, self._length, tile.b, tile.b_end
            )
        return [self._runs[number] for number in np.flatnonzero(near).tolist()]


def _touch(start: Positions, length: Positions, begin: int, end: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return (start < end) & (start + length > begin)


def _mend_one(tiling: Tiling, run: Tile, promise: _Promise, least: int) -> int:
    """Make the part of a run a tile that leaves the fewest broken runs, if these are at least so many fewer; returns
    how many runs were looked at."""
    best: tuple[int, Tile] | None = None
    work = 0
    for part in dict.fromkeys(_parts(tiling, run)):
        gone, new = tiling.put(part)
        around = promise.around([*gone, *new])
        broken = sum(not tiling.covers(each) for each in around)
        tiling.swap(new, gone)
        gain = sum(not tiling.covers(each) for each in around) - broken
        work += 1 + len(around)
        if gain >= least and (best is None or gain > best[0]):
            best = gain, part
    if best is not None:
        tiling.put(best[1])
    return work


def _parts(tiling: Tiling, run: Tile) -> Iterator[Tile]:
    """Parts of a run, at least k long, that would cover what is missing on one of its sides; and all of it."""
    k = tiling.k
    for side in (0, 1):
        holes = tiling.holes(run, side)
        if holes is None:
            continue
        start, end = holes
        if end - start >= k:
            yield run.part(start, end)
            continue
        first, last = max(0, end - k), min(start, run.length - k)
        step = max(1, (last - first) // _PLACES)
        for at in (*range(first, last, step), last):
            yield run.part(at, at + k)
    yield run
