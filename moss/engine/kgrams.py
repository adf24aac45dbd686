"""k-grams: every k consecutive tokens, as one hash.

>>> hashes = hash_kgrams(np.array([5, 6, 5, 6], np.uint64), 2)
>>> len(hashes), bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
(3, True, False)
>>> covered(np.array([0, 3]), 2, 6).tolist()
[True, True, False, True, True, False]
>>> ranges(np.array([10, 20]), np.array([3, 2])).tolist()
[10, 11, 12, 20, 21]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.hashing import Hashes, Positions, hash_windows
from moss.model import Codes

_BLOCK = 1 << 15  # k-grams hashed at a time: the numbers in between stay in the processor's cache


def hash_kgrams(codes: Codes, k: int) -> Hashes:
    """The hash of each k-gram, by the position of its first token; none if there are fewer than k tokens."""
    if k < 1:
        raise ValueError("a k-gram has at least one token")
    count = max(0, len(codes) - k + 1)
    hashes = np.empty(count, np.uint64)
    for first in range(0, count, _BLOCK):
        some = hashes[first : first + _BLOCK]
        hash_windows(codes[first : first + len(some) + k - 1], k, out=some)
    return hashes


def ranges(first: Positions, count: Positions) -> Positions:
    """The numbers from each `first` on, `count` of each, one range after another."""
    return np.repeat(first - (np.cumsum(count) - count), count) + np.arange(count.sum())


def covered(positions: NDArray[np.integer[Any]], k: int, size: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of `size` tokens lie in a k-gram at one of the (ascending) positions."""
    depth = np.zeros(size + 1, np.int64)
    np.add.at(depth, positions, 1)
    np.add.at(depth, positions + k, -1)
    return np.cumsum(depth[:-1]) > 0
