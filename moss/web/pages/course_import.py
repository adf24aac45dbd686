"""Importing a course: its archive is uploaded and becomes a course here."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.config import MIB
from moss.messages import gettext as _
from moss.messages import marked
from moss.store.tables import CourseArchiveRow, CourseRow, JobState
from moss.store.transfer.archive_chunks import receive, state_of
from moss.store.validation import RefusedError
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, me, server, start_job
from moss.web.request.limits import limit

blueprint = Blueprint("importing", __name__)

_HOUR = timedelta(hours=1)
_TOO_OFTEN = marked("You have sent too many files within an hour. Wait %(wait)s and try again.")


@blueprint.url_value_preprocessor
def _allow_large_forms(endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Allow the large form in which an archive comes, before Flask reads it."""
    if endpoint == "importing.send":
        request.max_content_length = _most() + MIB


@blueprint.get("/courses/import")
@access(Right.USER)
def form() -> ResponseReturnValue:
    """The form for an archive."""
    return render_template("web/import.html", wrong=None, most=_most())


@blueprint.post("/courses/import")
@access(Right.USER)
def send() -> ResponseReturnValue:
    """Store an uploaded archive and start the job that reads it."""
    limit({"upload": str(me().id)}, server().config.uploads_per_hour, _HOUR, _TOO_OFTEN)
    sent = request.files.get("file") or abort(422, _("Choose the file of an exported course."))
    try:
        archive = receive(db(), sent.stream, me().id, _most())
    except RefusedError as wrong:
        return render_template("web/import.html", wrong=wrong, most=_most()), 422
    archive.job_id = start_job("import", {"archive": archive.id}).id
    audit("sent a course to import", archive=archive.id, megabytes=round(archive.total / MIB, 1))
    return redirect(url_for("importing.show", number=archive.id), 303)


@blueprint.get("/imports/<int:number>")
@access(Right.USER)
def show(number: int) -> ResponseReturnValue:
    """The progress of an import; once it is finished, the course."""
    archive = db().get(CourseArchiveRow, number)
    if archive is None or not archive.incoming or archive.user_id != me().id:
        abort(404)
    state, reason = state_of(db(), archive)
    course = db().get(CourseRow, archive.course_id) if archive.course_id else None
    waits = state in (JobState.QUEUED, JobState.RUNNING)
    return render_template("web/import_state.html", state=state, reason=reason, course=course, waits=waits)


def _most() -> int:
    return server().config.upload_megabytes * MIB
