"""The report as a folder of pages that open from disk, without a server and without a network.

    index.html  pairs/0001.html …  submissions/0001.html …  assets/  report.json  sources.json  ranking.json

Pages are named by numbers only: names come from strangers. They are rendered by worker processes, because a page runs
lexers on strangers' code. One that fails or takes too long is rendered again without them and, if that fails too,
replaced by one that says so. Whatever happens, the rest of the report is written, each file whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

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
_BATCH = 16  # pages that a worker has in hand
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


@dataclass(frozen=True, slots=True)
class Writer:
    """Renders a page and writes it, so that what is much need not travel between processes."""

    renderer: Renderer
    folder: Path

    def __call__(self, page: Page) -> None:
        """Write the page."""
        _write(self.folder / page.name, self.renderer(page))


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
    work = _write_pages(report, folder, pages, jobs or available_cores())
    progress("writing", next(work, 0), len(pages))  # now that the workers are busy, there is time for the rest
    index = folder / "index.html"
    _write(index, render_overview(report, DiskLinks()))
    _write_plain(report, folder / SOURCES, write_sources)
    _write_plain(report, folder / RANKING, write_ranking)
    for done in work:
        progress("writing", done, len(pages))
    _remove_stale(folder, {page.name for page in pages})
    _write_plain(report, folder / REPORT, write_json)  # the last, for it says that there is a report
    return index


def _write_plain(report: Report, path: Path, write: Callable[[Report, IO[str]], None]) -> None:
    with whole_file(path) as file:
        write(report, file)


def _pages(report: Report) -> Iterator[Page]:
    """A page for each shown pair, and one for each submission in them."""
    number = numbers(report)
    yield from (Page(PAIRS, i) for i in range(1, len(report.pairs) + 1))
    yield from (Page(SUBMISSIONS, i) for i in sorted(number[id] for id in paged(report)))


def _write_pages(report: Report, folder: Path, pages: list[Page], jobs: int) -> Iterator[int]:
    """Write every page, and tell after each how many there are."""
    writer = Writer(Renderer(report), folder)
    careful = Writer(Renderer(report, highlight=False), folder)
    failed = []
    written = 0
    for page, reason in _attempts(writer, pages, jobs):
        failed += [page] if reason else []
        written += not reason
        yield written
    for page, reason in _attempts(careful, failed, jobs):
        if reason:
            _write(folder / page.name, _apology(report, page, reason))
        written += 1
        yield written


def _attempts(writer: Writer, pages: list[Page], jobs: int) -> Iterator[tuple[Page, str]]:
    """Each page with the reason why it could not be written, or nothing."""
    for number, result in map_isolated(writer, pages, jobs=jobs, deadline=lambda page: DEADLINE, batch=_BATCH):
        yield pages[number], result.reason if isinstance(result, Failure) else ""


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
