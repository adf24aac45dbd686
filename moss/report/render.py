"""The pages of a report, rendered in worker processes, because a page runs lexers on strangers' code.

A page that fails or takes too long is rendered again without lexers and, if that fails too, replaced by one that says
so. Small pages are rendered in groups; if one of a group fails, each is rendered alone. On one core, groups that run no
lexers of others are rendered by the process that asks: a forked one would copy all of the report that it looks at. The
caller decides whether a page becomes a file or a row of a database.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from moss.model import Report, SubmissionRecord
from moss.processes.budget import OverBudgetError, limited_to, spend
from moss.processes.pool import Failure, map_isolated
from moss.report.code.syntax_classes import read_ahead, runs_lexers_of_others
from moss.report.page_templates import Links, environment, numbers, paged
from moss.report.pages.cluster import render_cluster
from moss.report.pages.pair import render_pairs
from moss.report.pages.submission import render_submission

PAIRS, SUBMISSIONS, CLUSTERS = FOLDERS = "pairs", "submissions", "clusters"
DEADLINE = 20.0  # seconds for a page; an ordinary one takes a tenth of one
_MOST_PAGES, _MOST_TEXT = 16, 400_000  # of a group; so many characters take a slow lexer a quarter of that time

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


_Group = Sequence[Page]
"""Pages of one folder that a worker makes one after another, before it answers."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders pages of one report."""

    report: Report
    links: LinksFrom
    highlight: bool = True

    def __call__(self, page: Page) -> str:
        """The page as text."""
        [text] = self.pages([page])
        return text

    def pages(self, group: _Group) -> Iterator[str]:
        """The pages as texts."""
        numbers, links = [page.number for page in group], self.links("../")
        folder = group[0].folder
        if folder == PAIRS:
            return render_pairs(self.report, numbers, links, highlight=self.highlight)
        render = render_cluster if folder == CLUSTERS else render_submission
        return (render(self.report, number, links) for number in numbers)


@dataclass(frozen=True, slots=True)
class _Work(Generic[Kept]):
    """The work on some pages, done in a worker: render each, and hand the text to `keep`."""

    renderer: Renderer
    keep: Callable[[Page, str], Kept]

    def __call__(self, group: _Group) -> list[Kept]:
        report = self.renderer.report
        shown = [record for page in group if page.folder == PAIRS for record in _records(report, page)]
        read_ahead((file.language, file.text) for record in shown for file in record.files)
        return [self.keep(page, text) for page, text in zip(group, self.renderer.pages(group), strict=True)]


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
    isolated: bool = True,
) -> Iterator[tuple[Page, Kept]]:
    """Every page with what `keep` returned for its text, as pages are finished; `keep` is called in the worker. Unless
    all have to be `isolated`, this process renders what runs no lexers of others."""
    work = _Work(Renderer(report, links), keep)
    here: list[_Group] = []
    apart: list[_Group] = []
    for group in _groups(report, pages):
        (apart if isolated or not _is_harmless(report, group) else here).append(group)
    failed = yield from _attempt_here(work, here)
    failed += yield from _attempt(work, apart, jobs)
    alone = [[page] for group, _ in failed for page in group if len(group) > 1]
    failed = [each for each in failed if len(each[0]) == 1] + (yield from _attempt(work, alone, jobs))
    careful = _Work(Renderer(report, links, highlight=False), keep)
    failed = yield from _attempt(careful, [group for group, _ in failed], jobs)
    for (page,), failure in failed:
        yield page, keep(page, _apology(report, links("../"), page, failure.reason))


def _attempt(
    work: _Work[Kept], groups: Sequence[_Group], jobs: int
) -> Generator[tuple[Page, Kept], None, list[tuple[_Group, Failure]]]:
    """Every page of the groups that can be made; returns the groups that cannot, each with its failure."""
    failed = []
    for number, outcome in map_isolated(work, groups, jobs=jobs, deadline=lambda group: DEADLINE):
        if isinstance(outcome, Failure):
            failed.append((groups[number], outcome))
        else:
            yield from zip(groups[number], outcome, strict=True)
    return failed


def _attempt_here(
    work: _Work[Kept], groups: Sequence[_Group]
) -> Generator[tuple[Page, Kept], None, list[tuple[_Group, Failure]]]:
    """Every page of the groups that this process can make in time; returns the groups that it cannot."""
    failed: list[tuple[_Group, Failure]] = []
    for group in groups:
        try:
            with limited_to(DEADLINE):
                made = spend(partial(work, group))
        except OverBudgetError:
            failed.append((group, Failure.too_late(DEADLINE)))
        except Exception as error:
            failed.append((group, Failure.of(error)))
        else:
            yield from zip(group, made, strict=True)
    return failed


def _is_harmless(report: Report, group: _Group) -> bool:
    """Whether these pages are of bounded size and run no lexers of others, which may hang: only pages of pairs do."""
    files = [file for page in group for record in _records(report, page) for file in record.files]
    if sum(len(file.text) for file in files) > _MOST_TEXT:
        return False
    return group[0].folder != PAIRS or not any(runs_lexers_of_others(file.language) for file in files)


def _groups(report: Report, pages: Sequence[Page]) -> list[_Group]:
    """The pages in groups, because an answer costs nearly as much as a small page; no group has so much text that its
    pages could need more than the time of one."""
    groups: list[list[Page]] = []
    room = 0
    for page in pages:
        size = sum(len(file.text) for record in _records(report, page) for file in record.files)
        if not groups or len(groups[-1]) == _MOST_PAGES or size > room or groups[-1][-1].folder != page.folder:
            groups.append([])
            room = _MOST_TEXT
        groups[-1].append(page)
        room -= size
    return [*groups]


def _records(report: Report, page: Page) -> list[SubmissionRecord]:
    """The submissions that a page is about."""
    if page.folder == SUBMISSIONS:
        return [report.submissions[page.number - 1]]
    pair = report.pairs[page.number - 1] if page.folder == PAIRS else None
    ids = (pair.a, pair.b) if pair else report.clusters[page.number - 1]
    return [report.submissions[numbers(report)[id] - 1] for id in ids]


def _apology(report: Report, links: Links, page: Page, reason: str) -> str:
    """The page shown in place of one that could not be rendered, with nothing in it that needs computing."""
    pair = report.pairs[page.number - 1] if page.folder == PAIRS else None
    record = report.submissions[page.number - 1] if page.folder == SUBMISSIONS else None
    template = environment().get_template("report/failed.html")
    return template.render(
        report=report, links=links, pair=pair, record=record, number=page.number, reason=reason
    )  # fmt: skip
