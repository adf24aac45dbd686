"""Clusters as tables, for corpora of which one process cannot remember every document: what `clusters` finds in arrays.

Links are joined as relations (`connected`), and the members of clusters are written as rows, cluster by cluster, in the
order in which they are listed. This process reads them in portions, so it needs memory for one portion and one cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from moss.corpus.cluster import relations
from moss.corpus.cluster.clusters import LIKENESS, Cluster, LinkCriteria, cluster_name, linked
from moss.corpus.cluster.connected import LABELS, connect
from moss.corpus.cluster.phase_results import PhaseTimes, Progress
from moss.corpus.engines.duckdb import DuckEngine, portions
from moss.corpus.engines.engine import Engine
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS

_LINKS, _WEIGHTS, _MEMBERS, _SEVERAL, _IGNORED = "links", "weights", "members", "several", "ignored"
_SCHEMAS = {
    _LINKS: {"a": "BIGINT", "b": "BIGINT", "likeness": "BIGINT"},
    _WEIGHTS: {"doc": "BIGINT", "weight": "BIGINT"},
    _MEMBERS: {"label": "BIGINT", "doc": "BIGINT", "same_as": "BIGINT", "address": "STRING", "key": "BIGINT",
               "weight": "BIGINT"},
    _IGNORED: {"doc": "BIGINT", "address": "STRING"},
    _SEVERAL: {"label": "BIGINT", "n": "BIGINT", "first": "STRING"},
}  # fmt: skip


class _Member(NamedTuple):
    """A row of a listed cluster."""

    label: int
    doc: int
    same_as: int
    address: str
    key: int
    weight: int
    n: int  # different addresses in its cluster
    first: str  # of these


@dataclass(frozen=True, slots=True)
class ListedAddresses:
    """Addresses in the files of a folder, if there are any, which are read in portions, as often as one asks."""

    folder: Path
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[str]:
        if not self.count:  # nor is there a folder
            return
        with TemporaryDirectory() as scratch, closing(DuckEngine(Path(scratch))) as engine:
            for columns in portions(engine, self.folder):
                yield from columns["address"].tolist()


@dataclass(frozen=True, slots=True)
class ClusterTables:
    """All clusters of at least two addresses, as rows in a folder."""

    documents: int
    pairs: int  # links
    times: PhaseTimes
    mostly_common: ListedAddresses  # of documents of which more is ignored than `ignorable`
    folder: Path

    def clusters(self, scratch: Path, memory: int) -> Iterator[Cluster]:
        """The clusters, the largest first, then by their addresses."""
        with closing(DuckEngine(scratch, memory)) as engine:
            alike = groupby(_rows(engine, self.folder), key=lambda row: (row.n, row.first))
            for _, rows in alike:  # clusters of one size with one first address: seldom more than one
                found = [_cluster(list(members)) for _, members in groupby(rows, key=lambda row: row.label)]
                yield from sorted(found, key=lambda cluster: cluster.documents)


def cluster_tables(
    snapshot: Snapshot,
    engine: Engine,
    choice: LinkCriteria,
    folder: Path,
    progress: Progress = lambda stage, done, total: None,
    rows: int | None = None,
) -> ClusterTables:
    """The clusters of a corpus, in a folder that all machines see and that is not there yet."""
    with linked(snapshot, engine, choice, progress, rows) as times:
        progress("union-find", 0, 1)
        with times.of("union-find"):
            chosen = relations.links(choice.resemblance, choice.containment)
            for table, sql in (
                (_LINKS, f"SELECT a, b, {LIKENESS} AS likeness FROM ({chosen}) chosen"),
                (_WEIGHTS, _weights()),
            ):
                _make(engine, table, sql, folder)
            connect(engine, f"SELECT a, b FROM {_LINKS}", folder)
            for table, sql in ((_MEMBERS, _members()), (_SEVERAL, _several())):
                _make(engine, table, sql, folder)
            engine.write(_listed(), folder / "listed", in_order=True)
            pairs = int(engine.fetch(f"SELECT COUNT(*) AS n FROM {_LINKS}")["n"][0])
        progress("union-find", 1, 1)
        common = ListedAddresses(folder / _IGNORED, 0)
        if choice.super_shingle is None:
            engine.write(relations.mostly_common(choice.ignorable), common.folder, in_order=True)
            engine.table(_IGNORED, [common.folder], _SCHEMAS[_IGNORED])
            common = replace(common, count=int(engine.fetch(f"SELECT COUNT(*) AS n FROM {_IGNORED}")["n"][0]))
        return ClusterTables(snapshot.manifest.documents, pairs, times, common, folder / "listed")


def _make(engine: Engine, table: str, sql: str, folder: Path) -> None:
    engine.write(sql, folder / table)
    engine.table(table, [folder / table], _SCHEMAS[table])


def _weights() -> str:
    return f"""
        SELECT doc, CAST(SUM(likeness) AS BIGINT) AS weight
        FROM (SELECT a AS doc, likeness FROM {_LINKS} UNION ALL SELECT b AS doc, likeness FROM {_LINKS}) ends
        GROUP BY doc
    """


def _members() -> str:
    """All documents, with the least kept document of their cluster."""
    return f"""
        SELECT COALESCE(l.label, d.same_as) AS label, d.doc, d.same_as, d.address, d.key,
               COALESCE(w.weight, 0) AS weight
        FROM {DOCUMENTS} d LEFT JOIN {LABELS} l ON l.doc = d.same_as LEFT JOIN {_WEIGHTS} w ON w.doc = d.same_as
    """


def _several() -> str:
    """The clusters of several addresses."""
    return f"""
        SELECT label, COUNT(DISTINCT address) AS n, MIN(address) AS first FROM {_MEMBERS}
        GROUP BY label HAVING COUNT(DISTINCT address) > 1
    """


def _listed() -> str:
    return f"""
        SELECT m.label, m.doc, m.same_as, m.address, m.key, m.weight, s.n, s.first
        FROM {_MEMBERS} m JOIN {_SEVERAL} s ON s.label = m.label
        ORDER BY s.n DESC, s.first, m.label, m.doc
    """


def _rows(engine: DuckEngine, folder: Path) -> Iterator[_Member]:
    """All rows of listed clusters."""
    for columns in portions(engine, folder):
        yield from map(_Member, *(columns[name].tolist() for name in _Member._fields))


def _cluster(members: list[_Member]) -> Cluster:
    best = max(members, key=lambda member: (member.weight, -member.doc))
    return Cluster(
        next(member.address for member in members if member.doc == best.same_as),
        tuple(sorted({member.address for member in members})),
        len(members),
        len({member.same_as for member in members}),
        cluster_name(members[0].key),
    )
