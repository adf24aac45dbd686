"""Near-duplicates of a corpus: documents whose simhashes differ in at most k bits.

Three ways to ask, all of which find what comparing every document with every other would find:

  - `near_all`: all pairs, and the groups that they form.
  - `near_each`: the neighbours of given documents. The tables are built of these, and the corpus streams past them
    segment by segment, so its size matters to the time only.
  - `NearIndex`: the tables of the whole corpus in memory, for a program that asks often: well under a millisecond a
    question.

Documents without words have no neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moss.corpus.engines.engine import Engine
from moss.corpus.ingest.documents import CorpusDocument, streams
from moss.corpus.near.compressed_blocks import BlockTable
from moss.corpus.near.hamming_tables import HammingTables, PlainTable, batch, distances, distinct, pairs
from moss.corpus.near.simhash import features_of, simhashes
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS, SCHEMAS
from moss.engine.union_find import components
from moss.hashing import Hashes, Positions

BITS = 3  # the paper's, for 64 bits


@dataclass(frozen=True, slots=True)
class Fingerprinted:
    """Documents, by their numbers, with their fingerprints; ordered by fingerprint, then by number."""

    docs: Positions
    fingerprints: Hashes

    @classmethod
    def of(cls, docs: Positions, fingerprints: Hashes) -> Fingerprinted:
        """These documents with their fingerprints, in order."""
        order = np.lexsort((docs, fingerprints))
        return cls(docs[order], fingerprints[order])

    def first(self, fingerprints: Hashes) -> Positions:
        """The first document with each fingerprint (which some document has)."""
        return self.docs[np.searchsorted(self.fingerprints, fingerprints)]

    def all(self, fingerprints: Hashes) -> Positions:
        """All documents with one of these fingerprints."""
        begin = np.searchsorted(self.fingerprints, fingerprints)
        end = np.searchsorted(self.fingerprints, fingerprints, side="right")
        rows = [np.arange(a, b) for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
        return np.take(self.docs, np.concatenate([np.empty(0, np.int64), *rows]))


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """All near-duplicates of a corpus."""

    documents: int  # compared
    a: Positions  # pairs: of documents with one fingerprint only the first is in them
    b: Positions
    bits: NDArray[np.uint8]  # in which the two of a pair differ
    same: list[Positions]  # documents with one fingerprint, where there are several
    groups: list[Positions]  # what these connect, the largest first


def near_all(snapshot: Snapshot, engine: Engine, k: int = BITS) -> NearDuplicates:
    """All pairs and groups of documents within k bits."""
    return near_among(Fingerprinted.of(*_joined(list(_read(snapshot, engine)))), k)


def near_among(known: Fingerprinted, k: int = BITS) -> NearDuplicates:
    """All pairs and groups within k bits among documents that are already in memory."""
    found = [np.stack(pair) for pair in pairs(known.fingerprints, k)]
    low, high = np.concatenate([np.empty((2, 0), np.uint64), *found], axis=1)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    unique = distinct(known.fingerprints)
    root = components(len(unique), np.searchsorted(unique, low), np.searchsorted(unique, high))
    label = root[np.searchsorted(unique, known.fingerprints)]
    return NearDuplicates(
        len(known.docs),
        known.first(low),
        known.first(high),
        distances(low, high),
        _several(known.docs, np.searchsorted(unique, known.fingerprints)),
        sorted(_several(known.docs, label), key=lambda group: (-len(group), int(group[0]))),
    )


def near_each(snapshot: Snapshot, engine: Engine, fingerprints: Hashes, k: int = BITS) -> list[list[tuple[int, int]]]:
    """For each fingerprint the documents within k bits of it, and in how many they differ, the nearest first."""
    answers: list[list[tuple[int, int]]] = [[] for _ in fingerprints]
    chunks: list[tuple[Positions, Hashes]] = []

    def streamed() -> Iterator[Hashes]:
        for chunk in _read(snapshot, engine):
            chunks[:] = [chunk]
            yield chunk[1]

    for query, row in batch(fingerprints, streamed(), k):
        docs, stored = chunks[0]
        bits = distances(fingerprints[query], stored[row])
        for one, doc, differing in zip(query.tolist(), docs[row].tolist(), bits.tolist(), strict=True):
            answers[one].append((doc, differing))
    return nearest_first(answers)


def nearest_first(answers: list[list[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    """Lists of documents with the bits in which they differ, each in order."""
    return [sorted(answer, key=lambda found: (found[1], found[0])) for answer in answers]


class NearIndex:
    """A corpus's fingerprints in memory, to be asked one after the other. `compressed` takes less memory (three
    quarters at a million fingerprints, half at billions) and a few milliseconds a question."""

    def __init__(self, known: Fingerprinted, k: int = BITS, compressed: bool = False) -> None:
        self._known = known
        self._tables = HammingTables(known.fingerprints, k, table=BlockTable if compressed else PlainTable)

    @classmethod
    def open(cls, snapshot: Snapshot, engine: Engine, k: int = BITS, compressed: bool = False) -> NearIndex:
        """The index of a corpus as it is now; neither snapshot nor engine is needed afterwards."""
        return cls(Fingerprinted.of(*_joined(list(_read(snapshot, engine)))), k, compressed)

    def near(self, fingerprint: int) -> list[tuple[int, int]]:
        """The documents within k bits, and in how many they differ, the nearest first."""
        found = self._tables.near(fingerprint)
        answer = [
            (doc, (value ^ fingerprint).bit_count())
            for value in found.tolist()
            for doc in self._known.all(np.array([value], np.uint64)).tolist()
        ]
        return sorted(answer, key=lambda found: (found[1], found[0]))


def fingerprints_of(documents: Sequence[CorpusDocument]) -> tuple[Hashes, NDArray[np.bool_]]:
    """The fingerprint of each document, and whether it has any words."""
    text, _ = streams(documents)
    return simhashes(*features_of(text.codes, text.offsets)), np.diff(text.offsets) > 0


def _read(snapshot: Snapshot, engine: Engine) -> Iterator[tuple[Positions, Hashes]]:
    """Documents with words and their fingerprints, segment by segment."""
    snapshot.manifest.recipe.check_texts(snapshot.folder)
    for path in snapshot.paths(DOCUMENTS):
        yield read_segment(engine, path)


def read_segment(engine: Engine, documents: Path) -> tuple[Positions, Hashes]:
    """The documents of a segment's table that have words, and their fingerprints."""
    engine.table("segment", [documents], SCHEMAS[DOCUMENTS])
    rows = engine.fetch("SELECT doc, simhash FROM segment WHERE words > 0")
    return rows["doc"], rows["simhash"].view(np.uint64)


def _joined(chunks: list[tuple[Positions, Hashes]]) -> tuple[Positions, Hashes]:
    return (
        np.concatenate([np.empty(0, np.int64), *(docs for docs, _ in chunks)]),
        np.concatenate([np.empty(0, np.uint64), *(fingerprints for _, fingerprints in chunks)]),
    )


def _several(docs: Positions, label: Positions) -> list[Positions]:
    """The documents of each label that more than one has, each in order."""
    order = np.lexsort((docs, label))
    docs, label = docs[order], label[order]
    edges = np.concatenate([[0], np.flatnonzero(np.diff(label)) + 1, [len(label)]])
    several = np.flatnonzero(np.diff(edges) > 1)
    return [docs[low:high] for low, high in zip(edges[several].tolist(), edges[several + 1].tolist(), strict=True)]
