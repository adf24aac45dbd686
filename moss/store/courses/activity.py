"""The activity in some courses: uploads that wait for somebody, runs under way, and the latest reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import Integer, Select, bindparam, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from moss.store.submissions.uploads import state_of
from moss.store.tables import AssignmentRow, CourseRow, JobRow, JobState, RunRow, UploadRow, UploadState


@dataclass(frozen=True, slots=True)
class Activity:
    """Uploads that are not confirmed, each with its state, runs that are not over, and the latest finished runs."""

    uploads: list[tuple[UploadRow, UploadState]]
    running: Sequence[RunRow]
    recent: Sequence[RunRow]


def activity_in(session: Session, courses: Sequence[CourseRow], most: int) -> Activity:
    """The activity in these courses, newest first, at most so many of each kind."""
    asked = {"courses": [course.id for course in courses], "most": most}
    uploads, running, recent = (session.scalars(query, asked).all() for query in _queries())
    return Activity([(upload, state_of(session, upload)[0]) for upload in uploads], running, recent)


@cache
def _queries() -> tuple[Select[UploadRow], Select[RunRow], Select[RunRow]]:
    """The queries for `most` unconfirmed uploads, runs under way and finished runs of `courses`. Putting them together
    takes longer than answering them, so it is done once."""
    mine = AssignmentRow.course_id.in_(bindparam("courses", expanding=True))
    uploads = select(UploadRow).join(AssignmentRow).where(mine, UploadRow.state != UploadState.CONFIRMED)
    runs = (
        select(RunRow)
        .join(AssignmentRow)
        .where(mine)
        .options(joinedload(RunRow.job), contains_eager(RunRow.assignment))
    )
    newest, most = runs.order_by(RunRow.id.desc()), bindparam("most", type_=Integer())
    busy = JobRow.state.in_((JobState.QUEUED, JobState.RUNNING))
    return (
        uploads.options(contains_eager(UploadRow.assignment)).order_by(UploadRow.id.desc()).limit(most),
        newest.join(JobRow, RunRow.job_id == JobRow.id).where(busy).limit(most),
        newest.where(RunRow.finished.is_not(None)).limit(most),
    )


def uploads_waiting(session: Session, course: CourseRow) -> dict[int, UploadRow]:
    """The newest upload of each of a course's assignments that is not confirmed yet, by assignment."""
    query = select(UploadRow).join(AssignmentRow).where(AssignmentRow.course_id == course.id)
    waiting = query.where(UploadRow.state != UploadState.CONFIRMED).order_by(UploadRow.id)
    return {upload.assignment_id: upload for upload in session.scalars(waiting)}


def last_course_of(session: Session, user_id: int) -> int | None:
    """The course for which a user last began an upload."""
    query = select(AssignmentRow.course_id).join(UploadRow).where(UploadRow.user_id == user_id)
    return session.scalar(query.order_by(UploadRow.id.desc()).limit(1))
