"""Near-duplicates on a cluster: what `moss.corpus.near.duplicates` finds, found by many.

- All against all: for each table of a design, fingerprints with the same leading bits meet by a join, and are compared
  in full; only those of near-duplicates come back.
- The neighbours of given documents: each worker compares them with the documents of one segment.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from moss.corpus.engines.engine import Engine
from moss.corpus.engines.worker_cluster import WorkerCluster, worker_engine
from moss.corpus.near.duplicates import (
    BITS,
    Fingerprinted,
    NearDuplicates,
    near_from_pairs,
    nearest_first,
    read_segment,
)
from moss.corpus.near.hamming_tables import batch, distances
from moss.corpus.near.table_designs import ALL, choose
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS
from moss.hashing import Hashes

_PRINTS, _PAIRS = "prints", "near_pairs"
_SCHEMAS = {_PRINTS: {"simhash": "BIGINT", "n": "BIGINT"}, _PAIRS: {"x": "BIGINT", "y": "BIGINT"}}


def near_all_by_many(snapshot: Snapshot, engine: Engine, folder: Path, k: int = BITS) -> NearDuplicates:
    """All pairs and groups of documents within k bits; the folder, which all machines see, is for tables."""
    snapshot.manifest.recipe.check_texts(snapshot.folder)
    snapshot.tables(engine)
    worded = f"SELECT simhash, COUNT(*) AS n FROM {DOCUMENTS} WHERE words > 0 GROUP BY simhash"
    _make(engine, _PRINTS, worded, folder)
    counts = engine.fetch(f"SELECT COUNT(*) AS prints, CAST(COALESCE(SUM(n), 0) AS BIGINT) AS docs FROM {_PRINTS}")
    _make(engine, _PAIRS, _pairs(k, int(counts["prints"][0])), folder)
    found = engine.fetch(f"SELECT x, y FROM {_PAIRS}")
    rows = engine.fetch(_involved())
    known = Fingerprinted.of(rows["doc"], rows["simhash"].view(np.uint64))
    x, y = found["x"].view(np.uint64), found["y"].view(np.uint64)
    return near_from_pairs(known, np.minimum(x, y), np.maximum(x, y), int(counts["docs"][0]))


def _make(engine: Engine, table: str, sql: str, folder: Path) -> None:
    engine.write(sql, folder / table)
    engine.table(table, [folder / table], _SCHEMAS[table])


def _pairs(k: int, prints: int) -> str:
    """Different fingerprints within k bits of each other. (There is no operator for differing bits that all engines
    have; those of either without those of both are the same.)"""
    design = choose(k, prints // 2, ALL)
    masks = [int(permutation.mask.astype(np.int64)) for permutation in design.permutations]
    near = f"bit_count((p.simhash | q.simhash) - (p.simhash & q.simhash)) <= {k}"
    met = (
        f"SELECT p.simhash AS x, q.simhash AS y FROM {_PRINTS} p "
        f"JOIN {_PRINTS} q ON (p.simhash & {mask}) = (q.simhash & {mask}) WHERE p.simhash < q.simhash AND {near}"
        for mask in masks
    )
    return f"SELECT DISTINCT x, y FROM ({' UNION ALL '.join(met)}) met"


def _involved() -> str:
    """The documents with a near-duplicate, and those that share their fingerprint with others."""
    return f"""
        SELECT d.doc, d.simhash FROM {DOCUMENTS} d
        JOIN (
            SELECT x AS simhash FROM {_PAIRS} UNION SELECT y AS simhash FROM {_PAIRS}
            UNION SELECT simhash FROM {_PRINTS} WHERE n > 1
        ) near ON near.simhash = d.simhash
        WHERE d.words > 0
    """


# Neighbours of given documents


@dataclass(frozen=True, slots=True)
class NeighbourOrder:
    """Fingerprints whose neighbours are sought in one segment."""

    documents: Path  # the segment's table
    fingerprints: Hashes
    k: int


def near_each_by_many(
    snapshot: Snapshot, cluster: WorkerCluster, fingerprints: Hashes, k: int = BITS
) -> list[list[tuple[int, int]]]:
    """For each fingerprint the documents within k bits of it, and in how many they differ, the nearest first."""
    snapshot.manifest.recipe.check_texts(snapshot.folder)
    answers: list[list[tuple[int, int]]] = [[] for _ in fingerprints]
    orders = [NeighbourOrder(path.resolve(), fingerprints, k) for path in snapshot.paths(DOCUMENTS)]
    for _, found in cluster.all(neighbours, orders):
        for query, doc, differing in found:
            answers[query].append((doc, differing))
    return nearest_first(answers)


def neighbours(order: NeighbourOrder) -> list[tuple[int, int, int]]:
    """Which fingerprint is near which document of a segment, and in how many bits they differ, on a worker."""
    with TemporaryDirectory() as scratch, closing(worker_engine(Path(scratch))) as engine:
        docs, stored = read_segment(engine, order.documents)
    found: list[tuple[int, int, int]] = []
    for query, row in batch(order.fingerprints, [stored], order.k):
        bits = distances(order.fingerprints[query], stored[row])
        found += zip(query.tolist(), docs[row].tolist(), bits.tolist(), strict=True)
    return found
