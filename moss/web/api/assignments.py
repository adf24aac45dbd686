"""Assignments by the API: made, renamed and deleted, with their uploads and submissions.

An upload is begun, gets its files in chunks, is recognised, corrected and confirmed; then its drafts are submissions.
"""

from __future__ import annotations

from flask import request
from sqlalchemy import func, select
from sqlalchemy.orm import selectinload

from moss.jobs.handlers import deletion
from moss.jobs.ledger import cancel
from moss.store import tables
from moss.store.courses.assignments import add_assignment, rename_assignment
from moss.store.results.runs import latest_run
from moss.store.submissions.confirmation import confirm
from moss.store.submissions.corrections import Correction, correct
from moss.store.submissions.uploads import ChunkPlace as Chunk
from moss.store.submissions.uploads import discard as discard_upload
from moss.store.submissions.uploads import put_chunk, upload_state
from moss.web.actions.runs import keep_in_corpus, most_bytes, start_recognition, start_upload
from moss.web.api.bodies import (
    AssignmentBody,
    ByteRangeBody,
    ConfirmationBody,
    KeepingBody,
    NewAssignmentBody,
    PagingBody,
    PartBody,
    RecognisingBody,
    SubmissionBody,
    SubmissionChangeBody,
    SubmissionsBody,
    UploadBody,
)
from moss.web.api.operations import operation
from moss.web.api.result_bodies import PairBody
from moss.web.api.runs import side_pairs
from moss.web.request.access import Right
from moss.web.request.context import audit, db


@operation("GET", "/courses/<int:course>/assignments", Right.READ)
def list_assignments(course: tables.CourseRow) -> list[AssignmentBody]:
    """A course's assignments."""
    return [AssignmentBody.model_validate(each) for each in course.assignments]


@operation("POST", "/courses/<int:course>/assignments", Right.TEACH, status=201)
def create_assignment(course: tables.CourseRow, body: NewAssignmentBody) -> AssignmentBody:
    """Make an assignment."""
    assignment = add_assignment(db(), course, body.name)
    audit("made an assignment", course_id=course.id, assignment=assignment.name)
    return AssignmentBody.model_validate(assignment)


@operation("GET", "/assignments/<int:assignment>", Right.READ)
def read_assignment(assignment: tables.AssignmentRow) -> AssignmentBody:
    """One assignment."""
    return AssignmentBody.model_validate(assignment)


@operation("PATCH", "/assignments/<int:assignment>", Right.TEACH)
def change_assignment(assignment: tables.AssignmentRow, body: NewAssignmentBody) -> AssignmentBody:
    """Rename an assignment."""
    rename_assignment(db(), assignment, body.name)
    return AssignmentBody.model_validate(assignment)


@operation("POST", "/assignments/<int:assignment>/keep", Right.TEACH, status=202)
def keep_assignment(assignment: tables.AssignmentRow, body: KeepingBody) -> KeepingBody:
    """Keep what was handed in for later years, in a corpus of the server, which is made if there is none."""
    return KeepingBody(corpus=keep_in_corpus(assignment, body.corpus))


@operation("DELETE", "/assignments/<int:assignment>", Right.TEACH, status=204)
def delete_one_assignment(assignment: tables.AssignmentRow) -> None:
    """Delete an assignment with everything in it."""
    audit("deleted an assignment", course_id=assignment.course_id, assignment=assignment.name)
    deletion.remove(db(), assignment)


@operation("GET", "/assignments/<int:assignment>/submissions", Right.READ)
def list_submissions(assignment: tables.AssignmentRow, query: PagingBody) -> SubmissionsBody:
    """All submissions in all versions, in the order in which they came."""
    return submissions_where(query, assignment_id=assignment.id, confirmed=True)


def submissions_where(query: PagingBody, **columns: object) -> SubmissionsBody:
    """A page of the submissions whose columns have these values."""
    wanted = select(tables.SubmissionRow).filter_by(**columns)
    total = db().scalar(select(func.count()).select_from(wanted.subquery())) or 0
    rows = wanted.options(selectinload(tables.SubmissionRow.files)).order_by(tables.SubmissionRow.id)
    page = db().scalars(rows.limit(query.limit).offset(query.offset)).all()
    return SubmissionsBody(total=total, items=[SubmissionBody.model_validate(row) for row in page])


@operation("GET", "/submissions/<int:submission>", Right.READ)
def read_submission(submission: tables.SubmissionRow) -> SubmissionBody:
    """One submission."""
    return SubmissionBody.model_validate(submission)


@operation("PATCH", "/submissions/<int:submission>", Right.TEACH)
def change_submission(submission: tables.SubmissionRow, body: SubmissionChangeBody) -> SubmissionBody:
    """Correct a submission: whose it is, what it is, in which language."""
    correct(db(), submission, Correction(body.owner, body.role, body.language))
    db().flush()
    return SubmissionBody.model_validate(submission)


@operation("GET", "/submissions/<int:submission>/matches", Right.READ)
def list_matches(submission: tables.SubmissionRow, query: PagingBody) -> list[PairBody]:
    """The pairs of a submission in its assignment's newest run, best first: for a grading page."""
    run = latest_run(db(), submission.assignment_id)
    return side_pairs(run, submission, query) if run else []


@operation("POST", "/assignments/<int:assignment>/uploads", Right.TEACH, status=201)
def create_upload(assignment: tables.AssignmentRow) -> UploadBody:
    """Begin an upload, to which you then send files."""
    return _upload(start_upload(assignment))


@operation("PUT", "/uploads/<int:upload>/parts", Right.TEACH, accepts="application/octet-stream")
def send_part(upload: tables.UploadRow, query: ByteRangeBody) -> PartBody:
    """Send a file in chunks of 1 MiB, of which the last may be shorter; sending one again is harmless."""
    chunk = Chunk(query.role, query.path, query.start, query.total)
    return PartBody.model_validate(put_chunk(db(), upload, chunk, request.get_data(), most_bytes()))


@operation("POST", "/uploads/<int:upload>/recognise", Right.TEACH, status=202)
def recognise_upload(upload: tables.UploadRow, body: RecognisingBody) -> UploadBody:
    """Let a worker look what was sent; poll the upload until it is `ready`."""
    start_recognition(upload, body.reading, body.layout)
    return _upload(upload)


@operation("GET", "/uploads/<int:upload>", Right.READ)
def read_upload(upload: tables.UploadRow) -> UploadBody:
    """How far an upload is, and what was wrong with it."""
    return _upload(upload)


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


def _upload(upload: tables.UploadRow) -> UploadBody:
    db().flush()
    state, reason = upload_state(db(), upload)
    return UploadBody.model_validate(upload).model_copy(update={"state": state, "reason": reason})
