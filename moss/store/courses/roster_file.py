"""A roster as it is sent: a CSV file with a line for each student. Its first line names the columns, in any order."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from moss.intake.encodings import decode
from moss.intake.names import displayable
from moss.messages import gettext as _
from moss.messages import number
from moss.store.validation import LONGEST_NAME, RefusedError

LARGEST = 2 * 1024 * 1024  # bytes
MOST = 20_000  # lines

COLUMNS = {
    "name": ("name", "full name", "student", "student name"),
    "first": ("first name", "given name"),
    "last": ("last name", "surname", "family name"),
    "address": ("address", "email", "e-mail", "email address", "mail"),
    "number": ("number", "id number", "student number", "student id", "sis id", "sid"),
    "section": ("section", "sections", "tutorial", "lab"),
    "other names": ("other names", "other name", "aliases", "account", "accounts", "username", "login"),
    "partners": ("partners", "partner"),
    "group": ("group", "team"),
}
"""The columns of a roster, with the headings by which each is recognised."""

_MEANINGS = {heading: column for column, headings in COLUMNS.items() for heading in headings}
_SEPARATORS = ",;\t"


@dataclass(frozen=True, slots=True)
class RosterLine:
    """A student on a roster."""

    name: str  # different from all others
    address: str = ""
    number: str = ""
    section: str = ""
    other_names: tuple[str, ...] = ()
    partners: tuple[str, ...] = ()  # names, addresses or numbers of others
    group: str = ""  # those of one group are partners

    @property
    def keys(self) -> set[str]:
        """Everything by which the student is recognised, in its normal form."""
        return {normal(text) for text in (self.name, self.address, self.number, *self.other_names)} - {""}


@dataclass(frozen=True, slots=True)
class Roster:
    """A roster that was read."""

    lines: tuple[RosterLine, ...]
    unused: tuple[str, ...]  # headings of columns that mean nothing here


def normal(text: str) -> str:
    """A name, address, number or account without what differs between platforms: upper case, spaces, and the order of
    a name with a comma.

    >>> normal(" Lovelace,  ADA"), normal("Ada Lovelace"), normal("ADA@example.org")
    ('ada lovelace', 'ada lovelace', 'ada@example.org')
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    last, comma, first = plain.partition(",")
    return f"{first.strip()} {last.strip()}" if comma and first.strip() and "," not in first else plain


def read_roster(content: bytes) -> Roster:
    """Read a roster; raises RefusedError with one sentence if it cannot be read."""
    if len(content) > LARGEST:
        raise RefusedError("roster", _("A roster may have at most %(most)s bytes.", most=number(LARGEST)))
    text = decode(content)[0].replace("\0", "")
    first = text.lstrip("\ufeff\r\n ").partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    try:
        rows = [
            row
            for row in csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=separator)
            if any(map(str.strip, row))
        ]
    except csv.Error as error:
        raise RefusedError("roster", _("This is not a CSV file: %(why)s.", why=error)) from None
    headings = [" ".join(heading.split()) for heading in rows[0]] if rows else []
    columns = [_MEANINGS.get(heading.casefold(), "") for heading in headings]
    _check_columns(columns, len(rows) - 1)
    lines = tuple(_line(place, columns, row) for place, row in enumerate(rows[1:], 2))
    unused = tuple(heading for heading, column in zip(headings, columns, strict=True) if heading and not column)
    return Roster(tuple(_told_apart(lines)), unused)


def _check_columns(columns: list[str], lines: int) -> None:
    if "name" not in columns and not {"first", "last"} <= set(columns):
        raise RefusedError(
            "roster",
            _(
                "The first line has to name the columns. One of them is “name”, or there are “first name” and "
                "“last name”."
            ),
        )
    if twice := [column for column, times in Counter(filter(None, columns)).items() if times > 1]:
        raise RefusedError("roster", _("Two columns mean the same: %(column)s.", column=twice[0]))
    if lines < 1:
        raise RefusedError("roster", _("This roster has no students."))
    if lines > MOST:
        raise RefusedError("roster", _("A roster may have at most %(most)s students.", most=number(MOST)))


def _line(place: int, columns: list[str], row: list[str]) -> RosterLine:
    values = {
        column: displayable(" ".join(value.split())) for column, value in zip(columns, row, strict=False) if column
    }
    name = values.get("name") or " ".join(filter(None, (values.get("first"), values.get("last"))))
    if not name:
        raise RefusedError("roster", _("Line %(line)s has no name.", line=place))
    if any(len(value) > LONGEST_NAME for value in (name, *values.values())):
        raise RefusedError(
            "roster", _("Something in line %(line)s is longer than %(most)s characters.", line=place, most=LONGEST_NAME)
        )
    return RosterLine(
        name, values.get("address", ""), values.get("number", ""), values.get("section", ""),
        tuple(_several(values, "other names")), tuple(_several(values, "partners")), values.get("group", ""),
    )  # fmt: skip


def _several(values: Mapping[str, str], column: str) -> Iterator[str]:
    """The values in a field that may have several, with semicolons or bars between them."""
    yield from filter(None, (part.strip() for part in re.split(r"[;|]", values.get(column, ""))))


def _told_apart(lines: tuple[RosterLine, ...]) -> Iterator[RosterLine]:
    """The lines, with the number, address or place behind a name that several have."""
    times = Counter(normal(line.name) for line in lines)
    seen: Counter[str] = Counter()
    for line in lines:
        own = line.name
        if times[normal(line.name)] > 1:
            seen[normal(line.name)] += 1
            own = f"{line.name} ({line.number or line.address or seen[normal(line.name)]})"[:LONGEST_NAME]
        yield replace(line, name=own, other_names=(*line.other_names, *([line.name] if own != line.name else ())))
