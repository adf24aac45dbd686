"""Courses and their assignments: added, renamed and deleted, how far each assignment is, and what goes on in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Integer, Select, bindparam, delete, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from moss.intake.names import displayable, title_of_download
from moss.messages import day
from moss.messages import gettext as _
from moss.model import Role
from moss.store.results.review_queue import count_waiting
from moss.store.submissions.contents import delete_unused_texts, texts_of_runs
from moss.store.submissions.corrections import delete_person_without_work
from moss.store.submissions.uploads import upload_state
from moss.store.tables import (
    AssignmentRow,
    CourseRole,
    CourseRow,
    JobRow,
    JobState,
    MembershipRow,
    PersonRow,
    RunRow,
    SubmissionRow,
    SubmittedFileRow,
    UploadRow,
    UploadState,
    UserRow,
    now,
)
from moss.store.validation import LONGEST_NAME, RefusedError, clean_name


@dataclass(frozen=True, slots=True)
class AssignmentState:
    """An assignment, and how far it is."""

    assignment: AssignmentRow
    submissions: int  # newest versions, which are compared with each other
    last_run: RunRow | None  # the newest that has finished, or else the newest
    later_run: RunRow | None  # a newer one that was not cancelled
    open_cases: int
    upload: UploadRow | None  # that nobody has confirmed yet
    upload_state: UploadState | None


def add_course(session: Session, name: str, term: str, user: UserRow, retention_days: int | None) -> CourseRow:
    """Add a course, with this user as instructor."""
    course = CourseRow(name=clean_name(name), term=clean_term(term), retention_days=retention_days)
    session.add(course)
    session.flush()
    session.add(MembershipRow(course_id=course.id, user_id=user.id, role=CourseRole.INSTRUCTOR))
    session.flush()
    return course


def add_assignment(session: Session, course: CourseRow, name: str) -> AssignmentRow:
    """Add an assignment to a course."""
    lock_course(session, course)
    assignment = AssignmentRow(course_id=course.id, name=_free_name(session, course.id, name))
    session.add(assignment)
    session.flush()
    return assignment


def lock_course(session: Session, course: CourseRow) -> None:
    """Lock a course, so that assignments get their names one after another, and each sees the names given before."""
    session.execute(select(CourseRow.id).where(CourseRow.id == course.id).with_for_update())
    session.expire(course, ["assignments"])


def assignment_for(session: Session, course: CourseRow, name: str, file: str) -> AssignmentRow:
    """The assignment that a class is sent for: the one of this name, which is added if there is none. Without a name it
    is a new one that is named after the file, or an empty one of that name: what two files are called alike by does
    not make them one assignment."""
    lock_course(session, course)
    if name.strip():
        known = session.scalar(select(AssignmentRow).filter_by(course_id=course.id, name=clean_name(name)))
        return known or add_assignment(session, course, name)
    title = (displayable(title_of_download(file)) or _("Class of %(day)s", day=day(now())))[: LONGEST_NAME - 10]
    taken = {assignment.name: assignment for assignment in course.assignments}
    number = 1
    while (known := taken.get(title if number == 1 else f"{title} ({number})")) and not _is_empty(session, known):
        number += 1
    return known or add_assignment(session, course, title if number == 1 else f"{title} ({number})")


def _is_empty(session: Session, assignment: AssignmentRow) -> bool:
    """Whether nothing was ever sent for an assignment."""
    tables = (SubmissionRow, UploadRow, RunRow)
    return not any(session.scalar(select(table.id).filter_by(assignment_id=assignment.id).limit(1)) for table in tables)


def rename_assignment(session: Session, assignment: AssignmentRow, name: str) -> None:
    """Give an assignment another name."""
    if clean_name(name) != assignment.name:
        lock_course(session, assignment.course)
        assignment.name = _free_name(session, assignment.course_id, name)
        session.flush()


def clean_term(term: str) -> str:
    """A term in its stored form; a course need not have one."""
    return clean_name(term, "term") if term.strip() else ""


def _free_name(session: Session, course_id: int, name: str) -> str:
    clean = clean_name(name)
    if session.scalar(select(AssignmentRow.id).filter_by(course_id=course_id, name=clean)) is not None:
        raise RefusedError("name", _("This course already has an assignment with that name."))
    return clean


def delete_assignment(session: Session, assignment: AssignmentRow) -> None:
    """Delete an assignment with its submissions, runs and cases, and the people and texts that only it had."""
    mine = select(SubmissionRow.id).filter_by(assignment_id=assignment.id)
    texts = set(
        session.scalars(select(SubmittedFileRow.content_id).where(SubmittedFileRow.submission_id.in_(mine)).distinct())
    )
    texts |= texts_of_runs(session, session.scalars(select(RunRow.id).filter_by(assignment_id=assignment.id)).all())
    people = session.scalars(
        select(SubmissionRow.person_id)
        .filter_by(assignment_id=assignment.id)
        .where(SubmissionRow.person_id.is_not(None))
    ).all()
    session.execute(delete(AssignmentRow).where(AssignmentRow.id == assignment.id))
    session.expunge(assignment)
    delete_unused_texts(session, texts)
    for person_id in {person for person in people if person is not None}:
        delete_person_without_work(session, person_id)


def jobs_of(session: Session, assignment: AssignmentRow) -> list[int]:
    """The jobs of an assignment that are queued or running."""
    rows = [
        session.scalars(select(table.job_id).filter_by(assignment_id=assignment.id)).all()
        for table in (RunRow, UploadRow)
    ]
    ids = [number for found in rows for number in found if number is not None]
    return [job.id for job in session.scalars(select(JobRow).where(JobRow.id.in_(ids))) if not job.is_over]


def assignment_states(session: Session, course: CourseRow) -> list[AssignmentState]:
    """The state of each of a course's assignments, newest first."""
    people = _submission_counts(session, course)
    runs = _last_runs(session, course)
    uploads = uploads_waiting(session, course)
    cases = count_waiting(session, course.id)
    return [
        AssignmentState(
            assignment,
            people[assignment.id],
            runs[assignment.id][0] if assignment.id in runs else None,
            runs[assignment.id][1] if assignment.id in runs else None,
            cases.get(assignment.id, 0),
            uploads.get(assignment.id),
            upload_state(session, uploads[assignment.id])[0] if assignment.id in uploads else None,
        )
        for assignment in reversed(course.assignments)
    ]


