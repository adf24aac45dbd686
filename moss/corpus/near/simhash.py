"""Simhash: 64 bits of which few change when few of a document's features change.

Charikar: Similarity estimation techniques from rounding algorithms. STOC 2002; used for near-duplicate web pages by
Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling. WWW 2007, Section 2.

A document is a set of features, each with a weight. Every feature has a 64-bit hash; bit i of the document's
fingerprint is 1 if the features whose hash has bit i weigh more than those whose hash has not. So documents that share
most of their weight differ in few bits, while a cryptographic hash would differ in half of them.

Where we differ from the paper:
  - Weights are rounded to multiples of 1/64 and summed as integers. The fingerprint then depends on nothing but the
    features: not on their order, nor on how many documents are hashed together, nor on the machine.
  - What the features are, the paper leaves to "standard techniques". Ours are the words, each once, with the weight
    1 + log2(n) / 2 if it occurs n times. Weighing frequent words more keeps edited copies nearer but brings unlike
    documents nearer, too; runs of words do the opposite to both. `benchmarks/papers.py` compares them.

Sums of several bits are carried side by side in the lanes of one 64-bit integer: four of 16 bits where no document's
weights add up to 2^16, otherwise two of 32 bits or one of 64. Lanes cannot overflow, as no sum exceeds the total.

    >>> bin(simhash(np.array([0b1100, 0b1010, 0b1001], np.uint64)))
    '0b1000'
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moss.hashing import Hashes, Positions, Values, mix

Weights = NDArray[np.float64]

BITS = 64
_UNIT = 1 << 6  # a weight of 1
_BLOCK = 1 << 15  # features summed at a time: their intermediate arrays stay in the cache
_LARGEST_TOTAL = 1 << 62
_EXACT = 1 << 53  # up to which sums of floating-point numbers are those of integers
_OWNER = 16  # bits of a document's number while its words are sorted
_TOGETHER = 1 << _OWNER  # documents whose words are sorted together


def simhash(features: Hashes, weights: Weights | None = None) -> int:
    """The fingerprint of one document; without weights every feature weighs 1."""
    return int(simhashes(features, weights, np.array([0, len(features)]))[0])


def simhashes(features: Hashes, weights: Weights | None, offsets: Positions) -> Hashes:
    """The fingerprint of each document: document d has the features from offsets[d] to offsets[d + 1].

    A document without features has the fingerprint 0."""
    units = np.ones(len(features), np.uint64) if weights is None else _units(weights)
    fingerprints = np.zeros(len(offsets) - 1, np.uint64)
    filled = np.flatnonzero(np.diff(offsets))
    first = 0
    while first < len(filled):
        begin = int(offsets[filled[first]])
        last = max(first + 1, int(np.searchsorted(offsets[filled + 1], begin + _BLOCK, side="right")))
        end = int(offsets[filled[last - 1] + 1])
        starts = offsets[filled[first:last]] - begin
        fingerprints[filled[first:last]] = _block(features[begin:end], units[begin:end], starts)
        first = last
    return fingerprints


def features(words: Values) -> tuple[Hashes, Weights]:
    """A document's features and their weights, from its words (any numbers that stand for them)."""
    found, weights, _ = features_of(words, np.array([0, len(words)]))
    return found, weights


def features_of(words: Values, offsets: Positions) -> tuple[Hashes, Weights, Positions]:
    """The features of each document, their weights, and where each document's begin: document d has the words from
    offsets[d] to offsets[d + 1]."""
    starts = range(0, len(offsets) - 1, _TOGETHER)
    parts = [_features_of(words, offsets[start : start + _TOGETHER + 1]) for start in starts]
    sizes = np.concatenate([np.zeros(1, np.int64), *(sizes for _, _, sizes in parts)])
    return (
        np.concatenate([np.empty(0, np.uint64), *(hashes for hashes, _, _ in parts)]),
        np.concatenate([np.empty(0, np.float64), *(weights for _, weights, _ in parts)]),
        np.cumsum(sizes),
    )


def _features_of(words: Values, offsets: Positions) -> tuple[Hashes, Weights, Positions]:
    """The features of at most 2^16 documents, their weights, and how many each document has. The document's number and
    48 bits of the word's hash are sorted as one number."""
    owner = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint64), np.diff(offsets))
    hashed = mix(words[offsets[0] : offsets[-1]].astype(np.uint64) + np.uint64(1))
    keys = np.sort((owner << np.uint64(BITS - _OWNER)) | (hashed >> np.uint64(_OWNER)))
    first = np.flatnonzero(np.concatenate([keys[:1] == keys[:1], keys[1:] != keys[:-1]]))
    counts = np.diff(first, append=len(keys))
    sizes = np.bincount((keys[first] >> np.uint64(BITS - _OWNER)).astype(np.int64), minlength=len(offsets) - 1)
    return mix(keys[first] << np.uint64(_OWNER)), 1.0 + np.log2(counts) / 2.0, sizes


def _units(weights: Weights) -> Hashes:
    if len(weights) and not (np.isfinite(weights).all() and weights.min() >= 0):
        raise ValueError("a feature's weight is a finite number, not below zero")
    if weights.sum() * _UNIT >= _LARGEST_TOTAL:
        raise ValueError("the weights are too large to be summed exactly")
    return np.rint(weights * _UNIT).astype(np.uint64)


def _block(features: Hashes, units: Hashes, starts: Positions) -> Hashes:
    """The fingerprints of consecutive documents, none of them empty, from where each begins."""
    totals = np.add.reduceat(units, starts)
    if len(starts) == 1 and int(totals[0]) < _EXACT:
        return _alone(features, units, int(totals[0]))
    width = next(width for width in (16, 32, 64) if int(totals.max()) >> width == 0)
    lanes = np.uint64(sum(1 << lane for lane in range(0, BITS, width)))
    half = totals // np.uint64(2)  # more than the rounded-down half is more than the half
    fingerprints = np.zeros(len(starts), np.uint64)
    for low in range(width):
        sums = np.add.reduceat(((features >> np.uint64(low)) & lanes) * units, starts)
        for bit in range(low, BITS, width):
            lane = sums >> np.uint64(bit - low)
            if width < BITS:
                lane &= np.uint64((1 << width) - 1)
            fingerprints |= (lane > half).astype(np.uint64) << np.uint64(bit)
    return fingerprints


def _alone(features: Hashes, units: Hashes, total: int) -> Hashes:
    """The fingerprint of one document, by a product of a vector and a matrix of bits: fewer steps than lanes take, and
    so quicker for one."""
    bits = np.unpackbits(features.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    sums = units.astype(np.float64) @ bits.astype(np.float64)
    return np.packbits(sums > total // 2, bitorder="little").view("<u8").astype(np.uint64)
