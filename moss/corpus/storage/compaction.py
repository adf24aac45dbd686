"""Compaction: segments are replaced by fewer, so that a corpus that was added to many times is read as quickly as any.

On one machine they become one. On a cluster, workers write segments of consecutive old ones, each up to a size that one
worker sorts well.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from moss.corpus.engines.duckdb import DuckEngine, whole_folder
from moss.corpus.engines.worker_cluster import WorkerCluster, check_seen, write_once
from moss.corpus.storage.locks import holdable
from moss.corpus.storage.manifest import Segment
from moss.corpus.storage.segments import ORDER, STORAGE, CorpusWriter, Snapshot, local_engine
from moss.corpus.storage.tables import SCHEMAS

MERGED_DOCUMENTS = 1 << 22  # in a segment that a worker makes, unless one of the old ones has more


@dataclass(frozen=True, slots=True)
class MergeOrder:
    """A segment to be made of several."""

    target: Path
    segment: Segment
    files: dict[str, list[Path]]  # by table, in the order of their documents


def compact(writer: CorpusWriter, cluster: WorkerCluster | None = None) -> None:
    """Replace the segments of a corpus by one, or by as few as the workers of a cluster make of them."""
    with Snapshot(writer.folder) as snapshot:
        groups = list(_groups(writer.manifest.segments, MERGED_DOCUMENTS if cluster else writer.manifest.documents))
        name = writer.unique_name if cluster else writer.new_name
        orders = {n: _order(writer, snapshot, group, name(n)) for n, group in enumerate(groups) if len(group) > 1}
        if not orders:
            return
        _merge_all(writer, list(orders.values()), cluster)
    writer.become(tuple(orders[n].segment if n in orders else group[0] for n, group in enumerate(groups)))


def _groups(segments: tuple[Segment, ...], most: int) -> Iterator[list[Segment]]:
    """Runs of consecutive segments with so many documents at most, or of one."""
    group: list[Segment] = []
    for segment in segments:
        if group and sum(each.documents for each in group) + segment.documents > most:
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def _order(writer: CorpusWriter, snapshot: Snapshot, group: list[Segment], name: str) -> MergeOrder:
    sums = (sum(getattr(each, what) for each in group) for what in ("documents", "kept", "shingles", "fingerprints"))
    files = {table: [snapshot.file(each.name, table) for each in group] for table in SCHEMAS}
    there = {table: [file for file in some if file.exists()] for table, some in files.items()}  # tongues may not be
    return MergeOrder(writer.folder / "segments" / name, Segment(name, group[0].first, *sums), there)


def _merge_all(writer: CorpusWriter, orders: list[MergeOrder], cluster: WorkerCluster | None) -> None:
    if cluster is not None:
        for number, _ in cluster.all(merge_segments, orders):
            check_seen(orders[number].target)
        return
    for order in orders:
        with whole_folder(order.target) as unfinished, closing(local_engine(writer.folder, writer.memory)) as engine:
            _merge(order, engine, unfinished)


def merge_segments(order: MergeOrder) -> None:
    """Write the segment that is made of several, on a worker."""
    write_once(order.target, partial(_merge, order))


def _merge(order: MergeOrder, engine: DuckEngine, target: Path) -> None:
    for table, files in order.files.items():
        engine.table("old", files, SCHEMAS[table])
        rows = f"SELECT * FROM old ORDER BY {ORDER[table]}"
        engine.write_file(rows, target / f"{table}.parquet", STORAGE[table])
    holdable(target)
