"""Supervising: a job is done by processes of its own, which are watched, and ended when their time has come."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from moss.config import Config
from moss.jobs.job_process import OUT_OF_MEMORY
from moss.jobs.ledger import beat, claim, fail, give_back
from moss.jobs.process_pool import JobAttempt, JobForkServer
from moss.store import Store

_LOOK_EVERY = 0.1  # seconds between two looks around while the job is done
_BEAT_EVERY = 0.5  # seconds between two signs of life, at each of which a wish to cancel is seen
_log = logging.getLogger("moss.jobs")


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """How an attempt ended, for the case that it left no result."""

    why: str
    final: bool = False  # another attempt would end in the same way; then `why` is a sentence
    counts: bool = True  # False: we broke it off ourselves


def do_job(
    store: Store, config: Config, nursery: JobForkServer, job_id: int, stopping: Callable[[], bool] = lambda: False
) -> None:
    """Do a job if it is still to be done; `stopping` says when to break off and give it back."""
    with store.session() as session:
        lease = claim(session, job_id)
    if lease is None:
        return
    end = _attempt(nursery, Supervision(store, config, job_id, lease, stopping))
    with store.session() as session:  # what follows is without effect if the child has ended the job
        if end.final:
            fail(session, job_id, lease, end.why)
        else:
            give_back(session, job_id, lease, end.why, counts=end.counts)


@dataclass(frozen=True, slots=True)
class Supervision:
    """One attempt as its supervisor sees it."""

    store: Store
    config: Config
    job_id: int
    lease: str
    stopping: Callable[[], bool]

    def is_ours(self) -> bool:
        """Give a sign of life; False when the process should be ended. An accident of the database is waited out."""
        try:
            with self.store.session() as session:
                return beat(session, self.job_id, self.lease)
        except SQLAlchemyError as error:
            _log.warning("job %d: no sign of life could be given: %s", self.job_id, error)
            return True


def _attempt(nursery: JobForkServer, supervision: Supervision) -> AttemptEnd:
    """Begin an attempt and watch it to its end."""
    try:
        attempt = nursery.attempt(supervision.config, supervision.job_id, supervision.lease)
    except OSError as error:
        return AttemptEnd(f"its process could not be started ({error})")
    try:
        return _watch(supervision, attempt)
    finally:
        attempt.end()


def _watch(supervision: Supervision, attempt: JobAttempt) -> AttemptEnd:
    """Wait for the end, with signs of life, or break it off."""
    minutes = supervision.config.job_minutes
    deadline = time.monotonic() + minutes * 60
    beaten = time.monotonic()
    while (status := attempt.wait(_LOOK_EVERY)) is None:
        if supervision.stopping():
            return AttemptEnd("the worker was stopped", counts=False)
        if time.monotonic() > deadline:
            return AttemptEnd(
                f"It took longer than the {minutes} minutes that a job may take on this server.", final=True
            )
        if time.monotonic() - beaten >= _BEAT_EVERY:
            if not supervision.is_ours():
                return AttemptEnd("it was cancelled")
            beaten = time.monotonic()
    return _cause(status, supervision.config)


def _cause(status: int, config: Config) -> AttemptEnd:
    if status == OUT_OF_MEMORY:
        return AttemptEnd(
            f"It needed more than the {config.job_megabytes} megabytes of memory that a job may use on this server.",
            final=True,
        )
    if status < 0:
        return AttemptEnd(f"its process was ended from outside or crashed (signal {-status})")
    return AttemptEnd(f"its process failed (status {status})")