def _submission_counts(session: Session, course: CourseRow) -> Counter[int]:
    query = (
        select(
            SubmissionRow.assignment_id, func.count(func.distinct(func.coalesce(PersonRow.same_as_id, PersonRow.id)))
        )
        .join(PersonRow)
        .where(
            PersonRow.course_id == course.id,
            SubmissionRow.confirmed,
            ~SubmissionRow.left_out,
            SubmissionRow.role == Role.NEW,
        )
        .group_by(SubmissionRow.assignment_id)
    )
    return Counter(dict(session.execute(query).all()))


def _last_runs(session: Session, course: CourseRow) -> dict[int, tuple[RunRow, RunRow | None]]:
    """The newest finished run of each assignment, or else the newest; and one after it that was not cancelled."""
    query = select(RunRow).join(AssignmentRow).where(AssignmentRow.course_id == course.id).order_by(RunRow.number)
    found: dict[int, tuple[RunRow, RunRow | None]] = {}
    for run in session.scalars(query.options(joinedload(RunRow.job))):
        last = found[run.assignment_id][0] if run.assignment_id in found else None
        if run.finished or last is None or not last.finished:
            found[run.assignment_id] = run, None
        elif not run.job or run.job.state is not JobState.CANCELLED:
            found[run.assignment_id] = last, run
    return found


def runs_of(session: Session, assignment: AssignmentRow) -> Sequence[RunRow]:
    """An assignment's runs, newest first."""
    query = select(RunRow).filter_by(assignment_id=assignment.id).options(joinedload(RunRow.job))
    return session.scalars(query.order_by(RunRow.number.desc())).all()


