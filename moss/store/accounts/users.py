"""Users: accounts are added, changed and disabled, and recognised by address and password."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import marked
from moss.store.accounts.passwords import hash_password, is_right
from moss.store.accounts.tokens import revoke_all
from moss.store.tables import LoginRow, MembershipRow, UserRow
from moss.store.validation import RefusedError, clean_email, clean_name

_TAKEN = marked("There is already an account with this address.")


def user_by_email(session: Session, email: str) -> UserRow | None:
    """The account with this address, in any case."""
    return session.scalar(select(UserRow).filter_by(email=email.strip().lower()))


def authenticate(session: Session, email: str, password: str) -> UserRow | None:
    """The account with this address and password; takes as long if there is no such account."""
    user = user_by_email(session, email)
    right = is_right(user.password if user else None, password)
    return user if right and user and not user.disabled else None


def add_user(
    session: Session, *, email: str, name: str, password: str | None = None, administrator: bool = False,
    subject: str | None = None,
) -> UserRow:  # fmt: skip
    """Add an account; the password, if there is one, was checked."""
    user = UserRow(email=clean_email(email), name=clean_name(name), administrator=administrator, subject=subject)
    user.password = hash_password(password) if password is not None else None
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError:
        raise RefusedError("email", _(_TAKEN)) from None
    return user


def change_user(session: Session, user: UserRow, *, name: str, email: str) -> None:
    """Give an account another name or address."""
    email = clean_email(email)
    other = user_by_email(session, email)
    if other is not None and other.id != user.id:
        raise RefusedError("email", _(_TAKEN))
    user.name, user.email = clean_name(name), email


def disable(session: Session, user: UserRow) -> None:
    """Disable an account: its password, log-ins and API tokens no longer work."""
    _leave_an_administrator(session, user)
    user.disabled = True
    end_logins(session, user)
    revoke_all(session, user)


def set_administrator(session: Session, user: UserRow, administrator: bool) -> None:
    """Make a user an administrator, or no longer one."""
    if not administrator:
        _leave_an_administrator(session, user)
    user.administrator = administrator


def _leave_an_administrator(session: Session, user: UserRow) -> None:
    """Refuse to remove the last administrator; the rows are locked, so that two cannot remove each other."""
    active = select(UserRow.id).filter_by(administrator=True, disabled=False).order_by(UserRow.id).with_for_update()
    if set(session.scalars(active)) == {user.id}:
        raise RefusedError(
            "", _("%(name)s is the last administrator. Make someone else an administrator first.", name=user.name)
        )


def end_logins(session: Session, user: UserRow) -> None:
    """Log a user out of all browsers."""
    session.execute(delete(LoginRow).where(LoginRow.user_id == user.id))


def logins_of(session: Session, user: UserRow, since: datetime) -> Sequence[LoginRow]:
    """The browsers in which a user is logged in, the latest used first."""
    query = select(LoginRow).where(LoginRow.user_id == user.id, LoginRow.seen >= since)
    return session.scalars(query.order_by(LoginRow.seen.desc(), LoginRow.id.desc())).all()


@dataclass(frozen=True, slots=True)
class ListedUser:
    """An account in a list."""

    user: UserRow
    courses: int
    seen: datetime | None  # when a browser that is logged in was last used


def list_users(session: Session, text: str = "", limit: int | None = None, start: int = 0) -> list[ListedUser]:
    """The accounts whose name or address contains a text, by name."""
    seen = select(func.max(LoginRow.seen)).where(LoginRow.user_id == UserRow.id).scalar_subquery()
    courses = select(func.count()).where(MembershipRow.user_id == UserRow.id).scalar_subquery()
    query = select(UserRow, courses, seen).order_by(func.lower(UserRow.name), UserRow.id).limit(limit).offset(start)
    if text:
        query = query.where(
            or_(UserRow.name.icontains(text, autoescape=True), UserRow.email.icontains(text, autoescape=True))
        )
    return [ListedUser(*row) for row in session.execute(query)]
