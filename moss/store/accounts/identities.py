"""Identities: which account belongs to a person for whom an identity provider vouches."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.store.accounts.invitations import accept_as_new, invitations_for
from moss.store.accounts.users import add_user, user_by_email
from moss.store.tables import UserRow
from moss.store.validation import RefusedError


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
        user = _linked(session, email, identity)
        if user is None:
            return _made(session, email, identity, create), True
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


def _linked(session: Session, email: str, identity: Identity) -> UserRow | None:
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


def _made(session: Session, email: str, identity: Identity, create: bool) -> UserRow:
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
