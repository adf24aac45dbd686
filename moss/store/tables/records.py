"""The audit log, and values that all processes of the server share."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from moss.store.tables.base import Base, Key, Moment, reference


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
