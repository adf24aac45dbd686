"""Archives of whole courses: those that were made here, to be fetched, and those that came, to be read."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from moss.store.tables.base import Base, Key, Moment, reference


class CourseArchiveRow(Base):
    """A course in one file. It is kept for a day."""

    __tablename__ = "course_archives"

    id: Mapped[Key]
    course_id: Mapped[int | None] = reference("courses")  # of one that came: the course that was made of it
    user_id: Mapped[int | None] = reference("users")
    job_id: Mapped[int | None] = reference("jobs", on_delete="SET NULL")
    incoming: Mapped[bool] = mapped_column(default=False)
    created: Mapped[Moment]
    total: Mapped[int] = mapped_column(BigInteger, default=0)  # bytes that it has when it is whole
    ready: Mapped[datetime | None]  # since when it is whole, or, if it came, since when its course is here


class ArchiveChunkRow(Base):
    """A stretch of an archive's bytes."""

    __tablename__ = "archive_chunks"
    __table_args__ = (UniqueConstraint("archive_id", "start"),)

    id: Mapped[Key]
    archive_id: Mapped[int] = reference("course_archives")
    start: Mapped[int] = mapped_column(BigInteger)
    content: Mapped[bytes]
