"""Clusters: documents that resemble each other, directly or through others; with names that last.

`cluster` has the pairs made by `moss.corpus.cluster.phases` and joins those that are linked (union–find); `clusters`
gives them their addresses. An engine on many machines does it as tables instead (`cluster_tables`).

A cluster is named by its first document, which stays the first while others come. When two clusters become one, the
name of the older stays. Only when its first document is removed, or when another threshold joins it with an older one,
is a cluster called otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.corpus.cluster import relations
from moss.corpus.cluster.phase_results import PhaseTimes, Progress
from moss.corpus.cluster.phases import Phases
from moss.corpus.engines.engine import Engine
from moss.corpus.errors import CorpusError
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import DOCUMENTS
from moss.engine.union_find import components
from moss.messages import gettext

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # without those that are taken for others
_LENGTH = 12  # of 5 bits each: a billion clusters have names of their own
COMMON = 1000  # documents: a shingle in more says nothing (the paper's number)
RESEMBLANCE = 0.5  # the paper's
LEAST = 0.05  # of either kind: what documents share by chance is not much less
_HALF = 0.5
_WHOLE = 2.0**30
"""The resemblance of equal documents, in whole numbers: their sums do not depend on the order of adding."""
LIKENESS = f"CAST(FLOOR({int(_WHOLE)}e0 * shared / GREATEST(1, size_a + size_b - shared)) AS BIGINT)"
"""The SQL expression for it."""


def cluster_name(key: int) -> str:
    """The name of the cluster whose first document has this key.

    >>> cluster_name(0), cluster_name(-1)
    ('000000000000', 'zzzzzzzzzzzz')
    """
    return "".join(_LETTERS[key >> 5 * place & 31] for place in range(_LENGTH))


def cluster_names(labels: NDArray[np.int64], keys: NDArray[np.int64]) -> Sequence[str]:
    """The names of clusters, by the documents that they are labelled with; `keys` are those of all documents."""
    return [cluster_name(key) for key in keys[labels].tolist()]


@dataclass(frozen=True, slots=True)
class LinkCriteria:
    """The criteria by which two documents are linked."""

    resemblance: float = RESEMBLANCE
    containment: float | None = None  # link a document with one that holds so much of it, too
    common: int = COMMON
    super_shingle: int | None = None  # compare by runs of so many shingles: quicker, less exact

    def __post_init__(self) -> None:
        for name in ("resemblance", "containment"):
            value = getattr(self, name)
            if value is not None and not LEAST <= value <= 1:
                raise CorpusError(
                    gettext(
                        "the %(name)s must be between %(least)s and 1, not %(value)s",
                        name=name,
                        least=LEAST,
                        value=value,
                    )
                )
        if self.common < 2:
            raise CorpusError(gettext("a shingle must be allowed in at least 2 documents"))
        if self.super_shingle is not None and not 2 <= self.super_shingle <= 16:
            raise CorpusError(gettext("a super shingle has 2 to 16 shingles"))
        if self.super_shingle is not None and self.containment is not None:
            raise CorpusError(gettext("super shingles cannot tell containment"))

    @property
    def ignorable(self) -> float:
        """The share of a sketch that may be ignored as common before it is told: so much, with another document, could
        be a link."""
        return min(_HALF, self.resemblance, _HALF if self.containment is None else self.containment)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Addresses of documents that belong together."""

    representative: str  # of the document that resembles the others most
    documents: tuple[str, ...]  # different addresses, sorted
    sightings: int  # rows of the table of documents: versions and repetitions of an address each count
    kept: int  # different sketches among them
    name: str  # which it keeps while documents are added


@dataclass(frozen=True, slots=True)
class Clustering:
    """All clusters of at least two addresses, by number."""

    label: NDArray[np.int64]  # of each document: the least kept document of its cluster
    weight: NDArray[np.float64]  # of each document: the sum of its resemblances, in whole numbers
    documents: int
    pairs: int  # links
    times: PhaseTimes
    mostly_common: tuple[str, ...] = ()  # addresses of documents of which more is ignored than `ignorable`


def cluster(
    snapshot: Snapshot,
    engine: Engine,
    choice: LinkCriteria,
    progress: Progress = lambda stage, done, total: None,
    rows: int | None = None,
) -> Clustering:
    """The clusters of a corpus; phases that were run before for this corpus are not run again."""
    with linked(snapshot, engine, choice, progress, rows) as times:
        return _joined(engine, choice, times, progress)


@contextmanager
def linked(
    snapshot: Snapshot, engine: Engine, choice: LinkCriteria, progress: Progress, rows: int | None
) -> Iterator[PhaseTimes]:
    """Make the table of pairs, which is there until the end of the block."""
    phases = Phases(snapshot, engine, progress, rows)
    try:
        if choice.super_shingle is None:
            phases.pairs(choice.common, choice.resemblance, choice.containment)
        else:
            phases.super_pairs(choice.super_shingle, choice.common)
        yield phases.times
    finally:
        phases.close()


def _joined(engine: Engine, choice: LinkCriteria, times: PhaseTimes, progress: Progress) -> Clustering:
    """The last phase: union–find over the pairs that pass the threshold."""
    progress("union-find", 0, 1)
    with times.of("union-find"):
        links = engine.fetch(relations.links(choice.resemblance, choice.containment))
        same_as = engine.fetch(f"SELECT same_as FROM {DOCUMENTS} ORDER BY doc")["same_as"]
        a, b, shared = links["a"], links["b"], links["shared"]
        root = components(len(same_as), a, b)
        likeness = np.floor(_WHOLE * shared / np.maximum(1, links["size_a"] + links["size_b"] - shared))
        weight = np.bincount(a, likeness, len(same_as)) + np.bincount(b, likeness, len(same_as))
    progress("union-find", 1, 1)
    ignored = (
        engine.fetch(relations.mostly_common(choice.ignorable))["address"].tolist()
        if choice.super_shingle is None
        else ()
    )
    return Clustering(root[same_as], weight[same_as], len(same_as), len(a), times, tuple(ignored))


def clusters(found: Clustering, engine: Engine) -> Iterator[Cluster]:
    """The clusters with addresses, the largest first, then by their first address."""
    order = np.argsort(found.label, kind="stable")
    labels = found.label[order]
    first = np.flatnonzero(np.concatenate([[True], labels[1:] != labels[:-1]])) if len(labels) else labels
    last = np.concatenate([first[1:], [len(labels)]])
    several = last - first > 1
    if not several.any():
        return
    columns = engine.fetch(f"SELECT address, same_as, key FROM {DOCUMENTS} ORDER BY doc")
    made = (
        _cluster(order[low:high], columns["address"], columns["same_as"], found.weight, columns["key"])
        for low, high in zip(first[several].tolist(), last[several].tolist(), strict=True)
    )
    yield from sorted(
        (cluster for cluster in made if len(cluster.documents) > 1), key=lambda c: (-len(c.documents), c.documents)
    )


def _cluster(
    members: NDArray[np.int64],
    addresses: NDArray[np.object_],
    same_as: NDArray[np.int64],
    weight: NDArray[np.float64],
    keys: NDArray[np.int64],
) -> Cluster:
    best = int(members[np.argmax(weight[members])])  # of equal ones the first
    return Cluster(
        addresses[int(same_as[best])],
        tuple(sorted(set(addresses[members].tolist()))),
        len(members),
        len(np.unique(same_as[members])),
        cluster_name(int(keys[int(members[0])])),
    )
