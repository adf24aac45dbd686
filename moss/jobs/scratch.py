"""Scratch folders for files that a job needs while it works. They hold students' work, so none may be left behind."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from moss.config import Config
from moss.jobs.job_context import JobContext
from moss.store import Store
from moss.store.tables import JobRow

_PREFIX = "job-"


@contextmanager
def scratch_folder(work: JobContext) -> Iterator[Path]:
    """An empty folder for this job, removed afterwards."""
    sweep(work.store, work.config)
    folder = _place(work.config) / f"{_PREFIX}{work.job_id}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(store: Store, config: Config) -> None:
    """Remove the folders of jobs that were killed and are over."""
    left = [(folder, _number(folder)) for folder in _place(config).glob(f"{_PREFIX}*")]
    with store.reading() as session:
        jobs = {number: session.get(JobRow, number) for _, number in left}
    for folder, number in left:
        job = jobs[number]
        if job is None or job.is_over:
            shutil.rmtree(folder, ignore_errors=True)


def _place(config: Config) -> Path:
    return config.data / "work"


def _number(folder: Path) -> int:
    digits = folder.name.removeprefix(_PREFIX)
    return int(digits) if digits.isascii() and digits.isdigit() else 0
