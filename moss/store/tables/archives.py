"""Archives of whole courses: those exported here, and those uploaded for import."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from moss.store.tables.base import Base, Key, Moment, reference


class CourseArchiveRow(Base):
    """A course in one file, kept for a day."""

    __tablename__ = "course_archives"

    id: Mapped[Key]
    course_id: Mapped[int | None] = reference("courses")  # of an import: the course that was made of it
    user_id: Mapped[int | None] = reference("users")
    job_id: Mapped[int | None] = reference("jobs", on_delete="SET NULL")
    incoming: Mapped[bool] = mapped_column(default=False)
    created: Mapped[Moment]
    total: Mapped[int] = mapped_column(BigInteger, default=0)  # bytes when it is complete
    ready: Mapped[datetime | None]  # when it was complete or, for an import, when its course was added


class ArchiveChunkRow(Base):
    """Some of an archive's bytes."""

    __tablename__ = "archive_chunks"
    __table_args__ = (UniqueConstraint("archive_id", "start"),)

    id: Mapped[Key]
    archive_id: Mapped[int] = reference("course_archives")
    start: Mapped[int] = mapped_column(BigInteger)
    content: Mapped[bytes]
