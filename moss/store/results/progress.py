"""Progress: how far a run is and, if possible, how long it will still take.

A run goes through stages. The time that each took in an earlier run says how long it will take now: in the last one of
the same assignment, or else in the newest of the server, in proportion to the number of submissions. As soon as stages
of this run are over, what they took tells by how much it is slower or faster than that. Without any earlier run, the
part of the present stage that is done says how long the rest of it will take, and nothing is said about the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from moss.messages import counted
from moss.messages import gettext as _
from moss.model import ReferenceKind, Role, Stage, Standing, kind_of
from moss.store.queue_lanes import ahead_of
from moss.store.results.reference_kinds import kind_columns, kind_in
from moss.store.results.reports import baseline_of
from moss.store.submissions.lists import NAME_OF_STUDENT, with_students
from moss.store.tables import AssignmentRow, JobRow, JobState, PairRow, RunEntryRow, RunRow, SubmissionRow, now

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


@dataclass(frozen=True, slots=True)
class FirstPair:
    """One of the best pairs of a run, whether its report is there or its passages are still sought."""

    rank: int  # 0: the report is not there yet
    names: tuple[str, str]
    kind: ReferenceKind | None  # of what one of the two is, if it is a reference
    score: float
    standing: Standing


def first_pairs_of(session: Session, run: RunRow, most: int) -> list[FirstPair]:
    """The best pairs of a run, as far as they are known."""
    if run.finished is None:
        return _while_under_way(session, run, most)
    baseline = baseline_of(session, run)
    a, b = aliased(RunEntryRow), aliased(RunEntryRow)
    query = (
        select(PairRow.rank, a.label.label("a"), b.label.label("b"), PairRow.score, *kind_columns(a, b))
        .join(a, (a.run_id == PairRow.run_id) & (a.number == PairRow.a))
        .join(b, (b.run_id == PairRow.run_id) & (b.number == PairRow.b))
        .where(PairRow.run_id == run.id, PairRow.behind == 0)
        .order_by(PairRow.rank)
        .limit(most)
    )
    return [
        FirstPair(row.rank, (row.a, row.b), kind_in(row), row.score, baseline.standing(row.score))
        for row in session.execute(query)
    ]


def _while_under_way(session: Session, run: RunRow, most: int) -> list[FirstPair]:
    pairs = run.first_pairs[:most]
    ids = {id for a, b, _ in pairs for id in (a, b)}
    columns = (SubmissionRow.id, NAME_OF_STUDENT.label("owner"), SubmissionRow.assignment_id, AssignmentRow.name,
               SubmissionRow.role, SubmissionRow.reference)  # fmt: skip
    query = with_students(select(*columns).join(AssignmentRow)).where(SubmissionRow.id.in_(ids))
    rows = session.execute(query).all()
    name = {
        row.id: row.owner if row.assignment_id == run.assignment_id else f"{row.owner} ({row.name})" for row in rows
    }
    kind = {
        row.id: kind_of(row.role if row.assignment_id == run.assignment_id else Role.ARCHIVE, row.reference)
        for row in rows
    }
    return [
        FirstPair(0, (name[a], name[b]), kind.get(a) or kind.get(b), score, Standing.ORDINARY)
        for a, b, score in pairs
        if a in name and b in name
    ]


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
    earlier = expected(job.stage_seconds, _earlier(session, run))
    if job.stage in earlier:
        left = in_words(left_by_earlier(earlier, job.stage, job.done, job.total, spent))
        return _("%(time)s left", time=left)
    seconds = left_in_stage(job.done, job.total, spent)
    return _("%(time)s left in this step", time=in_words(seconds)) if seconds is not None else ""


def expected(so_far: Seconds, earlier: Seconds) -> Seconds:
    """The seconds that each stage will take: those of an earlier run, changed by as much as the stages that are over
    now differed from it, if those took long enough to tell."""
    now_took = sum(seconds for stage, seconds in so_far.items() if stage in earlier)
    then_took = sum(earlier[stage] for stage in so_far if stage in earlier)
    factor = now_took / then_took if min(now_took, then_took) >= _ENOUGH else 1.0
    return {stage: factor * seconds for stage, seconds in earlier.items()}


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
    """The seconds that each stage took in the last finished run of the same assignment or, if there is none, in the
    server's, for as many submissions."""
    query = select(RunRow, JobRow).join(JobRow, RunRow.job_id == JobRow.id).where(JobRow.state == JobState.DONE)
    of_this = query.where(RunRow.assignment_id == run.assignment_id).order_by(RunRow.number.desc())
    found = session.execute(of_this.limit(1)).first()
    if found is not None:
        return _seconds(found[1])
    other = session.execute(query.where(JobRow.kind == "run").order_by(RunRow.id.desc()).limit(1)).first()
    if other is None:
        return {}
    factor = _size(session, run) / max(1, _size(session, other[0]))
    return {stage: factor * seconds for stage, seconds in _seconds(other[1]).items()}


def _seconds(job: JobRow) -> Seconds:
    """The seconds that each stage of a finished job took."""
    if job.finished is None:
        return {}
    last = (job.finished - (job.stage_started or job.finished)).total_seconds()
    return {**job.stage_seconds, job.stage: job.stage_seconds.get(job.stage, 0.0) + last}


def _size(session: Session, run: RunRow) -> int:
    """How many submissions there are for a run, all versions counted."""
    mine = SubmissionRow.assignment_id.in_([run.assignment_id, *run.archives])
    return session.scalar(select(func.count()).select_from(SubmissionRow).where(mine, SubmissionRow.confirmed)) or 0
