"""Candidates: the pairs of documents that share fingerprints, counted from postings and never by trying all pairs.

The cost grows with what is shared. Fingerprints that the very same documents have are counted together first: a
template that a thousand submissions contain costs one list of a thousand, not one for each of its fingerprints. Then
pairs are summed up some documents at a time, so that the table of their partners stays in the processor's cache: each
of these documents meets all that stand behind it in one of its lists. What a good part of the class has is summed up by
multiplying matrices, which processors are made for. All sums are of whole numbers far below 2^53, so they are exact in
any order.

Several views of the same documents are counted side by side, block by block: what one block of documents shares is
complete before the next is begun, so blocks can be counted anywhere and in any order.

    >>> class Lists(NamedTuple):  # as `moss.engine.ranking.postings` makes them
    ...     first: NDArray[np.int64]
    ...     documents: NDArray[np.int32]
    ...     sizes: NDArray[np.int64]
    >>> lists = Lists(np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2], np.int32), np.array([2, 3]))
    >>> found = shared_weights(lists, np.array([10, 1]), 3)
    >>> list(zip(found.a.tolist(), found.b.tolist(), found.values.tolist()))
    [(0, 1, 11.0), (0, 2, 1.0), (1, 2, 1.0)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from moss.engine.kgrams import ranges
from moss.engine.sort_order import ascending
from moss.hashing import Hashes, distinct, mix

Weights = NDArray[np.int64]
Sums = NDArray[np.float64]
Numbers = NDArray[np.int32]
_ENTRIES = 1 << 19  # pair entries that are made before they are summed up: bounds the memory
_AREA = 1 << 18  # possible pairs in a table of some documents' partners
_SPARSE = 12  # if there are so many possible pairs for each entry, sorting the entries is faster than a table
_MANY = 12  # a fingerprint that more than one document in so many has is cheaper in a matrix than in a list,
_FEW = 32  # but not one that so few have
_WIDE = 1 << 22  # entries of such a matrix that are multiplied at a time
_ROWS = 128  # documents whose sums are multiplied at a time: only the half behind each is wanted
_TILE, _DEPTH = 32, 256  # documents on each side, and lists, that are multiplied in one step; see `_Matrix`


Task = TypeVar("Task")
Result = TypeVar("Result")


class Each(Protocol):
    """A function like `map`: calls a function with each of some tasks and gives the results in their order."""

    def __call__(self, function: Callable[[Task], Result], tasks: Sequence[Task], /) -> Iterable[Result]:
        """The result of the function for each task."""


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
    """A value for each of some pairs of `count` documents, a < b, by ascending a and then b."""

    count: int
    a: Numbers
    b: Numbers
    values: NDArray[Any]

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """One number for each pair, a·count + b."""
        return self.a * np.int64(self.count) + self.b

    def having(self, values: NDArray[Any]) -> PairValues:
        """These pairs with other values."""
        return PairValues(self.count, self.a, self.b, values)


class SharedBlock(NamedTuple):
    """Pairs whose first document is in one block, ascending, and what they share in each of several sets of lists."""

    a: Numbers
    b: Numbers
    sums: tuple[Sums, ...]


class Sharing:
    """The summed weights of the lists that each pair of `count` documents is in, for several sets of lists (views);
    those of weight 0 do not count."""

    def __init__(self, views: Sequence[tuple[HasLists, Weights]], count: int) -> None:
        self.count = count
        self._parts = [_parts_of(lists, weights, count) for lists, weights in views]  # here: the processes that count
        # inherit it, and to hand it over would take longer than to make it

    def blocks(self) -> list[tuple[int, int]]:
        """First and last document (exclusive) of blocks that bound the memory, without those that share nothing."""
        tables = any(matrix.exists for _, matrix in self._parts)
        until = np.sum([entries.until for entries, _ in self._parts], axis=0)  # entries before each document
        found: list[tuple[int, int]] = []
        first = 0
        while first < self.count:
            widest = max(1, _AREA // (self.count - first))
            fitting = int(np.searchsorted(until, until[first] + _ENTRIES, side="right")) - 1
            end = min(self.count, max(first + 1, min(fitting, first + (min(_ROWS, widest) if tables else widest))))
            if tables or until[end] > until[first]:
                found.append((first, end))
            first = end
        return found

    def of(self, block: tuple[int, int]) -> SharedBlock:
        """The shared weights of the pairs whose first document is in this block."""
        first, end = block
        width = self.count - first  # no pair's second document stands before its first
        entries = [part.of(first, end) for part, _ in self._parts]
        tables = any(matrix.exists for _, matrix in self._parts)
        if not tables and sum(len(keys) for keys, _ in entries) * _SPARSE < (end - first) * width * len(entries):
            found = distinct(np.concatenate([keys for keys, _ in entries]))
            sums = [_summed(found.searchsorted(keys), weights, len(found)) for keys, weights in entries]
        else:
            sums = [_summed(keys, weights, (end - first) * width) for keys, weights in entries]
            for table, (_, matrix) in zip(sums, self._parts, strict=True):
                if matrix.exists:
                    table += np.triu(matrix.of(first, end), 1).reshape(-1)
            found = np.flatnonzero(reduce(np.logical_or, [table != 0 for table in sums]))
            sums = [table.take(found) for table in sums]
        edges = found.searchsorted(np.arange(end - first + 1) * width)
        row = np.repeat(np.arange(end - first, dtype=np.int32), np.diff(edges))
        other = (found - row * np.int64(width)).astype(np.int32)
        return SharedBlock(row + np.int32(first), other + np.int32(first), tuple(sums))


def _summed(places: NDArray[np.int64], weights: Sums, size: int) -> Sums:
    """The sum of the weights at each place, as real numbers even where there are none."""
    return np.bincount(places, weights, size).astype(np.float64, copy=False)


def shared_weights(lists: HasLists, weights: Weights, count: int) -> PairValues:
    """The summed weights of the lists that each pair of documents is in; those of weight 0 do not count."""
    sharing = Sharing([(lists, weights)], count)
    blocks: list[tuple[NDArray[Any], ...]] = [
        (found.a, found.b, found.sums[0]) for found in map(sharing.of, sharing.blocks())
    ]
    return PairValues(count, *columns_of(blocks, (np.int32, np.int32, np.float64)))


def columns_of(blocks: list[tuple[NDArray[Any], ...]], kinds: Sequence[type[np.generic]]) -> list[NDArray[Any]]:
    """The columns of several blocks, one block below another, as arrays of these kinds. The list is empty afterwards:
    each block is dropped once it has been copied, so memory holds every column once."""
    size = sum(len(block[0]) for block in blocks)
    columns: list[NDArray[Any]] = [np.empty(size, kind) for kind in kinds]
    at = 0
    while blocks:
        block = blocks.pop(0)
        for column, values in zip(columns, block, strict=True):
            column[at : at + len(values)] = values
        at += len(block[0])
    return columns


def _parts_of(lists: HasLists, weights: Weights, count: int) -> tuple[_Entries, _Matrix]:
    """The lists of few documents as entries, and those of many as a matrix."""
    groups, weight = _same_documents(lists, np.flatnonzero((lists.sizes > 1) & (weights > 0)), weights)
    many = lists.sizes[groups] > max(_FEW, count // _MANY)
    return _Entries(lists, groups[~many], weight[~many], count), _Matrix(lists, groups[many], weight[many], count)


def _same_documents(
    lists: HasLists, groups: NDArray[np.int64], weights: Weights
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """One fingerprint for each distinct list of documents, with the weight of all that have this list."""
    if not len(groups):
        return groups, np.zeros(0)
    scrambled = mix(np.arange(1, int(lists.documents.max()) + 2, dtype=np.uint64))
    signature: Hashes = np.add.reduceat(scrambled[lists.documents], lists.first[:-1])[groups]
    order = ascending(signature)
    ordered = signature[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return groups[order[first]], np.add.reduceat(weights[groups[order]].astype(np.float64), first)


class _Entries:
    """All pairs within each list, as entries (document, later one in the list, weight of the list)."""

    def __init__(self, lists: HasLists, groups: NDArray[np.int64], weight: Sums, count: int) -> None:
        sizes = lists.sizes[groups]
        self.count = count
        self.members = lists.documents[ranges(lists.first[groups], sizes)]
        later = np.repeat(np.cumsum(sizes), sizes) - np.arange(1, len(self.members) + 1)
        order = np.argsort(self.members.astype(np.uint16 if count <= 1 << 16 else np.int64), kind="stable")
        self.behind = order + 1  # where those that are later than each begin
        self.later = later.take(order)
        self.weight = np.repeat(weight, sizes).take(order)
        having = np.bincount(self.members, minlength=count)
        self.bounds = np.append(0, np.cumsum(having))
        self.until = np.append(0, np.cumsum(self.later)).take(self.bounds)  # entries before each document

    def of(self, first: int, end: int) -> tuple[NDArray[np.int64], Sums]:
        """The places of these documents' entries in a table of them and of all documents from the first on, row by row,
        in no order; and their weights."""
        some = slice(self.bounds[first], self.bounds[end])
        later = self.later[some]
        keys = self.members.take(ranges(self.behind[some], later)).astype(np.int64)
        rows = np.arange(end - first) * (self.count - first) - first
        keys += np.repeat(rows, np.diff(self.until[first : end + 1]))
        return keys, np.repeat(self.weight[some], later)


class _Matrix:
    """Lists as a matrix of documents and lists, for sums by multiplication.

    Libraries for matrices share out a large product among threads, which wait for each other by spinning: two threads
    take twice the processor time and no less of anybody's. Up to 2^18 multiplications are done by the calling thread
    alone, so a product is made in steps of so many, in whichever program this runs."""

    def __init__(self, lists: HasLists, groups: NDArray[np.int64], weight: Sums, count: int) -> None:
        sizes = lists.sizes[groups]
        self.exists = bool(len(groups))
        self.weight = weight
        shape = (-(-count // _TILE) * _TILE if self.exists else 0, len(groups))
        self.has: NDArray[Any] = np.zeros(shape, np.float64 if shape[0] * shape[1] < _WIDE else np.bool_)
        documents = lists.documents[ranges(lists.first[groups], sizes)]
        self.has[documents, np.repeat(np.arange(len(groups)), sizes)] = 1
        self.count = count

    def of(self, first: int, end: int) -> Sums:
        """The summed weights of these documents with those from the first of them on."""
        begin, behind = first - first % _TILE, -(-end // _TILE) * _TILE
        left = self.has[begin:behind] * self.weight
        products = [_product(left, part) for part in self._parts(begin)]
        return np.concatenate(products, axis=1)[first - begin : end - begin, first - begin : self.count - begin]

    def _parts(self, first: int) -> Iterator[NDArray[np.float64]]:
        step = max(1, _WIDE // self.has.shape[1] // _TILE) * _TILE
        for row in range(first, len(self.has), step):
            yield self.has[row : row + step].astype(np.float64, copy=False)


def _product(left: Sums, right: Sums) -> Sums:
    """The product left @ right.T, in steps of `_TILE` rows of each and `_DEPTH` columns."""
    left, right = left.reshape(-1, 1, _TILE, left.shape[1]), right.reshape(1, -1, _TILE, right.shape[1])
    total = np.zeros((left.shape[0], right.shape[1], _TILE, _TILE))
    for first in range(0, left.shape[-1], _DEPTH):
        some = slice(first, first + _DEPTH)
        total += left[..., some] @ right[..., some].swapaxes(2, 3)
    return total.swapaxes(1, 2).reshape(left.shape[0] * _TILE, -1)


def shared_by(lists: HasLists, weights: Weights, a: Numbers, b: Numbers) -> Sums:
    """The summed weights of the lists that the two documents of each of some pairs are both in; for few pairs."""
    wanted = np.zeros(int(max(a.max(initial=0), b.max(initial=0), lists.documents.max(initial=0))) + 1, np.bool_)
    wanted[a] = wanted[b] = True
    entry = np.flatnonzero(wanted[lists.documents])
    document, number = lists.documents[entry], lists.first.searchsorted(entry, side="right") - 1
    order = np.argsort(document, kind="stable")
    document, number = document[order], number[order]
    begin, end = document.searchsorted(np.arange(len(wanted))), document.searchsorted(np.arange(len(wanted)), "right")
    found, has = np.zeros(len(a)), np.zeros(len(weights))
    for place, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        mine = number[begin[one] : end[one]]
        has[mine] = weights[mine]
        found[place] = has[number[begin[other] : end[other]]].sum()
        has[mine] = 0
    return found
