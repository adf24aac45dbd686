"""Forgetting: once a day what has expired is deleted; and what people delete or erase is taken from those who use it.

A job that is at work may hold what goes: it is broken off, and begins anew without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.jobs.ledger import add_job, cancel, give_back
from moss.jobs.shelving import forget_gone
from moss.jobs.work import Work
from moss.report.served import served_pages, templates_digest
from moss.store.assignments import jobs_of
from moss.store.erasing import Erased, erase_person
from moss.store.pages import save_pages
from moss.store.reports import load_report
from moss.store.retention import (
    delete_course,
    expired,
    forget_assignment,
    forget_leftovers,
    remove_assignment,
)
from moss.store.scrubbing import scrub
from moss.store.tables import Assignment, Course, Job, JobState, Person, Result, Run, Submission, now
from moss.store.withdrawing import is_current

_PAGES_AT_ONCE = 50  # pages stored in one transaction
_HOLDING = ("run", "drop", "pages", "export", "shelve")  # kinds of jobs that read what others handed in

Value = TypeVar("Value")


def forget(work: Work) -> None:
    """Delete what has expired, each assignment in a transaction of its own, and let it leave the disk."""
    moment = now()
    with work.store.reading() as session:
        waiting = expired(session, moment)
    for number, assignment_id in enumerate(waiting):
        work.progress("deleting what has expired", number, len(waiting))
        with work.saving() as session:
            _interrupt(session, [assignment_id])
            render_again(session, forget_assignment(session, assignment_id, moment).runs)
    with work.saving() as session:
        forget_leftovers(session, moment, work.config.session_days)
    work.progress("looking through corpora", 0, 0)
    for sentence in forget_gone(work.store, work.config.data):
        work.log(sentence)
    work.progress("freeing the room", 0, 0)
    if not scrub(work.store):
        work.log("The database's journal was read all the time, so what was deleted stays in it until the next time.")
    with work.finishing():
        pass


def erase(session: Session, person: Person) -> Erased:
    """Erase a person, also from what is at work now."""
    query = select(Submission.assignment_id).where(Submission.person_id == person.id).distinct()
    _interrupt(session, session.scalars(query).all(), ending=False)
    erased = erase_person(session, person)
    _afterwards(session, erased.runs)
    return erased


def remove(session: Session, thing: Assignment | Course) -> None:
    """Delete an assignment or a course."""
    mine = [thing] if isinstance(thing, Assignment) else thing.assignments
    _interrupt(session, [assignment.id for assignment in mine])
    runs = remove_assignment(session, thing) if isinstance(thing, Assignment) else delete_course(session, thing)
    _afterwards(session, runs)


def _afterwards(session: Session, runs: Iterable[int]) -> None:
    render_again(session, runs)
    add_job(session, "forget", {})  # which lets it leave the disk


def render_again(session: Session, runs: Iterable[int]) -> None:
    """Let the pages of these runs be made, if they have a report."""
    for run_id in dict.fromkeys(runs):
        if session.get(Result, run_id) is not None:
            run = session.get_one(Run, run_id)
            add_job(session, "pages", {"run": run_id}, course_id=run.assignment.course_id)


def _interrupt(session: Session, assignments: Collection[int], *, ending: bool = True) -> None:
    """Stop jobs for these assignments, which are going (`ending`), and let those begin anew that have read them."""
    if ending:
        for assignment_id in assignments:
            assignment = session.get(Assignment, assignment_id)
            for job_id in jobs_of(session, assignment) if assignment is not None else ():
                cancel(session, job_id)
    query = select(Job).where(Job.state == JobState.RUNNING, Job.kind.in_(_HOLDING), Job.cancel.is_(False))
    for job in session.scalars(query).all():
        if _reads(session, job, set(assignments)):
            give_back(session, job.id, job.lease, "somebody's work was deleted meanwhile", counts=False)


def _reads(session: Session, job: Job, assignments: set[int]) -> bool:
    """Whether a job may have read something of these assignments."""
    run = session.get(Run, job.payload["run"]) if "run" in job.payload else None
    if run is None:
        return job.kind == "export" or job.payload.get("assignment") in assignments  # an export may have read anything
    if run.corpora:  # in which anything may be kept
        return True
    return not assignments.isdisjoint([run.assignment_id, *run.archives])


def render_pages(work: Work) -> None:
    """Make the pages of a report anew; if somebody is taken out of it meanwhile, another job begins where we end."""
    run_id = work.payload["run"]
    with work.store.reading() as session:
        run = session.get(Run, run_id)
        result = session.get(Result, run_id)
        report = load_report(session, run) if run is not None and result is not None else None
    if report is not None and result is not None:
        for pages in _batches(served_pages(report, progress=work.progress)):
            with work.saving() as session:
                if not is_current(session, run_id, result.edition):
                    break
                save_pages(session, run_id, templates_digest(), dict(pages))
    with work.finishing():
        pass


def _batches(values: Iterator[Value]) -> Iterator[list[Value]]:
    while some := list(islice(values, _PAGES_AT_ONCE)):
        yield some
