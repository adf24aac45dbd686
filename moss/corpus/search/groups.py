"""Search results grouped: which of the addresses of a list hold the same text, or texts that resemble each other
(Broder et al., 6.3: clusters among the answers of a search engine)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moss.corpus.cluster.clusters import LinkCriteria, cluster
from moss.corpus.cluster.names import cluster_name
from moss.corpus.search.queries import Corpus
from moss.corpus.storage.segments import Snapshot, local_engine
from moss.corpus.storage.tables import DOCUMENTS


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
    for address in dict.fromkeys(addresses):
        sightings = corpus.at(address)
        name = labels.name(sightings[-1].doc) if sightings else ""
        groups.setdefault(name or f"?{address}", []).append(address)
    return [ResultGroup("" if name[0] == "?" else name, tuple(members)) for name, members in groups.items()]
