"""Deletion: once a day of what has expired, and at once of what people delete or erase.

A running job may have read what is deleted. It is interrupted, and starts again without it.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.jobs.handlers.corpus_archiving import remove_deleted
from moss.jobs.job_context import JobContext
from moss.jobs.ledger import add_job, cancel, give_back
from moss.store.courses.assignments import jobs_of
from moss.store.courses.merges import names_of_student
from moss.store.database import scrub
from moss.store.deletion.erasure import Erased, erase_person
from moss.store.deletion.retention import (
    delete_course,
    delete_if_expired,
    delete_leftovers,
    expired,
    remove_assignment,
)
from moss.store.tables import AssignmentRow, CourseRow, JobRow, JobState, PersonRow, RunRow, SubmissionRow, now

_HOLDING = ("run", "drop", "export", "shelve")  # kinds of jobs that read submissions


def delete_expired_data(work: JobContext) -> None:
    """Delete what has expired, each assignment in its own transaction, and overwrite it on the disk."""
    moment = now()
    with work.store.reading() as session:
        waiting = expired(session, moment)
    for number, assignment_id in enumerate(waiting):
        work.progress("deleting what has expired", number, len(waiting))
        with work.saving() as session:
            _interrupt(session, [assignment_id])
            delete_if_expired(session, assignment_id, moment)
    with work.saving() as session:
        delete_leftovers(session, moment, work.config.session_days)
    work.progress("looking through corpora", 0, 0)
    for sentence in remove_deleted(work.store, work.config.data):
        work.log(sentence)
    work.progress("freeing the room", 0, 0)
    if not scrub(work.store):
        work.log("The database's journal was read all the time, so what was deleted stays in it until the next time.")
    with work.finishing():
        pass


def erase(session: Session, person: PersonRow) -> Erased:
    """Erase a person from the store and from jobs that are running."""
    names = [each.id for each in names_of_student(session, person)]
    query = select(SubmissionRow.assignment_id).where(SubmissionRow.person_id.in_(names)).distinct()
    _interrupt(session, session.scalars(query).all(), ending=False)
    erased = erase_person(session, person)
    add_job(session, "forget", {})  # which overwrites it on the disk
    return erased


def remove(session: Session, thing: AssignmentRow | CourseRow) -> None:
    """Delete an assignment or a course."""
    mine = [thing] if isinstance(thing, AssignmentRow) else thing.assignments
    _interrupt(session, [assignment.id for assignment in mine])
    if isinstance(thing, AssignmentRow):
        remove_assignment(session, thing)
    else:
        delete_course(session, thing)
    add_job(session, "forget", {})  # which overwrites it on the disk


def _interrupt(session: Session, assignments: Collection[int], *, ending: bool = True) -> None:
    """Cancel the jobs of assignments that are being deleted (`ending`), and restart other jobs that have read them."""
    if ending:
        for assignment_id in assignments:
            assignment = session.get(AssignmentRow, assignment_id)
            for job_id in jobs_of(session, assignment) if assignment is not None else ():
                cancel(session, job_id)
    query = select(JobRow).where(JobRow.state == JobState.RUNNING, JobRow.kind.in_(_HOLDING), JobRow.cancel.is_(False))
    for job in session.scalars(query).all():
        if _reads(session, job, set(assignments)):
            give_back(session, job.id, job.lease, "somebody's work was deleted meanwhile", counts=False)


def _reads(session: Session, job: JobRow, assignments: set[int]) -> bool:
    """Whether a job may have read something of these assignments."""
    run = session.get(RunRow, job.payload["run"]) if "run" in job.payload else None
    if run is None:
        return job.kind == "export" or job.payload.get("assignment") in assignments  # an export may have read anything
    if run.corpora:  # which may hold anything
        return True
    return not assignments.isdisjoint([run.assignment_id, *run.archives])
