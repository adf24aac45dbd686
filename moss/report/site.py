"""The report as a folder of pages that open from disk, without a server and without a network.

    index.html  pairs/0001.html …  submissions/0001.html …  assets/  report.json  sources.json  ranking.json

Pages are named by numbers only: names come from strangers. They are rendered by worker processes, because a page runs
lexers on strangers' code. One that fails or takes too long is rendered again without them and, if that fails too,
replaced by one that says so. Whatever happens, the rest of the report is written, each file whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from moss.model import Report
from moss.report.files import OutputError, make_folder, whole_file
from moss.report.overview import numbers, paged, render_overview
from moss.report.pages import TEMPLATES, DiskLinks, environment
from moss.report.pair_page import render_pair
from moss.report.plain import RANKING, REPORT, SOURCES, write_json, write_ranking, write_sources
from moss.report.submission_page import render_submission
from moss.workers import Failure, available_cores, map_isolated

Progress = Callable[[str, int, int], None]

ASSETS = TEMPLATES / "report" / "assets"
PAIRS, SUBMISSIONS = "pairs", "submissions"
DEADLINE = 20.0  # seconds for a page; an ordinary one takes a tenth of one
_OURS = b'<meta name="generator" content="moss report'
_NUMBERED = re.compile(r"\d{4,}\.html")


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be rendered: of the pair or of the submission with this number."""

    folder: str
    number: int

    @property
    def name(self) -> str:
        """Its file in the report's folder."""
        return f"{self.folder}/{self.number:04}.html"


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders a page of one report."""

    report: Report
    highlight: bool = True

    def __call__(self, page: Page) -> str:
        """The page as text."""
        links = DiskLinks("../")
        if page.folder == PAIRS:
            return render_pair(self.report, page.number, links, highlight=self.highlight)
        return render_submission(self.report, page.number, links)


def write_site(
    report: Report,
    folder: Path,
    jobs: int | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Path:
    """Write the report into a folder and return the page to open."""
    for part in (folder, folder / "assets", folder / PAIRS, folder / SUBMISSIONS):
        make_folder(part)
    for asset in sorted(path for path in ASSETS.iterdir() if path.is_file()):
        _write(folder / "assets" / asset.name, asset.read_text(encoding="utf-8"))
    pages = list(_pages(report))
    for done, (page, text) in enumerate(_rendered(report, pages, jobs or available_cores()), 1):
        _write(folder / page.name, text)
        progress("writing", done, len(pages))
    index = folder / "index.html"
    _write(index, render_overview(report, DiskLinks()))
    _remove_stale(folder, {page.name for page in pages})
    for name, write in ((SOURCES, write_sources), (RANKING, write_ranking), (REPORT, write_json)):
        with whole_file(folder / name) as file:
            write(report, file)
    return index


def _pages(report: Report) -> Iterator[Page]:
    """A page for each shown pair, and one for each submission in them."""
    number = numbers(report)
    yield from (Page(PAIRS, i) for i in range(1, len(report.pairs) + 1))
    yield from (Page(SUBMISSIONS, i) for i in sorted(number[id] for id in paged(report)))


def _rendered(report: Report, pages: list[Page], jobs: int) -> Iterator[tuple[Page, str]]:
    """Every page with its text, in the order in which they are ready."""
    renderer = Renderer(report)
    failed: list[Page] = []
    for page, result in _attempts(renderer, pages, jobs):
        if isinstance(result, Failure):
            failed.append(page)
        else:
            yield page, result
    for page, result in _attempts(replace(renderer, highlight=False), failed, jobs):
        yield page, _apology(report, page, result.reason) if isinstance(result, Failure) else result


def _attempts(renderer: Renderer, pages: list[Page], jobs: int) -> Iterator[tuple[Page, str | Failure]]:
    for number, result in map_isolated(renderer, pages, jobs=jobs, deadline=lambda page: DEADLINE):
        yield pages[number], result


def _apology(report: Report, page: Page, reason: str) -> str:
    """The page that stands for one that could not be made: what is known of it, with nothing computed."""
    pair = report.pairs[page.number - 1] if page.folder == PAIRS else None
    record = report.submissions[page.number - 1] if page.folder == SUBMISSIONS else None
    template = environment().get_template("report/failed.html")
    return template.render(report=report, links=DiskLinks("../"), pair=pair, record=record, reason=reason)


def _write(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text)


def _remove_stale(folder: Path, written: Iterable[str]) -> None:
    """Remove the pages of an earlier report in the same folder, and nothing that is not ours."""
    kept = set(written)
    for part in (PAIRS, SUBMISSIONS):
        for path in (folder / part).iterdir():
            if f"{part}/{path.name}" not in kept and _NUMBERED.fullmatch(path.name) and _is_ours(path):
                try:
                    path.unlink()
                except OSError as error:
                    raise OutputError(f"cannot remove the old page {path}: {error.strerror}") from error


def _is_ours(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return _OURS in file.read(2000)
