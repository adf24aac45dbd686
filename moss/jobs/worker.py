"""A worker: does waiting jobs until it is told to stop, and then gives back those that it has begun.

Its threads ask the ledger for the next job, again and again. One thread more than `workers` says takes short jobs only,
so that these never wait behind long ones (`moss.store.queue_lanes`). Another thread is the janitor, which takes back
the jobs of workers that have died, and adds daily jobs.

A worker counts as dead when its heartbeat has not changed for several checks. We count checks instead of reading
clocks, and each check takes the database's write lock. So neither a wrong clock on another machine nor a long
transaction, which delays heartbeats and checks alike, makes a living worker count as dead. Daily jobs: every janitor
asks often whether they are due, and one of them adds each.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from moss import version
from moss.config import Config
from moss.jobs.ledger import add_job, give_back, running, waiting
from moss.jobs.supervisor import JobForkServer, do_job
from moss.store import Store
from moss.store.submissions.fingerprints import count_behind
from moss.store.tables import JobRow, ServerValueRow, now

_ASK_EVERY = 0.25  # seconds between two questions for a job: the longest that a job waits for an idle worker
_CHECK_EVERY = 10.0  # seconds after which the main thread wakes, for systems on which no signal wakes it
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_log = logging.getLogger("moss.jobs")
LOOK_EVERY = 2.0  # seconds
_CHORE_EVERY = 30  # checks

# Names of the server values that say for which day each job was last added.
_FORGOTTEN = "forgotten on"
_REINDEXED = "fingerprints made anew on"


def run_worker(config: Config, job_process: Sequence[str], until: Callable[[], Any] | None = None) -> None:
    """Work until a signal says stop, or until `until` returns; `job_process` is the command that does jobs."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    with closing(Store(config.database)) as store, JobForkServer(job_process) as fork_server:
        _work(config, store, fork_server, until)


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


@dataclass
class Janitor:
    """Looks after all jobs."""

    store: Store
    patience: int  # checks without a new heartbeat after which a worker counts as dead
    chore: Callable[[Session], None] = lambda session: None  # adds jobs that are due; called now and then
    _looks: int = 0
    _silent: dict[int, tuple[object, int]] = field(default_factory=dict)  # last heartbeat, checks since then

    def look(self) -> None:
        """Check all running jobs once."""
        with self.store.session() as session:
            self._take_back(session)
            if self._looks % _CHORE_EVERY == 0:
                self.chore(session)
        self._looks += 1

    def _take_back(self, session: Session) -> None:
        signs = running(session)
        before = self._silent
        self._silent = {}
        for job_id, sign in signs.items():
            last, looks = before.get(job_id, (None, 0))
            looks = looks + 1 if sign == last else 0
            if looks < self.patience:
                self._silent[job_id] = (sign, looks)
            else:
                stage = session.get_one(JobRow, job_id).stage or "starting"
                give_back(session, job_id, sign[0], f"its worker stopped without a word (while {stage})")

    def run(self, stopping: threading.Event) -> None:
        """Check again and again until told to stop."""
        while not stopping.is_set():
            try:
                self.look()
            except Exception:  # the database may be unreachable for a while
                _log.exception("looking after the jobs failed")
            stopping.wait(LOOK_EVERY)


def add_daily_jobs(session: Session) -> None:
    """Add the jobs that delete expired data and read texts again by newer rules, unless they were added today."""
    if is_due(session, now()):
        add_job(session, "forget", {})
    if count_behind(session) and _is_new(session, _REINDEXED, f"{now().date()}, {_rules()}"):
        add_job(session, "reindex", {})


def _rules() -> str:
    return f"scan {version.SCAN_VERSION}, hash {version.HASH_VERSION}"


def is_due(session: Session, moment: datetime) -> bool:
    """Whether nobody has asked yet on this day in UTC; asking counts once the transaction is committed."""
    return _is_new(session, _FORGOTTEN, moment.date().isoformat())


def _is_new(session: Session, name: str, value: str) -> bool:
    """Set a server value; False if it was set already. Of several processes that set it at once, one gets True."""
    if session.scalar(select(ServerValueRow.value).filter_by(name=name)) == value:
        return False
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    session.execute(insert(ServerValueRow).values(name=name, value="").on_conflict_do_nothing(index_elements=["name"]))
    taken = update(ServerValueRow).where(ServerValueRow.name == name, ServerValueRow.value != value).values(value=value)
    return session.connection().execute(taken).rowcount == 1
