"""The report as the historical pages of MOSS, for the programs that read those.

    (index)  match0.html  match0-top.html  match0-0.html  match0-1.html  match1.html …

Scripts take these pages apart by regular expressions, so they are reproduced to the byte: upper-case tags that are
never closed, absolute links where they were absolute, relative ones where they were relative. Pages are pure ASCII;
other characters are written by number, so that no reader needs to know an encoding. Only two things are new: the index
links to the full report, and lists the problems behind the sentence on errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment

from moss.model import Report
from moss.report.classic.figures import ClassicRow, rows
from moss.report.classic.text import COLOURS, escaped_name, marked_text
from moss.report.page_templates import environment

INDEX = ""
HELP = {
    "format.html": "How to read the results",
    "tips.html": "Tips",
    "faq.html": "Questions",
    "contact.html": "Contact",
    "scripts.html": "Submission scripts",
    "credits.html": "Credits",
}

_MATCH = re.compile(r"match(0|[1-9][0-9]{0,8})(-top|-0|-1)?\.html")


@dataclass(frozen=True, slots=True)
class ClassicAddress:
    """The addresses of the pages, and of what they link to."""

    base: str  # what was sent to the client, without a slash at the end: http://host/results/1/123456789012
    host: str  # where /bitmaps and /general are: http://host
    report: str  # the full report

    def __post_init__(self) -> None:
        if self.base.endswith("/") or self.host.endswith("/") or ".html" in self.base:
            raise ValueError(f"{self.base} and {self.host} must not end with a slash, nor be the address of a page")
        # Readers follow every link below the base, and every link that has this word in it.
        if self.report.startswith(f"{self.base}/") or "match" in self.report.partition("://")[2].partition("/")[2]:
            raise ValueError(f"{self.report} would be taken for one of the historical pages")


def classic_page(report: Report, name: str, place: ClassicAddress) -> bytes | None:
    """The page of this name, or None if there is none."""
    if name == INDEX:
        return classic_index(report, place)
    number, listed = match_number(name), rows(report)
    return match_page(name, listed[number], place) if number is not None and number < len(listed) else None


def match_number(name: str) -> int | None:
    """The number of the match that a page is about, None if no match has a page of this name."""
    found = _MATCH.fullmatch(name)
    return int(found[1]) if found else None


def match_page(name: str, listed: ClassicRow, place: ClassicAddress) -> bytes:
    """The page of this name about a match."""
    found = _MATCH.fullmatch(name)
    assert found, "whoever has a row knows its number"
    return _match_page(found[2] or "", listed, place)


def classic_pages(report: Report, place: ClassicAddress) -> Iterator[tuple[str, bytes]]:
    """Every page with its name."""
    yield INDEX, classic_index(report, place)
    for listed in rows(report):
        for part in ("", "-top", "-0", "-1"):
            yield f"match{listed.number}{part}.html", _match_page(part, listed, place)


def classic_help(name: str, host: str) -> bytes | None:
    """The page `general/NAME` to which every index on this host links, or None if there is none."""
    topic = HELP.get(name)
    return _render("help", name=name, topic=topic, topics=HELP, host=host) if topic else None


def classic_index(report: Report, place: ClassicAddress) -> bytes:
    """The list of pairs; needs no texts."""
    parameters = report.parameters
    return _render(
        "index",
        place=place,
        date=_date(report),
        language=parameters.get("language", ""),
        directory=parameters.get("directory", False),
        max_matches=parameters.get("max_matches", ""),
        comment=parameters.get("comment", ""),
        rows=rows(report),
        problems=report.problems,
    )


def _match_page(part: str, listed: ClassicRow, place: ClassicAddress) -> bytes:
    if part in ("-0", "-1"):
        here = int(part[1:])
        side = listed.sides[here]
        text = marked_text(side, listed.number, 1 - here, f"{place.host}/bitmaps")
        return _render("side", first=listed.sides[0].name, name=side.name, text=text)
    page = "top" if part else "frames"
    return _render(page, place=place, row=listed, passages=list(zip(*_passages(listed), strict=True)), colours=COLOURS)


def _passages(listed: ClassicRow) -> list[Any]:
    return [side.passages for side in listed.sides]


def _date(report: Report) -> str:
    """The date in the form of the command `date`, in any locale: Sat Aug  1 04:03:31 UTC 2026."""
    *day, year = report.created.ctime().rsplit(" ", 1)
    return " ".join([*day, report.created.tzname() or "UTC", year])


@cache
def _templates() -> Environment:
    made = environment().overlay(keep_trailing_newline=True)
    made.filters = made.filters | {"name": escaped_name}
    return made


def _render(page: str, **values: Any) -> bytes:
    return _templates().get_template(f"classic/{page}.html").render(**values).encode("ascii", "xmlcharrefreplace")
