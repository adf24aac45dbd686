"""All pages of a report, each as a server makes it when somebody opens it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from moss.model import Report
from moss.report.page_templates import PAIR_LIST
from moss.report.render import pages_of
from moss.report.served import OVERVIEW, ServedLinks, render_one


def names_of_pages(report: Report) -> list[str]:
    """The names of all pages, the overview's first."""
    return [OVERVIEW, *(page.address(ServedLinks()) for page in pages_of(report))]


def served_pages(report: Report) -> Iterator[tuple[str, str]]:
    """Every page as (name, text), the overview first."""
    for name in names_of_pages(report):
        yield name, render_one(report, name)


class ServedPages(Mapping[str, str]):
    """The pages of a report and the list of its pairs by their names, each made when it is first asked for."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._made: dict[str, str | None] = dict.fromkeys([*names_of_pages(report), PAIR_LIST])

    def __getitem__(self, name: str) -> str:
        text = self._made[name]
        if text is None:
            text = self._made[name] = render_one(self._report, name)
        return text

    def __contains__(self, name: object) -> bool:
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
