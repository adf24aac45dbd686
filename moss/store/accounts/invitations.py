"""Invitations: links by which people join a course or the server, or choose a new password. Each works once."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Select, delete, select, update
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.store.accounts.passwords import hash_password
from moss.store.accounts.tokens import digest, revoke_all
from moss.store.accounts.users import add_user, end_logins, user_by_email
from moss.store.courses.memberships import add_member, role_in
from moss.store.tables import CourseRole, InvitationRow, UserRow, now
from moss.store.validation import RefusedError, clean_email

LIFETIME = timedelta(days=14)


def invite_to_course(
    session: Session, course_id: int, email: str, role: CourseRole, by: UserRow | None
) -> tuple[InvitationRow, str]:
    """Invite somebody to a course; returns the invitation and the secret of its link, which is not stored."""
    email = clean_email(email)
    user = user_by_email(session, email)
    if user is not None and role_in(session, course_id, user.id) is not None:
        raise RefusedError("email", _("%(name)s is already a member of this course.", name=user.name))
    return _add(session, InvitationRow(email=email, course_id=course_id, role=role), by)


def invite_to_server(
    session: Session, email: str, administrator: bool, by: UserRow | None
) -> tuple[InvitationRow, str]:
    """Invite somebody to have an account."""
    email = clean_email(email)
    if user_by_email(session, email) is not None:
        raise RefusedError("email", _("There is already an account with this address."))
    return _add(session, InvitationRow(email=email, administrator=administrator), by)


def invite_back(session: Session, user: UserRow, by: UserRow | None) -> tuple[InvitationRow, str]:
    """Let a user choose a new password."""
    if user.disabled:
        raise RefusedError("", _("%(name)s’s account is disabled. Enable it first.", name=user.name))
    return _add(session, InvitationRow(email=user.email, user_id=user.id), by)


def _add(session: Session, invitation: InvitationRow, by: UserRow | None) -> tuple[InvitationRow, str]:
    """Store an invitation in place of an earlier one for the same purpose, whose link may be lost."""
    same = delete(InvitationRow).where(
        InvitationRow.email == invitation.email, InvitationRow.course_id == invitation.course_id,
        InvitationRow.user_id == invitation.user_id, InvitationRow.used.is_(None),
    )  # fmt: skip
    session.execute(same)
    secret = secrets.token_urlsafe(32)
    invitation.digest, invitation.expires = digest(secret), now() + LIFETIME
    invitation.invited_by_id = by.id if by else None
    session.add(invitation)
    session.flush()
    return invitation, secret


def open_invitation(session: Session, secret: str) -> InvitationRow | None:
    """The invitation with this secret, if it can still be used."""
    invitation: InvitationRow | None = session.scalar(_open().where(InvitationRow.digest == digest(secret)))
    owner = session.get(UserRow, invitation.user_id) if invitation and invitation.user_id else None
    return None if owner is not None and owner.disabled else invitation


def open_invitations(session: Session, course_id: int | None) -> Sequence[InvitationRow]:
    """The invitations to a course, or to the server, that wait for an answer."""
    return session.scalars(_open().where(InvitationRow.course_id == course_id).order_by(InvitationRow.id.desc())).all()


def invitations_for(session: Session, email: str) -> Sequence[InvitationRow]:
    """The invitations to join that wait for this address."""
    return session.scalars(_open().where(InvitationRow.email == email, InvitationRow.user_id.is_(None))).all()


def _open() -> Select[Any]:
    return select(InvitationRow).where(InvitationRow.used.is_(None), InvitationRow.expires > now())


def withdraw(session: Session, invitation_id: int, course_id: int | None) -> InvitationRow | None:
    """Withdraw an invitation to this course, or to the server; None if there is no such invitation."""
    invitation = session.scalar(select(InvitationRow).filter_by(id=invitation_id, course_id=course_id, used=None))
    if invitation is not None:
        session.delete(invitation)
    return invitation


def accept_as_new(
    session: Session, invitation: InvitationRow, name: str, password: str | None, *, subject: str | None = None
) -> UserRow:
    """Create an account for the person invited; the password was checked."""
    _use(session, invitation)
    user = add_user(session, email=invitation.email, name=name, password=password, subject=subject)
    _grant(session, invitation, user)
    return user


def accept(session: Session, invitation: InvitationRow, user: UserRow) -> None:
    """Let a user who has an account join."""
    if invitation.administrator and user.email != invitation.email:
        raise RefusedError("", _("This invitation is for %(email)s. Log in with that address.", email=invitation.email))
    _use(session, invitation)
    _grant(session, invitation, user)


def choose_password(session: Session, invitation: InvitationRow, user: UserRow, password: str) -> None:
    """Give the user the new password, which was checked, and end everything that the old one has opened."""
    _use(session, invitation)
    user.password = hash_password(password)
    end_logins(session, user)
    revoke_all(session, user)


def _use(session: Session, invitation: InvitationRow) -> None:
    """Mark an invitation as used; of two people who use it at once, one is refused."""
    free = update(InvitationRow).where(InvitationRow.id == invitation.id, InvitationRow.used.is_(None))
    if session.connection().execute(free.values(used=now())).rowcount != 1:
        raise RefusedError("", _("This link has already been used."))


def _grant(session: Session, invitation: InvitationRow, user: UserRow) -> None:
    if invitation.administrator:
        user.administrator = True
    if invitation.course_id is not None and invitation.role is not None:
        add_member(session, invitation.course_id, user.id, invitation.role)
