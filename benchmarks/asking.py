"""Times and outcomes of queries: one open corpus of generated pages, many questions."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from generated_pages import address
from planted import Truth

from moss.corpus.ingest.documents import CorpusDocument
from moss.corpus.search.queries import Corpus, QueryHit

WAYS: dict[str, dict[str, Any]] = {
    "lookup": {"shown": 0},
    "lookup, window ×4": {"shown": 0, "widen": 4},
    "with passages": {},
}


class Asked:
    """How long questions took, and how often the answer was right, by what was planted."""

    def __init__(self) -> None:
        self.times: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
        self._right, self._all = Counter[str](), Counter[str]()

    def time(self, way: str, question: Callable[[], list[QueryHit]]) -> list[QueryHit]:
        """The answer to a question, whose time is kept."""
        begun, worked = time.perf_counter(), time.process_time()
        found = question()
        self.times[way].append((time.perf_counter() - begun, time.process_time() - worked))
        return found

    def judge(self, kind: str, right: bool) -> None:
        """Count an answer."""
        self._all[kind] += 1
        self._right[kind] += right

    @property
    def recall(self) -> dict[str, float]:
        """The part of right answers of each kind."""
        return {kind: self._right[kind] / self._all[kind] for kind in self._all}

    @property
    def milliseconds(self) -> dict[str, list[float]]:
        """For each way of asking: the median and 95th percentile of wall time, and the median of processor time."""
        return {
            way: [float(np.percentile([v[of] for v in values], q)) * 1000 for q, of in ((50, 0), (95, 0), (50, 1))]
            for way, values in self.times.items()
        }


def ask(corpus: Path, pages: Path, queries: int) -> dict[str, object]:
    """All figures, as plain data."""
    chance = random.Random(1)
    planted = Truth.read(pages).planted
    asked = Asked()
    started = time.perf_counter()
    with Corpus(corpus) as opened:
        made = time.perf_counter() - started
        started = time.perf_counter()
        with Corpus(corpus):
            opening = time.perf_counter() - started
        for kind in ("edited", "moved", "contained"):
            for _, original, copy in chance.sample([row for row in planted if row[0] == kind], queries):
                asked.judge(kind, _is_found(opened, asked, original, copy))
        for _, original, copy in chance.sample([row for row in planted if row[0] == "moved"], queries):
            asked.judge("lost and found", opened.locate(address(original))[0][0].address == address(copy))
    return {
        "making lookups": made, "opening": opening, "recall": asked.recall, "milliseconds": asked.milliseconds,
    }  # fmt: skip


def _is_found(opened: Corpus, asked: Asked, original: int, copy: int) -> bool:
    """Whether the original is among the best answers to its copy, which is asked for in each way."""
    at = opened.at(address(copy))[0]
    text = opened.texts([at.doc])[at.doc].text
    document = CorpusDocument("asked", text, 0, len(text))
    for way, options in WAYS.items():
        found = asked.time(way, lambda options=options: opened.query(document, **options))  # type: ignore[misc]
    return address(original) in {s.address for item in found[:10] for s in opened.same_as(item.sighting.doc)}
