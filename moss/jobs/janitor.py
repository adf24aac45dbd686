"""The janitor takes jobs back whose worker has died, and adds daily jobs.

A worker counts as dead when its heartbeat has not changed for several checks. We count checks instead of reading
clocks, and each check takes the database's write lock. So neither a wrong clock on another machine nor a long
transaction, which delays heartbeats and checks alike, makes a living worker count as dead.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from moss.jobs.ledger import give_back, running
from moss.store import Store
from moss.store.tables import JobRow

LOOK_EVERY = 2.0  # seconds
_CHORE_EVERY = 30  # checks
_log = logging.getLogger("moss.jobs")


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
