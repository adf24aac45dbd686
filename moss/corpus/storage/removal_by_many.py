"""The removal of documents on a cluster: what `moss.corpus.storage.removal` does, done by many.

    1  every worker looks at the addresses of segments, and writes which documents stay
    2  an engine numbers these anew and finds equal ones, as when they are added (`document_numbers`)
    3  workers write the segments from the first removed document on

Nothing here grows with the number of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from moss.corpus.cluster.new_numbers import MovedDocuments
from moss.corpus.engines.duckdb import MEMORY, DuckEngine
from moss.corpus.engines.engine import Engine
from moss.corpus.engines.worker_cluster import WorkerCluster, check_seen, worker_engine, write_once
from moss.corpus.ingest.dedupe import MARKS
from moss.corpus.ingest.document_numbers import SPOOLED, DecidedDocuments, decide
from moss.corpus.ingest.shingles import Counts
from moss.corpus.ingest.spool import BEFORE, PLACES
from moss.corpus.storage.cleanup import newest_phases
from moss.corpus.storage.locks import holdable
from moss.corpus.storage.manifest import Segment, read_manifest
from moss.corpus.storage.registers import UNKNOWN
from moss.corpus.storage.removal import AddressChoice, carry_pairs
from moss.corpus.storage.segment_rewrite import DocumentFates, SegmentRewriter
from moss.corpus.storage.segments import CorpusWriter, Snapshot
from moss.corpus.storage.tables import DOCUMENTS, SCHEMAS, DuplicateKind

Progress = Callable[[str, int, int], None]
_STAYING = {"doc": "BIGINT", "key": "BIGINT", **dict.fromkeys(MARKS, "BIGINT"), "kind": "BIGINT"}


def missing_by_many(folder: Path, choice: AddressChoice, cluster: WorkerCluster) -> list[str]:
    """The given addresses, or beginnings of addresses, that no document of the corpus has."""
    with Snapshot(folder.resolve()) as snapshot:
        orders = [LookOrder(path, choice) for path in snapshot.paths(DOCUMENTS)]
        return choice.without(met for _, met in cluster.all(met_in, orders))


def remove_by_many(
    folder: Path,
    wanted: Callable[[str], bool],
    cluster: WorkerCluster,
    progress: Progress = lambda stage, done, total: None,
    memory: int = MEMORY,
) -> int:
    """Remove all documents whose address is wanted, by a function that can be sent to workers; returns how many they
    were. The corpus has been built by this program's rules."""
    read_manifest(folder).recipe.check_versions(folder)
    with CorpusWriter(folder.resolve(), memory=memory) as writer:
        below = writer.folder / "segments"  # where the next writer removes what is no segment
        with Snapshot(writer.folder) as snapshot, TemporaryDirectory(prefix="spool-", dir=below) as scratch:
            removal = _Removal(writer, snapshot, cluster, Path(scratch), progress)
            gone = removal.find(wanted)
            segments = removal.segments(gone) if gone.any() else ()
        if gone.any():
            writer.become(segments, renumbered=True)
    return int(gone.sum())


@dataclass(frozen=True)
class _Removal:
    """The removal of documents, with a folder of its own."""

    writer: CorpusWriter
    snapshot: Snapshot
    cluster: WorkerCluster
    scratch: Path
    progress: Progress

    def find(self, wanted: Callable[[str], bool]) -> Counts:
        """How many documents of each segment are wanted; the others are written."""
        paths = self.snapshot.paths(DOCUMENTS)
        orders = [StayOrder(number, path, wanted, self._staying(number)) for number, path in enumerate(paths)]
        gone = np.zeros(len(orders), np.int64)
        for number, count in self.cluster.all(write_staying, orders):
            check_seen(orders[number].target)
            gone[number] = count
        return gone

    def _staying(self, number: int) -> Path:
        return self.scratch / f"staying-{number:08}"

    def segments(self, gone: Counts) -> tuple[Segment, ...]:
        """The segments of the documents that stay; those before the first removed document are the old ones."""
        old = self.snapshot.manifest.segments
        first = int(np.flatnonzero(gone)[0])
        with closing(self.cluster.engine_at(self.scratch)) as engine:
            engine.table(DOCUMENTS, [], SCHEMAS[DOCUMENTS])
            engine.table(SPOOLED, [self._staying(number) for number in range(len(old))], _STAYING)
            decided = decide(engine, self.scratch, 0)
            left = [number for number in range(first, len(old)) if gone[number] < old[number].documents]
            orders = [self._order(number, decided, made) for made, number in enumerate(left)]
            written = self._written(orders)
            segments = (*old[:first], *written)
            self._carry_pairs(engine, decided, segments)
        return segments

    def _order(self, number: int, decided: DecidedDocuments, made: int) -> RewriteOrder:
        old = self.snapshot.manifest.segments[number]
        name = self.writer.unique_name(made)
        return RewriteOrder(self.writer.folder, old, name, number, decided.folder)

    def _written(self, orders: Sequence[RewriteOrder]) -> list[Segment]:
        written: dict[int, Segment] = {}
        self.progress("removing", 0, len(orders))
        for number, segment in self.cluster.all(rewrite_segment, orders):
            check_seen(orders[number].target)
            written[number] = segment
            self.progress("removing", len(written), len(orders))
        return [written[number] for number in range(len(orders))]

    def _carry_pairs(self, engine: Engine, decided: DecidedDocuments, segments: Sequence[Segment]) -> None:
        if newest_phases(self.writer.folder, self.writer.manifest) is None:
            return
        moved = MovedDocuments(self.scratch / "numbers", self.scratch / "gained")
        engine.table("renewed", [decided.folder], dict.fromkeys(("pos", "doc", "same_as", "kind"), "BIGINT"))
        engine.write(f"SELECT (pos & {BEFORE - 1}) AS doc, doc AS number FROM renewed", moved.numbers)
        kept = int(DuplicateKind.KEPT)
        engine.write(
            f"SELECT r.doc FROM renewed r JOIN {SPOOLED} s ON s.doc = r.pos WHERE r.kind = {kept} AND s.kind <> {kept}",
            moved.gained,
        )
        carry_pairs(self.writer, self.snapshot, engine, moved, segments)


