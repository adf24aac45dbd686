"""Shared runs by hand: which runs two texts share, which of them a tiling breaks, and how few any tiling can break.

Nothing of the program is used here, so that it can be judged by this.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

Run = tuple[int, int, int]
"""Where it begins in the first text and in the second, and how long it is."""


def shared_runs(a: Sequence[int], b: Sequence[int], least: int) -> list[Run]:
    """All maximal runs of so many tokens or more: each diagonal from end to end."""
    found = []
    for shift in range(-len(a), len(b)):
        begin = max(0, -shift)
        for i in range(begin, min(len(a), len(b) - shift) + 1):
            if i == len(a) or i + shift == len(b) or a[i] != b[i + shift]:
                if i - begin >= least:
                    found.append((begin, begin + shift, i - begin))
                begin = i + 1
    return found


def broken(runs: Iterable[Run], used: tuple[int, int]) -> list[Run]:
    """The runs of which not all tokens of one side are used; bit n of these says whether token n is."""
    return [run for run in runs if all(_has_a_hole(each, at, run[2]) for each, at in zip(used, run[:2], strict=True))]


def _has_a_hole(used: int, at: int, length: int) -> bool:
    return used >> at & (1 << length) - 1 != (1 << length) - 1


def used_by(tiles: Iterable[Run]) -> tuple[int, int]:
    """The tokens that lie in tiles, on both sides, which no two tiles may share."""
    a = b = 0
    for i, j, length in tiles:
        ours, theirs = ((1 << length) - 1) << i, ((1 << length) - 1) << j
        assert not a & ours, "tiles overlap"
        assert not b & theirs, "tiles overlap"
        a, b = a | ours, b | theirs
    return a, b


def fewest_broken(a: Sequence[int], b: Sequence[int], k: int, promised: int) -> int:
    """How many runs the best of all tilings breaks: all are tried, token by token of the first text."""
    runs = shared_runs(a, b, promised)
    states: list[set[tuple[int, int]]] = [set() for _ in range(len(a) + 1)]
    states[0].add((0, 0))
    for at, here in enumerate(states[:-1]):
        states[at + 1] |= here
        for j, length in _tiles_from(a, b, k, at):
            tile = (1 << length) - 1
            states[at + length] |= {(x | tile << at, y | tile << j) for x, y in here if not y & tile << j}
        here.clear()
    return min(len(broken(runs, used)) for used in states[-1])


def _tiles_from(a: Sequence[int], b: Sequence[int], k: int, at: int) -> Iterator[tuple[int, int]]:
    for j in range(len(b)):
        length = 0
        while at + length < len(a) and j + length < len(b) and a[at + length] == b[j + length]:
            length += 1
            if length >= k:
                yield j, length


def planted(
    chance: random.Random, first: Sequence[int], second: Sequence[int], run: Sequence[int]
) -> tuple[list[int], list[int], Run]:
    """Two texts with the same run somewhere in each of them."""
    i, j = chance.randrange(len(first) + 1), chance.randrange(len(second) + 1)
    return [*first[:i], *run, *first[i:]], [*second[:j], *run, *second[j:]], (i, j, len(run))
