"""Receiving the files of an upload: in chunks from a script, or all at once from a form."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from moss.config import MIB
from moss.messages import gettext as _
from moss.model import Reading, Role
from moss.store.submissions.uploads import (
    CHUNK,
    MOST_PARTS,
    ChunkPlace,
    parts_of,
    put_chunk,
    put_file,
    starts_of,
)
from moss.store.tables import AssignmentRow, CourseRow, UploadRow
from moss.web.actions.runs import most_bytes, start_check, start_recognition, start_upload, usual_choice
from moss.web.request.access import Right, access, course_role, may_teach
from moss.web.request.addresses import number, numbers
from moss.web.request.answers import refusals, wants_json
from moss.web.request.context import db, me

blueprint = Blueprint("upload_files", __name__)


@blueprint.url_value_preprocessor
def _allow_large_forms(endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Allow the large form in which all files come without a script, before Flask reads it."""
    if endpoint in ("upload_files.begin", "upload_files.add", "upload_files.check"):
        request.max_content_length = most_bytes() + MIB
        request.max_form_parts = MOST_PARTS


@blueprint.post("/assignments/<int:assignment>/uploads")
@access(Right.TEACH)
def begin(assignment: AssignmentRow) -> ResponseReturnValue:
    """Begin an upload: empty, if a script will send the files, else with the files of the form."""
    upload = start_upload(assignment)
    if wants_json():
        return addresses_of(upload), 201
    _receive(upload)
    return recognise_as(upload, Reading.AUTO)


@blueprint.post("/check")
@access(Right.USER)
def check() -> ResponseReturnValue:
    """Begin the upload of a class for a course that the form names, and for an assignment that need not exist yet."""
    course = _course()
    files = [file.filename or "" for file in request.files.getlist("new")]
    name = request.form.get("file", files[0] if len(files) == 1 else "")
    with refusals():
        upload = start_check(course, request.form.get("name", ""), name)
    if wants_json():
        return addresses_of(upload), 201
    _receive(upload)
    return recognise_as(upload, Reading.AUTO)


def _course() -> CourseRow:
    """The course that the form names; answers 404 if the visitor does not know it, and 403 if they do not teach it."""
    ids = numbers(request.form.getlist("course"))
    course = db().get(CourseRow, ids[0]) if ids else None
    if course is None or course_role(me(), course) is None:
        abort(404)
    return course if may_teach(course) else abort(403)


@blueprint.get("/uploads/<int:upload>/parts")
@access(Right.TEACH)
def list_parts(upload: UploadRow) -> ResponseReturnValue:
    """The files that have arrived, for a script that continues after a broken connection."""
    starts = starts_of(db(), upload)
    found = [
        {"role": p.role, "path": p.path, "size": p.size, "complete": p.complete, "starts": starts.get(p.id, [])}
        for p in parts_of(db(), upload)
    ]
    return {"arrived": found, **addresses_of(upload)}


@blueprint.put("/uploads/<int:upload>/parts")
@access(Right.TEACH)
def put_part(upload: UploadRow) -> ResponseReturnValue:
    """Receive one chunk of a file."""
    given = request.args
    try:
        stretch = ChunkPlace(Role(given["role"]), given["path"], number(given["start"]), number(given["total"]))
    except (KeyError, ValueError):
        abort(400, _("A chunk needs its role, path, start and total."))
    with refusals():
        part = put_chunk(db(), upload, stretch, request.get_data(), most_bytes())
    return {"path": part.path, "size": part.size, "complete": part.complete}


@blueprint.post("/uploads/<int:upload>/parts")
@access(Right.TEACH)
def add(upload: UploadRow) -> ResponseReturnValue:
    """Receive whole files: many small ones from a script, or the files of a form."""
    _receive(upload)
    return {"received": True} if wants_json() else redirect(url_for("uploads.show", upload=upload.id), 303)


@blueprint.post("/uploads/<int:upload>/recognise")
@access(Right.TEACH)
def recognise(upload: UploadRow) -> ResponseReturnValue:
    """Start recognising the submissions of an upload, reading it as asked."""
    try:
        reading = Reading(request.form.get("reading", Reading.AUTO))
    except ValueError:
        abort(422, _("There is no such way to read an upload."))
    return recognise_as(upload, reading, request.form.get("layout", "auto"))


def recognise_as(upload: UploadRow, reading: Reading, layout: str = "auto") -> ResponseReturnValue:
    """Start the job that recognises submissions, and lead to the page that shows how far it is. A form that offers the
    choice says what follows: comparing at once, unless its tick asks to confirm first."""
    at_once = request.form.getlist("then")[-1:] == ["compare"]
    with refusals():
        start_recognition(upload, reading, layout, usual_choice(upload.assignment) if at_once else None)
    if at_once:
        page = url_for("checks.show", assignment=upload.assignment_id)
    else:
        page = url_for("uploads.show", upload=upload.id)
    return {"page": page} if wants_json() else redirect(page, 303)


def addresses_of(upload: UploadRow) -> dict[str, Any]:
    """The addresses of an upload that a script needs."""
    names = {"parts": "upload_files.add", "recognise": "upload_files.recognise", "discard": "uploads.discard"}
    found = {name: url_for(endpoint, upload=upload.id) for name, endpoint in names.items()}
    return {"id": upload.id, "chunk": CHUNK, "page": url_for("uploads.show", upload=upload.id), **found}


def _receive(upload: UploadRow) -> None:
    for field, files in request.files.lists():
        role = field.partition("-")[0]  # `new`, or `new-folder`
        for file in files:
            if file.filename and role in list(Role):
                with refusals():
                    put_file(db(), upload, Role(role), file.filename, file.stream, most_bytes())
