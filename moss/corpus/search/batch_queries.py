"""Queries for many documents: the files of a list, asked one after the other, or by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moss.corpus.engines.duckdb import MEMORY
from moss.corpus.engines.worker_cluster import WorkerCluster
from moss.corpus.ingest.documents import CorpusDocument
from moss.corpus.ingest.sources import Portion, anywhere, portions, read
from moss.corpus.search.queries import EVERYTHING, SHOWN, Corpus, QueryHit
from moss.corpus.search.sites import DocumentFilter
from moss.model import Problem


@dataclass(frozen=True, slots=True)
class QueryBatch:
    """Documents to be asked about, in a corpus that every worker sees."""

    folder: Path
    portion: Portion
    widen: int = 1
    shown: int = SHOWN
    only: DocumentFilter = EVERYTHING
    memory: int = MEMORY


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The hits of one document, without their texts, and the other addresses of those that are shown."""

    address: str
    found: tuple[QueryHit, ...]
    also: dict[int, list[str]]


def query_files(
    batch: QueryBatch, paths: Sequence[str], cluster: WorkerCluster | None = None
) -> Iterator[QueryAnswer | Problem]:
    """The answers for all documents at these paths, in order; the batch says how they are asked."""
    found = list(portions(paths))
    asked = [item for item in found if not isinstance(item, Problem)]
    batches = [replace(batch, folder=batch.folder.resolve(), portion=anywhere(portion)) for portion in asked]
    yield from (item for item in found if isinstance(item, Problem))
    with Corpus(batch.folder, batch.memory):  # makes what is looked up, once
        results = enumerate(map(answers, batches)) if cluster is None else cluster.all(answers, batches)
        early: dict[int, list[QueryAnswer | Problem]] = {}
        due = 0
        for number, result in results:
            early[number] = result
            while due in early:
                yield from early.pop(due)
                due += 1


def answers(batch: QueryBatch) -> list[QueryAnswer | Problem]:
    """The answers for the documents of a portion, on a worker or here."""
    with Corpus(batch.folder, batch.memory) as corpus:
        items = (item for item in read(batch.portion) if isinstance(item, (CorpusDocument, Problem)))
        return [item if isinstance(item, Problem) else answer(corpus, item, batch) for item in items]


def answer(corpus: Corpus, document: CorpusDocument, batch: QueryBatch) -> QueryAnswer:
    """The answer for one document."""
    found = corpus.query(document, widen=batch.widen, shown=batch.shown, only=batch.only)
    also = {
        hit.sighting.doc: [
            other.address for other in corpus.same_as(hit.sighting.doc) if other.address != hit.sighting.address
        ]
        for hit in found[: batch.shown]
    }
    return QueryAnswer(document.address, tuple(replace(hit, text="") for hit in found), also)
