"""Sentences for readers, in the reader's language.

English is in the source. A call of `gettext` marks a sentence and looks it up in the catalogue of the language that the
environment variable `MOSS_LOCALE` names, below the folder `MOSS_CATALOGUES`; without one the sentence itself is shown.
Templates use these functions too, as `_`, `ngettext` and `{% trans %}`.

Sentences have named places, never f-strings, because a translator may need another order; so a percent sign is always
doubled, as in templates. Dates, numbers and lists are sentences as well: a catalogue says how its language writes them.

>>> gettext("%(n)s%% of what %(name)s wrote", n=40, name="Ada")
'40% of what Ada wrote'
>>> counted(1, "pair"), counted(2_500, "pair")
('1 pair', '2,500 pairs')
"""

from __future__ import annotations

import gettext as catalogues
import os
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, wraps
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple, TypeVarTuple

DOMAIN = "moss"  # the name of catalogues: LANGUAGE/LC_MESSAGES/moss.mo

_ENGLISH = catalogues.NullTranslations()
_in_use: ContextVar[catalogues.NullTranslations | None] = ContextVar("catalogue", default=None)

Values = TypeVarTuple("Values")


class CatalogueError(ValueError):
    """A language without a catalogue; the message is one sentence for the operator."""


class Catalogue(catalogues.GNUTranslations):
    """The sentences of a language, and a digest of them: what is kept with sentences in it is kept under that."""

    def __init__(self, file: IO[bytes]) -> None:
        from hashlib import sha256  # which English does without

        content = file.read()
        self.digest = sha256(content).hexdigest()
        super().__init__(BytesIO(content))


def load(language: str, folder: Path) -> catalogues.NullTranslations:
    """The catalogue of a language in a folder of catalogues."""
    if language in ("", "en"):
        return _ENGLISH
    try:
        return catalogues.translation(DOMAIN, folder, [language], Catalogue)
    except OSError as error:
        raise CatalogueError(f"there is no catalogue of the language {language!r} in {folder}") from error


@cache
def of_environment() -> catalogues.NullTranslations:
    """The catalogue that the environment names, so that workers of any kind have their parent's language."""
    return load(os.environ.get("MOSS_LOCALE", ""), Path(os.environ.get("MOSS_CATALOGUES", "catalogues")))


@contextmanager
def using(other: catalogues.NullTranslations) -> Iterator[None]:
    """Use a catalogue for a while, in this thread or task alone."""
    token = _in_use.set(other)
    try:
        yield
    finally:
        _in_use.reset(token)


def catalogue() -> catalogues.NullTranslations:
    """The catalogue in use."""
    return _in_use.get() or of_environment()


def once_for_language(say: Callable[[*Values], str]) -> Callable[[*Values], str]:
    """The function, which makes each of its sentences once for each language: pages say them thousands of times."""
    made = lru_cache(maxsize=4096)(lambda language, *values: say(*values))

    @wraps(say)
    def said(*values: *Values) -> str:
        return made(catalogue(), *values)

    return said


def language_digest() -> str:
    """A digest of the sentences in use, which changes with every translation; empty in English."""
    used = catalogue()
    return used.digest if isinstance(used, Catalogue) else ""


def looked_up(text: str) -> str:
    """A text without places, such as a heading of a table, a paragraph of help."""
    return catalogue().gettext(text) if text else ""


def gettext(message: str, /, **values: object) -> str:
    """A sentence with its places filled in."""
    return catalogue().gettext(message) % values


def ngettext(singular: str, plural: str, count: int, /, **values: object) -> str:
    """A sentence in the form that goes with a number, which it has as `num`."""
    return catalogue().ngettext(singular, plural, count) % ({"num": number(count)} | values)


def pgettext(context: str, message: str, /, **values: object) -> str:
    """A sentence that means different things in different contexts."""
    return catalogue().pgettext(context, message) % values


def npgettext(context: str, singular: str, plural: str, count: int, /, **values: object) -> str:
    """A sentence in the form that goes with a number, which it has as `num`, in a context."""
    return catalogue().npgettext(context, singular, plural, count) % ({"num": number(count)} | values)


def marked(message: str) -> str:
    """The message itself: marks a constant, which `gettext` looks up where it is shown."""
    return message


class Plural(NamedTuple):
    """Both forms of a counted noun, marked."""

    one: str
    many: str


