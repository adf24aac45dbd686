"""Courses, the people in them, their assignments, cases, and archives of whole courses, exported or to be imported.

A case is what people decided about a pair. It belongs to two people and an assignment, so it outlives any run.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from moss.store.tables.base import Base, Key, Moment, reference

if TYPE_CHECKING:
    from moss.store.tables.runs import RunRow
    from moss.store.tables.submissions import SubmissionRow, UploadRow
    from moss.store.tables.users import MembershipRow, UserRow


class CourseRow(Base):
    """A course in one term."""

    __tablename__ = "courses"

    id: Mapped[Key]
    name: Mapped[str]
    term: Mapped[str] = mapped_column(default="")
    created: Mapped[Moment]
    retention_days: Mapped[int | None]  # None: for ever
    webhook: Mapped[str] = mapped_column(default="")  # address that is called after each run
    imported: Mapped[datetime | None]  # when it came from another server; None: it was made here

    memberships: Mapped[list[MembershipRow]] = relationship(back_populates="course", cascade="all, delete-orphan")
    assignments: Mapped[list[AssignmentRow]] = relationship(
        back_populates="course", cascade="all, delete-orphan", order_by="AssignmentRow.id"
    )
    people: Mapped[list[PersonRow]] = relationship(back_populates="course", cascade="all, delete-orphan")

    @property
    def title(self) -> str:
        """The name with the term, by which readers tell courses apart."""
        return course_title(self.name, self.term)


def course_title(name: str, term: str) -> str:
    """The title of a course with this name in this term, if it has one."""
    return f"{name}, {term}" if term else name


class PersonRow(Base):
    """A student or a team, by a name under which they hand in work. If one student has several names, all but one are
    merged into that one, which stands for the student in runs, pairs and cases."""

    __tablename__ = "people"
    __table_args__ = (UniqueConstraint("course_id", "name"),)

    id: Mapped[Key]
    course_id: Mapped[int] = reference("courses")
    name: Mapped[str]
    # The person who stands for the student. No foreign key: SQLite would make the table anew to add one, and everything
    # that refers to its rows would go with them.
    same_as_id: Mapped[int | None] = mapped_column(index=True)
    kept_apart: Mapped[bool] = mapped_column(default=False)  # parted by hand, so that no roster merges it again
    moved: Mapped[dict[str, Any] | None]  # what was moved when it was merged, to move it back
    on_roster: Mapped[bool] = mapped_column(default=False)
    address: Mapped[str] = mapped_column(default="")  # this and what follows are from the roster
    number: Mapped[str] = mapped_column(default="")
    section: Mapped[str] = mapped_column(default="")
    other_names: Mapped[list[Any]] = mapped_column(default=list)

    course: Mapped[CourseRow] = relationship(back_populates="people")
    same_as: Mapped[PersonRow | None] = relationship(
        primaryjoin="foreign(PersonRow.same_as_id) == remote(PersonRow.id)", viewonly=True
    )

    @property
    def student(self) -> PersonRow:
        """The person who stands for the student whose name this is."""
        return self.same_as or self


class PartnersRow(Base):
    """Two students of a course who may work together, as its roster says."""

    __tablename__ = "partners"
    __table_args__ = (UniqueConstraint("a_id", "b_id"),)

    id: Mapped[Key]
    a_id: Mapped[int] = reference("people")  # the lower id of the two
    b_id: Mapped[int] = reference("people")

    a: Mapped[PersonRow] = relationship(foreign_keys=[a_id])
    b: Mapped[PersonRow] = relationship(foreign_keys=[b_id])


class CorpusRightRow(Base):
    """The right of a course to use a corpus of the server."""

    __tablename__ = "corpus_rights"
    __table_args__ = (UniqueConstraint("corpus", "course_id"),)

    id: Mapped[Key]
    corpus: Mapped[str] = mapped_column(index=True)  # name of the corpus
    course_id: Mapped[int | None] = reference("courses")  # None: all courses
    search: Mapped[bool]
    add: Mapped[bool]


class AssignmentRow(Base):
    """An assignment, whose submissions are compared."""

    __tablename__ = "assignments"

    id: Mapped[Key]
    course_id: Mapped[int] = reference("courses")
    name: Mapped[str]
    created: Mapped[Moment]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)  # settings for the next run, as chosen last

    course: Mapped[CourseRow] = relationship(back_populates="assignments")
    submissions: Mapped[list[SubmissionRow]] = relationship(back_populates="assignment", cascade="all, delete-orphan")
    uploads: Mapped[list[UploadRow]] = relationship(back_populates="assignment", cascade="all, delete-orphan")
    runs: Mapped[list[RunRow]] = relationship(
        back_populates="assignment", cascade="all, delete-orphan", order_by="RunRow.number"
    )

    @property
    def deleted_on(self) -> datetime | None:
        """When it expires, by the course's retention; None: never."""
        days = self.course.retention_days
        return self.created + timedelta(days=days) if days is not None else None


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


