"""Connected components of millions of links, in arrays: the union–find of clustering's last phase."""

from __future__ import annotations

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
