"""Sorted fingerprints in compressed blocks, of which only those are unpacked that a search needs.

Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling. WWW 2007, Section 3.2.

Successive ones of 2^d sorted fingerprints agree in about d leading bits. Let h be the number of bits from the first in
which they differ to the end. A block holds its first fingerprint as it is, and for each further one a Huffman code for
h and the h − 1 bits behind the first that differs (which needs no bit: it is 1 in the larger). A block is full when
the next one would not fit into its bytes. Its key is its last fingerprint; interpolation search among the keys finds
the first block to unpack.

Of 2^d random fingerprints each then takes 64 − d bits and about four more, for the code and its share of the keys: half
of 64 for the paper's 2^34, three quarters for a million. Simhashes of real documents crowd together and take less.

Where we differ from the paper: equal fingerprints may follow each other (h = 0); its tables have none.

Three parts, from the bottom up: bits of varying number, side by side in an array of 64-bit words, the most significant
ones first; canonical Huffman codes for a small alphabet (Huffman: A method for the construction of minimum-redundancy
codes, 1952), in which codes of one length are consecutive numbers, so lengths alone tell the codes; and the table.

    >>> bits = np.zeros(2, np.uint64)
    >>> write(bits, np.array([0, 3]), np.array([0b101, 0b11], np.uint64), np.array([3, 2]))
    >>> bin(int(bits[0]) >> 59), bit_lengths(np.array([0, 1, 5], np.uint64)).tolist()
    ('0b10111', [0, 1, 3])
    >>> HuffmanCode.of(np.array([8, 4, 2, 2])).lengths.tolist()
    [1, 2, 3, 3]
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.corpus.search.interpolation import search, search_one
from moss.hashing import Hashes, Positions

WORD = 64
_ONE = np.uint64(1)
LONGEST = 16
"""The longest code: rarer symbols than one in 2^16 are coded as if they were not so rare, or decoding would need larger
tables than what it saves."""
BLOCK_BYTES = 1024
_FEW_BLOCKS = 8  # so few are unpacked one after the other: array operations cost as much for one as for a hundred
_LARGEST = (1 << 64) - 1


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


class BlockTable:
    """A sorted table in compressed blocks; answers as `PlainTable` does."""

    def __init__(self, fingerprints: Hashes, block_bytes: int = BLOCK_BYTES) -> None:
        if block_bytes < 32 or block_bytes % 8:
            raise ValueError("a block has at least 32 bytes, and a multiple of 8")
        self._words = block_bytes * 8 // WORD
        differing = bit_lengths(fingerprints[1:] ^ fingerprints[:-1])
        self._code = HuffmanCode.of(np.bincount(differing, minlength=WORD + 1))
        sizes = self._code.lengths[differing].astype(np.int64) + np.maximum(differing - 1, 0)
        self._starts = _block_starts(len(fingerprints), sizes, self._words * WORD)
        self._keys = fingerprints[self._starts[1:] - 1]
        self._bits = self._packed(fingerprints, differing, sizes)

    @property
    def nbytes(self) -> int:
        """The bytes that the blocks, their keys and their first rows take."""
        return self._bits.nbytes + self._keys.nbytes + self._starts.nbytes

    def __len__(self) -> int:
        return int(self._starts[-1])

    def between(self, low: int, high: int) -> Hashes:
        first, last = search_one(self._keys, low), search_one(self._keys, high + 1)  # equal ones may fill many blocks
        found = self._unpacked(np.arange(first, min(last + 1, len(self._keys))))
        return found[search_one(found, low) : search_one(found, high + 1)]

    def ranges(self, low: Hashes, high: Hashes) -> tuple[Positions, Positions]:
        end = self._places(high + _ONE)
        end[high == np.uint64(_LARGEST)] = len(self)
        return self._places(low), end

    def rows(self, rows: Positions) -> Hashes:
        needed, unpacked, offsets = self._unpack(np.searchsorted(self._starts, rows, side="right") - 1)
        block = np.searchsorted(self._starts[needed], rows, side="right") - 1
        return np.take(unpacked, rows - self._starts[needed][block] + offsets[block])

    def all(self) -> Hashes:
        """Every fingerprint, in order."""
        return self._unpacked(np.arange(len(self._keys)))

    def _places(self, values: Hashes) -> Positions:
        """For each value the first row that is not below it."""
        places = np.full(len(values), len(self))
        block = search(self._keys, values)
        inside = np.flatnonzero(block < len(self._keys))
        needed, unpacked, offsets = self._unpack(block[inside])
        # The value is above the key of every earlier block and not above this one's, so that its place in what was
        # unpacked, which is sorted, is in this block.
        place = search(unpacked, values[inside])
        chosen = np.searchsorted(needed, block[inside])
        places[inside] = place - offsets[chosen] + self._starts[needed][chosen]
        return places

    def _unpack(self, blocks: Positions) -> tuple[Positions, Hashes, Positions]:
        """The blocks named, each once, in order; their fingerprints; and where each block's begin among these."""
        needed = np.unique(blocks)
        sizes = self._starts[needed + 1] - self._starts[needed]
        return needed, self._unpacked(needed), np.cumsum(sizes) - sizes

    def _unpacked(self, blocks: Positions) -> Hashes:
        if len(blocks) <= _FEW_BLOCKS:
            return np.array([value for block in blocks.tolist() for value in self._unpacked_one(block)], np.uint64)
        return self._unpacked_together(blocks)

    def _unpacked_one(self, block: int) -> list[int]:
        bits = int.from_bytes(self._bits[block].astype(">u8").tobytes(), "big")
        left = self._words * WORD  # bits not read yet
        lengths, symbols = self._code.lengths, self._code.symbols
        left -= WORD
        value = bits >> left
        values = [value]
        for _ in range(int(self._starts[block + 1] - self._starts[block]) - 1):
            ahead = (bits >> left - LONGEST if left >= LONGEST else bits << LONGEST - left) & (1 << LONGEST) - 1
            differing = int(symbols[ahead])
            left -= int(lengths[differing])
            if differing:
                left -= differing - 1
                value ^= 1 << differing - 1 | (bits >> left & (1 << differing - 1) - 1)
            values.append(value)
        return values

    def _unpacked_together(self, blocks: Positions) -> Hashes:
        """All blocks side by side: the first fingerprint of each, the second of each, and so on."""
        sizes = self._starts[blocks + 1] - self._starts[blocks]
        order = np.argsort(-sizes, kind="stable")  # blocks that still have fingerprints stay in front
        bits = np.concatenate([self._bits[blocks[order]].ravel(), np.zeros(2, np.uint64)])
        base = np.arange(len(blocks)) * (self._words * WORD)
        into = (np.cumsum(sizes) - sizes)[order]
        values = np.empty(int(sizes.sum()), np.uint64)
        value, at = ahead(bits, base), base + WORD
        values[into] = value
        running = np.searchsorted(-sizes[order], -np.arange(int(sizes.max())), side="left")
        for step in range(1, int(sizes.max())):
            count = running[step]
            value, at = value[:count], at[:count]
            differing = self._code.symbols[ahead(bits, at) >> np.uint64(WORD - LONGEST)]
            at = at + self._code.lengths[differing]
            tail = np.maximum(differing, 1).astype(np.uint64) - _ONE
            # shifting by 64 is not defined, so that what has no tail is shifted twice
            value = value ^ (
                (ahead(bits, at) >> _ONE >> (np.uint64(WORD - 1) - tail)) | (differing > 0) * (_ONE << tail)
            )
            at = at + tail.astype(np.int64)
            values[into[:count] + step] = value
        return values

    def _packed(self, fingerprints: Hashes, differing: Positions, sizes: Positions) -> Hashes:
        """The blocks' bits, a row of words for each block."""
        starts = self._starts[:-1]
        block = np.repeat(np.arange(len(starts)), np.diff(self._starts))
        first = np.zeros(len(fingerprints), np.bool_)
        first[starts] = True
        taken = np.where(first, WORD, np.concatenate([[0], sizes])[: len(fingerprints)])
        within = np.cumsum(taken) - taken
        at = within - within[starts][block] + block * (self._words * WORD)
        bits = np.zeros(len(starts) * self._words + 1, np.uint64)
        write(bits, at[starts], np.take(fingerprints, starts), np.full(len(starts), WORD))
        rest = np.flatnonzero(~first)
        differing = differing[rest - 1]
        lengths = self._code.lengths[differing].astype(np.int64)
        tails = np.maximum(differing - 1, 0)
        changed = (fingerprints[rest] ^ fingerprints[rest - 1]) & ((_ONE << tails.astype(np.uint64)) - _ONE)
        write(bits, at[rest], self._code.codes[differing], lengths)
        write(bits, at[rest] + lengths, changed, tails)
        return bits[:-1].reshape(len(starts), self._words)


def _block_starts(rows: int, sizes: Positions, capacity: int) -> Positions:
    """The first row of each block, and at last the number of rows. Row i + 1 takes sizes[i] bits if it is no first."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    starts = [0]
    while starts[-1] < rows:
        starts.append(int(np.searchsorted(ends, ends[starts[-1]] + capacity - WORD, side="right")))
    return np.array(starts)
