"""Change over time (Broder et al., 6.5): the versions of an address, the histories of hosts, and mirrors.

A host's visits are the months in which pages of it were seen. A page is gone at a visit if it was there at the visit
before and is not at this one; it has moved if its text, or one that resembles it, was seen later at another address.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from moss.corpus.cluster.clusters import LinkCriteria, cluster
from moss.corpus.engines.duckdb import MEMORY, DuckEngine
from moss.corpus.ingest.documents import words
from moss.corpus.ingest.shingles import containment, resemblance, shingles
from moss.corpus.search.queries import Corpus, CorpusSighting
from moss.corpus.search.sites import HOST_SQL, PATH_SQL
from moss.corpus.storage.segments import Snapshot, local_engine, scratch_of
from moss.corpus.storage.tables import DOCUMENTS

COMMON_HOSTS = 50  # a text at more hosts (a licence, a notice) makes none of them mirrors
FEWEST = 3  # pages that mirrors have in common

_VISITS = f"""
    SELECT *,
        LAG(number) OVER page AS before, LAG(content) OVER page AS content_before, LEAD(number) OVER page AS after
    FROM (
        SELECT *, DENSE_RANK() OVER (PARTITION BY host ORDER BY month) AS number
        FROM (
            SELECT {HOST_SQL} AS host, date_trunc('month', date) AS month, address,
                arg_max(content, date) AS content, arg_max(label, date) AS label,
                max(date) AS seen, count(*) AS sightings
            FROM {DOCUMENTS} JOIN labels USING (doc)
            WHERE date IS NOT NULL
            GROUP BY ALL
        ) WHERE host <> ''
    ) WINDOW page AS (PARTITION BY address ORDER BY number)
