"""Users: how somebody gets an account, and how they are recognised by it.

Accounts are added, changed and disabled. People come by an invitation, a link that works once, to join a course or the
server, or to choose a new password; or because an identity provider vouches for them. They are recognised by address
and password, or by what the provider says.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import marked
from moss.store.accounts.credentials import digest, hash_password, is_password, revoke_all
from moss.store.courses.rights import add_member, role_in
from moss.store.tables import CourseRole, InvitationRow, LoginRow, MembershipRow, UserRow, now
from moss.store.validation import RefusedError, clean_email, clean_name

_TAKEN = marked("There is already an account with this address.")
INVITATION_LIFETIME = timedelta(days=14)


def user_by_email(session: Session, email: str) -> UserRow | None:
    """The account with this address, in any case."""
    return session.scalar(select(UserRow).filter_by(email=email.strip().lower()))


def authenticate(session: Session, email: str, password: str) -> UserRow | None:
    """The account with this address and password; takes as long if there is no such account."""
    user = user_by_email(session, email)
    right = is_password(user.password if user else None, password)
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


def invite_to_course(
    session: Session, course_id: int, email: str, role: CourseRole, by: UserRow | None
) -> tuple[InvitationRow, str]:
    """Invite somebody to a course; returns the invitation and the secret of its link, which is not stored."""
    email = clean_email(email)
    user = user_by_email(session, email)
    if user is not None and role_in(session, course_id, user.id) is not None:
        raise RefusedError("email", _("%(name)s is already a member of this course.", name=user.name))
    return _add_invitation(session, InvitationRow(email=email, course_id=course_id, role=role), by)


def invite_to_server(
    session: Session, email: str, administrator: bool, by: UserRow | None
) -> tuple[InvitationRow, str]:
    """Invite somebody to have an account."""
    email = clean_email(email)
    if user_by_email(session, email) is not None:
        raise RefusedError("email", _("There is already an account with this address."))
    return _add_invitation(session, InvitationRow(email=email, administrator=administrator), by)


def invite_back(session: Session, user: UserRow, by: UserRow | None) -> tuple[InvitationRow, str]:
    """Let a user choose a new password."""
    if user.disabled:
        raise RefusedError("", _("%(name)s’s account is disabled. Enable it first.", name=user.name))
    return _add_invitation(session, InvitationRow(email=user.email, user_id=user.id), by)


def _add_invitation(session: Session, invitation: InvitationRow, by: UserRow | None) -> tuple[InvitationRow, str]:
    """Store an invitation in place of an earlier one for the same purpose, whose link may be lost."""
    same = delete(InvitationRow).where(
        InvitationRow.email == invitation.email, InvitationRow.course_id == invitation.course_id,
        InvitationRow.user_id == invitation.user_id, InvitationRow.used.is_(None),
    )  # fmt: skip
    session.execute(same)
    secret = secrets.token_urlsafe(32)
    invitation.digest, invitation.expires = digest(secret), now() + INVITATION_LIFETIME
    invitation.invited_by_id = by.id if by else None
    session.add(invitation)
    session.flush()
    return invitation, secret


def open_invitation(session: Session, secret: str) -> InvitationRow | None:
    """The invitation with this secret, if it can still be used."""
    invitation: InvitationRow | None = session.scalar(_open_invitations().where(InvitationRow.digest == digest(secret)))
    owner = session.get(UserRow, invitation.user_id) if invitation and invitation.user_id else None
    return None if owner is not None and owner.disabled else invitation


def open_invitations(session: Session, course_id: int | None) -> Sequence[InvitationRow]:
    """The invitations to a course, or to the server, that wait for an answer."""
    return session.scalars(
        _open_invitations().where(InvitationRow.course_id == course_id).order_by(InvitationRow.id.desc())
    ).all()


def invitations_for(session: Session, email: str) -> Sequence[InvitationRow]:
    """The invitations to join that wait for this address."""
    return session.scalars(
        _open_invitations().where(InvitationRow.email == email, InvitationRow.user_id.is_(None))
    ).all()


def _open_invitations() -> Select[Any]:
    return select(InvitationRow).where(InvitationRow.used.is_(None), InvitationRow.expires > now())


def withdraw_invitation(session: Session, invitation_id: int, course_id: int | None) -> InvitationRow | None:
    """Withdraw an invitation to this course, or to the server; None if there is no such invitation."""
    invitation = session.scalar(select(InvitationRow).filter_by(id=invitation_id, course_id=course_id, used=None))
    if invitation is not None:
        session.delete(invitation)
    return invitation


def accept_as_new(
    session: Session, invitation: InvitationRow, name: str, password: str | None, *, subject: str | None = None
) -> UserRow:
    """Create an account for the person invited; the password was checked."""
    _use_invitation(session, invitation)
    user = add_user(session, email=invitation.email, name=name, password=password, subject=subject)
    _grant(session, invitation, user)
    return user


def accept_invitation(session: Session, invitation: InvitationRow, user: UserRow) -> None:
    """Let a user who has an account join."""
    if invitation.administrator and user.email != invitation.email:
        raise RefusedError("", _("This invitation is for %(email)s. Log in with that address.", email=invitation.email))
    _use_invitation(session, invitation)
    _grant(session, invitation, user)


def choose_password(session: Session, invitation: InvitationRow, user: UserRow, password: str) -> None:
    """Give the user the new password, which was checked, and end everything that the old one has opened."""
    _use_invitation(session, invitation)
    user.password = hash_password(password)
    end_logins(session, user)
    revoke_all(session, user)


def _use_invitation(session: Session, invitation: InvitationRow) -> None:
    """Mark an invitation as used; of two people who use it at once, one is refused."""
    free = update(InvitationRow).where(InvitationRow.id == invitation.id, InvitationRow.used.is_(None))
    if session.connection().execute(free.values(used=now())).rowcount != 1:
        raise RefusedError("", _("This link has already been used."))


def _grant(session: Session, invitation: InvitationRow, user: UserRow) -> None:
    if invitation.administrator:
        user.administrator = True
    if invitation.course_id is not None and invitation.role is not None:
        add_member(session, invitation.course_id, user.id, invitation.role)


@dataclass(frozen=True, slots=True)
class Identity:
    """The claims of a provider about a person."""

    issuer: str
    subject: str  # the provider's id for the person, which never changes
    email: str = ""
    verified: bool = False  # whether the provider has verified the address
    name: str = ""

    @property
    def key(self) -> str:
        """The stored form of the identity, with the provider, because another one may use the same ids."""
        return f"{self.issuer} {self.subject}"


def user_of(session: Session, identity: Identity, *, create: bool) -> tuple[UserRow, bool]:
    """The account of an identity, and whether it was created now; raises RefusedError if there may be none."""
    user = session.scalar(select(UserRow).filter_by(subject=identity.key))
    if user is None:
        email = _verified_email(identity)
        user = _user_linked(session, email, identity)
        if user is None:
            return _user_made(session, email, identity, create), True
    if user.disabled:
        raise RefusedError("", _("The account %(email)s is disabled. Ask an administrator.", email=user.email))
    return user, False


def _verified_email(identity: Identity) -> str:
    if not identity.email:
        raise RefusedError(
            "", _("Your identity provider doesn’t tell us your email address, so we can’t find your account.")
        )
    if not identity.verified:
        raise RefusedError(
            "", _("Your identity provider hasn’t verified that %(email)s is your address.", email=identity.email)
        )
    return identity.email.strip().lower()


def _user_linked(session: Session, email: str, identity: Identity) -> UserRow | None:
    """The account with this address, which from now on is recognised by the subject."""
    user = user_by_email(session, email)
    if user is None or user.disabled:
        return user
    if user.subject is not None:
        raise RefusedError(
            "", _("The account %(email)s belongs to another identity. Ask an administrator.", email=email)
        )
    user.subject = identity.key
    return user


def _user_made(session: Session, email: str, identity: Identity, create: bool) -> UserRow:
    """A new account, for somebody who was invited or, if allowed, for anybody."""
    invited = invitations_for(session, email)
    name = identity.name.strip() or email
    if invited:
        return accept_as_new(session, invited[0], name, None, subject=identity.key)
    if not create:
        raise RefusedError(
            "",
            _("There’s no account for %(email)s here. Ask an instructor or administrator to invite you.", email=email),
        )
    return add_user(session, email=email, name=name, subject=identity.key)
