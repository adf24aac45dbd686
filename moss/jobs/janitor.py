"""The janitor takes jobs back whose worker has died, and adds daily jobs.

A worker counts as dead when its heartbeat has not changed for several checks. We count checks instead of reading
clocks, and each check takes the database's write lock. So neither a wrong clock on another machine nor a long
transaction, which delays heartbeats and checks alike, makes a living worker count as dead.

Daily jobs: every janitor asks often whether they are due, and one of them adds each.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from moss import version
from moss.jobs.ledger import add_job, give_back, running
from moss.store import Store
from moss.store.submissions.fingerprints import count_behind
from moss.store.tables import JobRow, ServerValueRow, now

LOOK_EVERY = 2.0  # seconds
_CHORE_EVERY = 30  # checks
_log = logging.getLogger("moss.jobs")

# Names of the server values that say for which day each job was last added.
_FORGOTTEN = "forgotten on"
_REINDEXED = "fingerprints made anew on"


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
