"""The spool of an addition by many: what workers have read, part by part, before its documents have numbers.

    SPOOL/00000012/documents.parquet, …    part 12, with the tables of a segment

In place of numbers, documents have **positions**: the part in the high bits, the place in the part in the low ones. So
positions ascend in the order of the input, and all are greater than the numbers of documents that the corpus has.
Nothing is stored twice that two documents of a part have in common (`SegmentRows`); what documents of different parts
or of the corpus have in common is decided when all are read (`moss.corpus.ingest.document_numbers`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from moss.corpus.engines.duckdb import DuckEngine, whole_folder
from moss.corpus.ingest.add import read_portion, read_singly, side_by_side
from moss.corpus.ingest.batches import DocumentBatch
from moss.corpus.ingest.segment_builder import AddedCounts, Registers, SegmentRows
from moss.corpus.ingest.sources import Portion
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import STORAGE
from moss.hashing import Hashes
from moss.processes.pool import Failure

PLACES = 40  # bits of a position that tell the place in a part
BEFORE = 1 << PLACES  # all positions are at least this, all numbers of documents less
PART = -BEFORE  # the bits of a position that tell its part


@dataclass(frozen=True, slots=True)
class SpoolTask:
    """A portion to read, as a part of the spool."""

    number: int
    portion: Portion
    spool: Path  # a folder that all machines see
    recipe: Recipe
    known: Path | None  # the file of the keys of documents that need not be read again

    @property
    def first(self) -> int:
        """The first position of the part."""
        return (self.number + 1) << PLACES


@dataclass(frozen=True, slots=True)
class SpooledPart:
    """How much a part of the spool holds; the reader's problems and counts."""

    rows: int  # of shingles and fingerprints
    text: int  # bytes of packed texts
    documents: int
    counts: AddedCounts


def part_folder(spool: Path, number: int) -> Path:
    """The folder of a part, which is there when all of it is written."""
    return spool / f"{number:08}"


def spool_portion(task: SpoolTask) -> SpooledPart:
    """Read a portion in a process beside this one, so that a document at which it hangs or crashes costs no other, and
    write what was read as a part of the spool."""
    counts, growing, registers = AddedCounts(), SegmentRows(task.first), Registers()
    for batch in _read(task, counts):
        growing.take(batch, registers, counts)
    target = part_folder(task.spool, task.number)
    if growing.documents and not target.exists():
        with whole_folder(target) as unfinished, closing(_engine(unfinished)) as engine:
            for table, columns in growing.tables().items():
                engine.write_arrays(columns, unfinished / f"{table}.parquet", STORAGE[table])
    return SpooledPart(growing.rows, growing.text, growing.documents, counts)


def _engine(folder: Path) -> DuckEngine:
    return DuckEngine(folder, threads=1)


def _read(task: SpoolTask, counts: AddedCounts) -> Iterator[DocumentBatch]:
    reading = partial(read_portion, recipe=task.recipe, known=known_keys(task.known))
    ((_, outcome),) = side_by_side(1)(reading, [task.portion])
    if isinstance(outcome, Failure):
        yield from read_singly(reading, task.portion, side_by_side(1), counts.problems)
    else:
        yield from outcome


# Keys of documents that are there


def write_known_keys(keys: list[Path], path: Path) -> int:
    """Write keys that stand ascending (as unsigned numbers) in Parquet files as one array; returns how many they
    are. No more than one of the files is in memory."""
    count = 0
    with TemporaryDirectory() as scratch, closing(_engine(Path(scratch))) as engine, open(path, "wb") as file:
        for part in keys:
            engine.table("some_keys", [part], {})
            found = engine.fetch("SELECT key FROM some_keys")["key"]
            found.tofile(file)
            count += len(found)
    return count


def known_keys(path: Path | None) -> Hashes:
    """The keys in such a file, of which only those places are read that are looked at."""
    if path is None or not path.stat().st_size:
        return np.zeros(0, np.uint64)
    return np.memmap(path, np.uint64, "r")
