"""All pages of a report, each as a server makes it when somebody opens it."""

from __future__ import annotations

from collections.abc import Iterator

from moss.model import Report
from moss.report.render import pages_of
from moss.report.served import OVERVIEW, ServedLinks, render_one


def served_pages(report: Report) -> Iterator[tuple[str, str]]:
    """Every page as (name, text), the overview first."""
    for name in (OVERVIEW, *(page.address(ServedLinks()) for page in pages_of(report))):
        yield name, render_one(report, name)
