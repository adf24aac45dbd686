"""The overview of a large report in a browser: its bytes, its nodes, and the browser's CPU until the first rows.

    python benchmarks/overview.py [--pairs 5000] [--submissions 1000] [--rounds 3] [--before CHECKOUT]
        [--keep FILE]

The report is generated: the submissions and pairs of a sample class over and over, by other names and with other
scores. Only its overview is written. The browser's own metrics (TaskDuration) say how much CPU its page took until the
first rows were painted, for each of a few ways to sort, and for a name typed into the filter; the best of some rounds.
With `--before`, all is measured in another checkout of moss as well.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from findings import Table
from kept import add_option, show

import moss
from moss.model import Ranking, Report
from moss.report import site
from moss.report.page_templates import DiskLinks, report_assets
from moss.report.pages.overview import render_overview

SAMPLE = Path(__file__).parents[1] / "sample_submissions" / "java-library"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SORTS = ("a", "longest", "share", "rank")
FIRST_ROW = "#pairs-table tbody tr"
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
_NODES = """() => {
  let count = 1;
  for (const walker = document.createTreeWalker(document); walker.nextNode();) count += 1;
  return count;
}"""


@dataclass(frozen=True)
class OverviewFigures:
    """What an overview costs."""

    kilobytes: float  # of the list of pairs and its data
    page_kilobytes: float  # of the whole overview with its data
    nodes: int
    first_rows: float  # CPU seconds of the page's main thread
    sorting: float
    filtering: float


def sample_report() -> Report:
    """The report of a sample class."""
    return moss.compare([SAMPLE / "submissions"], base=[SAMPLE / "starter"], settings=moss.Settings(jobs=1))


def generated_report(sample: Report, submissions: int, pairs: int) -> Report:
    """A report with so many submissions and shown pairs, and as many pairs again that are not shown."""
    chance = random.Random(1)
    names = [f"{chance.choice(sample.submissions).id}.{number:05}" for number in range(submissions)]
    records = [replace(chance.choice(sample.submissions), id=name, owner=name) for name in names]
    scores = np.sort(np.random.default_rng(1).beta(1.2, 12, 2 * pairs))[::-1]
    sides = [sorted(chance.sample(range(submissions), 2)) for _ in scores]
    shown = [
        replace(chance.choice(sample.pairs), a=names[a], b=names[b], score=score)
        for (a, b), score in zip(sides[:pairs], scores.tolist(), strict=False)
    ]
    ranking = Ranking(*(np.array(side) for side in zip(*sides, strict=True)), scores)
    return replace(sample, submissions=tuple(records), pairs=tuple(shown), ranking=ranking, clusters=())


def write_overview(report: Report, folder: Path) -> list[Path]:
    """Write the overview and what it loads; the files that have the list and its data."""
    (folder / "assets").mkdir(parents=True)
    for name, asset in report_assets().items():
        shutil.copyfile(asset, folder / "assets" / name)
    files = {"index.html": render_overview(report, DiskLinks())}
    if hasattr(site, "pair_list_script"):  # earlier versions had everything in the page
        files[DiskLinks().pair_list()] = site.pair_list_script(report, DiskLinks())
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def measured(submissions: int, pairs: int, times: int) -> OverviewFigures:
    """The figures of the overview of a generated report, each the best of some rounds."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None) or sys.exit("there is no browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        files = write_overview(generated_report(sample_report(), submissions, pairs), Path(folder) / "report")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        rounds = [_round(browser, files) for _ in range(times)]
        browser.close()
    return OverviewFigures(**{name: min(asdict(one)[name] for one in rounds) for name in asdict(rounds[0])})


def _round(browser: Any, files: list[Path]) -> OverviewFigures:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(600_000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})  # CPU, not time: others may be busy as well

    def cpu(act: Callable[[], object]) -> float:
        before = _task_seconds(session)
        act()
        page.evaluate(_PAINTED)
        return _task_seconds(session) - before

    def opened() -> None:
        page.goto(files[0].as_uri())
        page.locator(FIRST_ROW).first.wait_for()

    first_rows = cpu(opened)
    nodes = page.evaluate(_NODES)
    sorting = max(cpu(lambda key=key: page.click(f"[data-sort={key}]")) for key in SORTS)
    filtering = max(cpu(lambda name=name: page.fill("#filter-name", name)) for name in ("r", "rosa", ""))
    page.close()
    text, *data = (file.read_bytes() for file in files)
    in_page = re.search(rb'<section class="tab-panel" id="pairs".*?</section>', text, re.DOTALL)
    sizes = [sum(map(len, [part, *data])) / 1000 for part in (in_page[0] if in_page else b"", text)]
    return OverviewFigures(*sizes, nodes, first_rows, sorting, filtering)


def _task_seconds(session: Any) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def measured_in(checkout: Path, arguments: list[str]) -> OverviewFigures:
    """The figures of another checkout, measured by a process that imports that one."""
    command = [sys.executable, __file__, *arguments, "--json"]
    found = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(checkout)}, check=True, stdout=subprocess.PIPE, text=True
    )
    return OverviewFigures(**json.loads(found.stdout))


def _rounded(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3f}"


def main() -> None:
    """Measure and print as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT")
    parser.add_argument("--json", action="store_true", help="print the figures of this checkout alone, as JSON")
    add_option(parser)
    options = parser.parse_args()
    sizes = ["--pairs", str(options.pairs), "--submissions", str(options.submissions), "--rounds", str(options.rounds)]
    now = measured(options.submissions, options.pairs, options.rounds)
    if options.json:
        print(json.dumps(asdict(now)))
        return
    columns = {"now": now} | ({"before": measured_in(options.before, sizes)} if options.before else {})
    words = {
        "kilobytes": "list and its data, kB",
        "page_kilobytes": "whole overview, kB",
        "nodes": "nodes",
        "first_rows": "CPU to the first rows, s",
        "sorting": "CPU to sort, s",
        "filtering": "CPU to filter, s",
    }
    rows = [[word, *(_rounded(getattr(of, name)) for of in columns.values())] for name, word in words.items()]
    show(options.keep, "overview", Table([f"{options.pairs:,} pairs", *columns], rows))


if __name__ == "__main__":
    main()
