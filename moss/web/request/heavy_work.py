"""Heavy work: takes seconds and a process of its own while somebody waits for the answer, as evidence, previews and
pages that nobody has opened yet do. One person has few of these under way, and all of them leave threads for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from flask import request
from werkzeug.exceptions import TooManyRequests

from moss.web.request.context import parts, visitor
from moss.web.request.limits import network

PER_PERSON = 2  # under way at a time
_AGAIN = 2  # seconds after which to ask again; browsers do so by themselves


@dataclass
class Turns:
    """Who has what under way, in one server process."""

    _lock: Lock = field(default_factory=Lock)
    _under_way: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def turn(self, whom: str, most: int) -> Iterator[None]:
        """Do something for a person while at most so many things are done for all; or answer 429."""
        with self._lock:
            if self._under_way[whom] >= PER_PERSON:
                raise TooManyRequests(
                    "What you asked for before is still being made. Try again in a moment.", None, _AGAIN
                )
            if self._under_way.total() >= most:
                raise TooManyRequests("Others are waiting for what takes long. Try again in a moment.", None, _AGAIN)
            self._under_way[whom] += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= Counter([whom])

    def __len__(self) -> int:
        return self._under_way.total()


TURNS = Turns()


@contextmanager
def heavy_work() -> Iterator[None]:
    """A turn for whoever asks: half of the threads are left to what is quick."""
    user = visitor()
    whom = f"user {user.id}" if user else f"guest at {network(request.remote_addr or '')}"
    with TURNS.turn(whom, max(1, parts().config.threads // 2)):
        yield
