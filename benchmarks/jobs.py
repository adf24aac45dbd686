"""How long a job waits until a worker that has nothing to do begins it, and what the worker costs while it waits.

    python benchmarks/jobs.py [--jobs 40] [--idle 20] [--database-url URL] [--keep FILE]

A real `moss worker` and its real ledger: on a SQLite file in a temporary folder, or on the PostgreSQL that is named,
whose database must be empty. Jobs that find nothing to do are added at moments that the worker cannot know. Linux
only: it reads /proc.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from findings import Table
from kept import add_option, show
from measuring import cpu_of, tree
from sqlalchemy import text

from moss.config import Config, environment_of
from moss.jobs.ledger import add_job
from moss.store import Store
from moss.store.tables import JobRow, now


def processes(worker: int, store: Store) -> dict[str, list[int]]:
    """The worker's processes, and those in which a PostgreSQL on this machine serves it."""
    found = {"worker": tree(worker)}
    if not store.is_sqlite:
        others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        with store.engine.connect() as connection:
            found["PostgreSQL"] = [int(pid) for pid in connection.execute(text(others)).scalars()]
    return found


def add(store: Store) -> tuple[int, datetime]:
    """A job that finds nothing to do, and when it was there for others to see."""
    with store.session() as session:
        job_id = add_job(session, "forget", {}).id
    return job_id, now()


def finished(store: Store, job_id: int) -> JobRow:
    """The job, when it is over."""
    while True:
        with store.reading() as session:
            job = session.get_one(JobRow, job_id)
        if job.is_over:
            return job
        time.sleep(0.05)


def waits(store: Store, count: int) -> list[float]:
    """Seconds from adding to beginning, shortest first."""
    chance, taken = random.Random(1), []
    for _ in range(count):
        job_id, added = add(store)
        job = finished(store, job_id)
        assert job.started is not None, job.reason
        taken.append((job.started - added).total_seconds())
        time.sleep(chance.uniform(0, 0.5))
    return sorted(taken)


def idle(worker: int, store: Store, seconds: float) -> dict[str, float]:
    """The share of a core that waiting costs."""
    watched = processes(worker, store)
    before = {name: cpu_of(pids) for name, pids in watched.items()}
    time.sleep(seconds)
    return {name: (cpu_of(pids) - before[name]) / seconds for name, pids in watched.items()}


def measure(config: Config, count: int, seconds: float) -> list[str]:
    """Start a worker and measure: a row of the table."""
    store = Store(config.database)
    store.migrate()
    command = [sys.executable, "-m", "moss", "worker"]
    worker = subprocess.Popen(command, env=os.environ | environment_of(config), stdout=subprocess.DEVNULL)
    try:
        finished(store, add(store)[0])  # from here on it is at work
        taken = waits(store, count)
        share = idle(worker.pid, store, seconds)
    finally:
        worker.terminate()
        worker.wait()
        store.close()
    idling = ", ".join(f"{100 * cost:.2f} % by {name}" for name, cost in share.items())
    waited = [f"{1000 * taken[len(taken) // 2]:.0f}", f"{1000 * taken[-1]:.0f}"]
    return [store.engine.dialect.name, str(count), *waited, idling]


def main() -> None:
    """Measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=40)
    options.add_argument("--idle", type=float, default=20, metavar="SECONDS")
    options.add_argument("--database-url", default="")
    add_option(options)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        row = measure(Config(data=Path(folder), database_url=given.database_url), given.jobs, given.idle)
    headings = ["database", "jobs", "begun after, median ms", "at most, ms", "of a core while idle"]
    show(given.keep, "jobs", Table(headings, [row]))


if __name__ == "__main__":
    main()
