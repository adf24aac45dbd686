"""Previews, one at a time for each reader, and few at a time for all, so that pages are still served; the last ones
are kept, for readers go back and forth."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from werkzeug.exceptions import TooManyRequests

from moss.jobs.previewing import Question, preview
from moss.store.run_differences import Difference

SECONDS = 60.0  # that a preview may take
_AT_ONCE = 2  # previews that a server process makes at a time
_KEPT = 32
_AGAIN = 2  # seconds after which to ask again


@dataclass
class Previews:
    """Those of one server process."""

    _lock: Lock = field(default_factory=Lock)
    _asking: set[int] = field(default_factory=set)  # users for whom one is being made
    _kept: OrderedDict[Hashable, Difference] = field(default_factory=OrderedDict)

    def get(self, question: Question, state: int, user_id: int) -> Difference:
        """The answer to a question about submissions in this state; PreviewError if there is none."""
        key = (question.database, question.run_id, tuple(sorted(question.settings.items())), question.archives,
               question.corpora, state)  # fmt: skip
        with self._lock:
            answer = self._kept.get(key)
        if answer is None:
            with self._turn(user_id):
                answer = preview(question, SECONDS)
            self._keep(key, answer)
        return answer

    @contextmanager
    def _turn(self, user_id: int) -> Iterator[None]:
        with self._lock:
            if user_id in self._asking:
                raise TooManyRequests("Your last preview is still being made. Try again in a moment.", None, _AGAIN)
            if len(self._asking) >= _AT_ONCE:
                raise TooManyRequests("Others are looking at previews. Try again in a moment.", None, _AGAIN)
            self._asking.add(user_id)
        try:
            yield
        finally:
            with self._lock:
                self._asking.discard(user_id)

    def _keep(self, key: Hashable, answer: Difference) -> None:
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
