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
"""

from __future__ import annotations

import numpy as np

from moss.corpus.near.bits import WORD, ahead, bit_lengths, write
from moss.corpus.near.huffman import LONGEST, HuffmanCode
from moss.corpus.search.interpolation import search, search_one
from moss.hashing import Hashes, Positions

BLOCK_BYTES = 1024
_FEW_BLOCKS = 8  # so few are unpacked one after the other: array operations cost as much for one as for a hundred
_ONE = np.uint64(1)
_LARGEST = (1 << 64) - 1


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
        first = search_one(self._keys, low)
        last = search_one(self._keys, high)  # the first block that may hold what is larger
        found = self._unpacked(np.arange(first, min(last + 1, len(self._keys))))
        return found[search_one(found, low) : len(found) if high == _LARGEST else search_one(found, high + 1)]

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
