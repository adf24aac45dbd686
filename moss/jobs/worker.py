"""A worker: does waiting jobs until it is told to stop, and then gives back those that it has begun.

Its threads ask the ledger for the next job, again and again. One thread more than `workers` says takes short jobs only,
so that these never wait behind long ones (`moss.store.queue_lanes`).
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from moss.config import Config
from moss.jobs.janitor import LOOK_EVERY, Janitor, add_daily_jobs
from moss.jobs.ledger import waiting
from moss.jobs.process_pool import JobForkServer
from moss.jobs.supervisor import do_job
from moss.store import Store

_ASK_EVERY = 0.25  # seconds between two questions for a job: the longest that a job waits for an idle worker
_CHECK_EVERY = 10.0  # seconds after which the main thread wakes, for systems on which no signal wakes it
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_log = logging.getLogger("moss.jobs")


def run_worker(config: Config, job_process: Sequence[str], until: Callable[[], Any] | None = None) -> None:
    """Work until a signal says stop, or until `until` returns; `job_process` is the command that does jobs."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    store = Store(config.database)
    try:
        with JobForkServer(job_process) as fork_server:
            _work(config, store, fork_server, until)
    finally:
        store.close()


def _work(config: Config, store: Store, fork_server: JobForkServer, until: Callable[[], Any] | None) -> None:
    stopping = threading.Event()
    # In a thread, because a handler that interrupts `stopping.wait` could wait for ever for the lock it holds.
    for each in _SIGNALS:
        signal.signal(each, lambda *_: threading.Thread(target=stopping.set).start())
    janitor = Janitor(store, max(1, round(config.lease_seconds / LOOK_EVERY)), add_daily_jobs)
    threading.Thread(target=janitor.run, args=(stopping,), daemon=True).start()
    if until is not None:
        threading.Thread(target=_stop_after, args=(until, stopping), daemon=True).start()
    lanes = [Lane(config, store, fork_server, stopping, short_only) for short_only in (True, *[False] * config.workers)]
    threads = [threading.Thread(target=lane.run) for lane in lanes]
    for thread in threads:
        thread.start()
    while not stopping.wait(_CHECK_EVERY):
        pass
    for thread in threads:
        thread.join()


@dataclass(frozen=True)
class Lane:
    """A thread that does one job after another."""

    config: Config
    store: Store
    fork_server: JobForkServer
    stopping: threading.Event
    short_only: bool

    def run(self) -> None:
        """Do jobs until told to stop; errors of the database are waited out."""
        while not self.stopping.is_set():
            try:
                if self._do_next():
                    continue
            except Exception:
                _log.exception("looking for the next job failed")
            self.stopping.wait(_ASK_EVERY)

    def _do_next(self) -> bool:
        """Do the oldest job that this lane may do; False if there is none."""
        with self.store.reading() as session:
            due = waiting(session, short_only=self.short_only)
        if due:
            do_job(self.store, self.config, self.fork_server, due[0], stopping=self.stopping.is_set)
        return bool(due)


def _stop_after(until: Callable[[], Any], stopping: threading.Event) -> None:
    until()
    stopping.set()
