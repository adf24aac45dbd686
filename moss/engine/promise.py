"""The promise: of a shared run of at least `promised` tokens all tokens of one side lie in tiles, whichever tiles.

Taking the longest runs first breaks it here and there: a long run takes some tokens of another one, and the rest is too
short to be a tile. To find the tiling that breaks the fewest runs is a puzzle without a quick solution, so this is a
search that begins at the tiling that is there (simulated annealing, at two temperatures). It takes a broken run
and a token that it misses, and tries some tiles there, parts of whichever runs lead through that token, which trims or
removes their neighbours. One of them stays: the fewer broken runs it leaves, the likelier; now and then it is one that
makes things worse, because there may be a way behind it. The best tiling on the way is the result.

It cannot always be done. Two runs that overlap and have fewer than 2 k tokens together leave room for one tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp
from random import Random
from sys import maxsize

import numpy as np
from numpy.typing import NDArray

from moss.engine.documents import Mask
from moss.engine.tiles import Tile, Tiling
from moss.hashing import Positions

_PATIENCE = 10  # tiles that are tried for each broken run, and once more, without a better tiling
_TRY = 1 << 12  # units of work that it costs to try a tile in any case; one is to look at a run
_SHORT = 1 << 14  # tokens: all of two documents that are no longer are looked at faster than what is around a tile
_AT_ONCE = 6  # tiles that are tried before one is chosen
_OTHERS = 3  # runs that are tried at a token, besides the broken one
_TEMPERATURES = 0.3, 1.5  # so many more broken runs make a choice e times less likely


def keep(tiling: Tiling, runs: Sequence[Tile], promised: int, others: Callable[[], Sequence[Tile]], work: int) -> int:
    """Change a tiling of these runs so that it breaks as few of those as possible that are long enough. `others` finds
    more runs, of which parts may help; returns what is left of the work that may be done."""
    if work <= 0:
        return work
    long = [run for run in runs if run.length >= promised]
    if all(tiling.covers(run) for run in long):
        return work
    search = _Search(tiling, sorted({*runs, *others()}), long, work)
    search.go()
    tiling.fill(runs)
    return search.work


class _Runs:
    """Runs as arrays, to be asked for those at a place."""

    def __init__(self, runs: Sequence[Tile] | NDArray[np.int64]) -> None:
        self.a, self.b, self.length = np.array(runs, np.int64).reshape(-1, 3).T
        self.starts = self.a, self.b
        self.ends = self.a + self.length, self.b + self.length
        self._tokens = int(self.length.sum())
        self._first = [int(starts.min(initial=maxsize)) for starts in self.starts]
        self._last = [int(ends.max(initial=0)) for ends in self.ends]

    def __len__(self) -> int:
        return len(self.length)

    def through(self, token: int, side: int) -> Positions:
        """The numbers of those that have this token on one side."""
        return np.flatnonzero((self.starts[side] <= token) & (self.ends[side] > token))

    def around(self, tiles: Iterable[Tile]) -> Positions:
        """The numbers of those that have a token of one of these tiles, on the same side."""
        near: Mask = np.zeros(len(self), np.bool_)
        for tile in tiles:
            near |= (self.a < tile.a_end) & (self.ends[0] > tile.a)
            near |= (self.b < tile.b_end) & (self.ends[1] > tile.b)
        return np.flatnonzero(near)

    def only(self, numbers: Positions) -> _Runs:
        """Some of these runs."""
        return _Runs(np.stack([self.a, self.b, self.length], axis=1)[numbers])

    def broken(self, tiling: Tiling) -> Mask:
        """Which of the runs have tokens in no tile, on both sides."""
        a, b = (self._used(tiling, side) < self.length for side in (0, 1))
        return a & b

    def _used(self, tiling: Tiling, side: int) -> Positions:
        """How many tokens of each run lie in tiles, on one side."""
        first, last = self._first[side], self._last[side]
        if last - first > self._tokens:  # few runs, far apart
            return tiling.used_in(side, self.starts[side], self.length)
        until = tiling.used_between(side, first, last)
        return until.take(self.ends[side] - first) - until.take(self.starts[side] - first)


class _Search:
    """A search for a tiling that breaks fewer runs."""

    def __init__(self, tiling: Tiling, runs: Sequence[Tile], long: Sequence[Tile], work: int) -> None:
        self._tiling, self._all = tiling, runs
        self._runs, self._long, self._promised = _Runs(runs), long, _Runs(long)
        self._broken = self._promised.broken(tiling)
        self._temperature = 0.0
        self._random = Random(0)  # the same tiling whenever the same documents are compared
        self._known: dict[int, dict[Tile, int]] = {}  # by tiling: how many more are broken with this tile
        self.work = work  # that is left

    def go(self) -> None:
        """From the best tiling so far, once with care and once more daring."""
        for self._temperature in _TEMPERATURES:
            self._improve()

    def _improve(self) -> None:
        """Until nothing is broken, or it does not get better any more."""
        best, tiles, tries = self._count, self._tiling.tiles, 0
        while best and tries < _PATIENCE * (1 + best) and self.work > 0:
            tries += self._step()
            if self._count < best:
                best, tiles, tries = self._count, self._tiling.tiles, 0
        if self._tiling.tiles != tiles:
            self._tiling.swap(self._tiling.tiles, [])
            self._tiling.swap([], tiles)
            self._broken = self._promised.broken(self._tiling)

    @property
    def _count(self) -> int:
        return int(np.count_nonzero(self._broken))

    def _step(self) -> int:
        """Put one of several tiles where a run misses a token, unless all make it much worse; returns how many were
        tried."""
        parts = list(dict.fromkeys(self._candidates()))
        parts = self._random.sample(parts, min(_AT_ONCE, len(parts)))
        known = self._known.setdefault(hash(tuple(self._tiling.tiles)), {})
        for part in parts:
            if part not in known:
                known[part] = self._more_broken(part)
        more = [known[part] for part in parts]
        chances = [exp(-max(0, each - min(more)) / self._temperature) for each in more]
        (chosen,) = self._random.choices(range(len(parts)), chances)
        if self._random.random() < exp(-max(0, more[chosen]) / self._temperature):
            gone, new = self._tiling.change_for(parts[chosen])
            self._tiling.swap(gone, new)
            near, runs = self._affected(gone, new)
            self._broken[near] = runs.broken(self._tiling)
        return len(parts)

    def _more_broken(self, part: Tile) -> int:
        """How many more runs are broken if this becomes a tile."""
        gone, new = self._tiling.change_for(part)
        near, runs = self._affected(gone, new)
        self._tiling.mark(gone, new)  # for a moment
        broken = np.count_nonzero(runs.broken(self._tiling))
        self._tiling.mark(new, gone)
        self.work -= _TRY + len(self._promised) * (len(gone) + len(new)) + len(self._runs)
        return int(broken - np.count_nonzero(self._broken[near]))

    def _affected(self, gone: Sequence[Tile], new: Sequence[Tile]) -> tuple[slice | Positions, _Runs]:
        """The runs that a change of tiles can break or mend, or more than these, and their numbers."""
        if self._tiling.size <= _SHORT:
            return slice(None), self._promised
        near = self._promised.around([*gone, *new])
        return near, self._promised.only(near)

    def _candidates(self) -> Iterator[Tile]:
        """Tiles for a token that a broken run misses on either side: parts of that run and of others that lead
        through."""
        run = self._long[self._random.choice(np.flatnonzero(self._broken).tolist())]
        for side in (0, 1):
            token = self._random.choice(self._free(run, side))
            through = self._runs.through(token, side).tolist()
            chosen = self._random.sample(through, min(_OTHERS, len(through)))
            for other in (run, *(self._all[number] for number in chosen)):
                yield from self._parts(other, token - other[side])

    def _free(self, run: Tile, side: int) -> list[int]:
        """The tokens of one side of a run that lie in no tile."""
        return (np.flatnonzero(self._tiling.free(side)[run[side] : run[side] + run.length]) + run[side]).tolist()

    def _parts(self, run: Tile, at: int) -> Iterator[Tile]:
        """Parts of a run with the token at this place: k tokens before, behind and around it, as much as is free, and
        all of it."""
        k = self._tiling.k
        first, last = max(0, at - k + 1), min(at, run.length - k)
        for start in (first, last, self._random.randint(first, last)):
            yield run.part(start, start + k)
        start, end = self._tiling.free_around(run, at)
        start = max(0, min(start, end - k))
        yield run.part(start, min(run.length, max(end, start + k)))
        yield run
