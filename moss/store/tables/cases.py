"""Cases: what people decided about a pair. They belong to two people and an assignment, so they outlive any run."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from moss.store.tables.base import Base, Key, Moment, reference

if TYPE_CHECKING:
    from moss.store.tables.courses import AssignmentRow, PersonRow
    from moss.store.tables.users import UserRow


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
