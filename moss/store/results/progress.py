"""Progress: how far a run is and, if possible, how long it will still take.

A run goes through stages. The time that each took in the last run of the same assignment says how long they will take
now. Without such a run, the part of the present stage that is done says how long the rest of it will take, and nothing
is said about the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.messages import counted
from moss.messages import gettext as _
from moss.model import Stage
from moss.store.queue_lanes import ahead_of
from moss.store.tables import JobRow, JobState, RunRow, now

_ENOUGH = 2.0  # seconds of a stage after which its pace is known

Seconds = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is."""

    state: JobState
    stage: str
    done: int
    total: int  # 0: not known
    left: str  # the time left, in words; empty if it is not known
    ahead: int  # jobs that come before it
    attempt: int
    cancelling: bool
    reason: str

    @property
    def share(self) -> float | None:
        """The share of the stage that is done, if that is known."""
        return min(1.0, self.done / self.total) if self.total else None


def progress_of(session: Session, run: RunRow) -> RunProgress:
    """How far a run is."""
    job = run.job
    if job is None:
        state = JobState.DONE if run.finished else JobState.FAILED
        return RunProgress(state, "", 0, 0, "", 0, 0, False, "" if run.finished else _("The server lost track of it."))
    left = _left(session, run, job) if job.state is JobState.RUNNING else ""
    ahead = ahead_of(session, job) if job.state is JobState.QUEUED else 0
    return RunProgress(job.state, job.stage, job.done, job.total, left, ahead, job.attempts, job.cancel, job.reason)


def _left(session: Session, run: RunRow, job: JobRow) -> str:
    spent = (now() - (job.stage_started or now())).total_seconds()
    earlier = _earlier(session, run)
    if job.stage in earlier:
        left = in_words(left_by_earlier(earlier, job.stage, job.done, job.total, spent))
        return _("%(time)s left", time=left)
    seconds = left_in_stage(job.done, job.total, spent)
    return _("%(time)s left in this step", time=in_words(seconds)) if seconds is not None else ""


def left_by_earlier(earlier: Seconds, stage: str, done: int, total: int, spent: float) -> float:
    """Seconds until the end: the rest of this stage, at its own pace or that of the earlier run, and all later
    stages."""
    rest = left_in_stage(done, total, spent)
    if rest is None:
        rest = max(0.0, earlier[stage] - spent)
    stages = list(Stage)
    return rest + sum(earlier.get(later, 0.0) for later in stages[stages.index(Stage(stage)) + 1 :])


def left_in_stage(done: int, total: int, spent: float) -> float | None:
    """Seconds until the end of a stage at its pace so far, if it has gone on long enough to tell."""
    if not total or not done or spent < _ENOUGH:
        return None
    return max(0.0, (total - done) * spent / done)


def in_words(seconds: float) -> str:
    """A time in words, roughly."""
    if seconds < 10:
        return _("a few seconds")
    if seconds < 55:
        return _("about %(time)s", time=counted(int(round(seconds, -1)), "second"))
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return _("about %(time)s", time=counted(minutes, "minute"))
    hours = round(seconds / 3600)
    return _("about %(time)s", time=counted(hours, "hour"))


def _earlier(session: Session, run: RunRow) -> Seconds:
    """The seconds that each stage took in the last finished run of the same assignment."""
    query = (
        select(JobRow)
        .join(RunRow, RunRow.job_id == JobRow.id)
        .where(RunRow.assignment_id == run.assignment_id, RunRow.id != run.id, JobRow.state == JobState.DONE)
        .order_by(RunRow.number.desc())
    )
    job = session.scalar(query.limit(1))
    if job is None or job.finished is None:
        return {}
    last = (job.finished - (job.stage_started or job.finished)).total_seconds()
    return {**job.stage_seconds, job.stage: job.stage_seconds.get(job.stage, 0.0) + last}
