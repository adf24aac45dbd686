"""The context of a job: its function reads the request from it, tells its progress to it, and stores its result through
it.

A job that needs files while it works gets a scratch folder. Such folders hold students' work, so none may be left
behind.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from moss.config import Config
from moss.jobs.ledger import finish, tell
from moss.store import Store
from moss.store.tables import JobRow, LogLineRow, now

_TELL_EVERY = 0.5  # seconds between two updates of progress within a stage
_SCRATCH_PREFIX = "job-"


class JobError(Exception):
    """A job that cannot be done, for a reason that a user can understand; another attempt would not help."""


@dataclass
class JobContext:
    """One attempt at a job. Every method raises LostLeaseError once the job is no longer ours or is to be cancelled."""

    store: Store
    config: Config
    job_id: int
    lease: str
    payload: Mapping[str, Any]
    course_id: int | None = None
    user_id: int | None = None
    _stage: str = ""
    _told: float = 0.0
    _entered: float = 0.0
    _seconds: dict[str, float] = field(default_factory=dict)  # seconds that each finished stage took

    def progress(self, stage: str, done: int, total: int) -> None:
        """Store how far the job is; within a stage at most twice a second."""
        entered = stage != self._stage
        if not entered and time.monotonic() - self._told < _TELL_EVERY:
            return
        columns: dict[str, Any] = {"stage": str(stage), "done": done, "total": total}
        if entered:
            columns |= self._end_stage()
        with self.store.session() as session:
            tell(session, self.job_id, self.lease, **columns)
            if entered:
                session.add(LogLineRow(job_id=self.job_id, text=stage.capitalize()))
        self._stage, self._told = stage, time.monotonic()

    def _end_stage(self) -> dict[str, Any]:
        """The columns that say how long the stages so far took, and that the next one begins now."""
        moment = time.monotonic()
        if self._stage:
            self._seconds[self._stage] = self._seconds.get(self._stage, 0.0) + moment - self._entered
        self._entered = moment
        return {"stage_started": now(), "stage_seconds": self._seconds}

    def log(self, text: str) -> None:
        """Add a line to the job's log."""
        with self.saving() as session:
            session.add(LogLineRow(job_id=self.job_id, text=text))

    @contextmanager
    def saving(self) -> Iterator[Session]:
        """A transaction for intermediate results, which is rolled back if the job is no longer ours."""
        with self.store.session() as session:
            tell(session, self.job_id, self.lease)
            yield session

    @contextmanager
    def finishing(self) -> Iterator[Session]:
        """The transaction that stores the result and ends the job: both, or neither."""
        with self.store.session() as session:
            yield session
            session.flush()
            finish(session, self.job_id, self.lease)


@contextmanager
def scratch_folder(work: JobContext) -> Iterator[Path]:
    """An empty folder for this job, removed afterwards."""
    sweep_scratch_folders(work.store, work.config)
    folder = _scratch_place(work.config) / f"{_SCRATCH_PREFIX}{work.job_id}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep_scratch_folders(store: Store, config: Config) -> None:
    """Remove the folders of jobs that were killed and are over."""
    left = [(folder, _job_number(folder)) for folder in _scratch_place(config).glob(f"{_SCRATCH_PREFIX}*")]
    with store.reading() as session:
        jobs = {number: session.get(JobRow, number) for _, number in left}
    for folder, number in left:
        job = jobs[number]
        if job is None or job.is_over:
            shutil.rmtree(folder, ignore_errors=True)


def _scratch_place(config: Config) -> Path:
    return config.data / "work"


def _job_number(folder: Path) -> int:
    digits = folder.name.removeprefix(_SCRATCH_PREFIX)
    return int(digits) if digits.isascii() and digits.isdigit() else 0
