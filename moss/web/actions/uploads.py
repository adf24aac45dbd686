"""Uploads: beginning one, and starting the job that recognises the submissions in it."""

from __future__ import annotations

from datetime import timedelta

from moss.config import MIB
from moss.messages import marked
from moss.model import Reading
from moss.store.submissions.uploads import begin_upload, check_recognisable, mark_recognising
from moss.store.tables import AssignmentRow, UploadRow
from moss.web.request.context import audit, db, me, server, start_job
from moss.web.request.limits import limit

_TOO_OFTEN = marked("You have started too many uploads within an hour. Wait %(wait)s and try again.")


def most_bytes() -> int:
    """The most bytes that one upload may hold."""
    return server().config.upload_megabytes * MIB


def start_upload(assignment: AssignmentRow) -> UploadRow:
    """Begin an empty upload for an assignment; a visitor may do so only so many times within an hour."""
    number, course_id = assignment.id, assignment.course_id  # `limit` ends the transaction that the row belongs to
    limit({"upload": str(me().id)}, server().config.uploads_per_hour, timedelta(hours=1), _TOO_OFTEN)
    upload = begin_upload(db(), number, me().id)
    audit("began an upload", course_id=course_id, assignment=number, upload=upload.id)
    return upload


def start_recognition(upload: UploadRow, reading: Reading, layout: str = "auto") -> None:
    """Start the job that finds the submissions in an upload, whose names this layout says; RefusedError if it is not
    complete, or if there is no such layout."""
    check_recognisable(db(), upload, layout)
    job = start_job("recognise", {"upload": upload.id, "layout": layout}, upload.assignment.course_id)
    mark_recognising(upload, job, reading)
