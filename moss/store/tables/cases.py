"""Cases: what people think of a pair. They belong to people and an assignment, so they outlive any run."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from moss.store.tables.base import Base, Key, Moment, reference

if TYPE_CHECKING:
    from moss.store.tables.courses import Assignment, Person
    from moss.store.tables.users import User


class CaseState(StrEnum):
    """What was decided."""

    UNREVIEWED = "unreviewed"
    SUSPICIOUS = "suspicious"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


class Case(Base):
    """Two people in one assignment, of whom somebody thought something."""

    __tablename__ = "cases"
    __table_args__ = (UniqueConstraint("assignment_id", "a_id", "b_id"),)

    id: Mapped[Key]
    assignment_id: Mapped[int] = reference("assignments")
    a_id: Mapped[int] = reference("people")  # the lower of the two
    b_id: Mapped[int] = reference("people")
    state: Mapped[CaseState] = mapped_column(default=CaseState.UNREVIEWED)
    assignee_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    created: Mapped[Moment]
    changed: Mapped[Moment]

    assignment: Mapped[Assignment] = relationship()
    a: Mapped[Person] = relationship(foreign_keys="Case.a_id")
    b: Mapped[Person] = relationship(foreign_keys="Case.b_id")
    assignee: Mapped[User | None] = relationship()
    events: Mapped[list[CaseEvent]] = relationship(
        back_populates="case", cascade="all, delete-orphan", order_by="CaseEvent.id"
    )


class CaseEvent(Base):
    """A line of a case's history: a change of its state or assignee, or a note."""

    __tablename__ = "case_events"

    id: Mapped[Key]
    case_id: Mapped[int] = reference("cases")
    user_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    author: Mapped[str]  # the user's name then
    at: Mapped[Moment]
    kind: Mapped[str]  # "state", "assignee", "note"
    before: Mapped[str] = mapped_column(default="")
    after: Mapped[str] = mapped_column(default="")
    note: Mapped[str] = mapped_column(default="")

    case: Mapped[Case] = relationship(back_populates="events")


class ShareLink(Base):
    """A link by which somebody without an account may read one run's report, or one pair of it, for a while."""

    __tablename__ = "share_links"

    id: Mapped[Key]
    run_id: Mapped[int] = reference("runs")
    rank: Mapped[int | None]  # of the one pair that it shows; None: the whole report
    anonymous: Mapped[bool] = mapped_column(default=False)  # without names, of one pair
    label: Mapped[str] = mapped_column(default="")
    user_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    created: Mapped[Moment]
    expires: Mapped[datetime]
    revoked: Mapped[datetime | None]
    used: Mapped[datetime | None]
