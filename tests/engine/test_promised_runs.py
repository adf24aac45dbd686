"""Tests of which promised runs a tiling breaks, before and after a change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.engine import promised_runs as module
from moss.engine.promised_runs import promised_runs
from moss.engine.tiles import Tile, Tiling

SIZE = 40


def tiles(least: int) -> st.SearchStrategy[Tile]:
    """Parts of two documents of SIZE tokens."""
    starts = st.integers(0, SIZE - least)
    return st.builds(
        lambda a, b, length: Tile(a, b, min(length, SIZE - max(a, b))), starts, starts, st.integers(least, SIZE)
    )


def broken(tiling: Tiling, runs: list[Tile]) -> list[int]:
    """The numbers of the runs that have a token in no tile on either side, counted token by token."""
    used = [{token for tile in tiling.tiles for token in range(tile[s], tile[s] + tile.length)} for s in (0, 1)]
    free = [[any(token not in used[s] for token in range(run[s], run[s] + run.length)) for s in (0, 1)] for run in runs]
    return [number for number, sides in enumerate(free) if all(sides)]


@pytest.mark.parametrize(("few", "short"), [(100, 1000), (0, 1000), (0, 0)], ids=["bits", "arrays", "around a change"])
@given(runs=st.lists(tiles(3), min_size=1, max_size=12, unique=True), changes=st.lists(tiles(2), max_size=4))
def test_broken_runs_are_known_before_and_after_each_change(
    few: int, short: int, runs: list[Tile], changes: list[Tile]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEW", few)
        patch.setattr(module, "_SHORT", short)
        tiling = Tiling((SIZE, SIZE), k=2)
        tiling.fill(runs)
        promised = promised_runs(tiling, runs)
        for tile in changes:
            before = broken(tiling, runs)
            assert promised.broken == before
            gone, new = tiling.change_for(tile)
            more = promised.more_broken(gone, new)
            assert promised.broken == before  # asking changes nothing
            tiling.swap(gone, new)
            promised.change(gone, new)
            assert more == len(broken(tiling, runs)) - len(before)
        assert promised.broken == broken(tiling, runs)
