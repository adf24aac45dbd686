"""Users: who may log in, with what, and what they may see; the audit log; and values that all processes share."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from moss.store.tables.base import Base, Key, Moment, reference

if TYPE_CHECKING:
    from moss.store.tables.courses import CourseRow


class CourseRole(StrEnum):
    """The role of a member in a course."""

    INSTRUCTOR = "instructor"  # everything
    ASSISTANT = "assistant"  # read


class UserRow(Base):
    """An account. An administrator may do everything; others what their memberships say."""

    __tablename__ = "users"

    id: Mapped[Key]
    email: Mapped[str] = mapped_column(unique=True)  # in lower case
    name: Mapped[str]
    password: Mapped[str | None]  # salted and hashed; without one, by OpenID Connect only
    administrator: Mapped[bool] = mapped_column(default=False)
    disabled: Mapped[bool] = mapped_column(default=False)
    subject: Mapped[str | None] = mapped_column(unique=True)  # the identity provider's name for the user
    created: Mapped[Moment]

    memberships: Mapped[list[MembershipRow]] = relationship(back_populates="user", cascade="all, delete-orphan")


class MembershipRow(Base):
    """A user's membership of a course."""

    __tablename__ = "memberships"
    __table_args__ = (UniqueConstraint("course_id", "user_id"),)

    id: Mapped[Key]
    course_id: Mapped[int] = reference("courses")
    user_id: Mapped[int] = reference("users")
    role: Mapped[CourseRole]

    user: Mapped[UserRow] = relationship(back_populates="memberships")
    course: Mapped[CourseRow] = relationship(back_populates="memberships")


class LoginRow(Base):
    """A browser that is logged in. The cookie itself is never stored, only its digest."""

    __tablename__ = "logins"

    id: Mapped[Key]
    digest: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[int] = reference("users")
    created: Mapped[Moment]
    seen: Mapped[Moment]
    address: Mapped[str] = mapped_column(default="")
    agent: Mapped[str] = mapped_column(default="")

    user: Mapped[UserRow] = relationship()


class InvitationRow(Base):
    """A link by which somebody chooses a password: to join or, with an account, to get back in."""

    __tablename__ = "invitations"

    id: Mapped[Key]
    digest: Mapped[str] = mapped_column(unique=True)
    email: Mapped[str]
    user_id: Mapped[int | None] = reference("users")  # the user whose password it resets
    course_id: Mapped[int | None] = reference("courses")
    role: Mapped[CourseRole | None]
    administrator: Mapped[bool] = mapped_column(default=False)
    invited_by_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    created: Mapped[Moment]
    expires: Mapped[datetime]
    used: Mapped[datetime | None]

    course: Mapped[CourseRow | None] = relationship()


class ApiTokenRow(Base):
    """A token for programs, which act for its user. Only its digest is stored."""

    __tablename__ = "tokens"

    id: Mapped[Key]
    user_id: Mapped[int] = reference("users")
    name: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    created: Mapped[Moment]
    used: Mapped[datetime | None]
    expires: Mapped[datetime | None]
    revoked: Mapped[datetime | None]

    user: Mapped[UserRow] = relationship()


class AttemptRow(Base):
    """An attempt at something that may be done only so often: a failed log-in, an upload."""

    __tablename__ = "attempts"

    id: Mapped[Key]
    key: Mapped[str] = mapped_column(index=True)  # what was tried, and for whom
    at: Mapped[Moment] = mapped_column(index=True)


class NoticeRow(Base):
    """A notice for a user, shown in the browser."""

    __tablename__ = "notices"

    id: Mapped[Key]
    user_id: Mapped[int] = reference("users")
    at: Mapped[Moment]
    text: Mapped[str]
    path: Mapped[str] = mapped_column(default="")  # path of the page to which it links
    seen: Mapped[bool] = mapped_column(default=False)


class AuditEntryRow(Base):
    """An entry of the audit log: somebody did something that matters."""

    __tablename__ = "audit"

    id: Mapped[Key]
    at: Mapped[Moment] = mapped_column(index=True)
    user_id: Mapped[int | None] = reference("users", on_delete="SET NULL")
    course_id: Mapped[int | None] = reference("courses", on_delete="SET NULL")
    actor: Mapped[str]  # the user's address at the time, or the program's name
    action: Mapped[str]  # "logged in", "erased a person"
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    address: Mapped[str] = mapped_column(default="")


class ServerValueRow(Base):
    """A value that all processes of this server share, such as a secret or a date."""

    __tablename__ = "secrets"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
