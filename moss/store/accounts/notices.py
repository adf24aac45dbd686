"""Notices for users in the browser."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from moss.store.tables import NoticeRow

_KEPT = 200  # notices kept for one user
_SHOWN = 50
_UNSEEN = select(func.count()).where(NoticeRow.user_id == bindparam("user"), NoticeRow.seen.is_(False))


def add_notice(session: Session, user_id: int, text: str, path: str) -> None:
    """Add a notice for a user, with a link to `path`. The oldest ones are deleted when there are too many."""
    session.add(NoticeRow(user_id=user_id, text=text, path=path))
    session.flush()
    newest = select(NoticeRow.id).filter_by(user_id=user_id).order_by(NoticeRow.id.desc()).limit(_KEPT)
    session.execute(delete(NoticeRow).where(NoticeRow.user_id == user_id, NoticeRow.id.not_in(newest)))


def latest_notices(session: Session, user_id: int) -> Sequence[NoticeRow]:
    """A user's notices, newest first."""
    return session.scalars(
        select(NoticeRow).filter_by(user_id=user_id).order_by(NoticeRow.id.desc()).limit(_SHOWN)
    ).all()


def unseen_notices(session: Session, user_id: int) -> Sequence[NoticeRow]:
    """The notices that a user has not looked at, oldest first."""
    return session.scalars(select(NoticeRow).filter_by(user_id=user_id, seen=False).order_by(NoticeRow.id)).all()


def count_unseen(session: Session, user_id: int) -> int:
    """How many notices a user has not looked at."""
    return session.scalar(_UNSEEN, {"user": user_id}) or 0


def mark_seen(session: Session, user_id: int, last_id: int | None = None) -> None:
    """Mark all notices of a user as seen, up to one of them if it is given."""
    query = update(NoticeRow).where(NoticeRow.user_id == user_id)
    session.execute((query if last_id is None else query.where(NoticeRow.id <= last_id)).values(seen=True))


def delete_notices(session: Session, path: str) -> None:
    """Delete notices that link to something that no longer exists."""
    session.execute(delete(NoticeRow).where(NoticeRow.path == path))
