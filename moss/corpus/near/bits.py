"""Bits of varying number, side by side in an array of 64-bit words, the most significant ones first.

>>> bits = np.zeros(2, np.uint64)
>>> write(bits, np.array([0, 3]), np.array([0b101, 0b11], np.uint64), np.array([3, 2]))
>>> bin(int(bits[0]) >> 59), bit_lengths(np.array([0, 1, 5], np.uint64)).tolist()
('0b10111', [0, 1, 3])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moss.hashing import Hashes, Positions

WORD = 64
_ONE = np.uint64(1)


def bit_lengths(values: Hashes) -> NDArray[np.int64]:
    """How many bits each value has from its most significant 1 on."""
    lengths = np.zeros(len(values), np.int64)
    rest = values.copy()
    for shift in (32, 16, 8, 4, 2, 1):
        large = rest >= np.uint64(1 << shift)
        lengths[large] += shift
        rest = np.where(large, rest >> np.uint64(shift), rest)
    return np.add(lengths, values > 0, dtype=np.int64)


def ahead(bits: Hashes, at: Positions) -> Hashes:
    """The next 64 bits from each place."""
    word, shift = at >> 6, (at & 63).astype(np.uint64)
    # shifting by 64 is not defined: the next word is shifted twice, by 64 together if nothing of it is needed
    joined: Hashes = (bits[word] << shift) | (bits[word + 1] >> _ONE >> (np.uint64(63) - shift))
    return joined


def write(bits: Hashes, at: Positions, values: Hashes, lengths: Positions) -> None:
    """Write the last `lengths` bits of each value at its place; places ascend, and only zeros are there yet."""
    filled = np.flatnonzero(lengths)
    if not len(filled):
        return
    at, shift = at[filled], (WORD - lengths[filled]).astype(np.uint64)
    left = values[filled] << shift  # its bits begin at the left
    word, offset = at >> 6, (at & 63).astype(np.uint64)
    for target, piece in ((word, left >> offset), (word + 1, left << _ONE << (np.uint64(63) - offset))):
        first = np.flatnonzero(np.concatenate([[True], target[1:] != target[:-1]]))
        bits[target[first]] |= np.bitwise_or.reduceat(piece, first)
