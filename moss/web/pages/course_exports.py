"""Course archives: made on request, listed while they can be downloaded."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from moss.store.tables import CourseRow, JobState, now
from moss.store.transfer.archive_chunks import exports_of, state_of, until
from moss.store.validation import RefusedError
from moss.web.actions.course_exports import exported_file, start_export
from moss.web.request.access import Right, access
from moss.web.request.context import db

blueprint = Blueprint("course_exports", __name__)


@blueprint.get("/courses/<int:course>/export")
@access(Right.TEACH)
def show(course: CourseRow) -> ResponseReturnValue:
    """The archives of a course that can be downloaded, and the one that is being made."""
    found = [(archive, *state_of(db(), archive), until(archive)) for archive in exports_of(db(), course.id)]
    waits = any(state in (JobState.QUEUED, JobState.RUNNING) for _, state, _, _ in found)
    return render_template("web/course_exports.html", course=course, found=found, waits=waits, now=now())


@blueprint.post("/courses/<int:course>/export")
@access(Right.TEACH)
def create(course: CourseRow) -> ResponseReturnValue:
    """Start making an archive of a course."""
    try:
        start_export(course)
    except RefusedError as wrong:
        flash(str(wrong), "wrong")
        return redirect(url_for("course_exports.show", course=course.id), 303)
    return redirect(url_for("course_exports.show", course=course.id), 303)


@blueprint.get("/courses/<int:course>/export/<int:number>")
@access(Right.TEACH)
def fetch(course: CourseRow, number: int) -> ResponseReturnValue:
    """Download an archive."""
    archive, response = exported_file(course, number)
    response.content_length = archive.total
    response.headers["Content-Disposition"] = (
        f'attachment; filename="moss-course-{course.id}-{archive.created:%Y-%m-%d}.zip"'
    )
    return response
