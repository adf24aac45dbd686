"""Shingles, their samples, and what these tell about two documents.

Broder, Glassman, Manasse, Zweig: Syntactic clustering of the Web. WWW 1997.

Throughout:
    w     how many words a shingle has
    S     a document's set of shingles, as 64-bit hashes, ascending
    s     how many of the smallest a sketch MIN_s keeps
    m     MOD_m keeps those that are 0 mod m
    V_i   MOD_m with m = 2^i, where i grows with the document, so that about as many are kept of each

The hashes are scrambled (`moss.hashing.mix`), which stands for the paper's random permutation. Sets of many documents
stand one after another in one array (`HashSets`), because most documents are short and numpy is fast on long arrays
only.

Where we differ from the paper:
  - Hashes have 64 bits instead of 40.
  - A document of fewer than w words has no shingle. We take all of it as one, or short texts would be invisible.
  - Its text says that V_i has between 50 and 100 elements, its definition gives twice that. We keep its text's number:
    i is the least for which at most `sample` are expected. Up to that many words nothing is left out, and estimates
    are exact.

    >>> sets = shingle_sets(np.array([1, 2, 3, 1, 2, 3, 4], np.uint64), np.array([0, 3, 7]), w=2)
    >>> sets.sizes.tolist(), round(resemblance(sets[0], sets[1]), 2), containment(sets[0], sets[1])
    ([2, 3], 0.67, 1.0)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.hashing import Hashes, Positions, SpanHasher, Values, digests, hash_windows, mix, order_by_hash

_TOGETHER = 1 << 16  # words of documents that are sketched at once: their arrays stay in the cache

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HashSets:
    """Sets of hashes of consecutive documents: document d has those from offsets[d] to offsets[d + 1], ascending."""

    hashes: Hashes
    offsets: Positions

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, document: int) -> Hashes:
        return self.hashes[self.offsets[document] : self.offsets[document + 1]]

    @property
    def sizes(self) -> Counts:
        """How many hashes each document has."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Positions:
        """The document of each hash."""
        return np.repeat(np.arange(len(self)), self.sizes)


def spans_of(offsets: Positions, w: int) -> tuple[Positions, Positions, Positions]:
    """Start, end and document of each span of w words; a document with fewer words, but some, has one span of all."""
    sizes = np.diff(offsets)
    runs = np.where(sizes >= w, sizes - w + 1, np.minimum(sizes, 1))
    owner = np.repeat(np.arange(len(sizes)), runs)
    first = np.cumsum(runs) - runs
    start = np.arange(len(owner)) + (offsets[:-1] - first)[owner]
    return start, np.minimum(start + w, offsets[1:][owner]), owner


def shingle_sets(words: Values, offsets: Positions, w: int) -> HashSets:
    """S of each document: document d has the words (any numbers that stand for them) offsets[d] to offsets[d + 1]."""
    if w < 1:
        raise ValueError("a shingle has at least one word")
    start, end, owner = spans_of(offsets, w)
    return _sets(SpanHasher(words)(start, end), owner, len(offsets) - 1)


def _sets(hashes: Hashes, owner: Positions, documents: int) -> HashSets:
    """The hashes as sets of their owners."""
    order = order_by_hash(hashes, owner)
    hashes, owner = hashes.take(order), owner.take(order)
    new = np.ones(len(hashes), np.bool_)
    new[1:] = (hashes[1:] != hashes[:-1]) | (owner[1:] != owner[:-1])
    return HashSets(hashes[new], np.searchsorted(owner[new], np.arange(documents + 1)))


def shingles(words: Values, w: int) -> Hashes:
    """S of one document."""
    return shingle_sets(words, np.array([0, len(words)]), w).hashes


# Samples


def smallest(S: Hashes, s: int) -> Hashes:
    """MIN_s: the s smallest hashes, or all if there are fewer."""
    return S[:s]


def multiples(S: Hashes, m: int) -> Hashes:
    """MOD_m: the hashes that are 0 mod m."""
    chosen: Hashes = S[S % np.uint64(m) == 0]
    return chosen


