"""Templates that are rendered once for all pages of a kind, with holes that each page fills with what is its own.

Most of a page is the same on every page of a report: its head, its headings, its words. A template that says
`{{ hole.score }}` is rendered once, and cut at its holes; a page is then put together from the parts:

    frame = page_frame("report/pair.html", report, links)
    page = frame.fill(score="87%", …)

The values of holes are markup: whoever fills them has escaped them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from moss.messages import catalogue
from moss.model import Report
from moss.report.page_templates import Links, environment

if TYPE_CHECKING:
    from gettext import NullTranslations

_HOLE = re.compile("\x00([a-z_]+)\x00")  # no template and no name in one has such a character


class Holes:
    """The holes of a template, by any name."""

    def __getattr__(self, name: str) -> Markup:
        return Markup(f"\x00{name}\x00")


class Frame:
    """A rendered template with holes."""

    def __init__(self, rendered: str) -> None:
        first, *rest = _HOLE.split(rendered)
        self._first, self._parts = first, [*zip(rest[::2], rest[1::2], strict=True)]

    def fill(self, **values: object) -> str:
        """The page with every hole filled; a value may stand in several holes."""
        return "".join([self._first, *[f"{values[name]}{text}" for name, text in self._parts]])


def page_frame(template: str, report: Report, links: Links) -> Frame:
    """The frame of a template for pages of one report; templates know of the report only how it was made."""
    return _frame(template, _Made(report), links, catalogue())  # type: ignore[arg-type]  # links can be hashed


class _Made:
    """The facts about a report that are on all its pages: reports with the same facts have the same frames."""

    def __init__(self, report: Report) -> None:
        self.version, self.created, self.imported = report.version, report.created, report.imported
        self._facts = report.version, report.created, report.imported

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Made) and self._facts == other._facts

    def __hash__(self) -> int:
        return hash(self._facts[:2])


@lru_cache(maxsize=64)
def _frame(template: str, made: _Made, links: Links, language: NullTranslations) -> Frame:
    return Frame(environment().get_template(template).render(report=made, links=links, hole=Holes()))
