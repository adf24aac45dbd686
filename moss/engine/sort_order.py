"""The order of large arrays: processors sort numbers several times as fast as they find out their order.

So each number's place is put into its last bits, and what is sorted is the number itself. The few whose order is lost
with those bits are put right afterwards.

    >>> ascending(np.array([30, 10, 20, 10], np.uint64)).tolist(), descending(np.array([0.5, 1.0, 0.5])).tolist()
    ([1, 3, 2, 0], [1, 0, 2])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moss.engine.kgrams import ranges
from moss.hashing import Hashes, Positions, distinct

_FEW = 1 << 12  # numbers: fewer are ordered in no time in any way


def ascending(values: Hashes) -> Positions:
    """The positions of the values from the smallest to the largest; of equal values the first comes first."""
    if len(values) <= _FEW:
        return np.argsort(values, kind="stable")
    bits = np.uint64(len(values).bit_length())
    packed = values - values.min()
    packed <<= np.uint64(64 - int(packed.max()).bit_length())  # bits that all have in common are not needed
    packed >>= bits
    packed <<= bits
    packed |= np.arange(len(values), dtype=np.uint64)
    packed.sort()
    order: Positions = (packed & np.uint64((1 << int(bits)) - 1)).view(np.int64)
    packed >>= bits
    another = packed[1:] != packed[:-1]
    alike = np.flatnonzero(~another)
    lost = alike[values[order[alike]] != values[order[alike + 1]]]
    if len(lost):
        _put_right(values, order, another, lost)
    return order


def _put_right(values: Hashes, order: Positions, another: NDArray[np.bool_], lost: Positions) -> None:
    """Correct the order of values that are equal in their first bits (groups end where `another` begins) by all of
    their bits, in the groups in which it was `lost`."""
    begins = np.concatenate([[0], np.flatnonzero(another) + 1, [len(order)]])
    groups = distinct(begins.searchsorted(lost, side="right"))
    some = ranges(begins[groups - 1], begins[groups] - begins[groups - 1])
    order[some] = order[some][np.argsort(values[order[some]], kind="stable")]


def median(values: NDArray[np.generic]) -> float:
    """The median of at least one number, as `np.median`, which imports everything about masked arrays."""
    ordered = np.sort(values)
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def descending(scores: NDArray[np.float64]) -> Positions:
    """The positions of the numbers, none negative, from the largest to the smallest; of equal ones the first comes
    first."""
    return ascending(~(scores + 0.0).view(np.uint64))  # numbers from 0 on are ordered as their bits are