def masks_for(sizes: Counts, sample: int) -> Counts:
    """2^i - 1 for documents of so many words: at most `sample` of the shingles are expected to be 0 in these bits.

    Masks are nested, so the sketch of two documents for the greater of their masks follows from both sketches."""
    halvings = np.zeros(len(sizes), np.int64)
    while (large := (sizes >> halvings) > sample).any():
        halvings[large] += 1
    return (np.int64(1) << halvings) - 1


def sketches(words: Values, offsets: Positions, w: int, masks: Counts) -> HashSets:
    """V_i of each document: its shingles that are 0 in the bits of its mask. (Sorting these alone is the quick way.)"""
    parts, first = [], 0
    while first < len(masks):
        last = max(first + 1, int(np.searchsorted(offsets, int(offsets[first]) + _TOGETHER, side="right")) - 1)
        parts.append(_sketches(words, offsets[first : last + 1], w, masks[first:last]))
        first = last
    sizes = np.concatenate([np.zeros(1, np.int64), *(part.sizes for part in parts)])
    return HashSets(np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in parts)]), np.cumsum(sizes))


def _sketches(words: Values, offsets: Positions, w: int, masks: Counts) -> HashSets:
    """The sketches of a few documents. All windows of w words are hashed, and those dropped that reach into the next
    document; shorter documents have a span of their own."""
    start, end = int(offsets[0]), int(offsets[-1])
    sizes = np.diff(offsets)
    hashes = np.zeros(max(0, end - start - w + 1), np.uint64)
    if len(hashes):
        hash_windows(words[start:end], w, hashes)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    inside = owner[: len(hashes)] == owner[w - 1 :] if len(hashes) else np.zeros(0, np.bool_)
    owner = owner[: len(hashes)]
    kept = np.flatnonzero(inside & ((hashes & masks.astype(np.uint64)[owner]) == 0))
    hashes, owner = hashes[kept], owner[kept]
    short = np.flatnonzero((sizes > 0) & (sizes < w))
    if len(short):
        whole = SpanHasher(words)(offsets[short], offsets[short + 1])
        sampled = (whole & masks.astype(np.uint64)[short]) == 0
        hashes, owner = np.concatenate([hashes, whole[sampled]]), np.concatenate([owner, short[sampled]])
    return _sets(hashes, owner, len(sizes))


# Exact values and estimates


def resemblance(A: Hashes, B: Hashes) -> float:
    """|A ∩ B| / |A ∪ B|: exact for sets of shingles, the estimate of the theorem for samples MOD_m; two empty sets are
    alike."""
    common = len(np.intersect1d(A, B, assume_unique=True))
    union = len(A) + len(B) - common
    return common / union if union else 1.0


def containment(A: Hashes, B: Hashes) -> float:
    """|A ∩ B| / |A|: how much of A is in B, exactly or by samples MOD_m; nothing is in anything."""
    return len(np.intersect1d(A, B, assume_unique=True)) / len(A) if len(A) else 1.0


def resemblance_by_smallest(F_a: Hashes, F_b: Hashes, s: int) -> float:
    """The estimate of the theorem for sketches MIN_s: the part of the union's s smallest that both have."""
    together = smallest(np.union1d(F_a, F_b), s)
    both = np.intersect1d(F_a, F_b, assume_unique=True)
    return len(np.intersect1d(together, both, assume_unique=True)) / len(together) if len(together) else 1.0


def at_mask(V: Hashes, mask: int) -> Hashes:
    """The sketch for a greater mask."""
    chosen: Hashes = V[V & np.uint64(mask) == 0]
    return chosen


# One number for many


def text_digests(words: Values, offsets: Positions) -> Hashes:
    """One number for all words of each document, in order."""
    return digests(words, offsets[:-1], offsets[1:])


def set_digests(sets: HashSets, masks: Counts) -> Hashes:
    """One number for each set and the mask that it was sampled by; equal sets have equal numbers."""
    return mix(text_digests(sets.hashes, sets.offsets) ^ mix(masks.astype(np.uint64)))
