"""Retention: which data has expired, and deleting it, or a course or assignment that somebody deletes.

A course keeps its work for so many days (`CourseRow.retention_days`). The job in `moss.jobs.handlers.deletion` deletes
once a day what has expired.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, exists, or_, select
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import number
from moss.store.accounts.notices import delete_notices
from moss.store.courses.assignments import delete_assignment
from moss.store.courses.audit import add_audit_entry
from moss.store.courses.roster import remove_roster
from moss.store.courses.webhooks import webhook_secret_name
from moss.store.deletion.erasure import delete_submissions
from moss.store.deletion.withdrawal import delete_abandoned_pages, entries_from, withdraw
from moss.store.results.runs import path_of
from moss.store.submissions.contents import delete_unused_texts
from moss.store.submissions.corrections import stands_for_others
from moss.store.submissions.uploads import discard
from moss.store.tables import (
    AssignmentRow,
    AttemptRow,
    CourseArchiveRow,
    CourseRow,
    InvitationRow,
    JobRow,
    JobState,
    LoginRow,
    NoticeRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    ServerValueRow,
    SubmissionRow,
    UploadRow,
    UploadState,
)
from moss.store.validation import RefusedError, clean_name

ACTOR = "moss"
LONGEST = 36_500  # days
UPLOADS, ATTEMPTS, INVITATIONS, NOTICES, JOBS, ARCHIVES = (timedelta(days=days) for days in (7, 1, 30, 90, 30, 1))
"""How long each of these is stored after nobody needs it any more."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """How much was deleted, and the runs whose pages must be rendered again."""

    assignments: int = 0
    uploads: int = 0
    runs: tuple[int, ...] = ()


def clean_retention(kept: str, days: str) -> int | None:
    """The days that a form says; None for ever."""
    if kept == "always":
        return None
    text = days.strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= LONGEST):
        raise RefusedError("days", _("Enter a number of days from 1 to %(longest)s.", longest=number(LONGEST)))
    return int(text)


def expiring(course: CourseRow, days: int | None, moment: datetime) -> list[AssignmentRow]:
    """The course's assignments that would be deleted at once if it kept them for so many days."""
    if days is None:
        return []
    return [each for each in course.assignments if each.created + timedelta(days=days) <= moment]


def expired(session: Session, moment: datetime) -> list[int]:
    """The assignments that have expired."""
    courses = session.scalars(select(CourseRow).where(CourseRow.retention_days.is_not(None)).order_by(CourseRow.id))
    return [each.id for course in courses for each in expiring(course, course.retention_days, moment)]


def delete_expired(session: Session, moment: datetime, session_days: int = 14) -> Deleted:
    """Delete everything that has expired; `session_days` is how long an unused log-in lasts."""
    done = Deleted()
    for assignment_id in expired(session, moment):
        some = delete_if_expired(session, assignment_id, moment)
        done = replace(done, assignments=done.assignments + 1, runs=(*done.runs, *some.runs))
    return replace(done, uploads=delete_leftovers(session, moment, session_days))


def delete_if_expired(session: Session, assignment_id: int, moment: datetime) -> Deleted:
    """Delete an assignment if it has expired, and note that in the audit log."""
    assignment = session.get(AssignmentRow, assignment_id)
    if assignment is None or assignment.deleted_on is None or assignment.deleted_on > moment:
        return Deleted()
    add_audit_entry(session, ACTOR, "deleted an assignment whose time had come", assignment=assignment.name,
               course=assignment.course.title, days=assignment.course.retention_days)  # fmt: skip
    course = assignment.course
    runs = remove_assignment(session, assignment)
    session.expire(course)
    if not course.assignments:
        remove_roster(session, course.id)
    return Deleted(1, runs=tuple(runs))


def remove_assignment(session: Session, assignment: AssignmentRow) -> list[int]:
    """Delete an assignment with everything that belongs to it; returns the runs of others whose pages must be made
    anew."""
    rows = session.execute(
        select(SubmissionRow.id, SubmissionRow.person_id).filter_by(assignment_id=assignment.id)
    ).all()
    own = set(session.scalars(select(RunRow.id).filter_by(assignment_id=assignment.id)))
    judged = session.scalars(
        select(RunEntryRow.person_id).where(RunEntryRow.run_id.in_(own), RunEntryRow.corpus != "").distinct()
    ).all()
    entries = entries_from(session, [row.id for row in rows])
    runs = withdraw(session, [entry for entry in entries if entry.run_id not in own])
    session.execute(delete(CourseArchiveRow).where(CourseArchiveRow.course_id == assignment.course_id))
    _forget_jobs(session, assignment, own)
    delete_assignment(session, assignment)
    _forget_people(session, {id for id in (*judged, *(row.person_id for row in rows)) if id is not None})
    return runs


