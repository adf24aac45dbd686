"""The supervisor of an attempt: it starts the processes that do a job, watches them, and ends them when their time is
up."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from moss.config import Config
from moss.jobs.ledger import beat, claim, fail, give_back
from moss.jobs.lifeline import GuardedProcess
from moss.jobs.process_pool import JobForkServer
from moss.messages import gettext as _
from moss.processes.pool import OUT_OF_MEMORY
from moss.store import Store

_LOOK_EVERY = 0.1  # seconds between two checks while the job runs
_BEAT_EVERY = 0.5  # seconds between two heartbeats, each of which also sees whether the job is to be cancelled
_log = logging.getLogger("moss.jobs")


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """The reason why an attempt ended, used only if it left no result."""

    why: str
    final: bool = False  # another attempt would end in the same way; `why` is a whole sentence then
    counts: bool = True  # False: we interrupted it ourselves


def do_job(
    store: Store, config: Config, fork_server: JobForkServer, job_id: int, stopping: Callable[[], bool] = lambda: False
) -> None:
    """Do a job if nobody else has claimed it; `stopping` says when to interrupt it and give it back."""
    with store.session() as session:
        lease = claim(session, job_id)
    if lease is None:
        return
    end = _attempt(fork_server, Supervision(store, config, job_id, lease, stopping))
    with store.session() as session:  # has no effect if the process has ended the job itself
        if end.final:
            fail(session, job_id, lease, end.why)
        else:
            give_back(session, job_id, lease, end.why, counts=end.counts)


@dataclass(frozen=True, slots=True)
class Supervision:
    """One attempt, as its supervisor sees it."""

    store: Store
    config: Config
    job_id: int
    lease: str
    stopping: Callable[[], bool]

    def is_ours(self) -> bool:
        """Store a heartbeat; False if the attempt should be ended. Errors of the database are waited out."""
        try:
            with self.store.session() as session:
                return beat(session, self.job_id, self.lease)
        except SQLAlchemyError as error:
            _log.warning("job %d: no sign of life could be given: %s", self.job_id, error)
            return True


def _attempt(fork_server: JobForkServer, supervision: Supervision) -> AttemptEnd:
    """Start an attempt and watch it until it ends."""
    try:
        attempt = fork_server.attempt(supervision.config, supervision.job_id, supervision.lease)
    except OSError as error:
        return AttemptEnd(_("its process could not be started (%(why)s)", why=error))
    try:
        return _watch(supervision, attempt)
    finally:
        attempt.end()


def _watch(supervision: Supervision, attempt: GuardedProcess) -> AttemptEnd:
    """Wait for the end of the attempt, with heartbeats, or interrupt it."""
    minutes = supervision.config.job_minutes
    deadline = time.monotonic() + minutes * 60
    beaten = time.monotonic()
    while (status := attempt.wait(_LOOK_EVERY)) is None:
        if supervision.stopping():
            return AttemptEnd(_("the worker was stopped"), counts=False)
        if time.monotonic() > deadline:
            return AttemptEnd(
                _("It took longer than the %(n)s minutes that a job may take on this server.", n=minutes), final=True
            )
        if time.monotonic() - beaten >= _BEAT_EVERY:
            if not supervision.is_ours():
                return AttemptEnd(_("it was cancelled"))
            beaten = time.monotonic()
    return _cause(status, supervision.config)


def _cause(status: int, config: Config) -> AttemptEnd:
    if status == OUT_OF_MEMORY:
        return AttemptEnd(
            _("It needed more than the %(n)s MB of memory that a job may use on this server.", n=config.job_megabytes),
            final=True,
        )
    if status < 0:
        return AttemptEnd(_("its process was ended from outside or crashed (signal %(n)s)", n=-status))
    return AttemptEnd(_("its process failed (status %(n)s)", n=status))
