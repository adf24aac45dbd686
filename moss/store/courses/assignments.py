"""Courses and their assignments: made, renamed and deleted, and how each of them stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, joinedload

from moss.model import Role
from moss.store.results.cases import waiting
from moss.store.submissions.contents import forget_unused, texts_of_runs
from moss.store.submissions.corrections import forget_person_without_work
from moss.store.tables import (
    Assignment,
    Course,
    CourseRole,
    File,
    Job,
    Membership,
    Person,
    Run,
    Submission,
    Upload,
    UploadState,
    User,
)
from moss.store.validation import RefusedError, clean_name


@dataclass(frozen=True, slots=True)
class Standing:
    """An assignment, and how far it is."""

    assignment: Assignment
    submissions: int  # newest versions that are compared with all
    last_run: Run | None
    open_cases: int


def add_course(session: Session, name: str, term: str, user: User, retention_days: int | None) -> Course:
    """A new course, whose instructor is this user."""
    course = Course(name=clean_name(name), term=clean_term(term), retention_days=retention_days)
    session.add(course)
    session.flush()
    session.add(Membership(course_id=course.id, user_id=user.id, role=CourseRole.INSTRUCTOR))
    session.flush()
    return course


def add_assignment(session: Session, course: Course, name: str) -> Assignment:
    """A new assignment of a course."""
    assignment = Assignment(course_id=course.id, name=_free_name(session, course.id, name))
    session.add(assignment)
    session.flush()
    return assignment


def rename_assignment(session: Session, assignment: Assignment, name: str) -> None:
    """Give an assignment another name."""
    if clean_name(name) != assignment.name:
        assignment.name = _free_name(session, assignment.course_id, name)
        session.flush()


def clean_term(term: str) -> str:
    """A term, which a course need not have."""
    return clean_name(term, "term") if term.strip() else ""


def _free_name(session: Session, course_id: int, name: str) -> str:
    clean = clean_name(name)
    if session.scalar(select(Assignment.id).filter_by(course_id=course_id, name=clean)) is not None:
        raise RefusedError("name", "This course has an assignment of that name already.")
    return clean


def delete_assignment(session: Session, assignment: Assignment) -> None:
    """Delete an assignment with its submissions, runs and cases, and the people and texts that only it had."""
    mine = select(Submission.id).filter_by(assignment_id=assignment.id)
    texts = set(session.scalars(select(File.content_id).where(File.submission_id.in_(mine)).distinct()))
    texts |= texts_of_runs(session, session.scalars(select(Run.id).filter_by(assignment_id=assignment.id)).all())
    people = session.scalars(
        select(Submission.person_id).filter_by(assignment_id=assignment.id).where(Submission.person_id.is_not(None))
    ).all()
    session.execute(delete(Assignment).where(Assignment.id == assignment.id))
    session.expunge(assignment)
    forget_unused(session, texts)
    for person_id in {person for person in people if person is not None}:
        forget_person_without_work(session, person_id)


def jobs_of(session: Session, assignment: Assignment) -> list[int]:
    """The jobs that still work, or are to work, for an assignment."""
    rows = [
        session.scalars(select(table.job_id).filter_by(assignment_id=assignment.id)).all() for table in (Run, Upload)
    ]
    ids = [number for found in rows for number in found if number is not None]
    return [job.id for job in session.scalars(select(Job).where(Job.id.in_(ids))) if not job.is_over]


def standings(session: Session, course: Course) -> list[Standing]:
    """A course's assignments, newest first."""
    people = _submission_counts(session, course)
    runs = _last_runs(session, course)
    cases = Counter(each.assignment.id for each in waiting(session, [course]))
    return [
        Standing(assignment, people[assignment.id], runs.get(assignment.id), cases[assignment.id])
        for assignment in reversed(course.assignments)
    ]


def _submission_counts(session: Session, course: Course) -> Counter[int]:
    query = (
        select(Submission.assignment_id, func.count(func.distinct(Submission.person_id)))
        .join(Person)
        .where(Person.course_id == course.id, Submission.confirmed, ~Submission.left_out, Submission.role == Role.NEW)
        .group_by(Submission.assignment_id)
    )
    return Counter(dict(session.execute(query).all()))


def _last_runs(session: Session, course: Course) -> dict[int, Run]:
    query = select(Run).join(Assignment).where(Assignment.course_id == course.id).order_by(Run.number)
    return {run.assignment_id: run for run in session.scalars(query.options(joinedload(Run.job)))}


def runs_of(session: Session, assignment: Assignment) -> Sequence[Run]:
    """An assignment's runs, newest first."""
    query = select(Run).filter_by(assignment_id=assignment.id).options(joinedload(Run.job))
    return session.scalars(query.order_by(Run.number.desc())).all()


def open_uploads(session: Session, assignment: Assignment) -> Sequence[Upload]:
    """The uploads of an assignment that are not confirmed yet."""
    query = select(Upload).filter_by(assignment_id=assignment.id).where(Upload.state != UploadState.CONFIRMED)
    return session.scalars(query.order_by(Upload.id)).all()


def first_upload_id(session: Session, assignment: Assignment) -> int | None:
    """The upload with which an assignment began; what came by others was added later."""
    mine = (Submission.assignment_id == assignment.id, Submission.confirmed)
    return session.scalar(select(func.min(Submission.upload_id)).where(*mine))
