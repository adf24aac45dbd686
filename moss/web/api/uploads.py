"""Uploads by the API: begin one, send its files in chunks, let it be recognised, correct, confirm."""

from __future__ import annotations

from flask import request

from moss.jobs.ledger import cancel
from moss.store import tables
from moss.store.submissions.confirmation import confirm
from moss.store.submissions.uploads import ChunkPlace as Chunk
from moss.store.submissions.uploads import discard as discard_upload
from moss.store.submissions.uploads import put_chunk, state_of
from moss.web.actions.uploads import most_bytes, start_recognition, start_upload
from moss.web.api.assignments import submissions_where
from moss.web.api.bodies import (
    ByteRangeBody,
    ConfirmationBody,
    PagingBody,
    PartBody,
    RecognisingBody,
    SubmissionsBody,
    UploadBody,
)
from moss.web.api.operations import operation
from moss.web.request.access import Right
from moss.web.request.context import audit, db


@operation("POST", "/assignments/<int:assignment>/uploads", Right.TEACH, status=201)
def create_upload(assignment: tables.AssignmentRow) -> UploadBody:
    """Begin an upload, to which you then send files."""
    return _shown(start_upload(assignment))


@operation("PUT", "/uploads/<int:upload>/parts", Right.TEACH, accepts="application/octet-stream")
def send_part(upload: tables.UploadRow, query: ByteRangeBody) -> PartBody:
    """Send a file in chunks of 1 MiB, of which the last may be shorter; sending one again is harmless."""
    chunk = Chunk(query.role, query.path, query.start, query.total)
    return PartBody.model_validate(put_chunk(db(), upload, chunk, request.get_data(), most_bytes()))


@operation("POST", "/uploads/<int:upload>/recognise", Right.TEACH, status=202)
def recognise_upload(upload: tables.UploadRow, body: RecognisingBody) -> UploadBody:
    """Let a worker look what was sent; poll the upload until it is `ready`."""
    start_recognition(upload, body.reading, body.layout)
    return _shown(upload)


@operation("GET", "/uploads/<int:upload>", Right.READ)
def read_upload(upload: tables.UploadRow) -> UploadBody:
    """How far an upload is, and what was wrong with it."""
    return _shown(upload)


@operation("GET", "/uploads/<int:upload>/submissions", Right.READ)
def list_drafts(upload: tables.UploadRow, query: PagingBody) -> SubmissionsBody:
    """The drafts recognised in an upload; correct each by `PATCH /submissions/…`."""
    return submissions_where(query, upload_id=upload.id)


@operation("POST", "/uploads/<int:upload>/confirm", Right.TEACH)
def confirm_upload(upload: tables.UploadRow) -> ConfirmationBody:
    """Let what was recognised belong to the assignment."""
    outcome = confirm(db(), upload)
    audit("confirmed an upload", course_id=upload.assignment.course_id, added=outcome.added)
    return ConfirmationBody.model_validate(outcome)


@operation("DELETE", "/uploads/<int:upload>", Right.TEACH, status=204)
def discard(upload: tables.UploadRow) -> None:
    """Remove an upload that was not confirmed, with all that came."""
    course_id = upload.assignment.course_id
    if upload.job_id is not None:
        cancel(db(), upload.job_id)
    discard_upload(db(), upload)
    audit("discarded an upload", course_id=course_id)


def _shown(upload: tables.UploadRow) -> UploadBody:
    db().flush()
    state, reason = state_of(db(), upload)
    return UploadBody.model_validate(upload).model_copy(update={"state": state, "reason": reason})
