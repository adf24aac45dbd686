"""Interpolation search: where a value stands in a sorted table of hashes.

Yao, Yao: The complexity of searching in an ordered random table. FOCS 1976.

Hashes are spread evenly, so a value's size tells its place: half way up the range is half way down the table, give or
take the square root of the table's length. Looking there and correcting by the same rule leaves the square root of that
error, and so on: log log n probes instead of log n, which counts where each probe is a cache miss or a page from disk.
Tables that are not spread evenly (many documents alike) only make guesses worse: what three of them have not narrowed
down is searched by halving.

    >>> search(np.array([10, 20, 20, 40], np.uint64), np.array([5, 20, 21, 99], np.uint64)).tolist()
    [0, 1, 3, 4]
"""

from __future__ import annotations

import numpy as np

from moss.hashing import Hashes, Positions

_GUESSES = 3
_REACH = 16  # entries on each side of the last guess among which the place is expected
_BLOCK = 1 << 14  # values sought at a time: their intermediate arrays stay in the cache


def search(table: Hashes, values: Hashes) -> Positions:
    """For each value the first position whose entry is not below it, as `numpy.searchsorted`."""
    if len(table) < 4 * _REACH:
        return np.searchsorted(table, values)
    found = np.empty(len(values), np.int64)
    for begin in range(0, len(values), _BLOCK):
        found[begin : begin + _BLOCK] = _search_block(table, values[begin : begin + _BLOCK])
    return found


def search_one(table: Hashes, value: int) -> int:
    """The first position whose entry is not below the value, which may be above all hashes."""
    if not len(table):
        return 0
    low, high = 0, len(table) - 1
    below, above = int(table[low]), int(table[high])
    if not below < value <= above:
        return 0 if value <= below else len(table)
    for _ in range(2 * _GUESSES):  # the entry at `low` is below the value, that at `high` is not
        if high - low <= 2 * _REACH:
            break
        guess = low + (value - below) * (high - low) // (above - below)
        # aim past the guess, away from the nearer end, so that the value is soon enclosed from both sides
        guess += _REACH if guess - low < high - guess else -_REACH
        guess = min(max(guess, low + 1), high - 1)
        entry = int(table[guess])
        if entry < value:
            low, below = guess, entry
        else:
            high, above = guess, entry
    return low + int(np.searchsorted(table[low:high], np.uint64(value)))


def _search_block(table: Hashes, values: Hashes) -> Positions:
    last = len(table) - 1
    guess = _guess(table, values)
    low, high = np.maximum(guess - _REACH, 0), np.minimum(guess + _REACH, last)
    near = ((low == 0) | (table[low] < values)) & (table[high] >= values)
    for _ in range((2 * _REACH).bit_length()):
        middle = (low + high) >> 1
        below = table[middle] < values
        low = np.where(below, np.minimum(middle + 1, high), low)
        high = np.where(below, high, middle)
    far = np.flatnonzero(~near)
    low[far] = np.searchsorted(table, values[far])
    return low


def _guess(table: Hashes, values: Hashes) -> Positions:
    """Positions near those of the values, if the table is spread evenly between its ends."""
    last = len(table) - 1
    wanted = values.astype(np.float64)
    slope = last / max(float(table[-1]) - float(table[0]), 1.0)
    guess = (wanted - float(table[0])) * slope
    for _ in range(_GUESSES - 1):
        position = np.clip(guess, 0, last).astype(np.int64)
        guess = position + (wanted - table[position].astype(np.float64)) * slope
    return np.clip(guess, 0, last).astype(np.int64)
