"""Candidates: the pairs of documents that share fingerprints, counted from the index and never by trying all pairs.

The cost grows with what is shared. Fingerprints that the very same documents have are counted together first: a
template that a thousand submissions contain costs one list of a thousand, not one for each of its fingerprints. Then
pairs are summed up some documents at a time, so that the table of their partners stays in the processor's cache: each
of these documents meets all that stand behind it in one of its lists. What a good part of the class has is summed up by
multiplying matrices, which processors are made for. All sums are of whole numbers far below 2^53, so they are exact in
any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from moss.engine.kgrams import ranges
from moss.hashing import Hashes, distinct, mix

Weights = NDArray[np.int64]
Sums = NDArray[np.float64]
_ENTRIES = 1 << 19  # pair entries that are made before they are summed up: bounds the memory
_AREA = 1 << 19  # possible pairs in a table of some documents' partners
_SPARSE = 12  # if there are so many possible pairs for each entry, sorting the entries is faster than a table
_DENSE = 1 << 22  # with fewer possible pairs than this a plain table of them all is fastest
_MANY = 12  # a fingerprint that more than one document in so many has is cheaper in a matrix than in a list,
_FEW = 32  # but not one that so few have
_WIDE = 1 << 22  # entries of such a matrix that are multiplied at a time
_ROWS = 128  # documents whose sums are multiplied at a time: only the half behind each is wanted


class HasLists(Protocol):
    """Lists of documents, each in ascending order: the i-th is `documents[first[i]:first[i+1]]`."""

    @property
    def first(self) -> NDArray[np.int64]:
        """Where each list begins, and where the last one ends."""

    @property
    def documents(self) -> NDArray[Any]:
        """The documents of one list after another."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many documents are in each list."""


@dataclass(frozen=True)
class PairValues:
    """A value for each of some pairs of `count` documents; the pair a < b has the key a·count + b, keys ascend."""

    count: int
    keys: NDArray[np.int64]
    values: NDArray[Any]

    @cached_property
    def a(self) -> NDArray[np.int32]:
        """The first document of each pair."""
        bounds = np.searchsorted(self.keys, np.arange(self.count + 1) * self.count)
        return np.repeat(np.arange(self.count, dtype=np.int32), np.diff(bounds))

    @cached_property
    def b(self) -> NDArray[np.int32]:
        """The second document of each pair."""
        return (self.keys - self.a.astype(np.int64) * self.count).astype(np.int32)

    def having(self, values: NDArray[Any]) -> PairValues:
        """The same pairs with other values."""
        pairs = PairValues(self.count, self.keys, values)
        pairs.__dict__.update(a=self.a, b=self.b)  # known already, and not quite cheap to find
        return pairs


def aligned(parts: Sequence[PairValues]) -> tuple[PairValues, list[NDArray[np.float64]]]:
    """All pairs that are in any part, and each part's values for all of them, 0 where it has none."""
    count = parts[0].count
    keys, places = _united([part.keys for part in parts], count)
    values = [np.zeros(len(keys)) for _ in parts]
    for found, part, place in zip(values, parts, places, strict=True):
        found[place] = part.values
    return PairValues(count, keys, values[0]), values


def _united(parts: Sequence[NDArray[np.int64]], count: int) -> tuple[NDArray[np.int64], Iterator[NDArray[np.int64]]]:
    """The keys that are in any part, ascending; and where each part's keys stand among them."""
    if count * count > _DENSE:
        keys = distinct(np.concatenate(parts))
        return keys, (np.searchsorted(keys, part) for part in parts)
    found = np.zeros(count * count, np.bool_)
    for part in parts:
        found[part] = True
    keys = np.flatnonzero(found)
    place: NDArray[Any] = np.zeros(count * count, np.int32)
    place[keys] = np.arange(len(keys))
    return keys, (place[part] for part in parts)


