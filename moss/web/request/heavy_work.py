"""Heavy work: evidence, previews and pages opened for the first time, which take seconds and a process of their own.

One person may have only a few of these under way, and all of them together leave threads for other requests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from flask import request
from werkzeug.exceptions import TooManyRequests

from moss.messages import gettext as _
from moss.web.request.context import server, visitor
from moss.web.request.limits import network

PER_PERSON = 2  # under way at a time
_AGAIN = 2  # seconds after which the browser asks again by itself


@dataclass
class Turns:
    """Counts the heavy work under way in one server process, by person."""

    _lock: Lock = field(default_factory=Lock)
    _under_way: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def turn(self, whom: str, most: int) -> Iterator[None]:
        """Count work for a person while it is done; answer 429 if they, or all together, have too much under way."""
        with self._lock:
            if self._under_way[whom] >= PER_PERSON:
                raise TooManyRequests(
                    _("Your last request is still being worked on. This page tries again in a moment."), None, _AGAIN
                )
            if self._under_way.total() >= most:
                raise TooManyRequests(_("The server is busy. This page tries again in a moment."), None, _AGAIN)
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
    """Do heavy work for the visitor inside; half of the threads stay free for quick requests."""
    user = visitor()
    whom = f"user {user.id}" if user else f"guest at {network(request.remote_addr or '')}"
    with TURNS.turn(whom, max(1, server().config.threads // 2)):
        yield
