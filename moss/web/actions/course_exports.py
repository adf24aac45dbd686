"""Course archives: starting the job that makes one, and the file to download."""

from __future__ import annotations

from flask import Response, abort

from moss.messages import gettext as _
from moss.store.tables import CourseArchiveRow, CourseRow
from moss.store.transfer.archive_chunks import begin_export, can_be_fetched, chunks
from moss.web.request.context import audit, db, me, server, start_job


def start_export(course: CourseRow) -> CourseArchiveRow:
    """Start the job that makes an archive of a course; RefusedError if one is being made."""
    archive = begin_export(db(), course.id, me().id)
    archive.job_id = start_job("export", {"archive": archive.id}, course.id).id
    audit("exported a course", course_id=course.id, archive=archive.id)
    return archive


def exported_file(course: CourseRow, number: int) -> tuple[CourseArchiveRow, Response]:
    """A finished archive of a course and the answer that sends it; answers 404 if it is gone."""
    archive = db().get(CourseArchiveRow, number)
    if archive is None or archive.course_id != course.id or archive.incoming or not can_be_fetched(archive):
        abort(404, _("This export has been deleted. Start another one."))
    return archive, Response(chunks(server().store, archive.id), mimetype="application/zip")
