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

from collections.abc import Callable, Iterator, Sequence
from math import exp
from random import Random

from moss.engine.promised_runs import RunArrays, promised_runs
from moss.engine.tiles import Tile, Tiling

_PATIENCE = 10  # tiles that are tried for each broken run, and once more, without a better tiling
_TRY = 1 << 12  # units of work that it costs to try a tile in any case; one is to look at a run
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


class _Search:
    """A search for a tiling that breaks fewer runs."""

    def __init__(self, tiling: Tiling, runs: Sequence[Tile], long: Sequence[Tile], work: int) -> None:
        self._tiling, self._all = tiling, runs
        self._runs, self._long, self._promised = RunArrays(runs), long, promised_runs(tiling, long)
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
            self._promised = promised_runs(self._tiling, self._long)

    @property
    def _count(self) -> int:
        return len(self._promised.broken)

    def _step(self) -> int:
        """Put one of several tiles where a run misses a token, unless all make it much worse; returns how many were
        tried."""
        found = list(dict.fromkeys(self._candidates()))
        parts = [Tile(*part) for part in self._random.sample(found, min(_AT_ONCE, len(found)))]
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
            self._promised.change(gone, new)
        return len(parts)

    def _more_broken(self, part: Tile) -> int:
        """How many more runs are broken if this becomes a tile."""
        gone, new = self._tiling.change_for(part)
        self.work -= _TRY + len(self._long) * (len(gone) + len(new)) + len(self._runs)
        return self._promised.more_broken(gone, new)

    def _candidates(self) -> Iterator[tuple[int, int, int]]:
        """Tiles for a token that a broken run misses on either side: parts of that run and of others that lead
        through; as plain numbers, because few of them are chosen."""
        run = self._long[self._random.choice(self._promised.broken)]
        for side in (0, 1):
            token = self._random.choice(self._tiling.free_tokens(run, side))
            through = self._runs.through(token, side)
            chosen = self._random.sample(through, min(_OTHERS, len(through)))
            for other in (run, *(self._all[number] for number in chosen)):
                yield from self._parts(other, token - other[side])

    def _parts(self, run: Tile, at: int) -> Iterator[tuple[int, int, int]]:
        """Parts of a run with the token at this place: k tokens before, behind and around it, as much as is free, and
        all of it."""
        k, (a, b, length) = self._tiling.k, run
        first, last = max(0, at - k + 1), min(at, length - k)
        for start in (first, last, self._random.randint(first, last)):
            yield a + start, b + start, k
        start, end = self._tiling.free_around(run, at)
        start = max(0, min(start, end - k))
        yield a + start, b + start, min(length, max(end, start + k)) - start
        yield run
