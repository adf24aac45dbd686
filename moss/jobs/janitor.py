"""Tending: jobs whose worker died are taken back, daily ones are added.

A worker counts as dead when its sign of life has been the same for several of our looks. We count looks, and take the
database's write lock for each, so neither a clock that is wrong on another machine nor a long transaction, which holds
up signs of life and looks alike, makes the living dead.
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
_CHORE_EVERY = 30  # looks
_log = logging.getLogger("moss.jobs")


@dataclass
class Janitor:
    """Looks after all jobs."""

    store: Store
    patience: int  # looks without a new sign of life after which a worker counts as dead
    chore: Callable[[Session], None] = lambda session: None  # adds jobs whose time has come; done now and then
    _looks: int = 0
    _silent: dict[int, tuple[object, int]] = field(default_factory=dict)  # last sign of life, looks since

    def look(self) -> None:
        """Look once."""
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
        """Look again and again."""
        while not stopping.is_set():
            try:
                self.look()
            except Exception:  # the database may be away for a while
                _log.exception("looking after the jobs failed")
            stopping.wait(LOOK_EVERY)
