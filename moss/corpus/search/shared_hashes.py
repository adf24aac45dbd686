"""How many of a query's hashes each document of a corpus has.

Postings of all segments are asked. A hash that very many documents have says little and is long to read, so it is left
out at first; where it must count, it is looked up for those documents that have something else in common with the
query, which are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.corpus.search.lookups import HashPostings, Numbers
from moss.hashing import Hashes

Postings = Sequence[tuple[int, HashPostings]]
"""The first document of each segment, and the segment's postings."""


class SharedHashes(NamedTuple):
    """The documents that have some of the query's hashes, ascending; for each how many it has, and the sum of one over
    the number of documents that have each. Then the hashes that were left out, as too many documents have them."""

    docs: Numbers
    hits: Numbers
    rarity: NDArray[np.float64]
    common: Hashes

    def among(self, docs: Numbers) -> SharedHashes:
        """The counts of these documents, which are 0 for those that were not counted."""
        at = np.searchsorted(docs, self.docs)
        hits, rarity = np.zeros(len(docs), np.int64), np.zeros(len(docs))
        hits[at], rarity[at] = self.hits, self.rarity
        return SharedHashes(docs, hits, rarity, self.common)


def count_shared(postings: Postings, hashes: Hashes, most: int) -> SharedHashes:
    """The documents that have some of these hashes, without hashes that more than `most` documents have."""
    which, entries = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for first, posting in postings:
        places, documents = posting.holders(hashes, most)
        which.append(places)
        entries.append(documents + first)
    of_hash = np.concatenate(which)
    holders = np.bincount(of_hash, minlength=len(hashes))
    few = holders[of_hash] <= most
    docs, of_doc = np.unique(np.concatenate(entries)[few], return_inverse=True)
    rarity: NDArray[np.float64] = np.bincount(of_doc, 1 / holders[of_hash[few]], len(docs)).astype(np.float64)
    return SharedHashes(docs, np.bincount(of_doc, minlength=len(docs)), rarity, hashes[holders > most])


def with_common(postings: Postings, shared: SharedHashes) -> Numbers:
    """How many hashes each of these documents has, those included that were left out because too many have them."""
    hits = shared.hits.copy()
    if not len(shared.common):
        return hits
    begins = np.searchsorted(shared.docs, [first for first, _ in postings]).tolist()
    for (first, posting), begin, end in zip(postings, begins, [*begins[1:], len(hits)], strict=True):
        here = shared.docs[begin:end] - first
        low, high = posting.find(shared.common)
        for start, stop in zip(low.tolist(), high.tolist(), strict=True):
            hits[begin:end] += _among(here, posting.documents[start:stop])
    return hits


def _among(wanted: Numbers, ascending: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of these numbers are among ascending ones."""
    if not len(ascending):
        return np.zeros(len(wanted), np.bool_)
    at = np.searchsorted(ascending, wanted.astype(np.int32))
    there: NDArray[np.bool_] = ascending[np.minimum(at, len(ascending) - 1)] == wanted
    return there
