"""The pages of a report, each rendered in a worker process, because a page runs lexers on strangers' code.

A page that fails or takes too long is rendered again without lexers and, if that fails too, replaced by one that says
so. The caller decides whether a page becomes a file or a row of a database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from moss.model import Report
from moss.processes.pool import Failure, map_isolated
from moss.report.page_templates import Links, environment, numbers, paged
from moss.report.pages.cluster import render_cluster
from moss.report.pages.pair import render_pair
from moss.report.pages.submission import render_submission

PAIRS, SUBMISSIONS, CLUSTERS = FOLDERS = "pairs", "submissions", "clusters"
DEADLINE = 20.0  # seconds for a page; an ordinary one takes a tenth of one
_BATCH = 16  # pages that a worker gets at a time

Progress = Callable[[str, int, int], None]
LinksFrom = Callable[[str], Links]
"""Makes the links of a page from the relative path to the report's root."""

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be rendered: of the pair, the submission or the cluster with this number."""

    folder: str
    number: int

    def address(self, links: Links) -> str:
        """The address of the page."""
        of = {PAIRS: links.pair, SUBMISSIONS: links.submission, CLUSTERS: links.cluster}
        return of[self.folder](self.number)


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders a page of one report."""

    report: Report
    links: LinksFrom
    highlight: bool = True

    def __call__(self, page: Page) -> str:
        """The page as text."""
        links = self.links("../")
        if page.folder == PAIRS:
            return render_pair(self.report, page.number, links, highlight=self.highlight)
        if page.folder == CLUSTERS:
            return render_cluster(self.report, page.number, links)
        return render_submission(self.report, page.number, links)


@dataclass(frozen=True, slots=True)
class _Work(Generic[Kept]):
    """The work on one page, done in a worker: render it, and hand the text to `keep`."""

    renderer: Renderer
    keep: Callable[[Page, str], Kept]

    def __call__(self, page: Page) -> Kept:
        return self.keep(page, self.renderer(page))


def pages_of(report: Report) -> list[Page]:
    """The pages of all shown pairs, of the submissions in them, and of all clusters, without the overview."""
    number = numbers(report)
    pairs = [Page(PAIRS, i) for i in range(1, len(report.pairs) + 1)]
    submissions = [Page(SUBMISSIONS, i) for i in sorted(number[id] for id in paged(report))]
    return pairs + submissions + [Page(CLUSTERS, i) for i in range(1, len(report.clusters) + 1)]


def make_pages(
    report: Report,
    links: LinksFrom,
    pages: Sequence[Page],
    jobs: int,
    keep: Callable[[Page, str], Kept],
) -> Iterator[tuple[Page, Kept]]:
    """Every page with what `keep` returned for its text, as pages are finished; `keep` is called in the worker."""
    failed = []
    for page, outcome in _attempts(_Work(Renderer(report, links), keep), pages, jobs):
        if isinstance(outcome, Failure):
            failed.append(page)
        else:
            yield page, outcome
    for page, outcome in _attempts(_Work(Renderer(report, links, highlight=False), keep), failed, jobs):
        if isinstance(outcome, Failure):
            yield page, keep(page, _apology(report, links("../"), page, outcome.reason))
        else:
            yield page, outcome


def _attempts(work: _Work[Kept], pages: Sequence[Page], jobs: int) -> Iterator[tuple[Page, Kept | Failure]]:
    for number, outcome in map_isolated(work, pages, jobs=jobs, deadline=lambda page: DEADLINE, batch=_BATCH):
        yield pages[number], outcome


def _apology(report: Report, links: Links, page: Page, reason: str) -> str:
    """The page shown in place of one that could not be rendered, with nothing in it that needs computing."""
    pair = report.pairs[page.number - 1] if page.folder == PAIRS else None
    record = report.submissions[page.number - 1] if page.folder == SUBMISSIONS else None
    template = environment().get_template("report/failed.html")
    return template.render(
        report=report, links=links, pair=pair, record=record, number=page.number, reason=reason
    )  # fmt: skip
