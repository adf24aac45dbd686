"""Lost and found, and search results in groups: where the page that was at an address is best found now (Broder et al.,
6.2), and which of the addresses of a list hold the same text, or texts that resemble each other (6.3).

Of the addresses at which a page's text, or one that resembles it, was seen, the best is the one that was seen last,
among those that were still there when their host was last visited (in the last month in which any page of it was seen).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moss.corpus.cluster.clusters import LinkCriteria, cluster, cluster_name
from moss.corpus.search.queries import Corpus, CorpusSighting
from moss.corpus.search.sites import HOST_SQL, host_of
from moss.corpus.storage.segments import Snapshot, local_engine
from moss.corpus.storage.tables import DOCUMENTS

Visits = dict[str, tuple[int, int]]
"""The last year and month in which each host was visited."""


@dataclass(frozen=True, slots=True)
class LocatedPage:
    """A sighting of a page, and how much it resembles the one that is sought."""

    sighting: CorpusSighting
    resemblance: float
    there: bool | None  # at the last visit of its host; None if it has no host or date


def last_visits(corpus: Corpus) -> Visits:
    """When each host was visited last."""
    rows = corpus.fetch(
        f"SELECT {HOST_SQL} AS host, max(date) AS last FROM {DOCUMENTS} WHERE date IS NOT NULL GROUP BY ALL"
    )
    days = rows["last"].astype("datetime64[D]").tolist()
    return {host: (day.year, day.month) for host, day in zip(rows["host"].tolist(), days, strict=True) if host}


def whereabouts(corpus: Corpus, address: str, resemblance: float, visits: Visits) -> list[LocatedPage]:
    """The sightings of what resembles the newest text at an address: the best first, then the newest."""
    found = corpus.locate(address, resemblance)
    seen = corpus.at_all({sighting.address for sighting, _ in found})
    there = {address: _there(address, sightings[-1], visits) for address, sightings in seen.items()}
    pages = [LocatedPage(sighting, alike, there[sighting.address]) for sighting, alike in found]
    best = next((page for page in pages if page.there), None)
    return pages if best is None else [best, *(page for page in pages if page is not best)]


def _there(address: str, newest: CorpusSighting, visits: Visits) -> bool | None:
    seen, last = newest.date, visits.get(host_of(address))
    return None if seen is None or last is None else (seen.year, seen.month) == last


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """Addresses of a list that belong together, in its order; the first stands for all."""

    name: str  # of their cluster; nothing for an address that is not in the corpus
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClusterLabels:
    """For each document the first of its cluster, and its key."""

    label: NDArray[np.int64]
    keys: NDArray[np.int64]

    def name(self, doc: int) -> str:
        """The name of a document's cluster, also if it is alone in it."""
        return cluster_name(int(self.keys[self.label[doc]]))


def cluster_labels(folder: Path, resemblance: float, memory: int) -> ClusterLabels:
    """The clusters of a corpus; phases that were run before are not run again."""
    with Snapshot(folder) as snapshot:
        engine = local_engine(folder, memory)
        try:
            label = cluster(snapshot, engine, LinkCriteria(resemblance)).label
            snapshot.tables(engine)
            return ClusterLabels(label, engine.fetch(f"SELECT key FROM {DOCUMENTS} ORDER BY doc")["key"])
        finally:
            engine.close()


def grouped(corpus: Corpus, labels: ClusterLabels, addresses: Sequence[str]) -> list[ResultGroup]:
    """The addresses in groups, in the order of their first members. An address stands for its newest text."""
    groups: dict[str, list[str]] = {}
    for address, sightings in corpus.at_all(addresses).items():
        name = labels.name(sightings[-1].doc) if sightings else ""
        groups.setdefault(name or f"?{address}", []).append(address)
    return [ResultGroup("" if name[0] == "?" else name, tuple(members)) for name, members in groups.items()]
