"""Moments as learning platforms write them into the names of folders and into small files.

The month may stand first or second and be written in several languages; colons, which file names may not have, are left
out (`Oct 3, 2025 1005 PM`). Whatever cannot be a moment, or could be two, is none: a wrong time is worse than no time.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone

# The first letters of each month's names in English, German, French, Spanish, Italian, Dutch, Portuguese, Danish,
# Norwegian, Swedish, Polish, Turkish, Finnish, Romanian, Russian, Ukrainian, Greek and Arabic, without accents; of
# several that fit, the longest decides.
_MONTHS = (
    ("jan", "ene", "gen", "sty", "oca", "tam", "ian", "янв", "січ", "ιαν", "ينا"),
    ("feb", "fev", "lut", "sub", "hel", "фев", "лют", "φεβ", "فبر"),
    ("mar", "mrt", "mae", "maal", "мар", "бер", "μαρ", "مار"),
    ("apr", "avr", "abr", "kwi", "nis", "huh", "апр", "кві", "απρ", "ابر"),
    ("may", "mai", "maj", "mag", "mei", "tou", "мая", "маи", "тра", "μαι", "ماي"),
    ("jun", "juin", "giu", "cze", "haz", "kes", "iun", "июн", "чер", "ιουν", "يون"),
    ("jul", "juil", "lug", "lip", "tem", "hei", "iul", "июл", "лип", "ιουλ", "يول"),
    ("aug", "aou", "ago", "sie", "agu", "elo", "авг", "сер", "αυγ", "اغس"),
    ("sep", "set", "wrz", "eyl", "syy", "сен", "вер", "σεπ", "سبت"),
    ("oct", "okt", "ott", "out", "paz", "eki", "lok", "окт", "жов", "οκτ", "اكت"),
    ("nov", "lis", "kas", "marr", "ноя", "лис", "νοε", "نوف"),
    ("dec", "dez", "dic", "des", "gru", "ara", "jou", "дек", "гру", "δεκ", "ديس"),
)
_NUMBERS = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts}

_MONTH = r"(?P<month>[^\W\d_]{3,12})\.?"
_DAYS = (
    re.compile(r"(?P<year>\d{4})(?:-|/|\.|[年년] ?)(?P<month>\d{1,2})(?:-|/|\.|[月월] ?)(?P<day>\d{1,2})[日일]?"),
    re.compile(rf"(?:[^\W\d_]+,? )?{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})"),
    re.compile(rf"(?:[^\W\d_]+,? )?(?P<day>\d{{1,2}})\.?(?: de)?[ -]{_MONTH}[,،]?(?: de)?[ -](?P<year>\d{{4}})"),
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})"),  # with dots the day comes first everywhere
)
_BEFORE_NOON = r"[Aa]\.?\s?[Mm]\.?|上午|午前|오전|π\.?μ\.?|ÖÖ|ص"
_AFTER_NOON = r"[Pp]\.?\s?[Mm]\.?|下午|午後|오후|μ\.?μ\.?|ÖS|م"
_HALF = rf"{_BEFORE_NOON}|{_AFTER_NOON}"
_COLON = "[:.h꞉：_-]"  # or something that looks like one, or nothing
_HOURS = re.compile(
    rf"(?:(?P<half_>{_HALF})\s?)?(?P<hour>\d{{1,2}}?){_COLON}?(?P<minute>\d\d)"
    rf"(?:[:.-]?(?P<second>\d\d)(?:\.\d+)?)?(?:\s?(?P<half>{_HALF}))?"
    r"(?:\s?(?P<zone>Z|UTC|[+-]\d\d:?\d\d))?(?: [A-Z][\w/]+)?"
)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{0,6}")

WRITTEN = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}|[^\W\d_]{3,12}\.? \d{1,2},? \d{4}"
    r"|\d{1,2}\.?(?: de)? [^\W\d_]{3,12}\.?[,،]?(?: de)? \d{4}|\d{1,2}\.\d{1,2}\.\d{4}"
    r"|\d{4}[年년] ?\d{1,2}[月월] ?\d{1,2}[日일]),?[\sT]+"
    rf"(?:(?:{_HALF})\s?)?\d{{1,2}}{_COLON}?\d\d(?:[:.]?\d\d)?(?:\s?(?:{_HALF}))?"
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
    if half := found["half"] or found["half_"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * bool(re.fullmatch(_AFTER_NOON, half))
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