# On a worker


@dataclass(frozen=True, slots=True)
class StayOrder:
    """A segment whose documents are to be looked at."""

    number: int
    documents: Path
    wanted: Callable[[str], bool]
    target: Path


@dataclass(frozen=True, slots=True)
class LookOrder:
    """A segment's table of documents, in which addresses are sought."""

    documents: Path
    choice: AddressChoice


def met_in(order: LookOrder) -> set[str]:
    """The given addresses, or beginnings, that documents of a segment have."""
    with TemporaryDirectory() as scratch, closing(worker_engine(Path(scratch))) as engine:
        engine.table("one", [order.documents], SCHEMAS[DOCUMENTS])
        return order.choice.met(engine.fetch("SELECT address FROM one")["address"].tolist())


def write_staying(order: StayOrder) -> int:
    """Write the marks of a segment's documents that stay, by their positions; returns how many do not."""
    with TemporaryDirectory() as scratch, closing(worker_engine(Path(scratch))) as engine:
        engine.table("one", [order.documents], SCHEMAS[DOCUMENTS])
        names = ", ".join(name for name in _STAYING if name != "doc")
        columns = engine.fetch(f"SELECT doc, address, {names} FROM one ORDER BY doc")
    addresses = columns.pop("address").tolist()
    stay = ~np.fromiter(map(order.wanted, addresses), np.bool_, len(addresses))
    rows = {name: column[stay] for name, column in columns.items()}
    rows["doc"] = rows["doc"] + ((order.number + 1) << PLACES)
    write_once(order.target, lambda engine, folder: engine.write_arrays(rows, folder / "rows.parquet"))
    return int((~stay).sum())


@dataclass(frozen=True, slots=True)
class RewriteOrder:
    """A segment to be written without the documents that are removed."""

    folder: Path  # of the corpus
    old: Segment
    name: str
    number: int  # of the old segment
    decided: Path

    @property
    def target(self) -> Path:
        """The new segment's folder."""
        return self.folder / "segments" / self.name


def rewrite_segment(order: RewriteOrder) -> Segment:
    """Write a segment anew."""
    with (
        Snapshot(order.folder) as snapshot,
        TemporaryDirectory() as scratch,
        closing(worker_engine(Path(scratch))) as engine,
    ):
        snapshot.tables(engine)
        rewriter = SegmentRewriter(snapshot, engine, _fates(engine, order), Path(scratch))
        write_once(order.target, partial(_rewrite, rewriter, order))
        return rewriter.counted(order.target, order.old)


def _rewrite(rewriter: SegmentRewriter, order: RewriteOrder, engine: DuckEngine, target: Path) -> None:
    rewriter.write(order.old, order.name, target)
    holdable(target)


def _fates(engine: DuckEngine, order: RewriteOrder) -> DocumentFates:
    """The fates of a segment's documents."""
    base, old = (order.number + 1) << PLACES, order.old
    last = old.first + old.documents - 1
    engine.table("renewed", [order.decided], {})
    new = engine.fetch(f"SELECT * FROM renewed WHERE pos BETWEEN {base + old.first} AND {base + last}")
    before = engine.fetch(f"SELECT kind FROM {DOCUMENTS} WHERE doc BETWEEN {old.first} AND {last} ORDER BY doc")["kind"]
    number, same_as, kind = (np.full(old.documents, UNKNOWN, np.int64) for _ in range(3))
    at = new["pos"] - base - old.first
    number[at], same_as[at], kind[at] = new["doc"], new["same_as"], new["kind"]
    return DocumentFates(number, same_as, kind, before, old.first)
