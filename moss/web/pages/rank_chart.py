"""The chart of two rankings: both as lists, and a line from each pair's old rank to its new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moss.store.results.run_differences import PairChange, PairMove, RankedPlace

ROW = 30  # pixels; the style sheet gives each row of the lists the same height
_BELOW = 12  # pixels below the last row, into which lines may run


@dataclass(frozen=True, slots=True)
class RankLine:
    """The line of a pair, from 0 to 100 across; only its beginning or end, if the other rank is not in the chart."""

    pair: int  # its place in the changes
    move: PairMove
    before: float | None  # pixels from the top
    after: float | None

    @property
    def path(self) -> str:
        """The line as the path of an SVG."""
        if self.before is not None and self.after is not None:
            return f"M0 {self.before:g}C40 {self.before:g} 60 {self.after:g} 100 {self.after:g}"
        if self.before is not None:
            return f"M0 {self.before:g}q16 0 22 24"
        return f"M100 {self.after:g}q-16 0 -22 24"


@dataclass(frozen=True, slots=True)
class RankChart:
    """Both lists and the lines between them."""

    before: tuple[tuple[int, PairChange], ...]  # in the order of the rank, each with its place in the changes
    after: tuple[tuple[int, PairChange], ...]
    lines: tuple[RankLine, ...]
    height: int


def make_rank_chart(changes: Sequence[PairChange], most: int = 30) -> RankChart:
    """The chart of the best pairs of either ranking, at most so many of each."""
    before, after = _best([c.before for c in changes], most), _best([c.after for c in changes], most)
    lines = [
        RankLine(number, changes[number].move, before.get(number), after.get(number))
        for number in dict.fromkeys((*before, *after))
        if changes[number].before and changes[number].after
    ]
    height = ROW * max(len(before), len(after)) + _BELOW
    return RankChart(
        tuple((n, changes[n]) for n in before), tuple((n, changes[n]) for n in after), tuple(lines), height
    )


def _best(places: Sequence[RankedPlace | None], most: int) -> dict[int, float]:
    """The pairs with the best ranks, in order: their place in the changes, and their height in the list."""
    ranked = sorted((place.rank, number) for number, place in enumerate(places) if place and place.rank <= most)
    return {number: ROW * (row + 0.5) for row, (_, number) in enumerate(ranked)}
