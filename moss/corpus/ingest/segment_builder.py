"""The segment that is being built: new documents get numbers, and of equal ones the first is kept.

In which tables a document stands depends on the documents that it is equal to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moss.corpus.ingest.batches import DocumentBatch
from moss.corpus.ingest.dedupe import MARKS, DuplicateRegister, EqualityMarks
from moss.corpus.ingest.shingles import Counts
from moss.corpus.storage.registers import UNKNOWN, Register, first_of
from moss.corpus.storage.segments import CorpusWriter, Snapshot, local_engine
from moss.corpus.storage.tables import DOCUMENTS, FINGERPRINTS, SCHEMAS, SHINGLES, TEXTS, TONGUES, DuplicateKind
from moss.engine.sort_order import ascending
from moss.hashing import Hashes
from moss.model import Problem

Rows = dict[str, NDArray[Any]]
"""The columns of a table."""

Choice = NDArray[np.bool_]
"""Of each document of a batch, whether it is meant."""
SEGMENT_DOCUMENTS = 1 << 17
SEGMENT_ROWS = 16_000_000  # of shingles and fingerprints: bounds the memory for sorting them
_SIGN = np.uint64(1 << 63)  # of tables' numbers, which are stored with a sign
SEGMENT_TEXT = 1 << 28  # bytes of packed texts


def sketched(kind: Counts) -> Choice:
    """Which documents have their shingles stored: one of those with equal sketches."""
    return np.isin(kind, (DuplicateKind.KEPT,))


def fingerprinted(kind: Counts) -> Choice:
    """Which documents have their fingerprints stored: all that differ in their words."""
    return np.isin(kind, (DuplicateKind.KEPT, DuplicateKind.SHINGLED))


def with_text(kind: Counts) -> Choice:
    """Which documents have their texts stored: all that differ in anything."""
    return np.isin(kind, (DuplicateKind.KEPT, DuplicateKind.LEXICAL, DuplicateKind.SHINGLED))


def document_rows(batch: DocumentBatch, at: Counts, numbers: Counts, same_as: Counts, kind: Counts) -> Rows:
    """The rows of the documents of a batch that are at these places."""
    return {
        "doc": numbers,
        "address": _strings(batch.addresses, at),
        "date": batch.dates[at],
        "language": _strings(batch.languages, at),
        "bytes": batch.sizes[at],
        "words": batch.words[at],
        "key": batch.keys[at].view(np.int64),
        "content": batch.content[at].view(np.int64),
        "lexical": batch.lexical[at].view(np.int64),
        "shingled": batch.shingled[at].view(np.int64),
        "same_as": same_as,
        "kind": kind,
        "mask": batch.masks[at],
        "sketch": batch.sketches.sizes[at],
        "simhash": batch.simhash[at].view(np.int64),
    }


def shingle_rows(batch: DocumentBatch, numbers: Counts, chosen: Choice) -> Rows:
    """The sketches of some of a batch's documents, which have these numbers."""
    owner = batch.sketches.owners
    meant = chosen[owner]
    return {"shingle": batch.sketches.hashes[meant].view(np.int64), "doc": numbers[owner[meant]]}


def fingerprint_rows(batch: DocumentBatch, numbers: Counts, chosen: Choice) -> Rows:
    """The fingerprints of some of a batch's documents."""
    found = batch.fingerprints
    meant = chosen[found.owner]
    return {
        "hash": found.hashes[meant].view(np.int64),
        "doc": numbers[found.owner[meant]],
        "start": found.start[meant],
        "end": found.end[meant],
    }


def text_rows(batch: DocumentBatch, numbers: Counts, chosen: Choice) -> Rows:
    """The packed texts of some of a batch's documents."""
    at = np.flatnonzero(chosen) if batch.texts else np.zeros(0, np.int64)
    return {"doc": numbers[at], "text": _objects([batch.texts[i] for i in at.tolist()])}


def tongue_rows(batch: DocumentBatch, at: Counts, numbers: Counts) -> Rows:
    """The human languages of the documents of a batch that are at these places, as far as they are known."""
    known = np.array([bool(batch.tongues[i]) for i in at.tolist()], np.bool_)
    return {"doc": numbers[known], "tongue": _strings(batch.tongues, at[known])}


def _strings(values: Sequence[str], at: Counts) -> NDArray[Any]:
    return _objects([values[i] for i in at.tolist()])


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), object)
    array[:] = values
    return array


