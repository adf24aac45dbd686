"""The worker's side of the processes that do jobs; `moss.jobs.job_process` is the other side.

`JobForkServer` forks a process for each attempt at a job. Its supervisor starts the attempt, watches it, and ends it
when its time is up.
"""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

from sqlalchemy.exc import SQLAlchemyError

from moss.config import Config, environment_of
from moss.jobs.job_process import ASKED, READY
from moss.jobs.ledger import beat, claim, fail, give_back
from moss.jobs.lifeline import GuardedProcess
from moss.jobs.reader_process import without_settings
from moss.messages import gettext as _
from moss.processes.pool import OUT_OF_MEMORY
from moss.store import Store

_LOOK_EVERY = 0.1  # seconds between two checks while the job runs
_BEAT_EVERY = 0.5  # seconds between two heartbeats, each of which also sees whether the job is to be cancelled
_log = logging.getLogger("moss.jobs")


class JobForkServer:
    """A process that has imported what jobs need, and forks for each attempt at one. Threads may share it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._turn = threading.Lock()  # so that requests do not mix
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def __enter__(self) -> JobForkServer:
        self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def attempt(self, config: Config, job_id: int, lease: str) -> GuardedProcess:
        """Start an attempt at a job. Raises OSError if that fails.

        The request goes over the lifeline: the fork server, from which readers of strangers' files are forked too,
        never learns the settings."""
        request = {"job": job_id, "lease": lease, "settings": environment_of(config)}
        with self._turn:
            if self._process is None or self._process.poll() is not None:
                self._stop()
                self._start()
            ours, theirs = socket.socketpair()
            try:
                assert self._requests is not None
                with theirs:
                    socket.send_fds(self._requests, [ASKED], [theirs.fileno()])
                ours.sendall(json.dumps(request).encode() + b"\n")
                return GuardedProcess.behind(ours)
            except BaseException:
                ours.close()
                raise

    def _start(self) -> None:
        """Start the fork server and wait until it is ready, because leases run out while an attempt waits to begin."""
        self._requests, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                self._command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=without_settings() | {"OPENBLAS_NUM_THREADS": "1"},  # threads do not survive a fork
                start_new_session=True,  # Ctrl-C at the terminal is for the worker
            )
        self._requests.recv(len(READY))

    def _stop(self) -> None:
        """End the fork server; running attempts have lifelines of their own."""
        if self._requests is not None and self._process is not None:
            self._requests.close()
            self._process.kill()
            self._process.wait()
        self._requests = self._process = None


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
    end = _supervised_attempt(fork_server, Supervision(store, config, job_id, lease, stopping))
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


def _supervised_attempt(fork_server: JobForkServer, supervision: Supervision) -> AttemptEnd:
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