"""


@dataclass(frozen=True, slots=True)
class HostMonth:
    """A month in which pages of a host were seen, beside the visit before."""

    host: str
    month: date
    pages: int
    new: int  # not seen at the visit before; all at the first
    changed: int  # there before, with another text
    same: int  # there before, with this text
    gone: int  # there before, and not any more
    moved: int  # of these, seen later at another address
    elsewhere: int  # of these, at another host

    @property
    def rate(self) -> float | None:
        """The part of the pages that were there before and now whose text has changed."""
        return self.changed / (self.changed + self.same) if self.changed + self.same else None


@dataclass(frozen=True, slots=True)
class OrphanedPage:
    """A page that is gone, and another address at which its text, or one like it, was seen later."""

    address: str
    seen: date  # last
    now_at: str
    now_seen: date
    elsewhere: bool  # at another host


@dataclass(frozen=True, slots=True)
class MirrorPair:
    """Two hosts that have the same pages, or pages that resemble each other."""

    a: str
    b: str
    shared: int  # different texts that both have
    share: float  # of the smaller host's
    same_paths: int  # of the shared, how many are at the same path


class SiteHistories:
    """Questions about the hosts of a corpus, open until it is closed."""

    def __init__(self, snapshot: Snapshot, engine: DuckEngine) -> None:
        self._snapshot, self._engine = snapshot, engine

    def months(self, host: str = "") -> list[HostMonth]:
        """Each visit of each host, or of one, in order."""
        only = f"WHERE host = {_quoted(host.lower())}" if host else ""
        rows = self._engine.fetch(
            f"""
            SELECT host, month, number, COUNT(*) AS pages,
                COUNT(*) FILTER (before IS NULL OR before < number - 1) AS fresh,
                COUNT(*) FILTER (before = number - 1 AND content <> content_before) AS changed,
                COUNT(*) FILTER (before = number - 1 AND content = content_before) AS same
            FROM visits {only} GROUP BY ALL ORDER BY host, number
            """
        )
        lost = self._engine.fetch(
            """
            SELECT g.host, g.number + 1 AS number, COUNT(*) AS gone, COUNT(o.address) AS moved,
                COUNT(*) FILTER (o.elsewhere) AS elsewhere
            FROM gone g LEFT JOIN (SELECT address, elsewhere FROM orphans WHERE rank = 1) o
                ON o.address = g.address AND g.after IS NULL
            GROUP BY ALL
            """
        )
        gone = {key[:2]: key[2:] for key in zip(*(c.tolist() for c in lost.values()), strict=True)}
        columns = [rows[name].tolist() for name in ("host", "number", "pages", "fresh", "changed", "same")]
        return [
            HostMonth(name, month, *counts, *gone.get((name, number), (0, 0, 0)))
            for (name, number, *counts), month in zip(zip(*columns, strict=True), _days(rows["month"]), strict=True)
        ]

    def orphans(self, host: str = "") -> list[OrphanedPage]:
        """The pages that are gone but were seen later elsewhere: for each the newest address, other hosts first."""
        only = f"AND host = {_quoted(host.lower())}" if host else ""
        rows = self._engine.fetch(
            f"""
            SELECT * FROM orphans WHERE rank = 1 {only} ORDER BY elsewhere DESC, seen DESC, address
            """
        )
        columns = zip(
            rows["address"], _days(rows["seen"]), rows["now_at"], _days(rows["now_seen"]), rows["elsewhere"].tolist(),
            strict=True,
        )  # fmt: skip
        return [OrphanedPage(*row[:4], elsewhere=bool(row[4])) for row in columns]

    def lifetime(self, host: str = "") -> float | None:
        """The median of the days from the first to the last sighting of pages that are gone for good."""
        only = f"AND g.host = {_quoted(host.lower())}" if host else ""
        rows = self._engine.fetch(
            f"""
            SELECT coalesce(median(date_diff('day', v.first, g.seen)), -1) AS days
            FROM gone g JOIN (SELECT address, min(seen) AS first FROM visits GROUP BY ALL) v ON v.address = g.address
            WHERE g.after IS NULL {only}
            """
        )
        days = float(rows["days"][0])
        return None if days < 0 else days

    def mirrors(self, share: float = 0.5) -> list[MirrorPair]:
        """Pairs of hosts that share so much of the smaller one, those that share most first."""
        rows = self._engine.fetch(
            f"""
            WITH texts AS (
                SELECT DISTINCT {HOST_SQL} AS host, label, {PATH_SQL} AS path FROM {DOCUMENTS} JOIN labels USING (doc)
            ), held AS (SELECT host, label FROM texts WHERE host <> '' GROUP BY ALL),
            sizes AS (SELECT host, COUNT(*) AS size FROM held GROUP BY ALL),
            few AS (SELECT label FROM held GROUP BY label HAVING COUNT(*) BETWEEN 2 AND {COMMON_HOSTS}),
            pairs AS (
                SELECT a.host AS a, b.host AS b, COUNT(*) AS shared
                FROM held a JOIN held b ON a.label = b.label AND a.host < b.host JOIN few ON few.label = a.label
                GROUP BY ALL HAVING COUNT(*) >= {FEWEST}
            ), paths AS (
                SELECT a.host AS a, b.host AS b, COUNT(DISTINCT a.label) AS same_paths
                FROM texts a JOIN texts b ON a.label = b.label AND a.path = b.path AND a.host < b.host
                    JOIN few ON few.label = a.label
                GROUP BY ALL
            )
            SELECT p.a, p.b, p.shared, p.shared / least(x.size, y.size) AS share,
                coalesce(paths.same_paths, 0) AS same_paths
            FROM pairs p JOIN sizes x ON x.host = p.a JOIN sizes y ON y.host = p.b
                LEFT JOIN paths ON paths.a = p.a AND paths.b = p.b
            WHERE p.shared / least(x.size, y.size) >= {share}
            ORDER BY share DESC, shared DESC, p.a, p.b
            """
        )
        return [MirrorPair(*row) for row in zip(*(column.tolist() for column in rows.values()), strict=True)]


@contextmanager
def site_histories(folder: Path, resemblance: float, memory: int = MEMORY, **options: Any) -> Iterator[SiteHistories]:
    """The histories of a corpus's hosts; documents count as one text if they are clustered at this resemblance."""
    with Snapshot(folder) as snapshot, closing(local_engine(folder, memory)) as engine:
        label = cluster(snapshot, engine, LinkCriteria(resemblance), **options).label
        with TemporaryDirectory(prefix="labels-", dir=scratch_of(folder)) as scratch:
            snapshot.tables(engine)
            _prepare(engine, label, Path(scratch))
            yield SiteHistories(snapshot, engine)