NOUNS = {
    "assignment": Plural("%(n)s assignment", "%(n)s assignments"),
    "case": Plural("%(n)s case", "%(n)s cases"),
    "cluster": Plural("%(n)s cluster", "%(n)s clusters"),
    "commit": Plural("%(n)s commit", "%(n)s commits"),
    "course": Plural("%(n)s course", "%(n)s courses"),
    "day": Plural("%(n)s day", "%(n)s days"),
    "document": Plural("%(n)s document", "%(n)s documents"),
    "file": Plural("%(n)s file", "%(n)s files"),
    "hour": Plural("%(n)s hour", "%(n)s hours"),
    "line": Plural("%(n)s line", "%(n)s lines"),
    "minute": Plural("%(n)s minute", "%(n)s minutes"),
    "month": Plural("%(n)s month", "%(n)s months"),
    "pair": Plural("%(n)s pair", "%(n)s pairs"),
    "passage": Plural("%(n)s passage", "%(n)s passages"),
    "problem": Plural("%(n)s problem", "%(n)s problems"),
    "run": Plural("%(n)s run", "%(n)s runs"),
    "second": Plural("%(n)s second", "%(n)s seconds"),
    "student": Plural("%(n)s student", "%(n)s students"),
    "submission": Plural("%(n)s submission", "%(n)s submissions"),
    "token": Plural("%(n)s token", "%(n)s tokens"),
    "version": Plural("%(n)s version", "%(n)s versions"),
    "word": Plural("%(n)s word", "%(n)s words"),
    "year": Plural("%(n)s year", "%(n)s years"),
}
"""Everything that pages count."""


def counted(items: Sized | int, noun: str) -> str:
    """A number with its noun."""
    return _counted(items if isinstance(items, int) else len(items), noun)


@once_for_language
def _counted(n: int, noun: str) -> str:
    return ngettext(NOUNS[noun].one, NOUNS[noun].many, n, n=number(n))


def number(value: int) -> str:
    """A whole number with a mark between its thousands."""
    return f"{value:,}".replace(",", pgettext("mark between thousands", ",")) if abs(value) >= 1000 else f"{value}"


def percent(share: float) -> str:
    """A share in whole percent; only 1 is shown as 100% and only 0 as 0%.

    >>> percent(0.999), percent(0.004)
    ('99%', 'under 1%')
    """
    rounded = round(100 * share)
    if not rounded and share:
        return gettext("under 1%%")
    return _percent(min(99, rounded) if share < 1 else 100)


@once_for_language
def _percent(whole: int) -> str:
    return gettext("%(n)s%%", n=whole)


MONTHS = (
    marked("Jan"), marked("Feb"), marked("Mar"), marked("Apr"), marked("May"), marked("Jun"),
    marked("Jul"), marked("Aug"), marked("Sep"), marked("Oct"), marked("Nov"), marked("Dec"),
)  # fmt: skip


def day(time: datetime) -> str:
    """A date.

    >>> day(datetime(2026, 11, 16))
    '16 Nov 2026'
    """
    month = gettext(MONTHS[time.month - 1])
    return pgettext("date", "%(day)s %(month)s %(year)s", day=time.day, month=month, year=time.year)


def date_without_year(time: datetime) -> str:
    """A date beside others of its year.

    >>> date_without_year(datetime(2026, 11, 16))
    '16 Nov'
    """
    return pgettext("date", "%(day)s %(month)s", day=time.day, month=gettext(MONTHS[time.month - 1]))


def moment(time: datetime) -> str:
    """A date and a time of day.

    >>> moment(datetime(2026, 11, 16, 9, 5))
    '16 Nov 2026, 09:05'
    """
    return pgettext("date and time", "%(day)s, %(time)s", day=day(time), time=time.strftime("%H:%M"))


_UNITS = ((86400 * 365, "year"), (86400 * 30, "month"), (86400, "day"), (3600, "hour"), (60, "minute"))


def ago(time: datetime) -> str:
    """How long ago it was, or how soon it will be.

    >>> from datetime import timedelta
    >>> ago(datetime.now(UTC) - timedelta(hours=5)), ago(datetime.now(UTC) + timedelta(days=3, hours=1))
    ('5 hours ago', 'in 3 days')
    """
    seconds = (datetime.now(UTC) - time).total_seconds()
    for length, unit in _UNITS:
        units = int(abs(seconds) // length)
        if units:
            words = counted(units, unit)
            return gettext("%(length)s ago", length=words) if seconds > 0 else gettext("in %(length)s", length=words)
    return gettext("just now") if seconds >= 0 else gettext("in a moment")


def duration(length: timedelta) -> str:
    """A length of time, rounded to the largest unit of which there are at least two.

    >>> duration(timedelta(minutes=90)), duration(timedelta(hours=71)), duration(timedelta(seconds=1))
    ('90 minutes', '3 days', '1 second')
    """
    seconds = int(abs(length.total_seconds()))
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= 2 * size), (1, "second"))
    return counted(round(seconds / size), unit)


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence.

    >>> listed(["Ada", "Emeka", "Mei"])
    'Ada, Emeka and Mei'
    """
    if len(names) < 2:
        return "".join(names)
    first = pgettext("between names of a list", ", ").join(names[:-1])
    return pgettext("end of a list", "%(first)s and %(last)s", first=first, last=names[-1])
