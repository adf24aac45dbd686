"""The ledger: which jobs there are, who works on them, and how they ended.

The database is the queue: workers ask it for what waits. A worker claims a job by one conditional update and gets a
**lease**, a secret of this attempt. All that it writes afterwards holds only while the lease is its own, so of two
workers, or of one that was thought dead and came back, one at most has an effect. What follows from a job's end,
however it ended, is done in the transaction that ends it.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Update, or_, select, update
from sqlalchemy.orm import Session

from moss.jobs.registry import job_kind
from moss.store.queue_lanes import is_short, with_line
from moss.store.tables import JobRow, JobState, LogLineRow, now

ATTEMPTS = 3
_FIRST_PAUSE = 2  # seconds after the first attempt that went wrong; five times as long after each further one


class LostLeaseError(Exception):
    """The job is no longer this worker's: it is to be cancelled, or was given to another."""


def add_job(
    session: Session, kind: str, payload: dict[str, Any], *, course_id: int | None = None, user_id: int | None = None
) -> JobRow:
    """A new job, which some worker finds once the transaction is committed."""
    job = JobRow(kind=kind, payload=with_line(session, kind, payload), course_id=course_id, user_id=user_id)
    session.add(job)
    session.flush()
    return job


def waiting(session: Session, *, short_only: bool = False) -> Sequence[int]:
    """The jobs that somebody should do now, oldest first; only those of the line of short ones, if asked."""
    columns = select(JobRow.id, JobRow.kind, JobRow.payload)  # not whole jobs: every worker asks several times a second
    rows = session.execute(columns.where(JobRow.state == JobState.QUEUED, _may_begin()).order_by(JobRow.id))
    return [row.id for row in rows if is_short(row) or not short_only]


def running(session: Session) -> dict[int, tuple[str, object]]:
    """Each job that somebody works on, with the lease and the last sign of life."""
    rows = session.execute(select(JobRow.id, JobRow.lease, JobRow.heartbeat).where(JobRow.state == JobState.RUNNING))
    return {row.id: (row.lease, row.heartbeat) for row in rows}


def claim(session: Session, job_id: int) -> str | None:
    """Take a queued job: its lease, or None if somebody else has it, or it is over, or must wait."""
    lease = secrets.token_hex(16)
    moment = now()
    taken = _changed(session,
        update(JobRow)
        .where(JobRow.id == job_id, JobRow.state == JobState.QUEUED, _may_begin())
        .values(state=JobState.RUNNING, lease=lease, heartbeat=moment, started=moment, attempts=JobRow.attempts + 1,
                stage="", done=0, total=0, stage_started=moment, stage_seconds={}, not_before=None)
    )  # fmt: skip
    return lease if taken else None


def beat(session: Session, job_id: int, lease: str) -> bool:
    """Give a sign of life; False if the job is no longer ours or is to be cancelled."""
    return _changed(session, _ours(job_id, lease).where(JobRow.cancel.is_(False)).values(heartbeat=now()))


def tell(session: Session, job_id: int, lease: str, **columns: Any) -> None:
    """Write down how far the job is; raises LostLeaseError if it is no longer ours or is to be cancelled."""
    ours = _ours(job_id, lease).where(JobRow.cancel.is_(False))
    if not _changed(session, ours.values(heartbeat=now(), **columns)):
        raise LostLeaseError(f"job {job_id} is no longer ours")


def finish(session: Session, job_id: int, lease: str) -> None:
    """The job is done, in the transaction of its result; raises LostLeaseError as `tell` does, which undoes that."""
    ours = _ours(job_id, lease).where(JobRow.cancel.is_(False))
    if not _changed(session, ours.values(state=JobState.DONE, finished=now(), lease="")):
        raise LostLeaseError(f"job {job_id} is no longer ours")
    _follow(session, session.get_one(JobRow, job_id, populate_existing=True))


def fail(session: Session, job_id: int, lease: str, reason: str) -> bool:
    """The job cannot be done, and why, in a sentence; False if it is no longer ours."""
    job = _held(session, job_id, lease)
    if job is not None:
        _end(session, job, JobState.CANCELLED if job.cancel else JobState.FAILED, reason)
    return job is not None


def give_back(session: Session, job_id: int, lease: str, why: str, *, counts: bool = True) -> bool:
    """An attempt ended without a result, because `why`: the job is queued again, or is over if it was the last one.

    An attempt that does not count is one that we broke off ourselves. False if the job is no longer ours.
    """
    job = _held(session, job_id, lease)
    if job is None:
        return False
    session.add(LogLineRow(job_id=job.id, text=f"Attempt {job.attempts} ended: {why}."))
    if job.cancel:
        _end(session, job, JobState.CANCELLED, "")
    elif counts and job.attempts >= ATTEMPTS:
        _end(session, job, JobState.FAILED, f"It was tried {ATTEMPTS} times; the last time {why}.")
    else:
        _queue_again(job, counts)
    return True


def _queue_again(job: JobRow, counts: bool) -> None:
    job.state, job.lease = JobState.QUEUED, ""
    if counts:
        job.not_before = now() + timedelta(seconds=_FIRST_PAUSE * 5 ** (job.attempts - 1))
    else:
        job.attempts -= 1


def cancel(session: Session, job_id: int) -> bool:
    """Stop a job: at once if nobody works on it, else as soon as its worker looks; False if it is over."""
    job = session.get(JobRow, job_id, with_for_update=True, populate_existing=True)
    if job is None or job.is_over:
        return False
    job.cancel = True
    if job.state is JobState.QUEUED:
        _end(session, job, JobState.CANCELLED, "")
    return True


def _end(session: Session, job: JobRow, state: JobState, reason: str) -> None:
    job.state, job.lease, job.finished, job.reason = state, "", now(), reason
    session.add(LogLineRow(job_id=job.id, text=reason or "Cancelled."))
    session.flush()
    _follow(session, job)


def _follow(session: Session, job: JobRow) -> None:
    """Do what follows from the end of a job of this kind."""
    kind = job_kind(job.kind)
    if kind is not None and kind.ending is not None:
        kind.ending(session, job)


def _held(session: Session, job_id: int, lease: str) -> JobRow | None:
    """The job, held against others until the transaction ends, if it is ours."""
    query = select(JobRow).where(JobRow.id == job_id, JobRow.lease == lease, JobRow.state == JobState.RUNNING)
    return session.scalar(query.with_for_update(), execution_options={"populate_existing": True})


def _changed(session: Session, statement: Update) -> bool:
    """Whether the update found its row."""
    return session.connection().execute(statement).rowcount == 1


def _may_begin() -> Any:
    return or_(JobRow.not_before.is_(None), JobRow.not_before <= now())


def _ours(job_id: int, lease: str) -> Update:
    return update(JobRow).where(JobRow.id == job_id, JobRow.lease == lease, JobRow.state == JobState.RUNNING)
