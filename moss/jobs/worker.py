"""A worker: does the jobs that wait until it is told to stop, and then gives back what it had begun.

Its threads ask the ledger for the next job whenever a ring of the queue, or a look around, wakes them. One thread more
than `workers` says takes short jobs only, so that they never wait behind long ones (`moss.store.waiting_line`).
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from moss.config import Config
from moss.jobs.daily import add_daily_jobs
from moss.jobs.ledger import waiting
from moss.jobs.nursery import Nursery
from moss.jobs.queue import open_queue
from moss.jobs.supervising import do_job
from moss.jobs.tending import LOOK_EVERY, Tending
from moss.store import Store

_LISTEN_EVERY = 0.25  # seconds, at most, until a ring in the file of SQLite's is heard; Redis tells at once
_CHECK_EVERY = 10.0  # seconds between two looks whether all threads live
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_log = logging.getLogger("moss.jobs")


def run_worker(config: Config, until: Callable[[], Any] | None = None) -> None:
    """Work until a signal says stop, or until `until` returns."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    store = Store(config.database)
    try:
        with Nursery() as nursery:
            _work(config, store, nursery, until)
    finally:
        store.close()


def _work(config: Config, store: Store, nursery: Nursery, until: Callable[[], Any] | None) -> None:
    stopping = threading.Event()
    lanes = [Lane(config, store, nursery, stopping, short_only) for short_only in (True, *[False] * config.workers)]

    def wake(job_id: int) -> None:
        for lane in lanes:
            lane.wake()

    queue = open_queue(config, wake)
    queue.check()
    patience = max(1, round(config.lease_seconds / LOOK_EVERY))
    tending = Tending(store, patience, wake, set, add_daily_jobs)
    consumer = queue.huey.create_consumer(
        workers=1, worker_type="thread", periodic=False, initial_delay=0.1, max_delay=_LISTEN_EVERY
    )
    consumer.start()
    # After `start`, which sets handlers of its own. In a thread, because a handler that interrupts `stopping.wait`
    # could wait for ever for the lock that this holds.
    for each in _SIGNALS:
        signal.signal(each, lambda *_: threading.Thread(target=stopping.set).start())
    threading.Thread(target=tending.run, args=(stopping,), daemon=True).start()
    if until is not None:
        threading.Thread(target=_stop_after, args=(until, stopping), daemon=True).start()
    threads = [threading.Thread(target=lane.run) for lane in lanes]
    for thread in threads:
        thread.start()
    _wait(consumer, stopping)
    wake(0)
    for thread in threads:
        thread.join()


@dataclass(frozen=True)
class Lane:
    """A thread that does one job after another."""

    config: Config
    store: Store
    nursery: Nursery
    stopping: threading.Event
    short_only: bool
    _bell: threading.Event = field(default_factory=threading.Event)

    def wake(self) -> None:
        """There may be something to do."""
        self._bell.set()

    def run(self) -> None:
        """Do jobs until it is time to stop; an accident of the database is waited out."""
        while not self.stopping.is_set():
            self._bell.clear()
            try:
                if self._do_next():
                    continue
            except Exception:
                _log.exception("looking for the next job failed")
            self._bell.wait(LOOK_EVERY)

    def _do_next(self) -> bool:
        """Do the oldest job that this lane may do; False if there is none."""
        with self.store.reading() as session:
            due = waiting(session, short_only=self.short_only)
        if due:
            do_job(self.store, self.config, self.nursery, due[0], stopping=self.stopping.is_set)
        return bool(due)


def _stop_after(until: Callable[[], Any], stopping: threading.Event) -> None:
    until()
    stopping.set()


def _wait(consumer: Any, stopping: threading.Event) -> None:
    """Keep the thread that hears rings alive, until it is time to stop."""
    while not stopping.wait(_CHECK_EVERY):
        consumer.check_worker_health()
    consumer.stop_flag.set()
    for _, thread in consumer.worker_threads:
        thread.join()