def _prepare(engine: DuckEngine, label: np.ndarray[Any, Any], scratch: Path) -> None:
    """Tables of labels, visits, pages that are gone, and where these are now."""
    engine.write_arrays({"doc": np.arange(len(label)), "label": label}, scratch / "labels.parquet")
    engine.table("labels", [scratch / "labels.parquet"], {"doc": "BIGINT", "label": "BIGINT"})
    gone = """
        SELECT v.* FROM visits v JOIN (SELECT host, max(number) AS last FROM visits GROUP BY host) l ON l.host = v.host
        WHERE v.number < l.last AND (v.after IS NULL OR v.after > v.number + 1)
    """
    orphans = """
        SELECT g.host, g.address, g.seen, n.address AS now_at, n.seen AS now_seen, n.host <> g.host AS elsewhere,
            ROW_NUMBER() OVER (PARTITION BY g.address ORDER BY n.host <> g.host DESC, n.seen DESC, n.address) AS rank
        FROM gone g JOIN visits n ON n.label = g.label AND n.address <> g.address AND n.seen > g.seen
        WHERE g.after IS NULL
    """
    for name, sql in (("visits", _VISITS), ("gone", gone), ("orphans", orphans)):
        engine.write_file(sql, scratch / f"{name}.parquet")
        engine.table(name, [scratch / f"{name}.parquet"], {})


def _days(times: np.ndarray[Any, Any]) -> list[date]:
    days: list[date] = times.astype("datetime64[D]").tolist()
    return days


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class Version:
    """The text at an address at a time, compared exactly with the one before."""

    sighting: CorpusSighting
    words: int
    resemblance: float | None  # None for the first
    kept: float | None  # the part of the earlier text that is still there
    new: float | None  # the part of this text that was not there before

    @property
    def changed(self) -> bool:
        """Whether the text differs from the one before."""
        return self.resemblance is not None and self.resemblance < 1


def versions(corpus: Corpus, address: str) -> list[Version]:
    """All sightings at an address in the order of their dates."""
    sightings = corpus.at(address)
    texts = corpus.texts([sighting.doc for sighting in sightings])
    found: list[Version] = []
    before = None
    for sighting in sightings:
        tokens = words(texts[sighting.doc])
        S = shingles(tokens, corpus.recipe.shingle)
        if before is None:
            found.append(Version(sighting, len(tokens), None, None, None))
        else:
            figures = resemblance(before, S), containment(before, S), 1 - containment(S, before)
            found.append(Version(sighting, len(tokens), *figures))
        before = S
    return found


@dataclass(frozen=True, slots=True)
class History:
    """How often an address was seen, and with how many different texts."""

    address: str
    sightings: int
    texts: int


def changing(corpus: Corpus, most: int = 25) -> list[History]:
    """The addresses with the most different texts."""
    rows = corpus.fetch(
        f"""
        SELECT address, COUNT(*) AS sightings, COUNT(DISTINCT content) AS texts
        FROM documents GROUP BY address HAVING COUNT(DISTINCT content) > 1
        ORDER BY texts DESC, sightings DESC, address LIMIT {int(most)}
        """
    )
    return [
        History(*row) for row in zip(*(rows[name].tolist() for name in ("address", "sightings", "texts")), strict=True)
    ]
