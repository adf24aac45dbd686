"""Candidates: the pairs of documents that share fingerprints, counted from the index and never by trying all pairs.

The cost grows with what is shared. Fingerprints that the very same documents have are counted together first: a
template that a thousand submissions contain costs one list of a thousand, not one for each of its fingerprints. What a
good part of the class has is summed up by multiplying matrices, which processors are made for: the sums are of whole
numbers far below 2^53, so they are exact in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.engine.lists import Lists
from moss.hashing import Hashes, mix

Weights = NDArray[np.int64]
_CHUNK = 1 << 21  # pair entries that are made before they are summed up: bounds the memory
_DENSE = 1 << 25  # with fewer possible pairs than this a plain table of them all is fastest
_MANY = 24  # a fingerprint that more than one document in so many has is cheaper in a matrix than in a list
_BLOCK = 1 << 22  # entries of such a matrix that are made at a time


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


def aligned(parts: Sequence[PairValues]) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
    """The keys of all pairs that are in any part, and each part's values for all of them, 0 where it has none."""
    keys = _united([part.keys for part in parts], parts[0].count)
    values = [np.zeros(len(keys)) for _ in parts]
    for found, part in zip(values, parts, strict=True):
        found[np.searchsorted(keys, part.keys)] = part.values
    return keys, values


def _united(parts: Sequence[NDArray[np.int64]], count: int) -> NDArray[np.int64]:
    """The keys that are in any part, ascending."""
    if count * count > _DENSE:
        return np.unique(np.concatenate(parts))
    found = np.zeros(count * count, np.bool_)
    for keys in parts:
        found[keys] = True
    return np.flatnonzero(found)


def combine(parts: Sequence[PairValues], reduce: np.ufunc) -> PairValues:
    """All pairs that are in any part; values of the same pair are reduced to one (`np.add`, `np.maximum`)."""
    keys = np.concatenate([part.keys for part in parts])
    values = np.concatenate([part.values for part in parts])
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
    return PairValues(parts[0].count, keys[first], reduce.reduceat(values, first) if len(first) else values)


def shared_weights(lists: Lists, weights: Weights, count: int) -> PairValues:
    """The summed weights of the lists that each pair of documents is in; those of weight 0 do not count."""
    groups = np.flatnonzero((lists.sizes > 1) & (weights > 0))
    groups, weight = _same_documents(lists, groups, weights)
    if count * count > _DENSE:
        return _sum_sparse(_entries(lists, groups, weight, count), count)
    many = lists.sizes[groups] > max(32, count // _MANY)
    table = _multiplied(lists, groups[many], weight[many], count)
    return _sum_dense(table, _entries(lists, groups[~many], weight[~many], count), count)


def _same_documents(lists: Lists, groups: NDArray[np.int64], weights: Weights) -> tuple[NDArray[np.int64], Weights]:
    """One fingerprint for each distinct list of documents, with the weight of all that have this list."""
    if not len(groups):
        return groups, np.zeros(0, np.int64)
    signature: Hashes = np.add.reduceat(mix(lists.documents.astype(np.uint64) + np.uint64(1)), lists.first[:-1])
    _, at, inverse = np.unique(signature[groups], return_index=True, return_inverse=True)
    total = np.zeros(len(at), np.int64)
    np.add.at(total, inverse, weights[groups])
    return groups[at], total


def _entries(lists: Lists, groups: NDArray[np.int64], weight: Weights, count: int) -> Iterator[PairValues]:
    """All pairs within each list of documents with the list's weight, in chunks, keys in no order."""
    sizes = lists.sizes[groups]
    for size in np.unique(sizes).tolist():
        of_size = np.flatnonzero(sizes == size)
        left, right = np.triu_indices(size, 1)
        step = max(1, _CHUNK // len(left))
        for i in range(0, len(of_size), step):
            part = of_size[i : i + step]
            members = lists.documents[lists.first[groups[part]][:, None] + np.arange(size)]
            keys = members[:, left] * count + members[:, right]
            yield PairValues(count, keys.ravel(), np.repeat(weight[part], len(left)))


def _multiplied(lists: Lists, groups: NDArray[np.int64], weight: Weights, count: int) -> NDArray[np.int64]:
    """The summed weights of all pairs a < b, as a table: the product of the lists' matrix with its transpose."""
    if not len(groups):
        return np.zeros(count * count, np.int64)
    table = np.zeros((count, count))
    step = max(1, _BLOCK // max(1, count))
    for i in range(0, len(groups), step):
        part = groups[i : i + step]
        sizes = lists.sizes[part]
        places = np.repeat(lists.first[part] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        has = np.zeros((count, len(part)))
        has[lists.documents[places], np.repeat(np.arange(len(part)), sizes)] = 1
        table += (has * weight[i : i + step]) @ has.T
    return np.triu(table, 1).astype(np.int64).ravel()


def _sum_dense(table: NDArray[np.int64], entries: Iterator[PairValues], count: int) -> PairValues:
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
