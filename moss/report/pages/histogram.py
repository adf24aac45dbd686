"""The histogram of all scores: the ordinary ones of this class, and those that are unusual in it.

Counts are drawn on a logarithmic scale, so that a single outlier can be seen beside thousands of ordinary pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10

import numpy as np
from numpy.typing import NDArray

from moss.engine.union_find import components
from moss.model import Baseline, Ranking, Standing

BINS = 40
HEIGHT = 96  # of the plot in pixels; across, everything is in percent, so that it fits any screen
THRESHOLDS = 200
"""The threshold can be moved in steps of half a percent: every edge of a bar is one of them."""
_LEAST = 4  # pixels; the least height of a bar that is not empty

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """The pairs with a score from `low` up to `high`, in percent; the last bar has those of 100 too. The standing is
    that of the pair in their middle."""

    low: float
    high: float
    count: int
    standing: Standing
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bars that are not empty, lines for round counts, and where ordinary ends."""

    bars: tuple[HistogramBar, ...]
    lines: tuple[tuple[int, float], ...]  # count, y
    limit: float  # in percent
    height: int = HEIGHT


def make_histogram(scores: Scores, baseline: Baseline) -> Histogram:
    """The histogram of some scores, the best first."""
    from_edges = _at_least(scores, np.arange(1, BINS) / BINS)
    starts, ends = (edges.tolist() for edges in (np.append(from_edges, 0), np.append(len(scores), from_edges)))
    inside = [scores[start:end] for start, end in zip(starts, ends, strict=True)]
    top = max(10, *map(len, inside))
    bars = tuple(_bar(i, found, top, baseline) for i, found in enumerate(inside) if len(found))
    return Histogram(bars, _lines(top), 100 * baseline.limit)


def _bar(number: int, scores: Scores, top: int, baseline: Baseline) -> HistogramBar:
    low, high = 100 * number / BINS, 100 * (number + 1) / BINS
    count, height = len(scores), _height(len(scores), top)
    standing = baseline.standing(float(scores[(count - 1) // 2]))
    return HistogramBar(low, high, count, standing, round(HEIGHT - height, 1), height)


def _height(count: int, top: int) -> float:
    return round(_LEAST + (HEIGHT - _LEAST) * log10(count) / log10(top), 1)


def _lines(top: int) -> tuple[tuple[int, float], ...]:
    powers: Sequence[int] = [10**k for k in range(1, 10) if 10**k <= top]
    return tuple((power, round(HEIGHT - _height(power, top), 1)) for power in powers)


def _at_least(scores: Scores, thresholds: Scores) -> NDArray[np.int64]:
    """How many of some scores, the best first, are at least each threshold."""
    return np.searchsorted(-scores, -thresholds, side="right")


def counts_from(ranking: Ranking, listed: NDArray[np.bool_], submissions: int) -> list[tuple[int, int, int]]:
    """For each place of the threshold, from 0 to 1: how many listed pairs score at least that much, how many of the
    submissions are in pairs that do, and how many clusters these form."""
    return list(_counts_downwards(ranking, listed, submissions))[::-1]


def _counts_downwards(ranking: Ranking, listed: NDArray[np.bool_], submissions: int) -> Iterator[tuple[int, int, int]]:
    """The counts from the highest threshold to the lowest, each with the pairs that the step before did not have."""
    root = np.arange(submissions, dtype=np.int64)
    done = 0
    thresholds = np.arange(THRESHOLDS, -1, -1) / THRESHOLDS
    pairs = np.append(0, np.cumsum(listed))
    for end in _at_least(ranking.score, thresholds).tolist():
        a, b = root[ranking.a[done:end]], root[ranking.b[done:end]]
        if (a != b).any():
            root = components(submissions, a[a != b], b[a != b])[root]
        done = end
        sizes = np.bincount(root, minlength=submissions)
        yield int(pairs[end]), int(sizes[sizes > 1].sum()), int((sizes > 1).sum())
