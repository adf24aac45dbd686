"""Broder's table of times, redone on generated pages (`generated_pages.py`).

Broder, Glassman, Manasse, Zweig: Syntactic clustering of the Web. WWW 1997, Section 7.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from findings import Section, Table
from generated_pages import generate

from moss.corpus.cluster.clusters import LinkCriteria, cluster, clusters
from moss.corpus.ingest.add import add, in_turn
from moss.corpus.storage.segments import Snapshot, local_engine

PAPER_DOCUMENTS = 30_000_000
PAPER_DAYS = {  # of CPU
    "sketching": 4.6,
    "duplicate elimination": 0.3,
    "shingle merging": 1.7,
    "pair formation": 0.7,
    "pair merging": 2.6,
    "cluster formation": 0.5,
}
PAPER_TOTAL = 10.5
OURS = {  # the stages of our phases that do each step
    "shingle merging": ("sort shingles", "measure sketches"),
    "pair formation": ("choose shingles", "count pairs"),
    "pair merging": ("merge pairs", "measure pairs"),
    "cluster formation": ("union-find",),
}


class Stages:
    """CPU seconds of each stage, all threads together, told by progress."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.process_time()

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.process_time()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now


def phase_times(documents: int) -> Section:
    """Build a corpus of so many generated pages, cluster it, and say what each phase took."""
    with TemporaryDirectory() as folder:
        pages, corpus = Path(folder, "pages"), Path(folder, "corpus")
        generate(pages, documents)
        files = [str(path) for path in sorted(pages.glob("[ab]-*.jsonl"))]
        size = sum(Path(path).stat().st_size for path in files)
        started = time.process_time()
        added = add(corpus, files, reader=in_turn)
        adding = time.process_time() - started
        stages = Stages()
        with Snapshot(corpus) as snapshot:
            engine = local_engine(corpus)
            try:
                found = cluster(snapshot, engine, LinkCriteria(), stages)
                groups = list(clusters(found, engine))
            finally:
                engine.close()
    ours = {step: sum(stages.seconds.get(stage, 0.0) for stage in names) for step, names in OURS.items()}
    ours["sketching"] = adding
    return _section(documents, size, added.kept, ours, len(groups), sum(len(group.documents) for group in groups))


def _section(documents: int, size: int, kept: int, ours: dict[str, float], groups: int, inside: int) -> Section:
    rows = []
    for step, days in PAPER_DAYS.items():
        theirs = days * 86_400_000 / PAPER_DOCUMENTS
        mine = f"{1000 * ours[step] / documents:.3f}" if step in ours else "with sketching"
        rows.append((step, mine, f"{theirs:.2f}", f"{days}"))
    rows.append(
        (
            "total",
            f"{1000 * sum(ours.values()) / documents:.3f}",
            f"{PAPER_TOTAL * 86_400_000 / PAPER_DOCUMENTS:.2f}",
            f"{PAPER_TOTAL}",
        )
    )
    text = (
        f"{documents:,} generated pages of {size / documents:,.0f} bytes on average, read by one process; CPU time, in "
        "milliseconds for each document. The paper's pages had 5,000 bytes; it kept one shingle in 25, of ten words, "
        "on "
        "machines of 1996. Our sketching also finds duplicates, winnows fingerprints, makes simhashes and packs the "
        "texts."
    )
    result = Table(
        ("", "documents", "kept", "clusters at 50 %", "documents in them"),
        [
            ("ours", f"{documents:,}", f"{kept:,}", f"{groups:,}", f"{inside:,}"),
            ("paper's", "30,000,000", "", "3,600,000", "12,300,000"),
        ],
    )
    table = Table(("phase", "ours, ms a document", "paper's, ms a document", "paper's, days"), rows)
    return Section("Phases of clustering (Broder, Section 7)", [text, table, result])
