"""Previews; the last ones are kept, for readers go back and forth."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from threading import Lock

from moss.services.preview import PreviewRequest, preview
from moss.store.results.run_differences import RunDifference
from moss.web.request.heavy_work import heavy_work

SECONDS = 60.0  # that a preview may take
_KEPT = 32


@dataclass
class PreviewCache:
    """Those of one server process."""

    _lock: Lock = field(default_factory=Lock)
    _kept: OrderedDict[Hashable, RunDifference] = field(default_factory=OrderedDict)

    def get(self, question: PreviewRequest, state: int) -> RunDifference:
        """The answer to a question about submissions in this state; PreviewError if there is none."""
        key = (question.database, question.run_id, tuple(sorted(question.settings.items())), question.archives,
               question.corpora, state)  # fmt: skip
        with self._lock:
            answer = self._kept.get(key)
        if answer is None:
            with heavy_work():
                answer = preview(question, SECONDS)
            self._keep(key, answer)
        return answer

    def _keep(self, key: Hashable, answer: RunDifference) -> None:
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
