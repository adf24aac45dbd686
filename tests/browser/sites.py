"""Reports as folders of pages: the sample classes and a hostile class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from support.programs import HONEST_JAVA, LEDGER, MAZE, dead_code, write_class

import moss
from moss.model import Pair, Report
from moss.report.site import write_site

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
SHOWN = 20  # pairs of a sample class: the copies, and as many honest ones

SCRIPT = "<script>window.__pwned=1</script>"
OVERRIDE = "\u202e"
HOSTILE_NAMES = (
    "<img src=x onerror=window.__pwned=1>",
    "\"'><svg onload=window.__pwned=1>",
    "javascript:window.__pwned=1",
    '=HYPERLINK("http:evil.example","x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    f"{OVERRIDE}gnp.exe",
    "' onmouseover='window.__pwned=1",
    "{{7*7}}&lt;b&gt;",
)
HOSTILE_TEXT = f"""/* </pre></mark></div>{SCRIPT} {OVERRIDE}}} \u2066if (admin)\u2069 \u200b --> ]]> {{{{7*7}}}} */
"""


@dataclass(frozen=True)
class Site:
    """A report and the folder that it was written to."""

    folder: Path
    report: Report

    def page(self, path: str = "index.html", fragment: str = "") -> str:
        """The address of a page."""
        return (self.folder / path).as_uri() + fragment

    def pair(self, number: int, fragment: str = "") -> str:
        """The address of a pair's page."""
        return self.page(f"pairs/{number:04}.html", fragment)

    def submission(self, id: str) -> str:
        """The address of a submission's page."""
        ids = [record.id for record in self.report.submissions]
        return self.page(f"submissions/{ids.index(id) + 1:04}.html")

    def pages(self) -> list[str]:
        """The addresses of all pages."""
        return [path.as_uri() for path in sorted(self.folder.rglob("*.html"))]

    def ranked(self) -> Iterator[tuple[int, Pair]]:
        """Each pair with its number."""
        return enumerate(self.report.pairs, 1)

    def richest(self) -> int:
        """The number of the pair with most passages."""
        return max(self.ranked(), key=lambda ranked: len(ranked[1].matches))[0]


def sample_site(name: str, folder: Path) -> Site:
    """The report of a sample class."""
    sample = SAMPLES / name
    archive = [sample / "archive"] if (sample / "archive").is_dir() else []
    settings = moss.Settings(jobs=1, show=SHOWN)
    return _written([sample / "submissions"], folder, settings, base=[sample / "starter"], archive=archive)


def hostile_site(folder: Path) -> Site:
    """A class whose names, files and texts all try to be something else than text."""
    program = LEDGER.replace("{", "{ " + HOSTILE_TEXT, 1).replace("no such customer", SCRIPT.replace("/", "\u2215"))
    members = {name: {f"{name}.java": program + dead_code(i, 10)} for i, name in enumerate(HOSTILE_NAMES)}
    source = write_class(folder / "hw", HONEST_JAVA | members)
    settings = moss.Settings(jobs=1, show=SHOWN, comment=f"{SCRIPT}\"'>{OVERRIDE}")
    return _written([source], folder / "report", settings)


def clustered_site(folder: Path) -> Site:
    """A class with clusters of twelve and of three, in two sections, handed in one after the other."""
    twelve = {f"copy{i:02}": {"Work.java": MAZE + dead_code(i, 2 + i)} for i in range(12)}
    three = {f"ledger{i}": {"Work.java": LEDGER + dead_code(50 + i, 4)} for i in range(3)}
    others = {f"own{i:02}": {"Work.java": dead_code(900 + i, 20)} for i in range(30)}
    source = write_class(folder / "hw", HONEST_JAVA | twelve | three | others)
    report = moss.compare([source], settings=moss.Settings(jobs=1, show=80, cluster=0.4))
    begun = datetime(2025, 10, 3, 8, tzinfo=UTC)
    records = [
        replace(record, section=f"Section {1 + i % 2}", handed_in=(begun - timedelta(hours=7 * i)).isoformat())
        for i, record in enumerate(report.submissions)
    ]
    report = replace(report, submissions=tuple(records))
    write_site(report, folder / "report", jobs=1)
    return Site(folder / "report", report)


def _written(paths: list[Path], folder: Path, settings: moss.Settings, **more: list[Path]) -> Site:
    report = moss.compare(paths, settings=settings, **more)
    write_site(report, folder, jobs=1)
    return Site(folder, report)