def _forget_jobs(session: Session, assignment: AssignmentRow, runs: Collection[int]) -> None:
    """Delete the jobs of an assignment with their logs, which name people, and the notices about them."""
    uploads = set(session.scalars(select(UploadRow.job_id).filter_by(assignment_id=assignment.id)))
    for job in session.scalars(select(JobRow).filter_by(course_id=assignment.course_id)).all():
        if job.is_over and (job.id in uploads or job.payload.get("run") in runs):
            session.execute(delete(JobRow).where(JobRow.id == job.id))
    for run_id in runs:
        delete_notices(session, path_of(session.get_one(RunRow, run_id)))


def delete_course(session: Session, course: CourseRow) -> list[int]:
    """Delete a course with everything in it; returns the runs of others whose pages must be rendered again."""
    runs: list[int] = []
    for assignment in list(course.assignments):
        runs += remove_assignment(session, assignment)
    session.expire_all()
    drafts = select(SubmissionRow.id).join(AssignmentRow).where(AssignmentRow.course_id == course.id)
    delete_submissions(session, session.scalars(drafts).all())
    session.execute(delete(ServerValueRow).where(ServerValueRow.name == webhook_secret_name(course.id)))
    session.execute(delete(CourseRow).where(CourseRow.id == course.id))
    session.expunge(course)
    return runs


def check_name(course: CourseRow, typed: str) -> None:
    """Raise RefusedError unless the name of the course to be deleted was typed."""
    if not typed.strip() or clean_name(typed) != clean_name(course.name):
        raise RefusedError(
            "confirm", _("That’s not the name of the course, so nothing was deleted. Type %(name)s.", name=course.name)
        )


def delete_leftovers(session: Session, moment: datetime, session_days: int) -> int:
    """Delete what nobody needs any more; returns how many uploads that were."""
    uploads = _stale_uploads(session, moment - UPLOADS)
    for upload in uploads:
        discard(session, upload)
    closed = or_(InvitationRow.used < moment - INVITATIONS, InvitationRow.expires < moment - INVITATIONS)
    session.execute(delete(LoginRow).where(LoginRow.seen < moment - timedelta(days=session_days)))
    session.execute(delete(AttemptRow).where(AttemptRow.at < moment - ATTEMPTS))
    session.execute(delete(InvitationRow).where(closed))
    session.execute(delete(NoticeRow).where(NoticeRow.at < moment - NOTICES))
    session.execute(delete(CourseArchiveRow).where(CourseArchiveRow.created < moment - ARCHIVES))
    session.execute(delete(JobRow).where(_is_forgotten(moment - JOBS)))
    delete_abandoned_pages(session)
    delete_unused_texts(session)
    return len(uploads)


def _stale_uploads(session: Session, before: datetime) -> Sequence[UploadRow]:
    query = select(UploadRow).where(UploadRow.state != UploadState.CONFIRMED, UploadRow.created < before)
    working = select(JobRow.id).where(JobRow.state.in_((JobState.QUEUED, JobState.RUNNING)))
    return session.scalars(query.where(or_(UploadRow.job_id.is_(None), UploadRow.job_id.not_in(working)))).all()


def _is_forgotten(before: datetime) -> ColumnElement[bool]:
    """The condition that a job was over long ago and belongs to neither a run nor an upload."""
    shown = or_(exists().where(RunRow.job_id == JobRow.id), exists().where(UploadRow.job_id == JobRow.id))
    return and_(JobRow.finished < before, ~shown)


def _forget_people(session: Session, ids: Collection[int]) -> None:
    """Delete people who have nothing left, and the cases about them; first the names that were merged into others."""
    students = session.scalars(select(PersonRow.same_as_id).where(PersonRow.id.in_(ids))).all()
    works = exists().where(SubmissionRow.person_id == PersonRow.id)
    stands = exists().where(RunEntryRow.person_id == PersonRow.id)
    for person_id in (*sorted(ids), *sorted({id for id in students if id is not None})):
        idle = (~works, ~stands, ~PersonRow.on_roster, ~stands_for_others())
        session.execute(delete(PersonRow).where(PersonRow.id == person_id, *idle))
