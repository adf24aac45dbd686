"""Canonical Huffman codes for a small alphabet.

Huffman: A method for the construction of minimum-redundancy codes. Proceedings of the IRE, 1952. Frequent symbols have
short codes and no code is the beginning of another. Codes of one length are consecutive numbers in the order of their
symbols, so lengths alone tell the codes, and a table by the next `LONGEST` bits tells which symbol comes.

    >>> HuffmanCode.of(np.array([8, 4, 2, 2])).lengths.tolist()
    [1, 2, 3, 3]
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.hashing import Hashes

LONGEST = 16
"""The longest code: rarer symbols than one in 2^16 are coded as if they were not so rare, or decoding would need larger
tables than what it saves."""


@dataclass(frozen=True, eq=False)
class HuffmanCode:
    """The length and the bits of each symbol's code, and a table from the next bits of a text to their first symbol."""

    lengths: NDArray[np.uint8]
    codes: Hashes
    symbols: NDArray[np.uint8]

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> HuffmanCode:
        """The code with the fewest bits for a text with that many of each symbol; absent symbols have none."""
        lengths = np.array(_lengths(counts.tolist()), np.uint8)
        codes, symbols = np.zeros(len(counts), np.uint64), np.zeros(1 << LONGEST, np.uint8)
        begin = 0
        for symbol in sorted(np.flatnonzero(lengths).tolist(), key=lambda symbol: (lengths[symbol], symbol)):
            free = LONGEST - int(lengths[symbol])
            codes[symbol] = begin >> free
            symbols[begin : begin + (1 << free)] = symbol
            begin += 1 << free
        return cls(lengths, codes, symbols)


def _lengths(counts: list[int]) -> list[int]:
    """The length of each symbol's code; too rare symbols are counted more often until no code is too long."""
    least = 1
    while True:
        lengths = _unlimited([max(count, least) if count else 0 for count in counts])
        if max(lengths, default=0) <= LONGEST:
            return lengths
        least *= 2


def _unlimited(counts: list[int]) -> list[int]:
    """The lengths by Huffman's method: the two rarest groups are joined, which lengthens their codes by a bit."""
    groups = [(count, symbol, [symbol]) for symbol, count in enumerate(counts) if count]
    lengths = [0] * len(counts)
    if len(groups) == 1:
        lengths[groups[0][1]] = 1
    heapq.heapify(groups)
    while len(groups) > 1:
        one, other = heapq.heappop(groups), heapq.heappop(groups)
        joined = one[2] + other[2]
        for symbol in joined:
            lengths[symbol] += 1
        heapq.heappush(groups, (one[0] + other[0], min(one[1], other[1]), joined))
    return lengths
