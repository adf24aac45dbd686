"""Moments as learning platforms write them into the names of folders and into small files.

The month may stand first or second and be written in several languages; colons, which file names may not have, are left
out (`Oct 3, 2025 1005 PM`). Whatever cannot be a moment, or could be two, is none: a wrong time is worse than no time.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone

# The first letters of each month's names in English, German, French, Spanish, Italian, Dutch, Portuguese, Danish,
# Norwegian, Swedish, Polish and Turkish, without accents; of several that fit, the longest decides.
_MONTHS = (
    ("jan", "ene", "gen", "sty", "oca"),
    ("feb", "fev", "lut", "sub"),
    ("mar", "mrt", "mae"),
    ("apr", "avr", "abr", "kwi", "nis"),
    ("may", "mai", "maj", "mag", "mei"),
    ("jun", "juin", "giu", "cze", "haz"),
    ("jul", "juil", "lug", "lip", "tem"),
    ("aug", "aou", "ago", "sie", "agu"),
    ("sep", "set", "wrz", "eyl"),
    ("oct", "okt", "ott", "out", "paz", "eki"),
    ("nov", "lis", "kas"),
    ("dec", "dez", "dic", "des", "gru", "ara"),
)
_NUMBERS = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts}

_MONTH = r"(?P<month>[^\W\d_]{3,12})\.?"
_DAYS = (
    re.compile(r"(?P<year>\d{4})(?:-|/|\.|年 ?)(?P<month>\d{1,2})(?:-|/|\.|月 ?)(?P<day>\d{1,2})日?"),
    re.compile(rf"(?:[^\W\d_]+,? )?{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})"),
    re.compile(rf"(?:[^\W\d_]+,? )?(?P<day>\d{{1,2}})\.?(?: de)?[ -]{_MONTH},?(?: de)?[ -](?P<year>\d{{4}})"),
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})"),  # with dots the day comes first everywhere
)
_HOURS = re.compile(
    r"(?P<hour>\d{1,2}?)[:.h-]?(?P<minute>\d\d)(?:[:.-]?(?P<second>\d\d)(?:\.\d+)?)?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?(?:\s?(?P<zone>Z|UTC|[+-]\d\d:?\d\d))?(?: [A-Z][\w/]+)?"
)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{0,6}")

WRITTEN = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}|[^\W\d_]{3,12}\.? \d{1,2},? \d{4}|\d{1,2}\.?(?: de)? [^\W\d_]{3,12}\.?,?(?: de)? \d{4}"
    r"|\d{1,2}\.\d{1,2}\.\d{4}|\d{4}年 ?\d{1,2}月 ?\d{1,2}日),?[\sT]+\d{1,2}[:.h]?\d\d(?:[:.]?\d\d)?"
    r"(?:\s?[AaPp]\.?\s?[Mm]\.?)?"
)
"""How a day and an hour are written in a name, as a regular expression."""


def read_time(text: str) -> datetime | None:
    """The moment that a text says and nothing else, or None; without a zone unless the text names one."""
    text = text.strip()
    if found := _COMPACT.fullmatch(text):
        return _moment(*map(int, found.groups()))
    for day in _DAYS:
        if (found := day.match(text)) and (month := _month(found["month"])):
            rest = re.sub(r"\A(?:[,T_ -]|\s|at )+", "", text[found.end() :])
            return _at_hour(rest, int(found["year"]), month, int(found["day"]))
    return None


def _month(written: str) -> int | None:
    if written.isdigit():
        return int(written)
    plain = "".join(c for c in unicodedata.normalize("NFKD", written.lower()) if not unicodedata.combining(c))
    plain = plain.replace("ı", "i")
    return next((_NUMBERS[plain[:size]] for size in (4, 3) if plain[:size] in _NUMBERS), None)


def _at_hour(rest: str, *day: int) -> datetime | None:
    if not rest:
        return _moment(*day)
    found = _HOURS.fullmatch(rest)
    if not found:
        return None
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (found["half"] in "Pp")
    moment = _moment(*day, hour, int(found["minute"]), int(found["second"] or 0))
    return moment.replace(tzinfo=_zone(found["zone"])) if moment and found["zone"] else moment


def _zone(written: str) -> timezone:
    if written in ("Z", "UTC"):
        return UTC
    minutes = 60 * int(written[1:3]) + int(written[-2:])
    return timezone(timedelta(minutes=min(minutes, 24 * 60 - 1) * (-1 if written[0] == "-" else 1)))


def _moment(*parts: int) -> datetime | None:
    try:
        return datetime(*parts)  # type: ignore[arg-type]
    except ValueError:
        return None
