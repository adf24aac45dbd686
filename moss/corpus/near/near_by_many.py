"""Near-duplicates on a cluster: what `moss.corpus.near.duplicates` finds, found by many.

- All against all: for each table of a design, fingerprints with the same leading bits meet by a join, and are compared
  in full; groups are joined as relations, and all lists are tables, which may be longer than memory holds.
- The neighbours of given documents: each worker compares them with the documents of one segment.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from moss.corpus.cluster.connected import LABELS, connect
from moss.corpus.engines.duckdb import DuckEngine, portions
from moss.corpus.engines.engine import Engine
from moss.corpus.engines.worker_cluster import WorkerCluster, worker_engine
from moss.corpus.near.duplicates import BITS, nearest_first, read_segment
from moss.corpus.near.hamming_tables import batch, distances
from moss.corpus.near.table_designs import ALL, choose
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS
from moss.hashing import Hashes

_PRINTS, _PAIRS, _MEMBERS, _SIZES = "prints", "near_pairs", "near_members", "near_sizes"
_SCHEMAS = {
    _PRINTS: {"simhash": "BIGINT", "n": "BIGINT", "first": "BIGINT"},
    _PAIRS: {"x": "BIGINT", "y": "BIGINT"},
    _MEMBERS: {"label": "BIGINT", "doc": "BIGINT", "address": "STRING", "simhash": "BIGINT", "n": "BIGINT"},
    _SIZES: {"label": "BIGINT", "size": "BIGINT"},
}


@dataclass(frozen=True, slots=True)
class NearTables:
    """All near-duplicates of a corpus, as `NearDuplicates` has them, by their addresses, as rows in a folder. They are
    read in portions, so only one group has to fit into memory."""

    documents: int  # compared
    folder: Path

    def groups(self) -> Iterator[list[str]]:
        """Groups of different addresses, the largest first."""
        return self._several("groups", "label")

    def same(self) -> Iterator[list[str]]:
        """Different addresses whose documents have one fingerprint."""
        return self._several("same", "simhash")

    def pairs(self) -> Iterator[tuple[str, str, int]]:
        """Pairs of addresses, and in how many bits they differ."""
        return self._rows("pairs", "a", "b", "bits")

    def _several(self, table: str, by: str) -> Iterator[list[str]]:
        for _, rows in groupby(self._rows(table, by, "address"), key=itemgetter(0)):
            addresses = list(dict.fromkeys(address for _, address in rows))
            if len(addresses) > 1:  # sightings of one address are not duplicates
                yield addresses

    def _rows(self, table: str, *columns: str) -> Iterator[Any]:
        with TemporaryDirectory() as scratch, closing(DuckEngine(Path(scratch))) as engine:
            for portion in portions(engine, self.folder / table):
                yield from zip(*(portion[name].tolist() for name in columns), strict=True)


def near_all_by_many(snapshot: Snapshot, engine: Engine, folder: Path, k: int = BITS) -> NearTables:
    """All pairs and groups of documents within k bits, in a folder that all machines see."""
    snapshot.manifest.recipe.check_texts(snapshot.folder)
    snapshot.tables(engine)
    worded = f"SELECT simhash, COUNT(*) AS n, MIN(doc) AS first FROM {DOCUMENTS} WHERE words > 0 GROUP BY simhash"
    _make(engine, _PRINTS, worded, folder)
    counts = engine.fetch(f"SELECT COUNT(*) AS prints, CAST(COALESCE(SUM(n), 0) AS BIGINT) AS docs FROM {_PRINTS}")
    _make(engine, _PAIRS, _pairs(k, int(counts["prints"][0])), folder)
    ends = f"{_PAIRS} near JOIN {_PRINTS} p ON p.simhash = near.x JOIN {_PRINTS} q ON q.simhash = near.y"
    connect(engine, f"SELECT p.first AS a, q.first AS b FROM {ends}", folder)
    _make(engine, _MEMBERS, _members(), folder)
    _make(engine, _SIZES, f"SELECT label, COUNT(*) AS size FROM {_MEMBERS} GROUP BY label", folder)
    for table, sql in (("groups", _groups()), ("same", _same()), ("pairs", _listed_pairs())):
        engine.write(sql, folder / table, in_order=True)
    return NearTables(int(counts["docs"][0]), folder)


def _make(engine: Engine, table: str, sql: str, folder: Path) -> None:
    engine.write(sql, folder / table)
    engine.table(table, [folder / table], _SCHEMAS[table])


def _pairs(k: int, prints: int) -> str:
    """Different fingerprints within k bits of each other."""
    design = choose(k, prints // 2, ALL)
    masks = [int(permutation.mask.astype(np.int64)) for permutation in design.permutations]
    met = (
        f"SELECT p.simhash AS x, q.simhash AS y FROM {_PRINTS} p "
        f"JOIN {_PRINTS} q ON (p.simhash & {mask}) = (q.simhash & {mask}) "
        f"WHERE p.simhash < q.simhash AND {_differing('p.simhash', 'q.simhash')} <= {k}"
        for mask in masks
    )
    return f"SELECT DISTINCT x, y FROM ({' UNION ALL '.join(met)}) met"


def _differing(x: str, y: str) -> str:
    """The SQL expression for how many bits differ. (There is no operator for these that all engines have; those of
    either without those of both are the same.)"""
    return f"bit_count(({x} | {y}) - ({x} & {y}))"


def _members() -> str:
    """The documents with a near-duplicate, and those that share their fingerprint with others."""
    return f"""
        SELECT COALESCE(l.label, p.first) AS label, d.doc, d.address, d.simhash, p.n
        FROM {DOCUMENTS} d JOIN {_PRINTS} p ON p.simhash = d.simhash LEFT JOIN {LABELS} l ON l.doc = p.first
        WHERE d.words > 0 AND (p.n > 1 OR l.label IS NOT NULL)
    """


def _groups() -> str:
    return f"""
        SELECT m.label, m.doc, m.address FROM {_MEMBERS} m JOIN {_SIZES} s ON s.label = m.label
        ORDER BY s.size DESC, m.label, m.doc
    """


def _same() -> str:
    return f"SELECT simhash, doc, address FROM {_MEMBERS} WHERE n > 1 ORDER BY {_unsigned('simhash')}, doc"


def _listed_pairs() -> str:
    """The pairs by the addresses of the first documents, the lesser fingerprint first."""
    crossed = "x < 0 AND y >= 0"  # without sign, y is the lesser then
    low, high = (f"CASE WHEN {crossed} THEN {one} ELSE {other} END" for one, other in ("yx", "xy"))
    return f"""
        SELECT d.address AS a, e.address AS b, {_differing("low", "high")} AS bits
        FROM (SELECT {low} AS low, {high} AS high FROM {_PAIRS}) near
        JOIN {_PRINTS} p ON p.simhash = low JOIN {_PRINTS} q ON q.simhash = high
        JOIN {DOCUMENTS} d ON d.doc = p.first JOIN {DOCUMENTS} e ON e.doc = q.first
        ORDER BY {_unsigned("low")}, {_unsigned("high")}
    """


def _unsigned(column: str) -> str:
    """The SQL for the order of numbers without sign."""
    return f"CASE WHEN {column} < 0 THEN 1 ELSE 0 END, {column}"


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
