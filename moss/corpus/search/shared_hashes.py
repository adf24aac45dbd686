"""How many of a query's hashes each document of a corpus has.

Postings of all segments are asked, and what they say is counted together: most of the time goes into calls, of which
there are as many for one hash as for hundreds. A hash that very many documents have says little and is long to read, so
it is left out at first; where it must count, it is looked up for those documents that have something else in common
with the query, which are few.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.corpus.search.hash_postings import Numbers, SegmentPostings
from moss.hashing import Hashes


class SharedHashes(NamedTuple):
    """The documents that have some of the query's hashes, ascending; for each how many it has, and the sum of one over
    the number of documents that have each. Then the hashes that were left out, as too many documents have them, and
    where these are in each segment's postings."""

    docs: Numbers
    hits: Numbers
    rarity: NDArray[np.float64]
    common: Hashes
    common_at: tuple[Numbers, Numbers]

    def only(self, places: Numbers) -> SharedHashes:
        """The counts of the documents at some places."""
        chosen = self.docs[places], self.hits[places], self.rarity[places]
        return SharedHashes(*chosen, self.common, self.common_at)

    def among(self, docs: Numbers) -> SharedHashes:
        """The counts of these documents, which are 0 for those that were not counted."""
        at = np.searchsorted(docs, self.docs)
        hits, rarity = np.zeros(len(docs), np.int64), np.zeros(len(docs))
        hits[at], rarity[at] = self.hits, self.rarity
        return SharedHashes(docs, hits, rarity, self.common, self.common_at)


def count_shared(postings: SegmentPostings, hashes: Hashes, most: int) -> SharedHashes:
    """The documents that have some of these hashes, without hashes that more than `most` documents have."""
    low, high = postings.find(hashes)
    count = (high - low).sum(axis=0)
    end = np.where(count > most, low, high) if postings.once else high  # what is known to be common is not read
    of_hash, entries = hash_holders(postings, low, end, most)
    holders = np.bincount(of_hash, minlength=len(hashes))
    common = np.flatnonzero((count if postings.once else holders) > most)
    few = np.flatnonzero(holders[of_hash] <= most)
    docs, of_doc = np.unique(entries[few], return_inverse=True)
    hits = np.bincount(of_doc, minlength=len(docs))
    rarity: NDArray[np.float64] = np.bincount(of_doc, 1 / holders[of_hash[few]], len(docs)).astype(np.float64)
    return SharedHashes(docs, hits, rarity, hashes[common], (low[:, common], high[:, common]))


def hash_holders(postings: SegmentPostings, low: Numbers, high: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """Numbers of hashes, and with each a document that has the hash, of those whose entries were found between these
    places; a document that repeats itself has several entries, and is listed once. Of more than `most` documents of a
    segment only some are listed, but more than `most`.

    >>> from moss.corpus.search.hash_postings import SIGN, HashPostings
    >>> hashes, docs = np.array([3, 7, 7, 7, 9], np.uint64) ^ SIGN, np.array([0, 0, 2, 2, 1], np.int32)
    >>> postings = SegmentPostings([HashPostings.of(hashes, docs, first) for first in (10, 20)])
    >>> of_hash, documents = hash_holders(postings, *postings.find(np.array([7, 8, 9], np.uint64)), most=5)
    >>> of_hash.tolist(), documents.tolist()
    ([0, 0, 2, 0, 0, 2], [10, 12, 11, 20, 22, 21])
    """
    there = np.flatnonzero(high > low)
    segment, place = np.divmod(there, max(1, low.shape[1]))
    low, high = low.take(there), high.take(there)
    step = np.maximum(1, (high - low) // (4 * most))  # a footer of a million documents is not read whole
    which, documents = _entries(postings, segment, low, high, step)
    if (step > 1).any():  # those whose documents repeat themselves very often are read whole
        step[np.bincount(which, minlength=len(there)) <= most] = 1
        which, documents = _entries(postings, segment, low, high, step)
    return place[which], documents


def _entries(
    postings: SegmentPostings, segment: Numbers, low: Numbers, high: Numbers, step: Numbers
) -> tuple[Numbers, Numbers]:
    """Every `step`-th entry between these places in the postings of these segments, each document of a hash once."""
    counts = -((low - high) // step)
    which = np.repeat(np.arange(len(low)), counts)
    within = np.arange(len(which)) - (np.cumsum(counts) - counts).take(which)
    places, of = low.take(which) + within * step.take(which), segment.take(which)
    edges = np.searchsorted(of, np.arange(len(postings.segments) + 1)).tolist()
    parts = zip(postings.segments, pairwise(edges), strict=True)
    read = [each.documents.take(places[begin:end]) for each, (begin, end) in parts if begin < end]
    documents = np.concatenate([np.zeros(0, np.int64), *read])
    documents += postings.firsts.take(of)
    new = np.ones(len(which), np.bool_)
    new[1:] = (which[1:] != which[:-1]) | (documents[1:] != documents[:-1])
    return which[new], documents[new]


def with_common(postings: SegmentPostings, shared: SharedHashes) -> Numbers:
    """How many hashes each of these documents has, those included that were left out because too many have them."""
    hits = shared.hits.copy()
    if not len(shared.common):
        return hits
    begins = np.searchsorted(shared.docs, postings.firsts).tolist()
    low, high = (places.tolist() for places in shared.common_at)
    for number, (begin, end) in enumerate(pairwise([*begins, len(hits)])):
        if begin < end:
            each = postings.segments[number]
            here = shared.docs[begin:end] - each.first
            for start, stop in zip(low[number], high[number], strict=True):
                hits[begin:end] += _among(here, each.documents[start:stop])
    return hits


def _among(wanted: Numbers, ascending: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of these numbers are among ascending ones."""
    if not len(ascending):
        return np.zeros(len(wanted), np.bool_)
    at = np.searchsorted(ascending, wanted.astype(np.int32))
    there: NDArray[np.bool_] = ascending[np.minimum(at, len(ascending) - 1)] == wanted
    return there
