"""k-grams: every run of k tokens, as one hash each."""

from __future__ import annotations

import numpy as np

from moss.hashing import Hashes, Positions, SpanHasher
from moss.model import Codes


def hash_kgrams(codes: Codes, k: int) -> Hashes:
    """The hash of each k-gram, by the position of its first token; none if there are fewer than k tokens."""
    if k < 1:
        raise ValueError("a k-gram has at least one token")
    start = np.arange(len(codes) - k + 1)
    return SpanHasher(codes)(start, start + k)


def covered(positions: Positions, k: int, size: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of `size` tokens lie in a k-gram at one of the (ascending) positions."""
    depth = np.zeros(size + 1, np.int64)
    np.add.at(depth, positions, 1)
    np.add.at(depth, positions + k, -1)
    return np.cumsum(depth[:-1]) > 0
