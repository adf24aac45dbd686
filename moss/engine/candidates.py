"""Candidates: the pairs of documents that share fingerprints, counted from the index and never by trying all pairs.

The cost grows with what is shared. Fingerprints that the very same documents have are counted together first: a
template that a thousand submissions contain costs one list of a thousand, not one for each of its fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.engine.index import Index
from moss.hashing import Hashes, mix

Weights = NDArray[np.int64]
_CHUNK = 1 << 21  # pair entries that are made before they are summed up: bounds the memory
_DENSE = 1 << 24  # with fewer possible pairs than this a plain table of them all is fastest


@dataclass(frozen=True, slots=True)
class PairValues:
    """A value for each of some pairs of `count` documents; the pair a < b has the key a·count + b, keys ascend."""

    count: int
    keys: NDArray[np.int64]
    values: NDArray[Any]

    @property
    def a(self) -> NDArray[np.int64]:
        """The first document of each pair."""
        return self.keys // max(1, self.count)

    @property
    def b(self) -> NDArray[np.int64]:
        """The second document of each pair."""
        return self.keys % max(1, self.count)


def combine(parts: Sequence[PairValues], reduce: np.ufunc) -> PairValues:
    """All pairs that are in any part; values of the same pair are reduced to one (`np.add`, `np.maximum`)."""
    keys = np.concatenate([part.keys for part in parts])
    values = np.concatenate([part.values for part in parts])
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
    return PairValues(parts[0].count, keys[first], reduce.reduceat(values, first) if len(first) else values)


def shared_weights(index: Index, weights: Weights, count: int) -> PairValues:
    """The summed weights of the fingerprints that each pair of documents shares; those of weight 0 do not count."""
    groups = np.flatnonzero((index.sizes > 1) & (weights > 0))
    entries = _entries(index, *_same_documents(index, groups, weights), count)
    return _sum_dense(entries, count) if count * count <= _DENSE else _sum_sparse(entries, count)


def _same_documents(index: Index, groups: NDArray[np.int64], weights: Weights) -> tuple[NDArray[np.int64], Weights]:
    """One fingerprint for each distinct list of documents, with the weight of all that have this list."""
    if not len(groups):
        return groups, np.zeros(0, np.int64)
    signature: Hashes = np.add.reduceat(mix(index.documents.astype(np.uint64) + np.uint64(1)), index.first[:-1])
    _, at, inverse = np.unique(signature[groups], return_index=True, return_inverse=True)
    total = np.zeros(len(at), np.int64)
    np.add.at(total, inverse, weights[groups])
    return groups[at], total


def _entries(index: Index, groups: NDArray[np.int64], weight: Weights, count: int) -> Iterator[PairValues]:
    """All pairs within each list of documents with the list's weight, in chunks, keys in no order."""
    sizes = index.sizes[groups]
    for size in np.unique(sizes).tolist():
        of_size = np.flatnonzero(sizes == size)
        left, right = np.triu_indices(size, 1)
        step = max(1, _CHUNK // len(left))
        for i in range(0, len(of_size), step):
            part = of_size[i : i + step]
            lists = index.documents[index.first[groups[part]][:, None] + np.arange(size)]
            keys = lists[:, left] * count + lists[:, right]
            yield PairValues(count, keys.ravel(), np.repeat(weight[part], len(left)))


def _sum_dense(entries: Iterator[PairValues], count: int) -> PairValues:
    table = np.zeros(count * count, np.int64)
    for chunk in entries:
        np.add.at(table, chunk.keys, chunk.values)
    keys = np.flatnonzero(table)
    return PairValues(count, keys, table[keys])


def _sum_sparse(entries: Iterator[PairValues], count: int) -> PairValues:
    """Chunks wait until they are as many as what is summed already, so each entry is sorted few times."""
    total = PairValues(count, np.zeros(0, np.int64), np.zeros(0, np.int64))
    waiting: list[PairValues] = []
    for chunk in entries:
        waiting.append(combine([chunk], np.add))
        if sum(len(part.keys) for part in waiting) > max(len(total.keys), 4 * _CHUNK):
            total = combine([total, *waiting], np.add)
            waiting = []
    return combine([total, *waiting], np.add)
