"""Uploads: beginning one, and starting the job that recognises the submissions in it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from moss.config import MIB
from moss.messages import marked
from moss.model import Reading
from moss.store.courses.assignments import assignment_for
from moss.store.results.runs import COMPARE, RunRequest
from moss.store.submissions.uploads import begin_upload, check_recognisable, mark_recognising
from moss.store.tables import AssignmentRow, CourseRow, UploadRow
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
