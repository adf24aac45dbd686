"""Archives of courses in the database: in chunks, so that any machine can write, fetch or read one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import IO

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import number
from moss.store import Store
from moss.store.tables import ArchiveChunkRow, CourseArchiveRow, JobRow, JobState, now
from moss.store.validation import RefusedError

CHUNK = 1024 * 1024
LIFETIME = timedelta(days=1)


def begin_export(session: Session, course_id: int, user_id: int) -> CourseArchiveRow:
    """Add an archive that is to be written, unless one is being written already."""
    for archive in exports_of(session, course_id):
        if archive.ready is None and (job := _job(session, archive)) is not None and not job.is_over:
            raise RefusedError("", _("An export of this course is already being created."))
    archive = CourseArchiveRow(course_id=course_id, user_id=user_id)
    session.add(archive)
    session.flush()
    return archive


def receive(session: Session, file: IO[bytes], user_id: int, most: int) -> CourseArchiveRow:
    """Store an archive that was uploaded, until it is imported."""
    total = file.seek(0, 2)
    if total == 0:
        raise RefusedError("file", _("Choose the file of an exported course."))
    if total > most:
        raise RefusedError(
            "file", _("This server accepts files of up to %(n)s MB. Nothing was imported.", n=number(most // 1024**2))
        )
    archive = CourseArchiveRow(user_id=user_id, incoming=True, total=total)
    session.add(archive)
    session.flush()
    file.seek(0)
    store_chunks(session, archive.id, file, 0)
    return archive


def store_chunks(session: Session, archive_id: int, file: IO[bytes], start: int, most: int | None = None) -> int:
    """Store the file's bytes from its position on, at most `most` chunks; returns where the next one starts."""
    done = 0
    while (most is None or done < most) and (content := file.read(CHUNK)):
        session.add(ArchiveChunkRow(archive_id=archive_id, start=start, content=content))
        session.flush()
        start, done = start + len(content), done + 1
    return start


def chunks(store: Store, archive_id: int) -> Iterator[bytes]:
    """The bytes of an archive, each chunk read in its own transaction."""
    with store.reading() as session:
        query = select(ArchiveChunkRow.id).filter_by(archive_id=archive_id).order_by(ArchiveChunkRow.start)
        ids = session.scalars(query).all()
    for chunk_id in ids:
        with store.reading() as session:
            content = session.scalar(select(ArchiveChunkRow.content).filter_by(id=chunk_id))
        if content is None:  # deleted meanwhile: break the connection, rather than send half an archive
            raise LookupError("the archive is gone")
        yield content


def delete_chunks(session: Session, archive_id: int) -> None:
    """Delete an archive's bytes."""
    session.execute(delete(ArchiveChunkRow).where(ArchiveChunkRow.archive_id == archive_id))


def exports_of(session: Session, course_id: int) -> Sequence[CourseArchiveRow]:
    """The archives that were made of a course, newest first."""
    query = select(CourseArchiveRow).filter_by(course_id=course_id, incoming=False)
    return session.scalars(query.order_by(CourseArchiveRow.id.desc())).all()


def until(archive: CourseArchiveRow) -> datetime:
    """When an archive expires."""
    return (archive.ready or archive.created) + LIFETIME


def can_be_fetched(archive: CourseArchiveRow) -> bool:
    """Whether an archive is complete and has not expired."""
    return archive.ready is not None and now() < until(archive)


def archive_state(session: Session, archive: CourseArchiveRow) -> tuple[JobState, str]:
    """The state of an archive, and the reason if it failed."""
    job = _job(session, archive)
    if archive.ready is not None:
        return JobState.DONE, ""
    return (job.state, job.reason) if job else (JobState.FAILED, "Its job is gone.")


def _job(session: Session, archive: CourseArchiveRow) -> JobRow | None:
    return session.get(JobRow, archive.job_id) if archive.job_id else None
