"""A worker: takes jobs from the queue until it is told to stop, and then gives back what it had begun."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from moss.config import Config
from moss.jobs.daily import add_daily_jobs
from moss.jobs.nursery import Nursery
from moss.jobs.queue import open_queue
from moss.jobs.supervising import do_job
from moss.jobs.tending import LOOK_EVERY, Tending
from moss.store import Store

_LISTEN_EVERY = 0.25  # seconds, at most, until a ring in the file of SQLite's is heard; Redis tells at once
_CHECK_EVERY = 10.0  # seconds between two looks whether all threads live
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


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
    queue = open_queue(config, partial(do_job, store, config, nursery, stopping=stopping.is_set))
    queue.check()
    patience = max(1, round(config.lease_seconds / LOOK_EVERY))
    tending = Tending(store, patience, queue.ring, queue.rung, add_daily_jobs)
    consumer = queue.huey.create_consumer(
        workers=config.workers, worker_type="thread", periodic=False, initial_delay=0.1, max_delay=_LISTEN_EVERY
    )
    consumer.start()
    # After `start`, which sets handlers of its own. In a thread, because a handler that interrupts `stopping.wait`
    # could wait for ever for the lock that this holds.
    for each in _SIGNALS:
        signal.signal(each, lambda *_: threading.Thread(target=stopping.set).start())
    threading.Thread(target=tending.run, args=(stopping,), daemon=True).start()
    if until is not None:
        threading.Thread(target=_stop_after, args=(until, stopping), daemon=True).start()
    _wait(consumer, stopping)


def _stop_after(until: Callable[[], Any], stopping: threading.Event) -> None:
    until()
    stopping.set()


def _wait(consumer: Any, stopping: threading.Event) -> None:
    """Keep the threads that do jobs alive, until it is time to stop; then wait until they have given theirs back."""
    while not stopping.wait(_CHECK_EVERY):
        consumer.check_worker_health()
    consumer.stop_flag.set()
    for _, thread in consumer.worker_threads:
        thread.join()
