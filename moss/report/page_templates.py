"""The templates of pages: their filters, and the links between pages.

One set of templates makes the report on disk and the one that a server sends. They differ only in their links, and in
the slots, which are places that a server fills.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from moss.model import Region, Report
from moss.report.visible_text import visible, visible_plain
from moss.shipped import shipped

TEMPLATES = shipped("templates")


class Links(Protocol):
    """The links of a page, on disk or on a server."""

    def live(self) -> bool:
        """Whether a server sends the page, with its own security policy and filled slots."""

    def alone(self) -> bool:
        """Whether the reader may see this page only: it has no links, and names nobody else."""

    def home(self) -> str:
        """The address behind the program's name."""

    def overview(self) -> str:
        """The list of pairs."""

    def pair(self, number: int) -> str:
        """The page of the pair with this number, counted from 1 in the order of the report."""

    def submission(self, number: int) -> str:
        """The page of the submission with this number, counted from 1 in the order of the report."""

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""

    def slot(self, name: str) -> Markup:
        """The mark of a place that depends on time or reader and is filled when the page is sent."""


@dataclass(frozen=True, slots=True)
class DiskLinks:
    """Links between files of one folder, relative, so that the folder can be moved and opened from disk."""

    root: str = ""  # how to get from the page to the report's folder: "" or "../"

    def live(self) -> bool:
        """No server sends the pages."""
        return False

    def alone(self) -> bool:
        """There are other pages beside it."""
        return False

    def home(self) -> str:
        """The list of pairs: on disk there is no other home."""
        return self.overview()

    def overview(self) -> str:
        """The list of pairs."""
        return f"{self.root}index.html"

    def pair(self, number: int) -> str:
        """The page of a pair."""
        return f"{self.root}pairs/{number:04}.html"

    def submission(self, number: int) -> str:
        """The page of a submission."""
        return f"{self.root}submissions/{number:04}.html"

    def asset(self, name: str) -> str:
        """A file beside the pages."""
        return f"{self.root}assets/{name}"

    def slot(self, name: str) -> Markup:
        """Nothing, because on disk nobody fills slots."""
        return Markup()


@cache
def environment() -> Environment:
    """The templates with their filters; everything is escaped unless it is markup by type."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["percent"] = percent
    made.filters["lines"] = lines
    made.filters["count"] = count
    made.filters["visible"] = visible
    made.filters["visible_plain"] = visible_plain
    return made


@cache
def compile_templates() -> None:
    """Compile all templates of reports, so that processes forked from this one need not do it again."""
    for name in environment().list_templates(extensions=["html"]):
        if name.startswith("report/"):
            environment().get_template(name)


def percent(share: float) -> str:
    """A share in whole percent; only 1 is shown as 100% and only 0 as 0%.

    >>> percent(0.999), percent(0.004)
    ('99%', 'under 1%')
    """
    rounded = round(100 * share)
    return f"{min(99, rounded) if share < 1 else 100}%" if rounded else ("0%" if share == 0 else "under 1%")


def lines(region: Region) -> str:
    """The lines of a region in words: `line 3`, `lines 3–7`."""
    start, end = region.start_line, region.end_line
    return f"line {start}" if start == end else f"lines {start}–{end}"


def count(items: Sequence[object] | int, singular: str, plural: str | None = None) -> str:
    """A number with its noun: 1 passage, 2 passages."""
    number = items if isinstance(items, int) else len(items)
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def numbers(report: Report) -> dict[str, int]:
    """The number of each submission, from 1, by its id."""
    return {record.id: number for number, record in enumerate(report.submissions, 1)}


def paged(report: Report) -> frozenset[str]:
    """The submissions that have a page: those of the shown pairs."""
    return frozenset(id for pair in report.pairs for id in (pair.a, pair.b))
