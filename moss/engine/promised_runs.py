"""Promised runs: which of them a tiling breaks, and how many more it would break after a change.

A run is broken if it has tokens in no tile on both sides. The search in `moss.engine.promise` asks for that thousands
of times, so there are two ways to answer it. Of few runs in short documents, the tokens of a run and those in no tile
are the bits of two numbers, and one operation tells whether they have any in common. Of many runs, all are looked at
together, in arrays, and in long documents only those around the change.

    >>> tiling = Tiling((10, 10), k=2)
    >>> tiling.fill([Tile(0, 0, 6)])
    >>> runs = promised_runs(tiling, [Tile(0, 0, 6), Tile(4, 3, 5)])
    >>> runs.broken, runs.more_broken([Tile(0, 0, 6)], [Tile(4, 3, 5)])  # the first would be broken instead
    ([1], 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sys import maxsize
from typing import Protocol

import numpy as np

from moss.engine.documents import Mask
from moss.engine.tiles import Tile, Tiling
from moss.hashing import Positions

_FEW = 256  # runs: of more, arrays tell sooner which are broken
_SHORT = 1 << 14  # tokens: all of two documents that are no longer are looked at faster than what is around a tile


class PromisedRuns(Protocol):
    """The runs that a tiling should not break, and those that it breaks."""

    @property
    def broken(self) -> list[int]:
        """The numbers of the runs that are broken, ascending."""

    def more_broken(self, gone: Sequence[Tile], new: Sequence[Tile]) -> int:
        """How many more are broken once some tiles are replaced by others, which need no more room."""

    def change(self, gone: Sequence[Tile], new: Sequence[Tile]) -> None:
        """Note that the tiling has replaced some tiles by others."""


def promised_runs(tiling: Tiling, runs: Sequence[Tile]) -> PromisedRuns:
    """These runs beside a tiling, to be asked which are broken."""
    return _AsBits(tiling, runs) if len(runs) <= _FEW and tiling.size <= _SHORT else _AsArrays(tiling, runs)


class _AsBits:
    """Few runs in short documents: sets of tokens are the bits of numbers."""

    def __init__(self, tiling: Tiling, runs: Sequence[Tile]) -> None:
        self._tokens = [_tokens_of(run) for run in runs]
        self._free = _as_bits(tiling.free(0)), _as_bits(tiling.free(1))
        self.broken = self._broken_with(*self._free)

    def more_broken(self, gone: Sequence[Tile], new: Sequence[Tile]) -> int:
        return len(self._broken_with(*self._free_after(gone, new))) - len(self.broken)

    def change(self, gone: Sequence[Tile], new: Sequence[Tile]) -> None:
        self._free = self._free_after(gone, new)
        self.broken = self._broken_with(*self._free)

    def _broken_with(self, free_a: int, free_b: int) -> list[int]:
        return [number for number, (a, b) in enumerate(self._tokens) if free_a & a and free_b & b]

    def _free_after(self, gone: Sequence[Tile], new: Sequence[Tile]) -> tuple[int, int]:
        """The tokens in no tile after a change: those of old tiles become free, and those of new ones, which are free
        by then, do not stay so."""
        free_a, free_b = self._free
        for tile in (*gone, *new):
            a, b = _tokens_of(tile)
            free_a, free_b = free_a ^ a, free_b ^ b
        return free_a, free_b


def _tokens_of(tile: Tile) -> tuple[int, int]:
    """The tokens of a tile in each document."""
    ones = (1 << tile.length) - 1
    return ones << tile.a, ones << tile.b


def _as_bits(mask: Mask) -> int:
    """A number whose bits are set where the mask is; the first is the lowest."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


class _AsArrays:
    """Many runs, or runs in long documents."""

    def __init__(self, tiling: Tiling, runs: Sequence[Tile]) -> None:
        self._tiling, self._runs = tiling, RunArrays(runs)
        self._broken = self._runs.broken(tiling)

    @property
    def broken(self) -> list[int]:
        found: list[int] = np.flatnonzero(self._broken).tolist()
        return found

    def more_broken(self, gone: Sequence[Tile], new: Sequence[Tile]) -> int:
        near, runs = self._affected(gone, new)
        self._tiling.mark(gone, new)  # for a moment
        broken = np.count_nonzero(runs.broken(self._tiling))
        self._tiling.mark(new, gone)
        return int(broken - np.count_nonzero(self._broken[near]))

    def change(self, gone: Sequence[Tile], new: Sequence[Tile]) -> None:
        near, runs = self._affected(gone, new)
        self._broken[near] = runs.broken(self._tiling)

    def _affected(self, gone: Sequence[Tile], new: Sequence[Tile]) -> tuple[slice | Positions, RunArrays]:
        """The runs that a change of tiles can break or mend, or more than these, and their numbers."""
        if self._tiling.size <= _SHORT:
            return slice(None), self._runs
        near = self._runs.around([*gone, *new])
        return near, self._runs.only(near)


class RunArrays:
    """Runs as arrays, to be asked for those at a place."""

    def __init__(self, runs: Sequence[Tile] | Positions) -> None:
        self.a, self.b, self.length = np.array(runs, np.int64).reshape(-1, 3).T
        self.starts = self.a, self.b
        self.ends = self.a + self.length, self.b + self.length
        self._tokens = int(self.length.sum())
        self._first = [int(starts.min(initial=maxsize)) for starts in self.starts]
        self._last = [int(ends.max(initial=0)) for ends in self.ends]

    def __len__(self) -> int:
        return len(self.length)

    def through(self, token: int, side: int) -> list[int]:
        """The numbers of those that have this token on one side."""
        found: list[int] = np.flatnonzero((self.starts[side] <= token) & (self.ends[side] > token)).tolist()
        return found

    def around(self, tiles: Iterable[Tile]) -> Positions:
        """The numbers of those that have a token of one of these tiles, on the same side."""
        near: Mask = np.zeros(len(self), np.bool_)
        for tile in tiles:
            near |= (self.a < tile.a_end) & (self.ends[0] > tile.a)
            near |= (self.b < tile.b_end) & (self.ends[1] > tile.b)
        return np.flatnonzero(near)

    def only(self, numbers: Positions) -> RunArrays:
        """Some of these runs."""
        return RunArrays(np.stack([self.a, self.b, self.length], axis=1)[numbers])

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
