"""Supervising: a job is done by a process of its own, which is watched, and ended when its time has come."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from moss.config import Config, environment_of
from moss.jobs.child import OUT_OF_MEMORY
from moss.jobs.ledger import beat, claim, fail, give_back
from moss.store import Store

CHILD = [sys.executable, "-P", "-m", "moss.jobs.child"]  # -P: whatever lies in the current folder is not ours

_LOOK_EVERY = 0.1  # seconds between two looks at the process
_BEAT_EVERY = 0.5  # seconds between two signs of life, at each of which a wish to cancel is seen
_log = logging.getLogger("moss.jobs")


@dataclass(frozen=True, slots=True)
class End:
    """How an attempt ended, for the case that it left no result."""

    why: str
    final: bool = False  # another attempt would end in the same way; then `why` is a sentence
    counts: bool = True  # False: we broke it off ourselves


def do_job(store: Store, config: Config, job_id: int, stopping: Callable[[], bool] = lambda: False) -> None:
    """Do a job if it is still to be done; `stopping` says when to break off and give it back."""
    with store.session() as session:
        lease = claim(session, job_id)
    if lease is None:
        return
    end = _attempt(Supervision(store, config, job_id, lease, stopping))
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


def _attempt(supervision: Supervision) -> End:
    """Start the child and watch it to its end."""
    process = subprocess.Popen(
        [*CHILD, str(supervision.job_id)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=os.environ | environment_of(supervision.config) | {"OPENBLAS_NUM_THREADS": "1"},
        start_new_session=True,
    )
    try:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{supervision.lease}\n".encode())
            process.stdin.flush()  # and it stays open: its end tells the child that we are gone
        broken_off = _watch(supervision, process)
    finally:
        _end(process)
    return broken_off or _cause(process.returncode, supervision.config)


def _watch(supervision: Supervision, process: subprocess.Popen[bytes]) -> End | None:
    """Wait for the child's end, with signs of life; why it must be ended before, if it must."""
    minutes = supervision.config.job_minutes
    deadline = time.monotonic() + minutes * 60
    beaten = time.monotonic()
    while process.poll() is None:
        time.sleep(_LOOK_EVERY)
        if supervision.stopping():
            return End("the worker was stopped", counts=False)
        if time.monotonic() > deadline:
            return End(f"It took longer than the {minutes} minutes that a job may take on this server.", final=True)
        if time.monotonic() - beaten >= _BEAT_EVERY:
            if not supervision.is_ours():
                return End("it was cancelled")
            beaten = time.monotonic()
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the child and all that it started: they are one group, which lives on after the child itself is dead."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # the latter is what macOS says of the dead
        os.killpg(process.pid, signal.SIGKILL)
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.wait()


def _cause(status: int, config: Config) -> End:
    if status == OUT_OF_MEMORY:
        return End(
            f"It needed more than the {config.job_megabytes} megabytes of memory that a job may use on this server.",
            final=True,
        )
    if status < 0:
        return End(f"its process was ended from outside or crashed (signal {-status})")
    return End(f"its process failed (status {status})")
