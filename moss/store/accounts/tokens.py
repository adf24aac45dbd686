"""Tokens: secrets that others keep, of which only digests are stored; and API tokens for programs."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.store.tables import ApiTokenRow, UserRow, now
from moss.store.validation import RefusedError, clean_name

PREFIX = "moss_"  # so that people, and programs that look for leaked keys, recognise one
LIFETIMES = (30, 90, 365)  # days to choose from


def digest(secret: str) -> str:
    """The digest of a secret, which is stored in its place."""
    return hashlib.sha256(secret.encode()).hexdigest()


def add_token(session: Session, user: UserRow, name: str, days: int | None) -> tuple[ApiTokenRow, str]:
    """Add an API token for a user; returns it and its secret, which is not stored."""
    if days is not None and not 1 <= days <= 3650:
        raise RefusedError("days", _("Choose how long the token is valid."))
    secret = PREFIX + secrets.token_urlsafe(32)
    expires = now() + timedelta(days=days) if days else None
    name = clean_name(name, "token_name")
    token = ApiTokenRow(user_id=user.id, name=name, digest=digest(secret), expires=expires)
    session.add(token)
    session.flush()
    return token, secret


def tokens_of(session: Session, user: UserRow) -> Sequence[ApiTokenRow]:
    """A user's API tokens that were not revoked, newest first."""
    return session.scalars(
        select(ApiTokenRow).filter_by(user_id=user.id, revoked=None).order_by(ApiTokenRow.id.desc())
    ).all()


def revoke_token(session: Session, user: UserRow, token_id: int) -> ApiTokenRow | None:
    """Revoke one of a user's API tokens; None if there is no such token."""
    token = session.scalar(select(ApiTokenRow).filter_by(id=token_id, user_id=user.id, revoked=None))
    if token is not None:
        token.revoked = now()
    return token


def revoke_all(session: Session, user: UserRow) -> None:
    """Revoke all API tokens of a user."""
    session.execute(
        update(ApiTokenRow).where(ApiTokenRow.user_id == user.id, ApiTokenRow.revoked.is_(None)).values(revoked=now())
    )
