"""Phase 2: shingles sorted slice by slice, and counted, as arrays.

Every shingle of the corpus goes through this phase, and most of them are in one document. The rows of a slice come from
the segments sorted, and merging them as arrays takes a tenth of the time that an engine takes to group them. In this
process, all that is known of each document's shingles is counted on the way (`ShingleCounters`); on a cluster, workers
sort a slice each (`sort_slice`) and count the shingles of a segment's documents (`count_depths`).

    >>> rows = SortedRows(np.array([7, 5, 7, 5, 7, 9]), np.array([0, 1, 2, 3, 4, 5]))
    >>> {name: column.tolist() for name, column in rows.of_two.items()}
    {'shingle': [5], 'a': [1], 'b': [3]}
    >>> {name: column.tolist() for name, column in rows.several.items()}
    {'shingle': [7, 7, 7], 'doc': [0, 2, 4], 'holders': [3, 3, 3]}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from moss.corpus.cluster.relations import slices, within
from moss.corpus.engines.duckdb import DuckEngine
from moss.corpus.engines.engine import Columns
from moss.corpus.engines.worker_cluster import worker_engine, write_once
from moss.corpus.storage.manifest import Segment
from moss.corpus.storage.tables import SCHEMAS, SHINGLES
from moss.engine.sort_order import ascending

_COUNTERS = 1 << 27  # in memory at once: 512 MB
_KINDS = 4  # of counters
_RUNS = 100  # of sorted rows that are merged; of more, every piece would be tiny
_PORTION = 1 << 16  # rows that are looked at together: their arrays stay in the processor's cache
_SIGN = np.uint64(1 << 63)

Numbers = NDArray[np.int64]


class ShingleCounters:
    """Counts each document's shingles by their lowest bit: all of them, those that one other document has, those that
    more have, and those that more than `common` have. `own` are the documents' masks.

    >>> counters = ShingleCounters(own=np.array([0, 1, 1]), masks=[0, 1], common=5)
    >>> shingle, doc = np.array([4, 4, 3, 3, 3, 6]), np.array([0, 1, 0, 1, 2, 2])
    >>> counters.add(shingle, doc)
    >>> rows, couples = SortedRows(shingle, doc), CoupleCounters(documents=3, masks=[0, 1])
    >>> couples.add(rows)
    >>> counters.add_couples(couples.columns)
    >>> counters.add_several(rows)
    >>> {name: column.tolist() for name, column in counters.depths().items()}
    {'doc': [0, 0, 1, 1, 2, 2], 'low': [1, 2, 1, 2, 1, 2], 'n': [1, 1, 1, 1, 1, 1]}
    >>> {name: column.tolist() for name, column in counters.shares().items()}
    {'doc': [0, 0, 1], 'own': [0, 0, 1], 'mask': [0, 1, 1], 'size': [2, 1, 1], 'two': [1, 1, 1], 'more': [1, 0, 0]}
    """

    def __init__(self, own: Numbers, masks: Sequence[int], common: int) -> None:
        self._own, self._levels, self._common = own, _levels(masks), common
        self._all, self._two, self._more, self._ignored = np.zeros((_KINDS, len(own) * self._levels), np.int32)

    @staticmethod
    def fit(documents: int, masks: Sequence[int]) -> bool:
        """Whether the counters for so many documents may be in memory."""
        return documents * _levels(masks) * _KINDS <= _COUNTERS

    def add(self, shingle: Numbers, doc: Numbers) -> None:
        """Count rows of the table of shingles. As they are stored, rows of neighbouring documents come together, and
        their counters are in the processor's cache."""
        self._add(self._all, shingle, doc)

    def add_couples(self, couples: Columns) -> None:
        """Count the shingles that two documents have. Couples are far fewer than their shingles."""
        level = _level(couples["low"], self._levels)
        for side in ("a", "b"):
            np.add.at(self._two, couples[side] * self._levels + level, couples["n"].astype(np.int32))

    def add_several(self, rows: SortedRows) -> None:
        """Count the rows of shingles that more than two documents have."""
        shingle, doc, holders = rows.several.values()
        self._add(self._more, shingle, doc)
        if len(ignored := np.flatnonzero(holders > self._common)):
            self._add(self._ignored, shingle[ignored], doc[ignored])

    def _add(self, counts: NDArray[np.int32], shingle: Numbers, doc: Numbers) -> None:
        np.add.at(counts, doc * self._levels + _level(shingle, self._levels), np.int32(1))

    def depths(self) -> Columns:
        """How many shingles with each lowest bit each document has."""
        found = np.flatnonzero(self._all)
        low = np.int64(1) << (found % self._levels)
        return {"doc": found // self._levels, "low": low, "n": self._all[found].astype(np.int64)}

    def sizes(self) -> Columns:
        """The rows of `relations.sizes`."""
        return self._at_masks(self._all - self._ignored)

    def shares(self) -> Columns:
        """The rows of `pair_filters.shares`."""
        more = self._more - self._ignored
        return self._at_masks(self._two + more, two=self._two, more=more)

    def _at_masks(self, chosen: NDArray[np.int32], **others: NDArray[np.int32]) -> Columns:
        """The sizes of documents at the masks from their own on, as far as something of the chosen counts there, and
        other counts."""
        masks = (np.int64(1) << np.arange(self._levels)) - 1
        doc, level = np.nonzero((self._at_each_mask(chosen) > 0) & (masks >= self._own[:, np.newaxis]))
        counts = {"size": self._all - self._ignored, **others}
        sums = {name: self._at_each_mask(count)[doc, level].astype(np.int64) for name, count in counts.items()}
        return {"doc": doc, "own": self._own[doc], "mask": masks[level], **sums}

    def _at_each_mask(self, counts: NDArray[np.int32]) -> NDArray[np.int32]:
        """The counts of each document that are left at each mask: a shingle counts at the masks below its lowest
        bit."""
        by_level = counts.reshape(-1, self._levels)
        return np.cumsum(by_level[:, ::-1], axis=1, dtype=np.int32)[:, ::-1]


def _levels(masks: Sequence[int]) -> int:
    """How many lowest bits there are to tell apart."""
    return (max(masks, default=0) + 1).bit_length()


def _level(shingle: Numbers, levels: int) -> NDArray[np.uint8]:
    """The places of the lowest bits, as `relations.lowest_bit` has them."""
    bits = shingle.view(np.uint64)
    zeros: NDArray[np.uint8] = np.bitwise_count((bits & -bits) - np.uint64(1))  # below it; 64 if there is none
    return np.minimum(zeros, np.uint8(levels - 1))


class SortedRows:
    """The rows of a slice of shingles, by shingle and document, without those of shingles that one document has: the
    shingles that two documents have, with these, and the rows of those that more have, and how many these are."""

    def __init__(self, shingle: Numbers, doc: Numbers) -> None:
        found = [_shared(*rows) for rows in _in_order(shingle, doc)]
        self.of_two, self.several = (_joined([columns[kind] for columns in found]) for kind in (0, 1))


def _shared(shingle: Numbers, doc: Numbers) -> tuple[Columns, Columns]:
    """The shingles that two documents have, and the rows of those that more have, among rows by shingle."""
    same = shingle[1:] == shingle[:-1]
    if (same & (doc[1:] < doc[:-1])).any():  # an engine that gave the rows of a later segment first
        doc = doc.take(np.lexsort((doc, shingle)))
    first = np.flatnonzero(np.concatenate([[True], ~same])) if len(shingle) else np.zeros(0, np.int64)
    count = np.diff(first, append=len(shingle))
    two, more = first[count == 2], count > 2
    at = np.flatnonzero(np.repeat(more, count))
    several = {"shingle": shingle.take(at), "doc": doc.take(at), "holders": np.repeat(count[more], count[more])}
    return {"shingle": shingle.take(two), "a": doc.take(two), "b": doc.take(two + 1)}, several


def _joined(parts: Sequence[Columns]) -> Columns:
    return {name: np.concatenate([columns[name] for columns in parts]) for name in parts[0]}


def _in_order(shingle: Numbers, doc: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Rows by shingle, portion by portion; of equal shingles in the order in which they come. Each segment is a run of
    sorted rows. A portion has a piece of each, and takes the same time however many runs there are."""
    runs = [0, *(np.flatnonzero(shingle[1:] < shingle[:-1]) + 1).tolist(), len(shingle)]
    if len(runs) > _RUNS:
        order = _order(shingle)
        shingle, doc, runs = shingle.take(order), doc.take(order), [0, len(shingle)]
    for pieces in _portions(shingle, runs):
        if len(pieces) == 1:
            yield shingle[pieces[0]], doc[pieces[0]]
            continue
        part, docs = (np.concatenate([column[piece] for piece in pieces]) for column in (shingle, doc))
        order = _order(part)
        yield part.take(order), docs.take(order)


def _order(shingle: Numbers) -> Numbers:
    return ascending(shingle.view(np.uint64) ^ _SIGN)


def _portions(shingle: Numbers, runs: Sequence[int]) -> Iterator[tuple[slice, ...]]:
    """The pieces of all runs up to each of some numbers, which are equally far apart: hashes are spread evenly."""
    count = max(1, -(-len(shingle) // _PORTION))
    ends = [(int(shingle[first]), int(shingle[last - 1])) for first, last in pairwise(runs) if first < last]
    least, most = min((first for first, _ in ends), default=0), max((last for _, last in ends), default=0)
    cuts = np.array([least + (most - least) * number // count for number in range(1, count)], np.int64)
    edges = [
        [first, *(shingle[first:last].searchsorted(cuts) + first).tolist(), last] for first, last in pairwise(runs)
    ]
    return zip(*(map(slice, each, each[1:]) for each in edges), strict=True)


class CoupleCounters:
    """Counts for each two documents the shingles that no third one has, by their lowest bit."""

    def __init__(self, documents: int, masks: Sequence[int]) -> None:
        self._documents, self._levels = documents, _levels(masks)
        self._keys: list[Numbers] = []

    def add(self, rows: SortedRows) -> None:
        """Count the shingles of a slice."""
        shingle, a, b = rows.of_two.values()
        key = (a * self._documents + b) * self._levels  # below 2^63 for a billion documents
        self._keys.append(key + _level(shingle, self._levels).astype(np.int64))

    @cached_property
    def columns(self) -> Columns:
        """The couples, and how many shingles with each lowest bit both have."""
        keys = np.concatenate(self._keys)
        keys.sort()
        first = np.append(0, np.flatnonzero(keys[1:] != keys[:-1]) + 1)[: len(keys)]
        pair, level = np.divmod(keys[first], self._levels)
        a, b = np.divmod(pair, self._documents)
        return {"a": a, "b": b, "low": np.int64(1) << level, "n": np.diff(first, append=len(keys))}


class SliceWriter:
    """Writes the tables of the slice between two shingles, both included, whose rows are read at most once."""

    def __init__(self, engine: DuckEngine, low: int, high: int) -> None:
        self._engine, self._chosen = engine, within("shingle", low, high)

    @cached_property
    def _stored(self) -> Columns:
        return self._engine.fetch(f"SELECT shingle, doc FROM {SHINGLES} WHERE {self._chosen}")

    @cached_property
    def sorted(self) -> SortedRows:
        """The rows, sorted."""
        rows = SortedRows(**self._stored)
        del self._stored
        return rows

    def read(self) -> None:
        """Read the rows now."""
        _ = self._stored

    def count(self, counters: ShingleCounters) -> None:
        """Count the slice's shingles by document and lowest bit, before they are sorted."""
        counters.add(self._stored["shingle"], self._stored["doc"])

    def count_couples(self, counters: CoupleCounters) -> None:
        """Count those that two documents have."""
        counters.add(self.sorted)

    def count_several(self, counters: ShingleCounters) -> None:
        """Count those that more than two documents have."""
        counters.add_several(self.sorted)

    def write_several(self, path: Path) -> None:
        """Write the shingles that more than two documents have, with their documents."""
        self._engine.write_arrays(self.sorted.several, path)


# On a worker


@dataclass(frozen=True, slots=True)
class SliceTask:
    """A slice to sort, of the shingles in some files, and the folders for its rows."""

    files: tuple[Path, ...]
    low: int
    high: int
    documents: int
    masks: tuple[int, ...]
    several: Path
    couples: Path


def sort_slice(task: SliceTask) -> Path:
    """Sort a slice, and write its shingles that more than two documents have, and those that two have."""
    with TemporaryDirectory() as scratch, closing(worker_engine(Path(scratch))) as engine:
        engine.table(SHINGLES, task.files, SCHEMAS[SHINGLES])
        rows, coupled = SliceWriter(engine, task.low, task.high), CoupleCounters(task.documents, task.masks)
        write_once(task.several, lambda _, folder: rows.write_several(folder / "rows.parquet"))
        rows.count_couples(coupled)
        write_once(task.couples, lambda own, folder: own.write_arrays(coupled.columns, folder / "rows.parquet"))
    return task.couples


@dataclass(frozen=True, slots=True)
class DepthTask:
    """A segment whose shingles are to be counted, its file of them, and the folder for the rows."""

    file: Path
    segment: Segment
    masks: tuple[int, ...]
    depths: Path


def count_depths(task: DepthTask) -> Path:
    """Count the shingles of a segment's documents, and write the depths."""
    write_once(task.depths, partial(_write_depths, task))
    return task.depths


def _write_depths(task: DepthTask, engine: DuckEngine, folder: Path) -> None:
    engine.table(SHINGLES, [task.file], SCHEMAS[SHINGLES])
    counters = ShingleCounters(np.zeros(task.segment.documents, np.int64), task.masks, common=0)
    for low, high in slices(task.segment.shingles, engine.rows):
        rows = engine.fetch(f"SELECT shingle, doc FROM {SHINGLES} WHERE {within('shingle', low, high)}")
        counters.add(rows["shingle"], rows["doc"] - task.segment.first)
    depths = counters.depths()
    engine.write_arrays({**depths, "doc": depths["doc"] + task.segment.first}, folder / "rows.parquet")
