"""Notices: what users are told in the browser, and the secrets by which a webhook's receiver knows us."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from moss.store.tables import Notice, Secret

_KEPT = 200  # notices of one user
_SHOWN = 50


def add_notice(session: Session, user_id: int, text: str, path: str) -> None:
    """Tell a user something; `path` leads to it. Very old notices make room."""
    session.add(Notice(user_id=user_id, text=text, path=path))
    session.flush()
    newest = select(Notice.id).filter_by(user_id=user_id).order_by(Notice.id.desc()).limit(_KEPT)
    session.execute(delete(Notice).where(Notice.user_id == user_id, Notice.id.not_in(newest)))


def latest_notices(session: Session, user_id: int) -> Sequence[Notice]:
    """A user's notices, newest first."""
    return session.scalars(select(Notice).filter_by(user_id=user_id).order_by(Notice.id.desc()).limit(_SHOWN)).all()


def unseen_notices(session: Session, user_id: int) -> Sequence[Notice]:
    """The notices that a user has not looked at, oldest first."""
    return session.scalars(select(Notice).filter_by(user_id=user_id, seen=False).order_by(Notice.id)).all()


def count_unseen(session: Session, user_id: int) -> int:
    """How many those are."""
    query = select(func.count()).where(Notice.user_id == user_id, Notice.seen.is_(False))
    return session.scalar(query) or 0


def mark_seen(session: Session, user_id: int, last_id: int | None = None) -> None:
    """The user has looked at all notices up to one, or at all."""
    query = update(Notice).where(Notice.user_id == user_id)
    session.execute((query if last_id is None else query.where(Notice.id <= last_id)).values(seen=True))


def forget_notices(session: Session, path: str) -> None:
    """Remove notices that lead to what is no longer there."""
    session.execute(delete(Notice).where(Notice.path == path))


def webhook_secret_name(course_id: int) -> str:
    """By which name that secret is kept."""
    return f"webhook of course {course_id}"


def webhook_secret(session: Session, course_id: int) -> str:
    """What signs the messages to a course's webhook; made when first asked for."""
    name = webhook_secret_name(course_id)
    found = session.get(Secret, name)
    if found is None:
        found = Secret(name=name, value=secrets.token_hex(32))
        session.add(found)
        session.flush()
    return found.value