def shared_weights(lists: HasLists, weights: Weights, count: int) -> PairValues:
    """The summed weights of the lists that each pair of documents is in; those of weight 0 do not count."""
    groups, weight = _same_documents(lists, np.flatnonzero((lists.sizes > 1) & (weights > 0)), weights)
    many = lists.sizes[groups] > max(_FEW, count // _MANY)
    table = _Matrix(lists, groups[many], weight[many], count)
    entries = _Entries(lists, groups[~many], weight[~many], count)
    found = [_sum(entries, table, first, end) for first, end in entries.blocks(table.exists)]
    keys, values = zip(*found, strict=True) if found else ((), ())
    return PairValues(
        count, np.concatenate([*keys, np.zeros(0, np.int64)]), np.concatenate([*values, np.zeros(0, np.float64)])
    )


def _same_documents(
    lists: HasLists, groups: NDArray[np.int64], weights: Weights
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """One fingerprint for each distinct list of documents, with the weight of all that have this list."""
    if not len(groups):
        return groups, np.zeros(0)
    scrambled = mix(np.arange(1, int(lists.documents.max()) + 2, dtype=np.uint64))
    signature: Hashes = np.add.reduceat(scrambled[lists.documents], lists.first[:-1])[groups]
    order = np.argsort(signature)
    ordered = signature[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return groups[order[first]], np.add.reduceat(weights[groups[order]].astype(np.float64), first)


class _Entries:
    """All pairs within each list, as entries (document, later one in the list, weight of the list)."""

    def __init__(self, lists: HasLists, groups: NDArray[np.int64], weight: Sums, count: int) -> None:
        sizes = lists.sizes[groups]
        self.count = count
        self.members = lists.documents[ranges(lists.first[groups], sizes)]
        later = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(self.members)) - 1
        self.order = np.argsort(self.members.astype(np.uint16 if count <= 1 << 16 else np.int64), kind="stable")
        self.later = later[self.order]
        self.weight = np.repeat(weight, sizes)[self.order]
        self.document = self.members[self.order].astype(np.int64)
        self.bounds = np.searchsorted(self.document, np.arange(count + 1))

    def blocks(self, tables: bool) -> Iterator[tuple[int, int]]:
        """First and last document (exclusive) of blocks that bound the memory; without tables, those with entries."""
        until = np.append(0, np.cumsum(self.later))[self.bounds]  # entries before each document
        widest = min(_ROWS if tables else self.count, max(1, _AREA // max(1, self.count)))
        first = 0
        while first < self.count:
            fitting = int(np.searchsorted(until, until[first] + _ENTRIES, side="right")) - 1
            end = min(self.count, max(first + 1, min(fitting, first + widest)))
            if tables or until[end] > until[first]:
                yield first, end
            first = end

    def of(self, first: int, end: int) -> tuple[NDArray[np.int64], Sums]:
        """The keys of these documents' entries, counted from that of the first, in no order; and their weights."""
        some = slice(self.bounds[first], self.bounds[end])
        later = self.later[some]
        others = self.members[ranges(self.order[some] + 1, later)]
        return np.repeat((self.document[some] - first) * self.count, later) + others, np.repeat(
            self.weight[some], later
        )


class _Matrix:
    """Lists as a matrix of documents and lists, for sums by multiplication."""

    def __init__(self, lists: HasLists, groups: NDArray[np.int64], weight: Sums, count: int) -> None:
        sizes = lists.sizes[groups]
        self.exists = bool(len(groups))
        self.weight = weight
        shape = (count if self.exists else 0, len(groups))
        self.has: NDArray[Any] = np.zeros(shape, np.float64 if shape[0] * shape[1] < _WIDE else np.bool_)
        documents = lists.documents[ranges(lists.first[groups], sizes)]
        self.has[documents, np.repeat(np.arange(len(groups)), sizes)] = 1

    def of(self, first: int, end: int) -> Sums:
        """The summed weights of these documents with those from the first of them on."""
        left = self.has[first:end] * self.weight
        return np.concatenate([left @ part.T for part in self._parts(first)], axis=1)

    def _parts(self, first: int) -> Iterator[NDArray[np.float64]]:
        step = max(1, _WIDE // self.has.shape[1])
        for row in range(first, len(self.has), step):
            yield self.has[row : row + step].astype(np.float64, copy=False)


def _sum(entries: _Entries, matrix: _Matrix, first: int, end: int) -> tuple[NDArray[np.int64], Sums]:
    """The keys, ascending, and the summed weights of the pairs whose first document is one of these."""
    count = entries.count
    keys, weights = entries.of(first, end)
    area = (end - first) * count
    if not matrix.exists and len(keys) * _SPARSE < area:
        order = np.argsort(keys, kind="stable")
        keys, weights = keys[order], weights[order]
        begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
        return keys[begins] + first * count, np.add.reduceat(weights, begins)
    table = np.bincount(keys, weights, area).astype(np.float64, copy=False)
    if matrix.exists:
        square = table.reshape(end - first, count)[:, first:]
        square += np.triu(matrix.of(first, end), 1)
    found = np.flatnonzero(table)
    return found + first * count, table[found]