def newest_upload(session: Session, assignment: AssignmentRow) -> UploadRow | None:
    """The upload of an assignment that was begun last."""
    query = select(UploadRow).filter_by(assignment_id=assignment.id).order_by(UploadRow.id.desc())
    return session.scalar(query.limit(1))


def open_uploads(session: Session, assignment: AssignmentRow) -> Sequence[UploadRow]:
    """The uploads of an assignment that are not confirmed yet."""
    query = select(UploadRow).filter_by(assignment_id=assignment.id).where(UploadRow.state != UploadState.CONFIRMED)
    return session.scalars(query.order_by(UploadRow.id)).all()


def first_upload_id(session: Session, assignment: AssignmentRow) -> int | None:
    """The first upload of an assignment; submissions of other uploads were added later."""
    mine = (SubmissionRow.assignment_id == assignment.id, SubmissionRow.confirmed)
    return session.scalar(select(func.min(SubmissionRow.upload_id)).where(*mine))


class ListedRun(NamedTuple):
    """A run as a list shows it: plain columns, because objects for rows take longer than the query."""

    id: int
    number: int
    assignment: str
    finished: datetime | None
    state: JobState | None = None  # of its job, if it is not over
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Activity:
    """Uploads that are not confirmed, each with its state, runs that are not over, and the latest finished runs."""

    uploads: list[tuple[UploadRow, UploadState]]
    running: Sequence[ListedRun]
    recent: Sequence[ListedRun]


def activity_in(session: Session, courses: Sequence[CourseRow], most: int) -> Activity:
    """The activity in these courses, newest first, at most `most` of each kind."""
    asked = {"courses": [course.id for course in courses], "most": most}
    uploads, *runs = _activity_queries()
    running, recent = ([ListedRun(*row) for row in session.execute(query, asked)] for query in runs)
    waiting = [(upload, upload_state(session, upload)[0]) for upload in session.scalars(uploads, asked)]
    return Activity(waiting, running, recent)


@cache
def _activity_queries() -> tuple[Select[UploadRow], Select[*tuple[Any, ...]], Select[*tuple[Any, ...]]]:
    """The queries for `most` unconfirmed uploads, runs under way and finished runs of `courses`. Putting them together
    takes longer than answering them, so it is done once."""
    mine = AssignmentRow.course_id.in_(bindparam("courses", expanding=True))
    uploads = select(UploadRow).join(AssignmentRow).where(mine, UploadRow.state != UploadState.CONFIRMED)
    runs = select(RunRow.id, RunRow.number, AssignmentRow.name, RunRow.finished).join(AssignmentRow).where(mine)
    newest, most = runs.order_by(RunRow.id.desc()), bindparam("most", type_=Integer())
    busy = JobRow.state.in_((JobState.QUEUED, JobState.RUNNING))
    with_job = newest.add_columns(JobRow.state, JobRow.stage).join(JobRow, RunRow.job_id == JobRow.id)
    return (
        uploads.options(contains_eager(UploadRow.assignment)).order_by(UploadRow.id.desc()).limit(most),
        with_job.where(busy).limit(most),
        newest.where(RunRow.finished.is_not(None)).limit(most),
    )


def uploads_waiting(session: Session, course: CourseRow) -> dict[int, UploadRow]:
    """The newest upload of each of a course's assignments that is not confirmed yet, by assignment."""
    query = select(UploadRow).join(AssignmentRow).where(AssignmentRow.course_id == course.id)
    waiting = query.where(UploadRow.state != UploadState.CONFIRMED).order_by(UploadRow.id)
    return {upload.assignment_id: upload for upload in session.scalars(waiting)}


def last_course_of(session: Session, user_id: int) -> int | None:
    """The course for which a user last began an upload."""
    return session.scalar(_LAST_COURSE, {"user": user_id})


_LAST_COURSE = (
    select(AssignmentRow.course_id)
    .join(UploadRow)
    .where(UploadRow.user_id == bindparam("user"))
    .order_by(UploadRow.id.desc())
    .limit(1)
)
