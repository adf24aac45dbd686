"""Validation of what people type about themselves: put into one form, or refused with one sentence."""

from __future__ import annotations

import re

from moss.messages import gettext as _

_EMAIL = re.compile(r"[^@\s\"(),:;<>\[\]\\]+@[^@\s\"(),:;<>\[\]\\]+", re.ASCII | re.IGNORECASE)
_LONGEST_EMAIL = 254
LONGEST_NAME = 200


class RefusedError(ValueError):
    """A request that cannot be granted; the message is one sentence, `field` is the form's field at fault."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


def clean_email(text: str) -> str:
    """An address in its stored form: without spaces around it, in lower case."""
    email = text.strip().lower()
    if not email:
        raise RefusedError("email", _("Enter an email address."))
    if len(email) > _LONGEST_EMAIL or not email.isprintable() or not _EMAIL.fullmatch(email):
        raise RefusedError("email", _("That is not an email address. It should look like ada@example.org."))
    return email


def clean_name(text: str, field: str = "name") -> str:
    """A name with single spaces between its words."""
    name = " ".join(text.split())
    if not name:
        raise RefusedError(field, _("Enter a name."))
    if len(name) > LONGEST_NAME:
        raise RefusedError(field, _("That name is too long. Use at most %(most)s characters.", most=LONGEST_NAME))
    return name
