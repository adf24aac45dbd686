"""The addition of documents by many workers: they read, and they write segments; this process commits the manifest.

    1  every worker reads portions of the input, and writes what it read into the spool (`moss.corpus.ingest.spool`)
    2  an engine decides which documents are new, numbers them, and finds equal ones, which meet where their hashes are
       sent (`moss.corpus.ingest.document_numbers`)
    3  workers write the segments, each of some consecutive parts of the spool

Nothing here grows with the number of documents: this process knows of each portion (of 8 MB of text, about) how many
rows it has. The result is, row for row, that of adding on one machine. A segment has its name only when it is complete,
and is part of the corpus only when the manifest says so; a worker that is lost while it writes leaves a folder that
nobody looks at, and the next writer removes.

A round of portions ends with the manifest; after an interruption, no more than a round is read again. Each is as large
as all before it together, since each looks at all documents there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from moss.corpus.crawl.records import AS_USUAL, ReadingChoice
from moss.corpus.engines.duckdb import MEMORY, DuckEngine
from moss.corpus.engines.worker_cluster import WorkerCluster, check_seen, worker_engine, write_once
from moss.corpus.ingest.add import Progress, add
from moss.corpus.ingest.document_numbers import SPOOLED, DecidedDocuments, decide
from moss.corpus.ingest.segment_builder import SEGMENT_DOCUMENTS, SEGMENT_ROWS, SEGMENT_TEXT, AddedCounts
from moss.corpus.ingest.sources import PORTION, Portion, anywhere, portions
from moss.corpus.ingest.spool import (
    PLACES,
    SpooledPart,
    SpoolTask,
    part_folder,
    spool_portion,
    write_known_keys,
)
from moss.corpus.storage.locks import holdable
from moss.corpus.storage.manifest import Segment, exists, read_manifest
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import ORDER, STORAGE, CorpusWriter, Snapshot
from moss.corpus.storage.tables import (
    DOCUMENTS,
    FINGERPRINTS,
    SCHEMAS,
    SHINGLES,
    TEXTS,
    TONGUES,
    DuplicateKind,
)
from moss.model import Problem
from moss.processes.pool import Failure

_ROUND = 2000  # portions in the first round
_REGISTERED = 64  # bytes of memory for a document that one machine remembers
_KEPT, _IDENTICAL, _LEXICAL, _SHINGLED = map(int, DuplicateKind)
_STORED = {  # kinds of documents that a table has rows of
    DOCUMENTS: (_KEPT, _IDENTICAL, _LEXICAL, _SHINGLED),
    SHINGLES: (_KEPT,),
    FINGERPRINTS: (_KEPT, _SHINGLED),
    TEXTS: (_KEPT, _LEXICAL, _SHINGLED),
    TONGUES: (_KEPT, _IDENTICAL, _LEXICAL, _SHINGLED),
}


def add_by_many(
    folder: Path,
    paths: Sequence[str],
    cluster: WorkerCluster,
    *,
    recipe: Recipe | None = None,
    choice: ReadingChoice = AS_USUAL,
    memory: int = MEMORY,
    progress: Progress = lambda stage, done, total: None,
) -> AddedCounts:
    """Add the documents at these paths to the corpus in a folder, which is made if it is not there. What is
    little, and for a small corpus, is added by this machine alone."""
    found = list(portions(paths, choice))  # before anything is made: a path that is not there is a mistake
    if len(found) * PORTION + _stored(folder) * _REGISTERED < cluster.small:
        return add(folder, paths, recipe=recipe, choice=choice, memory=memory, progress=progress)
    tasks = [anywhere(item) for item in found if not isinstance(item, Problem)]
    added = AddedCounts(problems=[item for item in found if isinstance(item, Problem)])
    with CorpusWriter(folder.resolve(), recipe, memory) as writer:
        writer.manifest.recipe.check_versions(folder)
        below = writer.folder / "segments"  # where the next writer removes what is no segment
        with TemporaryDirectory(prefix="spool-", dir=below) as scratch:
            known = _known_keys(writer, cluster, Path(scratch))
            start = 0
            while start < len(tasks):
                end = start + max(_ROUND, start)
                with TemporaryDirectory(dir=scratch) as spool:
                    _Round(writer, cluster, Path(spool), known).add(tasks[start:end], added, progress)
                start = end
    return added


def _stored(folder: Path) -> int:
    """How many documents the corpus has, if there is one."""
    return read_manifest(folder).documents if exists(folder) else 0


def _known_keys(writer: CorpusWriter, cluster: WorkerCluster, scratch: Path) -> Path | None:
    """A file of the keys of all documents that the corpus has, made by a worker."""
    if not writer.manifest.documents:
        return None
    with Snapshot(writer.folder) as snapshot, closing(cluster.engine_at(scratch)) as engine:
        snapshot.tables(engine)
        unsigned = "CASE WHEN key < 0 THEN 1 ELSE 0 END, key"
        engine.write(f"SELECT key FROM {DOCUMENTS} ORDER BY {unsigned}", scratch / "keys", in_order=True)
    ((_, count),) = cluster.all(_written_keys, [scratch / "keys"])
    assert count == writer.manifest.documents
    return scratch / "keys" / "known"


def _written_keys(folder: Path) -> int:
    return write_known_keys(sorted(folder.glob("*.parquet")), folder / "known")


@dataclass(frozen=True)
class _Round:
    """The addition of some portions, in a folder of its own."""

    writer: CorpusWriter
    cluster: WorkerCluster
    folder: Path
    known: Path | None

    def add(self, portions: Sequence[Portion], added: AddedCounts, progress: Progress) -> None:
        spooled = self._read(portions, progress)
        for number in range(len(portions)):
            counts = spooled[number].counts
            added.problems.extend(counts.problems)
            added.left_out += counts.left_out
            added.known += counts.known
        filled = [number for number in range(len(portions)) if spooled[number].documents]
        if not filled:
            return
        decided = self._decided(filled)
        self._count(spooled, decided, added)
        orders = list(self._orders(spooled, decided))
        segments = self._written(orders, progress)
        if segments:
            self.writer.become((*self.writer.manifest.segments, *segments))

    def _read(self, portions: Sequence[Portion], progress: Progress) -> dict[int, SpooledPart]:
        """Let workers read all portions. One at which they fail, whatever the reason, is read here."""
        recipe = self.writer.manifest.recipe
        tasks = [SpoolTask(n, portion, self.folder, recipe, self.known) for n, portion in enumerate(portions)]
        spooled: dict[int, SpooledPart] = {}
        progress("reading", 0, len(tasks))
        for number, result in self.cluster.each(spool_portion, tasks):
            spooled[number] = spool_portion(tasks[number]) if isinstance(result, Failure) else result
            progress("reading", len(spooled), len(tasks))
            if spooled[number].documents:
                check_seen(part_folder(self.folder, number))
        return spooled

    def _decided(self, filled: Sequence[int]) -> DecidedDocuments:
        paths = [part_folder(self.folder, number) / f"{DOCUMENTS}.parquet" for number in filled]
        with Snapshot(self.writer.folder) as snapshot, closing(self.cluster.engine_at(self.folder)) as engine:
            engine.table(DOCUMENTS, snapshot.paths(DOCUMENTS), SCHEMAS[DOCUMENTS])
            engine.table(SPOOLED, paths, SCHEMAS[DOCUMENTS])
            return decide(engine, self.folder, self.writer.manifest.documents)

    def _count(self, spooled: dict[int, SpooledPart], decided: DecidedDocuments, added: AddedCounts) -> None:
        kept, identical, lexical, shingled = decided.kinds.sum(axis=0).tolist()
        new = kept + identical + lexical + shingled
        added.documents += new
        added.kept += kept
        added.identical += identical
        added.lexical += lexical
        added.shingled += shingled
        added.known += sum(part.documents for part in spooled.values()) - new

    def _orders(self, spooled: dict[int, SpooledPart], decided: DecidedDocuments) -> Iterator[SegmentOrder]:
        """The segments to write: of as many consecutive parts as fit."""
        first, made = self.writer.manifest.documents, 0
        parts = [int(part >> PLACES) - 1 for part in decided.part.tolist()]
        begin = 0
        for end in range(1, len(parts) + 1):
            if end == len(parts) or _too_large([spooled[number] for number in parts[begin : end + 1]]):
                kinds = decided.kinds[begin:end].sum(axis=0)
                name = self.writer.unique_name(made)
                documents = int(kinds.sum())
                yield SegmentOrder(
                    self.writer.folder / "segments" / name,
                    Segment(name, first, documents, int(kinds[_KEPT]), 0, 0),
                    tuple(part_folder(self.folder, number) for number in parts[begin:end]),
                    decided.folder,
                    (int(decided.part[begin]), int(decided.part[end - 1]) + (1 << PLACES) - 1),
                )
                first, made, begin = first + documents, made + 1, end

    def _written(self, orders: Sequence[SegmentOrder], progress: Progress) -> tuple[Segment, ...]:
        """Let workers write all segments."""
        written: dict[int, Segment] = {}
        progress("writing segments", 0, len(orders))
        for number, segment in self.cluster.all(write_segment, orders):
            check_seen(orders[number].target)
            written[number] = segment
            progress("writing segments", len(written), len(orders))
        return tuple(written[number] for number in range(len(orders)))


def _too_large(parts: Sequence[SpooledPart]) -> bool:
    """Whether parts are more than a segment should have, as far as one can tell before equal documents are found."""
    return (
        sum(part.documents for part in parts) > SEGMENT_DOCUMENTS
        or sum(part.rows for part in parts) > SEGMENT_ROWS
        or sum(part.text for part in parts) > SEGMENT_TEXT
    )


# On a worker


@dataclass(frozen=True, slots=True)
class SegmentOrder:
    """A segment to be written: the parts of the spool that it is made of, and what was decided about them."""

    target: Path
    segment: Segment  # whose rows are not yet counted
    parts: tuple[Path, ...]
    decided: Path
    positions: tuple[int, int]  # the first and the last


def write_segment(order: SegmentOrder) -> Segment:
    """Write a segment, and count its rows."""
    write_once(order.target, partial(_write_tables, order))
    with closing(worker_engine(order.target)) as engine:
        shingles, fingerprints = (
            _rows_in(engine, order.target / f"{table}.parquet") for table in (SHINGLES, FINGERPRINTS)
        )
    return replace(order.segment, shingles=shingles, fingerprints=fingerprints)


def _rows_in(engine: DuckEngine, path: Path) -> int:
    engine.table("written", [path], {})
    return int(engine.fetch("SELECT COUNT(*) AS n FROM written")["n"][0])


def _write_tables(order: SegmentOrder, engine: DuckEngine, target: Path) -> None:
    low, high = order.positions
    engine.table("all_decided", [order.decided], {})
    here = engine.fetch(f"SELECT pos, doc, same_as, kind FROM all_decided WHERE pos BETWEEN {low} AND {high}")
    engine.write_arrays(here, target / "decided")
    engine.table("decided", [target / "decided"], {})
    for table in SCHEMAS:
        engine.table("part", [part / f"{table}.parquet" for part in order.parts], SCHEMAS[table])
        engine.write_file(_rows(table), target / f"{table}.parquet", STORAGE[table])
    (target / "decided").unlink()
    holdable(target)


def _rows(table: str) -> str:
    """A table's rows of the documents that it is to have, with their numbers."""
    decided = {name: f"d.{name}" for name in ("doc", "same_as", "kind")}
    columns = ", ".join(decided.get(name, f"t.{name}") for name in SCHEMAS[table])
    kinds = ", ".join(map(str, _STORED[table]))
    order = ", ".join(decided.get(name, f"t.{name}") for name in ORDER[table].split(", "))
    return f"SELECT {columns} FROM part t JOIN decided d ON d.pos = t.doc WHERE d.kind IN ({kinds}) ORDER BY {order}"