class CaseState(StrEnum):
    """The decision about a case."""

    UNREVIEWED = "unreviewed"
    SUSPICIOUS = "suspicious"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    PARTNERS = "partners"  # the two may work together


class CaseEventKind(StrEnum):
    """The sort of a line in a case's history."""

    STATE = "state"
    ASSIGNEE = "assignee"
    NOTE = "note"
    PROPOSAL = "proposal"  # an assistant proposes a state
    STATEMENT = "statement"  # what a student said
    HEARING = "hearing"  # the day of the hearing
    OUTCOME = "outcome"  # what the hearing decided


class CaseRow(Base):
    """The case of two people in one assignment."""

    __tablename__ = "cases"
    __table_args__ = (UniqueConstraint("assignment_id", "a_id", "b_id"),)

    id: Mapped[Key]
    assignment_id: Mapped[int] = reference("assignments")
    a_id: Mapped[int] = reference("people")  # the lower id of the two
    b_id: Mapped[int] = reference("people")
    state: Mapped[CaseState] = mapped_column(default=CaseState.UNREVIEWED)
    assignee_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    created: Mapped[Moment]
    changed: Mapped[Moment]

    assignment: Mapped[AssignmentRow] = relationship()
    a: Mapped[PersonRow] = relationship(foreign_keys="CaseRow.a_id")
    b: Mapped[PersonRow] = relationship(foreign_keys="CaseRow.b_id")
    assignee: Mapped[UserRow | None] = relationship()
    events: Mapped[list[CaseEventRow]] = relationship(
        back_populates="case", cascade="all, delete-orphan", order_by="CaseEventRow.id"
    )


class CaseEventRow(Base):
    """A line of a case's history: a change of its state or assignee, a proposal, a note, or what a hearing brought."""

    __tablename__ = "case_events"

    id: Mapped[Key]
    case_id: Mapped[int] = reference("cases")
    user_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    author: Mapped[str]  # the user's name at the time
    at: Mapped[Moment]
    kind: Mapped[str]  # a CaseEventKind
    before: Mapped[str] = mapped_column(default="")
    after: Mapped[str] = mapped_column(default="")
    note: Mapped[str] = mapped_column(default="")

    case: Mapped[CaseRow] = relationship(back_populates="events")


class ShareLinkRow(Base):
    """A link by which somebody without an account may read one run's report, or one pair of it, for a while."""

    __tablename__ = "share_links"

    id: Mapped[Key]
    run_id: Mapped[int] = reference("runs")
    rank: Mapped[int | None]  # rank of the only pair that it shows; None: the whole report
    anonymous: Mapped[bool] = mapped_column(default=False)  # shows one pair without names
    label: Mapped[str] = mapped_column(default="")
    user_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    created: Mapped[Moment]
    expires: Mapped[datetime]
    revoked: Mapped[datetime | None]
    used: Mapped[datetime | None]
