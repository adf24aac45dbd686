"""The ledger: which jobs there are, who works on them, and how they ended.

The database is the queue: workers ask it for jobs. A worker claims a job by one conditional update and gets a
**lease**, a secret of this attempt. Everything it writes afterwards holds only while it has the lease. So of two
workers, or of one that was thought dead and came back, at most one has an effect. Whatever follows from a job's end
happens in the transaction that ends it.

Each process registers the kinds of jobs that it knows: the function that does each, and what follows from its end.
`moss.server_jobs` puts them together, because it may import the packages above this one that add kinds of their own. A
process that has not registered any cannot end a job: it would leave out what follows from the end.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Update, or_, select, update
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.store.queue_lanes import is_short, with_line
from moss.store.tables import JobRow, JobState, LogLineRow, now

if TYPE_CHECKING:
    from moss.jobs.job_context import JobContext

ATTEMPTS = 3
_FIRST_PAUSE = 2  # seconds after the first failed attempt; five times as long after each further one


class LostLeaseError(Exception):
    """The worker no longer has the job: it is to be cancelled, or was given to another worker."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job. The name is stored with each job, so it never changes."""

    name: str
    function: Callable[[JobContext], None]  # does the job
    ending: Callable[[Session, JobRow], None] | None = None  # called in the transaction that ends it, however it ends
    on_full_disk: bool = False  # it is also done when there is no room left to store anything


_KINDS: dict[str, JobKind] = {}


def register(*kinds: JobKind) -> None:
    """Add kinds of jobs; one with the same name is replaced."""
    _KINDS.update({kind.name: kind for kind in kinds})


def job_kind(name: str) -> JobKind | None:
    """The kind with this name; None for one that only another version of the program knows."""
    if not _KINDS:
        raise RuntimeError("no kinds of jobs are registered: call moss.server_jobs.register_jobs() first")
    return _KINDS.get(name)


def add_job(
    session: Session, kind: str, payload: dict[str, Any], *, course_id: int | None = None, user_id: int | None = None
) -> JobRow:
    """Add a job, which a worker finds once the transaction is committed."""
    job = JobRow(kind=kind, payload=with_line(session, kind, payload), course_id=course_id, user_id=user_id)
    session.add(job)
    session.flush()
    return job


def waiting(session: Session, *, short_only: bool = False) -> Sequence[int]:
    """The ids of jobs that may be started now, oldest first; only short ones, if asked."""
    columns = select(JobRow.id, JobRow.kind, JobRow.payload)  # not whole rows: every worker asks several times a second
    rows = session.execute(columns.where(JobRow.state == JobState.QUEUED, _may_begin()).order_by(JobRow.id))
    return [row.id for row in rows if is_short(row) or not short_only]


def running(session: Session) -> dict[int, tuple[str, object]]:
    """The lease and the last heartbeat of each job that a worker has claimed, by id."""
    rows = session.execute(select(JobRow.id, JobRow.lease, JobRow.heartbeat).where(JobRow.state == JobState.RUNNING))
    return {row.id: (row.lease, row.heartbeat) for row in rows}


def claim(session: Session, job_id: int) -> str | None:
    """Claim a queued job: returns its lease, or None if another worker has it, or it is over, or must wait."""
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
    """Store a heartbeat; False if the job is no longer ours or is to be cancelled."""
    return _changed(session, _ours(job_id, lease).where(JobRow.cancel.is_(False)).values(heartbeat=now()))


def tell(session: Session, job_id: int, lease: str, **columns: Any) -> None:
    """Store how far the job is; raises LostLeaseError if it is no longer ours or is to be cancelled."""
    ours = _ours(job_id, lease).where(JobRow.cancel.is_(False))
    if not _changed(session, ours.values(heartbeat=now(), **columns)):
        raise LostLeaseError(f"job {job_id} is no longer ours")


def finish(session: Session, job_id: int, lease: str) -> None:
    """Mark the job as done, in the transaction that stores its result; raises LostLeaseError as `tell` does, which
    rolls that back."""
    ours = _ours(job_id, lease).where(JobRow.cancel.is_(False))
    if not _changed(session, ours.values(state=JobState.DONE, finished=now(), lease="")):
        raise LostLeaseError(f"job {job_id} is no longer ours")
    _follow(session, session.get_one(JobRow, job_id, populate_existing=True))


def fail(session: Session, job_id: int, lease: str, reason: str) -> bool:
    """End the job as failed, for a reason in one sentence; False if it is no longer ours."""
    job = _held(session, job_id, lease)
    if job is not None:
        _end(session, job, JobState.CANCELLED if job.cancel else JobState.FAILED, reason)
    return job is not None


def give_back(session: Session, job_id: int, lease: str, why: str, *, counts: bool = True) -> bool:
    """End an attempt without a result: the job is queued again, or fails if this was its last attempt.

    `why` completes the sentence that is logged. An attempt that we interrupted ourselves does not count. Returns False
    if the job is no longer ours.
    """
    job = _held(session, job_id, lease)
    if job is None:
        return False
    session.add(LogLineRow(job_id=job.id, text=f"Attempt {job.attempts} ended: {why}."))
    if job.cancel:
        _end(session, job, JobState.CANCELLED, "")
    elif counts and job.attempts >= ATTEMPTS:
        _end(session, job, JobState.FAILED, _("It was tried %(n)s times. The last time, %(why)s.", n=ATTEMPTS, why=why))
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
    """Cancel a job: at once if nobody works on it, else as soon as its worker notices; False if it is over."""
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
    """Call what follows from the end of a job of this kind."""
    kind = job_kind(job.kind)
    if kind is not None and kind.ending is not None:
        kind.ending(session, job)


def _held(session: Session, job_id: int, lease: str) -> JobRow | None:
    """The job, locked until the transaction ends, if it is ours."""
    query = select(JobRow).where(JobRow.id == job_id, JobRow.lease == lease, JobRow.state == JobState.RUNNING)
    return session.scalar(query.with_for_update(), execution_options={"populate_existing": True})


def _changed(session: Session, statement: Update) -> bool:
    """Whether the update changed a row."""
    return session.connection().execute(statement).rowcount == 1


def _may_begin() -> Any:
    return or_(JobRow.not_before.is_(None), JobRow.not_before <= now())


def _ours(job_id: int, lease: str) -> Update:
    return update(JobRow).where(JobRow.id == job_id, JobRow.lease == lease, JobRow.state == JobState.RUNNING)
