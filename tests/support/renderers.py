"""Renderers that misbehave, and reports with other names; importable, so that a spawned process finds them too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moss.model import Match, Pair, Problem, Report
from moss.report.render import Page, Renderer


@dataclass(frozen=True, slots=True)
class Unlucky(Renderer):
    """The first pair's page fails with a lexer, the second's hangs with one, the third's fails always."""

    def pages(self, group: Sequence[Page]) -> Iterator[str]:
        """The pages, if none of them is one of those."""
        unlucky = [page for page in group if page.folder == "pairs" and page.number <= 3]
        while self.highlight and any(page.number == 2 for page in unlucky):
            pass
        if any(page.number == 3 or self.highlight for page in unlucky):
            raise RecursionError("</script><b>too deep")
        return Renderer(self.report, self.links, self.highlight).pages(group)


def process_of_page(page: Page, text: str) -> int:
    """The process that makes a page."""
    return os.getpid()


def renamed(report: Report, names: Mapping[str, str]) -> Report:
    """The report with other names for some submissions."""

    def name(id: str) -> str:
        return names.get(id, id)

    def match(old: Match) -> Match:
        return replace(old, others=tuple(map(name, old.others)))

    def pair(old: Pair) -> Pair:
        return replace(old, a=name(old.a), b=name(old.b), matches=tuple(map(match, old.matches)))

    return replace(
        report,
        submissions=tuple(replace(s, id=name(s.id), owner=name(s.owner)) for s in report.submissions),
        pairs=tuple(map(pair, report.pairs)),
        clusters=tuple(tuple(map(name, cluster)) for cluster in report.clusters),
        problems=(*report.problems, *(Problem(f"{new}/x.java", f"because of {new}") for new in names.values())),
    )