@dataclass
class AddedCounts:
    """How many documents were read, and how many of them were added, kept or equal to others."""

    documents: int = 0
    kept: int = 0
    identical: int = 0
    lexical: int = 0
    shingled: int = 0
    left_out: int = 0  # in other languages than were asked for
    known: int = 0  # there before, and passed over
    problems: list[Problem] = field(default_factory=list)


class Registers:
    """The documents of the whole corpus: which have been added, and which one is kept for equal ones."""

    def __init__(self) -> None:
        self.keys, self.equals = Register(), DuplicateRegister()

    @classmethod
    def stored(cls, writer: CorpusWriter) -> Registers:
        """The registers of the documents that a corpus has."""
        registers = cls()
        if not writer.manifest.segments:
            return registers
        engine = local_engine(writer.folder, writer.memory)
        try:
            with Snapshot(writer.folder) as snapshot:
                snapshot.tables(engine)
                columns = engine.fetch(f"SELECT key, same_as, {', '.join(MARKS)} FROM {DOCUMENTS} ORDER BY doc")
        finally:
            engine.close()
        registers.remember(columns["key"].view(np.uint64), EqualityMarks.stored(columns), columns["same_as"])
        return registers

    def remember(self, keys: Hashes, marks: EqualityMarks, same_as: Counts) -> None:
        """Add documents."""
        self.keys.add(keys, same_as)
        self.equals.remember(marks, same_as)


class SegmentRows:
    """The rows of the segment that is being built."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.documents = self.kept = self.rows = self.text = 0
        self._rows: dict[str, list[Rows]] = {table: [] for table in SCHEMAS}

    @property
    def is_full(self) -> bool:
        """Whether the segment is large enough to be written."""
        return self.documents >= SEGMENT_DOCUMENTS or self.rows >= SEGMENT_ROWS or self.text >= SEGMENT_TEXT

    def take(self, batch: DocumentBatch, registers: Registers, added: AddedCounts) -> None:
        """Number the new documents of a batch, and add their rows."""
        added.problems.extend(batch.problems)
        added.left_out += batch.left_out
        added.known += batch.known
        new = (registers.keys.find(batch.keys) == UNKNOWN) & (first_of(batch.keys) == np.arange(len(batch)))
        at = np.flatnonzero(new)
        added.known += len(batch) - len(at)
        numbers = np.arange(len(at)) + self.first + self.documents
        marks = batch.marks[at]
        same_as, kind = registers.equals.kept_for(marks, numbers)
        registers.remember(batch.keys[at], marks, same_as)
        self._append(batch, at, numbers, same_as, kind)
        self._count(kind, added)

    def _append(self, batch: DocumentBatch, at: Counts, numbers: Counts, same_as: Counts, kind: Counts) -> None:
        spread = np.full(len(batch), UNKNOWN, np.int64)  # by the documents' places in the batch
        kinds = spread.copy()
        spread[at], kinds[at] = numbers, kind
        rows = {
            DOCUMENTS: document_rows(batch, at, numbers, same_as, kind),
            SHINGLES: shingle_rows(batch, spread, sketched(kinds)),
            FINGERPRINTS: fingerprint_rows(batch, spread, fingerprinted(kinds)),
            TEXTS: text_rows(batch, spread, with_text(kinds)),
            TONGUES: tongue_rows(batch, at, numbers),
        }
        for table, columns in rows.items():
            self._rows[table].append(columns)
        self.rows += len(rows[SHINGLES]["doc"]) + len(rows[FINGERPRINTS]["doc"])
        self.text += sum(map(len, rows[TEXTS]["text"]))

    def _count(self, kind: Counts, added: AddedCounts) -> None:
        counts = Counter(kind.tolist())
        self.documents += len(kind)
        self.kept += counts[DuplicateKind.KEPT]
        added.documents += len(kind)
        added.kept += counts[DuplicateKind.KEPT]
        added.identical += counts[DuplicateKind.IDENTICAL]
        added.lexical += counts[DuplicateKind.LEXICAL]
        added.shingled += counts[DuplicateKind.SHINGLED]

    def tables(self) -> dict[str, Rows]:
        """All rows, in the order of their table."""
        joined = {
            table: {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            for table, parts in self._rows.items()
        }
        for table, name in ((SHINGLES, "shingle"), (FINGERPRINTS, "hash")):
            order = ascending(joined[table][name].view(np.uint64) ^ _SIGN)
            joined[table] = {column: values.take(order) for column, values in joined[table].items()}
        return joined
