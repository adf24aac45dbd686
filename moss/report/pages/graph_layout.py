"""The layout of clusters: each by forces, without any randomness, then all in rows like words on a page.

Within a cluster, similar submissions attract and neighbours repel each other, starting from a circle (after Fruchterman
and Reingold); then labels that overlap are moved apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Edge = tuple[int, int, float]  # two positions in a cluster, and their score

WIDTH = 1100.0  # of a row; labels that need more room get it
_BOX = np.array([104.0, 54.0])  # the size of a node with its label
MARGIN = np.array([58.0, 34.0])  # around a cluster
_ROUNDS = 150
_NEAR = 3.0  # beyond this distance nodes do not repel, or single links of a large cluster would be blown away
_LONG = 1.5  # from this ratio of variances on, a cluster counts as long and is turned


def lay_out(size: int, edges: Sequence[Edge]) -> Points:
    """The positions of a cluster's nodes, with the smallest coordinates at 0."""
    if size <= 2:
        return np.array([[0.0, 0.0], [1.3 * _BOX[0], 0.0]])[:size]
    angles = 2 * np.pi * np.arange(size) / size - np.pi / 2
    points = np.column_stack([np.cos(angles), np.sin(angles)]) * np.sqrt(size)
    pull = np.zeros((size, size))
    for a, b, score in edges:
        pull[a, b] = pull[b, a] = score
    links = np.maximum(3, np.count_nonzero(pull, axis=1))
    pull *= 3 / np.sqrt(links[:, None] * links[None, :])  # else nodes with many links would all fall onto one spot
    for step in range(_ROUNDS):
        points = _settle(points, pull, 0.3 * (1 - step / _ROUNDS))
    points = _lying(points) * _BOX * (0.95, 1.3)
    points *= (min(1.0, (WIDTH - 2 * MARGIN[0]) / np.ptp(points[:, 0])), 1)
    points = _apart(points)
    settled: Points = points - points.min(axis=0)
    return settled


def _settle(points: Points, pull: Points, most: float) -> Points:
    """One round of the forces; no node moves further than `most`."""
    gaps = points[:, None] - points[None, :]
    distance = np.maximum(np.sqrt((gaps**2).sum(axis=2)), 0.01)
    push = np.where(distance < _NEAR, 1 / distance**2, 0)
    force = (gaps * (push - pull * distance)[:, :, None]).sum(axis=1) - 0.02 * points
    length = np.maximum(np.sqrt((force**2).sum(axis=1)), 1e-9)
    moved: Points = points + force * (np.minimum(length, most) / length)[:, None]
    return moved


def _lying(points: Points) -> Points:
    """The points turned so that a long cluster lies flat, because pages and labels are wider than high."""
    (small, large), axes = np.linalg.eigh(np.cov(points.T))
    if large < _LONG * small:
        return points
    way = axes[:, 1] * (1 if axes[0, 1] >= 0 else -1)
    turned: Points = points @ np.array([[way[0], -way[1]], [way[1], way[0]]])
    return turned


def _apart(points: Points) -> Points:
    """The points moved apart until no two labels overlap, or until the rounds are used up."""
    upper = np.triu_indices(len(points), 1)
    for _ in range(_ROUNDS):
        gaps = points[upper[0]] - points[upper[1]]
        overlap = _BOX - np.abs(gaps)
        both = (overlap > 0).all(axis=1)
        if not both.any():
            break
        sideways = overlap[both, 0] / _BOX[0] < overlap[both, 1] / _BOX[1]
        signs = np.where(gaps[both] < 0, -1.0, 1.0)
        push = 0.3 * overlap[both] * signs * np.column_stack([sideways, ~sideways])
        np.add.at(points, upper[0][both], push)
        np.add.at(points, upper[1][both], -push)
    return points


def set_in_rows(sizes: Sequence[Points]) -> tuple[list[Points], float]:
    """The corners of boxes of these sizes, set side by side in rows, and the height of all rows.

    >>> places, height = set_in_rows([np.array([600.0, 50.0])] * 3)
    >>> [place.tolist() for place in places], float(height)
    ([[0.0, 0.0], [0.0, 50.0], [0.0, 100.0]], 150.0)
    """
    places, x, y, row = [], 0.0, 0.0, 0.0
    for width, height in sizes:
        if x > 0 and x + width > WIDTH:
            x, y, row = 0.0, y + row, 0.0
        places.append(np.array([x, y]))
        x, row = x + width, max(row, height)
    return places, y + row
