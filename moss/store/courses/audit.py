"""The audit log: who did what and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from moss.store.tables import AuditEntryRow, UserRow

LOGGED_IN = "logged in"


def add_audit_entry(session: Session, actor: str, action: str, *, address: str = "", user_id: int | None = None,
               **detail: Any) -> None:  # fmt: skip
    """Add an entry about somebody who is not logged in, or a program."""
    session.add(AuditEntryRow(actor=actor, action=action, address=address, user_id=user_id, detail=detail))


def known_addresses(session: Session, email: str) -> Sequence[str]:
    """The network addresses from which a user has logged in."""
    query = select(AuditEntryRow.address).join(UserRow, UserRow.id == AuditEntryRow.user_id)
    mine = query.where(UserRow.email == email.strip().lower(), AuditEntryRow.action == LOGGED_IN)
    return session.scalars(mine.distinct()).all()


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The entries that somebody wants to see."""

    who: str = ""  # part of the actor's address
    action: str = ""
    since: date | None = None
    until: date | None = None  # the last day
    course_id: int | None = None
    before: int | None = None  # id of the entry before which to begin


def entries(session: Session, choice: AuditFilter, limit: int) -> Sequence[AuditEntryRow]:
    """The chosen entries, newest first."""
    query = _of_course(select(AuditEntryRow), choice)
    if choice.who:
        query = query.where(AuditEntryRow.actor.icontains(choice.who, autoescape=True))
    if choice.action:
        query = query.where(AuditEntryRow.action == choice.action)
    if choice.since:
        query = query.where(AuditEntryRow.at >= _midnight(choice.since))
    if choice.until:
        query = query.where(AuditEntryRow.at < _midnight(choice.until) + timedelta(days=1))
    if choice.before:
        query = query.where(AuditEntryRow.id < choice.before)
    return session.scalars(query.order_by(AuditEntryRow.id.desc()).limit(limit)).all()


def actions(session: Session, choice: AuditFilter) -> Sequence[str]:
    """All actions in the log, to choose from."""
    return session.scalars(
        _of_course(select(AuditEntryRow.action), choice).distinct().order_by(AuditEntryRow.action)
    ).all()


def _of_course(query: Select[Any], choice: AuditFilter) -> Select[Any]:
    return query.where(AuditEntryRow.course_id == choice.course_id) if choice.course_id is not None else query


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
