"""Groups of items that are connected by chains of links (union–find), for dozens of names and for millions of numbers.

>>> components(5, np.array([3, 1]), np.array([4, 3])).tolist()
[0, 1, 2, 1, 1]
>>> clusters([("b", "c"), ("x", "y"), ("c", "a")])
(('a', 'b', 'c'), ('x', 'y'))
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def components(count: int, a: Numbers, b: Numbers) -> Numbers:
    """For each of `count` items the least item that is connected with it by links a[i]–b[i].

    All links hook the greater root to the lesser at once, then all paths are halved until they are flat; the number of
    rounds grows with the logarithm of the longest chain."""
    root = np.arange(count, dtype=np.int64)
    while len(a):
        low, high = np.minimum(root[a], root[b]), np.maximum(root[a], root[b])
        open_ = low != high
        a, b, low, high = a[open_], b[open_], low[open_], high[open_]
        np.minimum.at(root, high, low)
        while (root[root] != root).any():
            root = root[root]
    return root


def clusters(links: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """The groups that these links form: members sorted by name, the largest group first, then by name."""
    pairs = list(links)
    names = sorted({name for pair in pairs for name in pair})
    number = {name: i for i, name in enumerate(names)}
    a, b = np.array([(number[one], number[other]) for one, other in pairs], np.int64).reshape(-1, 2).T
    members: dict[int, list[str]] = {}
    for name, root in zip(names, components(len(names), a, b).tolist(), strict=True):
        members.setdefault(root, []).append(name)
    return tuple(sorted((tuple(group) for group in members.values()), key=lambda group: (-len(group), group)))
