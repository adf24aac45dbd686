"""Jobs that export a course to an archive, and that import one."""

from __future__ import annotations

import tempfile
from typing import IO

from sqlalchemy.orm import Session

from moss.jobs.job_context import JobContext, JobError, scratch_folder
from moss.messages import gettext as _
from moss.store.courses.audit import add_audit_entry
from moss.store.tables import CourseArchiveRow, CourseRow, UserRow, now
from moss.store.transfer.archive_chunks import CHUNK, chunks, delete_chunks, store_chunks
from moss.store.transfer.archive_reader import ArchiveError
from moss.store.transfer.export_course import write_archive
from moss.store.transfer.import_course import import_course

_CHUNKS_AT_ONCE = 16  # chunks stored in one transaction


def export(work: JobContext) -> None:
    """Write the archive of a course; a second attempt writes it again."""
    archive_id, course_id = work.payload["archive"], work.course_id
    with scratch_folder(work) as folder, tempfile.TemporaryFile(dir=folder) as file:
        with work.store.reading() as session:
            _see_one_moment(session)
            course = session.get(CourseRow, course_id or 0)
            if course is None or session.get(CourseArchiveRow, archive_id) is None:
                raise JobError(_("The course or this export has been deleted."))
            write_archive(session, course, file, work.progress)
        total = _store(work, archive_id, file)
    with work.finishing() as session:
        archive = session.get_one(CourseArchiveRow, archive_id)
        archive.total, archive.ready = total, now()


def _see_one_moment(session: Session) -> None:
    """Read everything as it was at one moment; SQLite always does."""
    if session.get_bind().dialect.name == "postgresql":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def _store(work: JobContext, archive_id: int, file: IO[bytes]) -> int:
    total = file.seek(0, 2)
    file.seek(0)
    start = 0
    with work.saving() as session:
        delete_chunks(session, archive_id)
    while start < total:
        work.progress("storing the archive", start // CHUNK, total // CHUNK)
        with work.saving() as session:
            start = store_chunks(session, archive_id, file, start, _CHUNKS_AT_ONCE)
    return total


def import_archive(work: JobContext) -> None:
    """Import the archive of a course, all of it or nothing."""
    archive_id = work.payload["archive"]
    with scratch_folder(work) as folder, tempfile.TemporaryFile(dir=folder) as file:
        file.writelines(chunks(work.store, archive_id))
        work.progress("reading the archive", 0, 0)
        try:
            with work.finishing() as session:
                _take_in(session, work, archive_id, file)
        except ArchiveError as error:
            raise JobError(_("This file can’t be imported: %(why)s.", why=error)) from None


def _take_in(session: Session, work: JobContext, archive_id: int, file: IO[bytes]) -> None:
    user, archive = session.get(UserRow, work.user_id or 0), session.get(CourseArchiveRow, archive_id)
    if user is None or archive is None:
        raise JobError(_("The file has been deleted, or the account of the person who sent it."))
    course = import_course(session, file, user.id)
    archive.course_id, archive.ready = course.id, now()
    delete_chunks(session, archive_id)
    add_audit_entry(session, user.email, "imported a course", user_id=user.id, course=course.title)
