"""Ordering large arrays: processors sort numbers several times as fast as they find out in which order these stand.

So each number's place is put into its last bits, and what is sorted is the number itself. The few whose order is lost
with those bits are put right afterwards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moss.engine.kgrams import ranges
from moss.hashing import Hashes, Positions, distinct

_FEW = 1 << 12  # numbers: fewer are ordered in no time in any way


def ascending(values: Hashes) -> Positions:
    """Where the smallest value stands, the next one, and so on; of equal values the first comes first."""
    if len(values) <= _FEW:
        return np.argsort(values, kind="stable")
    bits = np.uint64(len(values).bit_length())
    packed = values - values.min()
    packed <<= np.uint64(64 - int(packed.max()).bit_length())  # what all have in common need not be kept
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
    """Order those that are the same in the bits that were kept (until `another` begins) by all of their bits, where
    their order was `lost`."""
    begins = np.concatenate([[0], np.flatnonzero(another) + 1, [len(order)]])
    groups = distinct(begins.searchsorted(lost, side="right"))
    some = ranges(begins[groups - 1], begins[groups] - begins[groups - 1])
    order[some] = order[some][np.argsort(values[order[some]], kind="stable")]


def median(values: NDArray[np.generic]) -> float:
    """The middle one of some numbers, of which there are any, or the mean of the middle two; as `np.median`, which
    imports all about masked arrays."""
    ordered = np.sort(values)
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def descending(scores: NDArray[np.float64]) -> Positions:
    """Where the largest of some numbers stands, none of which is negative; of equal ones the first comes first."""
    return ascending(~(scores + 0.0).view(np.uint64))  # numbers from 0 on are ordered as their bits are
