"""The report as a folder of pages that open from disk, without a server and without a network.

    index.html  pairs.js  pairs/0001.html …  submissions/0001.html …  clusters/0001.html …  assets/
    report.json  sources.json.gz  ranking.bin.gz

Pages are named by numbers only, because names come from strangers. If one page fails, the rest of the report is still
written. A file of an earlier report is replaced in one step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from gzip import GzipFile
from io import TextIOWrapper
from pathlib import Path

from moss.messages import gettext
from moss.model import Report
from moss.processes.pool import available_cores
from moss.report.atomic_files import OutputError, make_folder, whole_bytes, whole_file, write_bytes
from moss.report.json_report import REPORT, SOURCES, as_json, write_sources
from moss.report.packed_ranking import EARLIER_RANKINGS, RANKING, pack_ranking
from moss.report.page_templates import PAIR_LIST, DiskLinks, compile_templates, report_assets
from moss.report.pages.overview import render_overview
from moss.report.pages.pair import tools_script
from moss.report.pages.pair_list import pair_list_script
from moss.report.render import FOLDERS, Page, Progress, make_pages, pages_of

_OURS = b'<meta name="generator" content="moss report'
_LEVEL = 2  # of gzip: as fast as the fastest, and smaller; 4 takes half as long again and saves a tenth
_EARLIER = ("sources.json", *EARLIER_RANKINGS)  # files of earlier versions, which others have taken the place of
_NUMBERED = re.compile(r"\d{4,}\.html")


@dataclass(frozen=True, slots=True)
class PageWriter:
    """Writes a page in the process that rendered it, so that large texts need not travel between processes."""

    folder: Path

    def __call__(self, page: Page, text: str) -> None:
        """Write the page."""
        _write(self.folder / _file(page), text)


def write_site(
    report: Report,
    folder: Path,
    jobs: int | None = None,
    progress: Progress = lambda stage, done, total: None,
    encoded: str = "",
) -> Path:
    """Write the report into a folder and return the page to open; `encoded` is the report as JSON, if that is known."""
    for part in (folder, folder / "assets", *(folder / part for part in FOLDERS)):
        make_folder(part)
    for name, asset in report_assets().items():
        _write(folder / "assets" / name, asset.read_text(encoding="utf-8"))
    _write(folder / "assets" / "pair_tools.js", tools_script())
    pages = pages_of(report)
    compile_templates()  # so that workers that are forked need not
    jobs = jobs or available_cores()
    work = enumerate(make_pages(report, DiskLinks, pages, jobs, PageWriter(folder), isolated=jobs > 1), 1)
    done, _ = next(work, (0, None))
    progress("writing", done, len(pages))  # the workers are busy now, so this process writes the rest
    index = folder / "index.html"
    _write(index, render_overview(report, DiskLinks()))
    _write(folder / PAIR_LIST, pair_list_script(report, DiskLinks()))
    with (
        whole_bytes(folder / SOURCES) as packed,
        GzipFile("", "wb", _LEVEL, packed, mtime=0) as content,
        TextIOWrapper(content, encoding="ascii") as text,
    ):
        write_sources(report, text)
    with whole_bytes(folder / RANKING) as file:
        file.write(pack_ranking(report.ranking))
    for done, _ in work:
        progress("writing", done, len(pages))
    _remove_stale(folder, {_file(page) for page in pages})
    for name in _EARLIER:
        (folder / name).unlink(missing_ok=True)
    with whole_file(folder / REPORT) as text:  # the last, because its presence says that the report is complete
        text.write(encoded or as_json(report))
    return index


def _file(page: Page) -> str:
    """A page's file in the report's folder."""
    return page.address(DiskLinks())


def _write(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8", "replace"))


def _remove_stale(folder: Path, written: Iterable[str]) -> None:
    """Remove the pages of an earlier report in the same folder, and no file that moss did not write."""
    kept = set(written)
    for part in FOLDERS:
        for path in (folder / part).iterdir():
            if f"{part}/{path.name}" not in kept and _NUMBERED.fullmatch(path.name) and _is_ours(path):
                try:
                    path.unlink()
                except OSError as error:
                    raise OutputError(
                        gettext("cannot remove the old page %(path)s: %(reason)s", path=path, reason=error.strerror)
                    ) from error


def _is_ours(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return _OURS in file.read(2000)
