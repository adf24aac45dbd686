"""The queue: rings for workers when there is a job. It is huey, on a SQLite file or on Redis.

A ring says no more than which job is to be done, in JSON, so nothing in the queue can make a worker run anything else.
A ring that is lost, or that comes twice, does no harm: see `moss.jobs.tending` and `moss.jobs.ledger`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from huey import Huey, RedisHuey, SqliteHuey
from huey.registry import Message
from huey.serializer import Serializer

from moss.config import Config
from moss.store.database import make_private

_NAME = "moss"
_log = logging.getLogger("moss.jobs")


class QueueError(ValueError):
    """A queue that cannot be used; the message is one sentence for the operator."""


class _Plain(Serializer):  # type: ignore[misc]
    """Messages as JSON."""

    def _serialize(self, data: Message) -> bytes:
        return json.dumps(list(data)).encode()

    def _deserialize(self, data: bytes) -> Message:
        return Message(*json.loads(data))


@dataclass(frozen=True, slots=True)
class Queue:
    """The queue with its one task."""

    huey: Huey
    task: Callable[[int], Any]

    def ring(self, job_id: int) -> None:
        """Tell the workers of a job; if the queue is away, they find it later."""
        try:
            self.task(job_id)
        except Exception as error:
            _log.warning("job %d: the queue cannot be reached: %s", job_id, error)

    def rung(self) -> set[int]:
        """The jobs for which a ring waits in the queue."""
        return {task.args[0] for task in self.huey.pending()}

    def check(self) -> None:
        """Raise QueueError if the queue cannot be reached."""
        try:
            self.huey.pending_count()
        except Exception as error:
            words = " ".join(str(error).split())
            raise QueueError(f"the queue cannot be reached: {words}") from None


def open_queue(config: Config, perform: Callable[[int], None] | None = None) -> Queue:
    """The queue that these settings name; a worker says how a job is done."""
    huey = _huey(config)

    @huey.task(name="job")  # type: ignore[untyped-decorator]
    def job(job_id: int) -> None:
        assert perform is not None
        perform(job_id)

    return Queue(huey, job)


def _huey(config: Config) -> Huey:
    if config.redis_url:
        return RedisHuey(_NAME, url=config.redis_url, results=False, serializer=_Plain())
    file = config.data.absolute() / "queue.sqlite3"
    make_private(file)
    return SqliteHuey(_NAME, filename=str(file), results=False, serializer=_Plain())
