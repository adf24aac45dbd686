"""Identities: which account belongs to a person for whom an identity provider vouches."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

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
        raise RefusedError("", f"The account {user.email} is disabled. Ask an administrator.")
    return user, False


def _verified_email(identity: Identity) -> str:
    if not identity.email:
        raise RefusedError(
            "", "Your identity provider does not tell your email address, so there is no account for you."
        )
    if not identity.verified:
        raise RefusedError("", f"Your identity provider has not verified that {identity.email} is your address.")
    return identity.email.strip().lower()


def _linked(session: Session, email: str, identity: Identity) -> UserRow | None:
    """The account with this address, which from now on is recognised by the subject."""
    user = user_by_email(session, email)
    if user is None or user.disabled:
        return user
    if user.subject is not None:
        raise RefusedError("", f"The account {email} belongs to another identity. Ask an administrator.")
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
            "", f"There is no account for {email} here. Ask an administrator or an instructor to invite you."
        )
    return add_user(session, email=email, name=name, subject=identity.key)
