"""Passwords: which are good enough, and how they are stored: salted, and hashed by scrypt so that guessing is slow."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from werkzeug.security import check_password_hash, generate_password_hash

from moss.messages import gettext as _
from moss.messages import number
from moss.store.validation import RefusedError

SHORTEST = 10
LONGEST = 1000
_DIFFERENT = 5  # different characters at least

OBVIOUS = frozenset((
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
    if len(password) < SHORTEST:
        return _("Choose a longer password: at least %(n)s characters.", n=SHORTEST)
    if len(password) > LONGEST:
        return _("Choose a shorter password: at most %(n)s characters.", n=number(LONGEST))
    plain = _plain(password).casefold()
    if len(set(plain)) < _DIFFERENT or _is_row(plain) or _cores(plain) & (OBVIOUS | _words(about)):
        return _("That password is easy to guess. Three or four unrelated words are better.")
    return ""


def hash_password(password: str) -> str:
    """The salted hash of a password, as it is stored."""
    return generate_password_hash(_plain(password), "scrypt")


def is_right(stored: str | None, password: str) -> bool:
    """Whether this is the password; takes as long for an account that does not exist or has none."""
    matches = check_password_hash(stored or _nobodys(), _plain(password[: LONGEST + 1]))
    return matches and stored is not None


@cache
def _nobodys() -> str:
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
