"""Uploads, runs and corpora: a visitor begins an upload, has its submissions recognised, and starts a run.

Which earlier work a run may be compared with depends on the visitor: assignments of their courses, and corpora that
they may search. A finished assignment can be added to a corpus in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from moss.config import MIB
from moss.corpus.storage.catalog import CatalogEntry, entries_in
from moss.messages import gettext as _
from moss.messages import marked
from moss.model import Reading
from moss.store.courses.assignments import assignment_for, lock_course
from moss.store.courses.corpus_archiving import clean_corpus
from moss.store.courses.rights import all_rights, claim_corpus, uses_of
from moss.store.results.runs import (
    COMPARE,
    RunRequest,
    add_run,
    clean_archives,
    clean_corpora,
    clean_settings,
    possible_archives,
    remembered,
)
from moss.store.submissions.uploads import begin_upload, check_recognisable, mark_recognising
from moss.store.tables import AssignmentRow, CourseRow, RunRow, UploadRow
from moss.store.validation import RefusedError
from moss.web.request.access import my_courses
from moss.web.request.context import audit, db, me, server, start_job
from moss.web.request.limits import limit

_TOO_OFTEN = marked("You have started too many uploads within an hour. Wait %(wait)s and try again.")


def most_bytes() -> int:
    """The most bytes that one upload may hold."""
    return server().config.upload_megabytes * MIB


def start_upload(assignment: AssignmentRow) -> UploadRow:
    """Begin an empty upload for an assignment; a visitor may do so only so many times within an hour."""
    number = assignment.id  # `_limit` ends the transaction that the row belongs to
    _limit()
    return _begin(db().get_one(AssignmentRow, number))


def start_check(course: CourseRow, name: str, file: str) -> UploadRow:
    """Begin an empty upload for the assignment of this name, which need not exist, or else for a new one that is named
    after the file."""
    number = course.id
    _limit()
    course = db().get_one(CourseRow, number)
    lock_course(db(), course)
    before = len(course.assignments)
    assignment = assignment_for(db(), course, name, file)
    db().refresh(course)
    if len(course.assignments) > before:
        audit("made an assignment", course_id=course.id, assignment=assignment.id, name=assignment.name)
    return _begin(assignment)


def _limit() -> None:
    limit({"upload": str(me().id)}, server().config.uploads_per_hour, timedelta(hours=1), _TOO_OFTEN)


def _begin(assignment: AssignmentRow) -> UploadRow:
    upload = begin_upload(db(), assignment.id, me().id)
    audit("began an upload", course_id=assignment.course_id, assignment=assignment.id, upload=upload.id)
    return upload


def start_recognition(
    upload: UploadRow, reading: Reading, layout: str = "auto", following: RunRequest | None = None
) -> None:
    """Start the job that finds the submissions in an upload, whose names this layout says, and the run that is to
    follow, if one is; RefusedError if the upload is not complete, or if there is no such layout."""
    check_recognisable(db(), upload, layout)
    payload: dict[str, Any] = {"upload": upload.id, "layout": layout}
    if following is not None:
        payload[COMPARE] = asdict(following)
        audit("started a check", course_id=upload.assignment.course_id, upload=upload.id)
    job = start_job("recognise", payload, upload.assignment.course_id)
    mark_recognising(upload, job, reading)


def earlier_assignments(assignment: AssignmentRow) -> list[AssignmentRow]:
    """The assignments whose submissions the visitor may compare with as earlier work."""
    return possible_archives(db(), assignment, my_courses(me()))


def checked_choice(
    settings: Mapping[str, Any], archives: Sequence[Any], corpora: Sequence[str], possible: Sequence[AssignmentRow]
) -> RunRequest:
    """The settings, earlier assignments and corpora of a run, checked; RefusedError if one of them cannot be."""
    earlier = clean_archives(archives, possible)
    searched = clean_corpora(corpora, readable_corpora())
    return RunRequest(clean_settings(settings), earlier, searched)


def usual_choice(assignment: AssignmentRow) -> RunRequest:
    """The settings that were chosen last for an assignment, without earlier work that the visitor may not see."""
    last = remembered(assignment)
    possible = {other.id for other in earlier_assignments(assignment)} if last.archives else set()
    corpora = readable_corpora() if last.corpora else []
    return RunRequest(
        last.settings,
        [number for number in last.archives if number in possible],
        [name for name in last.corpora if name in corpora],
    )


def start_run(assignment: AssignmentRow, chosen: RunRequest) -> RunRow:
    """Add a run with its job, in the visitor's name."""
    run = add_run(db(), assignment, me().id, chosen)
    run.job_id = start_job("run", {"run": run.id}, assignment.course_id).id
    audit("started a run", course_id=assignment.course_id, assignment=assignment.name, run=run.number)
    return run


def all_corpora() -> list[CatalogEntry]:
    """The server's corpora, including those that cannot be read."""
    return entries_in(server().config.data)


def my_corpora(*, to_add: bool = False) -> list[CatalogEntry]:
    """The corpora that the visitor may search, or may add to."""
    found = all_corpora()
    uses = uses_of(db(), me(), [corpus.name for corpus in found])
    return [corpus for corpus in found if (uses[corpus.name].add if to_add else uses[corpus.name].search)]


def readable_corpora() -> set[str]:
    """The names of the corpora that the visitor's runs can be compared with."""
    return {corpus.name for corpus in my_corpora() if not corpus.problem}


def keep_in_corpus(assignment: AssignmentRow, given: str) -> str:
    """Start the job that adds an assignment's submissions to a corpus, and return the corpus's name.

    A corpus that does not exist yet is made, and belongs to the assignment's course.
    """
    name = clean_corpus(db(), assignment, given)
    there = {corpus.name: corpus.problem for corpus in all_corpora()}
    if there.get(name):
        raise RefusedError("corpus", _("The corpus %(name)s can’t be used: %(why)s.", name=name, why=there[name]))
    if name in there or name in all_rights(db()):
        if not uses_of(db(), me(), [name])[name].add:
            raise RefusedError("corpus", _("You can’t add to the corpus %(name)s. Choose another name.", name=name))
    else:
        claim_corpus(db(), name, assignment.course)
    start_job("shelve", {"assignment": assignment.id, "corpus": name}, assignment.course_id)
    audit("kept an assignment", course_id=assignment.course_id, assignment=assignment.name, corpus=name)
    return name
