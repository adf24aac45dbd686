"""Credentials: passwords, tokens, and how often something may be tried.

Passwords must be good enough, and are stored salted and hashed by scrypt, so that guessing is slow. Of a token, a
secret that others keep, only the digest is stored. Attempts at what may be done only so often, such as failed log-ins
or uploads, are counted.
"""

from __future__ import annotations

import hashlib
import math
import re
import secrets
import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session
from werkzeug.security import check_password_hash, generate_password_hash

from moss.messages import gettext as _
from moss.messages import number
from moss.store.tables import ApiTokenRow, AttemptRow, UserRow, now
from moss.store.validation import RefusedError, clean_name

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1000
_DIFFERENT = 5  # different characters at least
METHOD = "scrypt:32768:8:1"
"""How new passwords are hashed: a tenth of a second and 32 MB for each guess. A stored one says how it was hashed."""

OBVIOUS_PASSWORDS = frozenset((
    "admin", "administrator", "assistant", "baseball", "changeit", "changeme", "changethis", "computer", "default",
    "dragon", "football", "geheim", "hello", "iloveyou", "instructor", "letmein", "login", "master", "monkey", "moss",
    "motdepasse", "passphrase", "passwd", "password", "passwort", "plagiarism", "princess", "professor", "qwerty",
    "qwertz", "secret", "shadow", "sunshine", "superman", "superuser", "teacher", "test", "testing", "topsecret",
    "trustno", "university", "user", "welcome", "willkommen",
))  # fmt: skip
"""Words that make no password, with any digits and signs around them."""

_ROWS = (
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "1q2w3e4r5t6y7u8i9o0p",
)
_DISGUISES = str.maketrans("0134@$5", "oieaass")
TOKEN_PREFIX = "moss_"  # so that people, and programs that look for leaked keys, recognise one
TOKEN_LIFETIMES = (30, 90, 365)  # days to choose from
_COUNTED_WITHIN = timedelta(days=1)  # nothing is counted over a longer time
_LONGEST_PAUSE = 60  # seconds
_DOUBLED = 6  # times that a second is doubled to get there


def check_password(password: str, again: str, *about: str) -> str:
    """The password in the form to be hashed, if it is good enough and typed twice; `about` is what others know of the
    user."""
    weakness = weakness_of(password, *about)
    if weakness:
        raise RefusedError("password", weakness)
    if password != again:
        raise RefusedError("again", _("The two passwords differ. Type the same one twice."))
    return password


def weakness_of(password: str, *about: str) -> str:
    """The reason why a password is not good enough, in one sentence; empty if it is."""
    if len(password) < SHORTEST_PASSWORD:
        return _("Choose a longer password: at least %(n)s characters.", n=SHORTEST_PASSWORD)
    if len(password) > LONGEST_PASSWORD:
        return _("Choose a shorter password: at most %(n)s characters.", n=number(LONGEST_PASSWORD))
    plain = _plain(password).casefold()
    if len(set(plain)) < _DIFFERENT or _is_row(plain) or _cores(plain) & (OBVIOUS_PASSWORDS | _words(about)):
        return _("That password is easy to guess. Three or four unrelated words are better.")
    return ""


def hash_password(password: str) -> str:
    """The salted hash of a password, as it is stored."""
    return generate_password_hash(_plain(password), METHOD)


def is_password(stored: str | None, password: str) -> bool:
    """Whether this is the password; takes as long for an account that does not exist or has none."""
    matches = check_password_hash(stored or _password_of_nobody(), _plain(password[: LONGEST_PASSWORD + 1]))
    return matches and stored is not None


@cache
def _password_of_nobody() -> str:
    return hash_password("the password of nobody")


def _plain(password: str) -> str:
    """The password in one normal form, however a keyboard composes its characters."""
    return unicodedata.normalize("NFKC", password)


def _cores(plain: str) -> set[str]:
    """The word in a password, as written and without disguise: without the digits and signs around it, and once if it
    is repeated."""
    inner = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", plain)
    letters = ("".join(filter(str.isalpha, text)) for text in (inner, inner.translate(_DISGUISES)))
    return {text[: (text * 2).find(text, 1)] for text in letters if text}


def _words(about: tuple[str, ...]) -> set[str]:
    """Words that others know of a person: names, the parts of an address, and each of them without spaces."""
    words = {word for text in about for word in re.split(r"[\W\d_]+", text.casefold())}
    return words | {"".join(filter(str.isalpha, text.casefold())) for text in about} - {""}


def _is_row(plain: str) -> bool:
    """Whether it is a row of the keyboard or of the alphabet, forwards or backwards."""
    return any(plain in row * 2 or plain[::-1] in row * 2 for row in _ROWS)


def digest(secret: str) -> str:
    """The digest of a secret, which is stored in its place."""
    return hashlib.sha256(secret.encode()).hexdigest()


def add_token(session: Session, user: UserRow, name: str, days: int | None) -> tuple[ApiTokenRow, str]:
    """Add an API token for a user; returns it and its secret, which is not stored."""
    if days is not None and not 1 <= days <= 3650:
        raise RefusedError("days", _("Choose how long the token is valid."))
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
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


class TooOftenError(Exception):
    """Raised if something was tried too often; `wait` is how many seconds to wait."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"wait {wait} seconds")
        self.wait = wait


def count_attempt(session: Session, key: str, most: int, within: timedelta) -> int:
    """Count one more attempt and return its id; raises TooOftenError if there were `most` of them in that time."""
    times = _latest(session, key, most, within)
    if len(times) >= most:
        _wait_until(times[-1] + within)
    return _add_attempt(session, key)


def pace_attempt(session: Session, key: str, free: int, within: timedelta) -> int:
    """Count one more attempt and return its id; raises TooOftenError if it comes too soon. After so many free ones in
    that time, each must wait longer after the last, up to a minute. Nothing is locked: whoever waits can try again."""
    times = _latest(session, key, free + _DOUBLED, within)
    if len(times) >= free:
        _wait_until(times[0] + timedelta(seconds=min(2 ** (len(times) - free), _LONGEST_PAUSE)))
    return _add_attempt(session, key)


def _latest(session: Session, key: str, most: int, within: timedelta) -> Sequence[datetime]:
    query = select(AttemptRow.at).where(AttemptRow.key == key, AttemptRow.at > now() - within)
    return session.scalars(query.order_by(AttemptRow.at.desc()).limit(most)).all()


def _wait_until(moment: datetime) -> None:
    left = (moment - now()).total_seconds()
    if left > 0:
        raise TooOftenError(math.ceil(left))


def _add_attempt(session: Session, key: str) -> int:
    moment = now()
    session.execute(delete(AttemptRow).where(AttemptRow.at < moment - _COUNTED_WITHIN))
    attempt = AttemptRow(key=key, at=moment)
    session.add(attempt)
    session.flush()
    return attempt.id


def delete_attempts(session: Session, ids: list[int]) -> None:
    """Stop counting these attempts, because they succeeded."""
    session.execute(delete(AttemptRow).where(AttemptRow.id.in_(ids)))
