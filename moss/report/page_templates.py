"""Pages: the templates, what they may use, and where their links lead.

One set of templates serves the report on disk and whatever serves it over HTTP; only the links differ, and the slots,
which are places that a server fills.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from moss.model import Region
from moss.report.visible_text import visible, visible_plain
from moss.shipped import shipped

TEMPLATES = shipped("templates")


class Links(Protocol):
    """Where a page's links lead, and what stands behind them."""

    def live(self) -> bool:
        """Whether a server stands behind the page, which sends its own policy and fills the slots."""

    def alone(self) -> bool:
        """Whether the page is all that its reader may see: it leads nowhere, and names nobody else."""

    def home(self) -> str:
        """Where the name of the program leads."""

    def overview(self) -> str:
        """The list of pairs."""

    def pair(self, number: int) -> str:
        """The page of the pair with this number, counted from 1 in the order of the report."""

    def submission(self, number: int) -> str:
        """The page of the submission with this number, counted from 1 in the order of the report."""

    def asset(self, name: str) -> str:
        """A style sheet, a script or a picture."""

    def slot(self, name: str) -> Markup:
        """A place for what changes with time or reader, and is filled when the page is served."""


@dataclass(frozen=True, slots=True)
class DiskLinks:
    """Links between files of one folder, relative, so that the folder can be moved and opened from disk."""

    root: str = ""  # how to get from the page to the report's folder: "" or "../"

    def live(self) -> bool:
        """There is no server."""
        return False

    def alone(self) -> bool:
        """There are other pages beside it."""
        return False

    def home(self) -> str:
        """The list of pairs, for there is nothing else."""
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
        """Nothing: nobody would fill it."""
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
    """Have all templates of reports compiled, so that no process that is forked from this one has to."""
    for name in environment().list_templates(extensions=["html"]):
        if name.startswith("report/"):
            environment().get_template(name)


def percent(share: float) -> str:
    """A share as a whole number of percent; only all is 100 and only nothing is 0."""
    rounded = round(100 * share)
    return f"{min(99, rounded) if share < 1 else 100}%" if rounded else ("0%" if share == 0 else "under 1%")


def lines(region: Region) -> str:
    """The lines of a region, as a reader says them."""
    start, end = region.start_line, region.end_line
    return f"line {start}" if start == end else f"lines {start}–{end}"


def count(items: Sequence[object] | int, singular: str, plural: str | None = None) -> str:
    """A number with its noun: 1 passage, 2 passages."""
    number = items if isinstance(items, int) else len(items)
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
