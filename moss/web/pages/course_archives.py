"""A course as an archive: made on request, listed while it can be downloaded, and imported into this server."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.config import MIB
from moss.messages import gettext as _
from moss.messages import marked
from moss.store.tables import CourseArchiveRow, CourseRow, JobState, now
from moss.store.transfer.archive_chunks import archive_state, exports_of, receive, until
from moss.store.validation import RefusedError
from moss.web.actions.courses import exported_file, start_export
from moss.web.actions.runs import most_bytes
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, me, server, start_job
from moss.web.request.limits import limit

blueprint = Blueprint("course_archives", __name__)

_HOUR = timedelta(hours=1)
_TOO_OFTEN = marked("You have sent too many files within an hour. Wait %(wait)s and try again.")


@blueprint.get("/courses/<int:course>/export")
@access(Right.TEACH)
def show_exports(course: CourseRow) -> ResponseReturnValue:
    """The archives of a course that can be downloaded, and the one that is being made."""
    found = [(archive, *archive_state(db(), archive), until(archive)) for archive in exports_of(db(), course.id)]
    waits = any(state in (JobState.QUEUED, JobState.RUNNING) for _, state, _, _ in found)
    return render_template("web/course_exports.html", course=course, found=found, waits=waits, now=now())


@blueprint.post("/courses/<int:course>/export")
@access(Right.TEACH)
def create_export(course: CourseRow) -> ResponseReturnValue:
    """Start making an archive of a course."""
    try:
        start_export(course)
    except RefusedError as wrong:
        flash(str(wrong), "wrong")
        return redirect(url_for("course_archives.show_exports", course=course.id), 303)
    return redirect(url_for("course_archives.show_exports", course=course.id), 303)


@blueprint.get("/courses/<int:course>/export/<int:number>")
@access(Right.TEACH)
def fetch_export(course: CourseRow, number: int) -> ResponseReturnValue:
    """Download an archive."""
    archive, response = exported_file(course, number)
    response.content_length = archive.total
    response.headers["Content-Disposition"] = (
        f'attachment; filename="moss-course-{course.id}-{archive.created:%Y-%m-%d}.zip"'
    )
    return response


@blueprint.url_value_preprocessor
def _allow_large_forms(endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Allow the large form in which an archive comes, before Flask reads it."""
    if endpoint == "course_archives.send_import":
        request.max_content_length = most_bytes() + MIB


@blueprint.get("/courses/import")
@access(Right.USER)
def import_form() -> ResponseReturnValue:
    """The form for an archive."""
    return render_template("web/import.html", wrong=None, most=most_bytes())


@blueprint.post("/courses/import")
@access(Right.USER)
def send_import() -> ResponseReturnValue:
    """Store an uploaded archive and start the job that reads it."""
    limit({"upload": str(me().id)}, server().config.uploads_per_hour, _HOUR, _TOO_OFTEN)
    sent = request.files.get("file") or abort(422, _("Choose the file of an exported course."))
    try:
        archive = receive(db(), sent.stream, me().id, most_bytes())
    except RefusedError as wrong:
        return render_template("web/import.html", wrong=wrong, most=most_bytes()), 422
    archive.job_id = start_job("import", {"archive": archive.id}).id
    audit("sent a course to import", archive=archive.id, megabytes=round(archive.total / MIB, 1))
    return redirect(url_for("course_archives.show_import", number=archive.id), 303)


@blueprint.get("/imports/<int:number>")
@access(Right.USER)
def show_import(number: int) -> ResponseReturnValue:
    """The progress of an import; once it is finished, the course."""
    archive = db().get(CourseArchiveRow, number)
    if archive is None or not archive.incoming or archive.user_id != me().id:
        abort(404)
    state, reason = archive_state(db(), archive)
    course = db().get(CourseRow, archive.course_id) if archive.course_id else None
    waits = state in (JobState.QUEUED, JobState.RUNNING)
    return render_template("web/import_state.html", state=state, reason=reason, course=course, waits=waits)
