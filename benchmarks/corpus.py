"""How long a corpus takes to build, cluster and query, how much memory, and what of the planted copies is found.

    python benchmarks/corpus.py [--documents 100000 1000000] [--folder FOLDER] [--memory 2GB] [--queries 200]
        [--separate N]

For each number of documents: pages are generated from real text with copies planted among them (generated_pages.py),
added by `moss corpus add`, clustered by `moss corpus clusters`, first from nothing, then at other thresholds, then
after one more document and one less, and asked about. What is found is compared with what was planted; the second
number is compared with the first. Memory is the largest sum over all processes of a step, measured ten times a second
(proportional, so that shared pages count once).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from asking import ask
from generated_pages import SEPARATE, generate
from measuring import Step, run
from planted import Truth, read_clusters

FIRST = "clusters, R ≥ 0.5"
ONE = "https://www.site.example/pages/99999999.html"
MOSS = [sys.executable, "-c", "from moss.cli import main; main()", "corpus"]


@dataclass
class Outcome:
    """All figures of one number of documents."""

    documents: int
    steps: list[Step]
    phases: dict[str, float]
    rows: dict[str, int]  # that the first clustering reads
    recall: dict[str, float]
    precision: float
    contained: dict[str, float]  # recall at other thresholds
    precision_below: float  # at the lowest of them
    answers: dict[str, Any]
    disk: int

    @property
    def total(self) -> float:
        return sum(step.seconds for step in self.steps)

    @property
    def cpu(self) -> float:
        return sum(step.cpu for step in self.steps)


def measure(documents: int, folder: Path, memory: str, queries: int, seed: int, separate: int | None) -> Outcome:
    """Build, cluster and query a corpus of so many pages."""
    name = f"{documents}-by-{separate}" if separate else str(documents)
    pages, corpus = folder / f"pages-{name}", folder / f"corpus-{name}"
    shutil.rmtree(corpus, ignore_errors=True)
    if not (pages / "truth.jsonl").exists():
        print(f"generating {documents:,} pages", file=sys.stderr)
        generate(pages, documents, seed, separate=separate)
    commands = _commands(folder, pages, corpus, memory, queries)
    steps, rows = [], {}
    for what, command in commands.items():
        print(f"{documents:,} documents: {what}", end="", file=sys.stderr, flush=True)
        steps.append(step := run(what, command))
        if what == FIRST:
            rows = _rows(corpus)
        print(f": {step.seconds:.1f} ({step.cpu:.1f}; {step.memory / 1e9:.2f} GB)", file=sys.stderr)
    truth = Truth.read(pages)
    found, phases = read_clusters(folder / "half.json")
    held, _ = read_clusters(folder / "held.json")
    lower, _ = read_clusters(folder / "lower.json")
    _, updated = read_clusters(folder / "again.json")
    phases["lists of clusters, start"] = steps[list(commands).index(FIRST)].cpu - sum(phases.values())
    phases["update after one document"] = updated["update pairs"]
    contained = {"C ≥ 0.8": truth.recall(held)["contained"], "C ≥ 0.5": truth.recall(lower)["contained"]}
    return Outcome(
        documents, steps, phases, rows, truth.recall(found), truth.precision(found), contained, truth.precision(lower),
        json.loads(steps[-1].output), sum(path.stat().st_size for path in corpus.rglob("*") if path.is_file()),
    )  # fmt: skip


def _commands(folder: Path, pages: Path, corpus: Path, memory: str, queries: int) -> dict[str, list[str]]:
    """What is measured, in this order."""
    files = [sorted(str(path) for path in pages.glob(f"{part}-*.jsonl")) for part in "ab"]
    options = ["--memory", memory, "--quiet"]
    clusters = ["clusters", str(corpus), *options, "--json"]
    here = [sys.executable, __file__, "--ask", str(corpus), str(pages), "--queries", str(queries)]
    return {
        "add originals": [*MOSS, "add", str(corpus), *files[0], *options],
        "add copies": [*MOSS, "add", str(corpus), *files[1], *options],
        FIRST: [*MOSS, *clusters, str(folder / "half.json"), "--resemblance", "0.5"],
        "clusters, R ≥ 0.8": [*MOSS, *clusters, str(folder / "high.json"), "--resemblance", "0.8"],
        "clusters, R ≥ 0.5 or C ≥ 0.8": [*MOSS, *clusters, str(folder / "held.json"), "--containment", "0.8"],
        "clusters, R ≥ 0.3 or C ≥ 0.5": [
            *MOSS,
            *clusters,
            str(folder / "lower.json"),
            "--resemblance",
            "0.3",
            "--containment",
            "0.5",
        ],
        "add one": [*MOSS, "add", str(corpus), str(_one_more(folder, pages)), *options],
        "clusters, after one more": [*MOSS, *clusters, str(folder / "again.json"), "--resemblance", "0.5"],
        "remove one": [*MOSS, "remove", str(corpus), ONE, *options],
        "clusters, after one less": [*MOSS, *clusters, str(folder / "less.json"), "--resemblance", "0.5"],
        "queries": here,
    }


def _rows(corpus: Path) -> dict[str, int]:
    """How many rows there are of all shingles, and of those that more than two documents have."""
    tables = {
        "of all shingles": "segments/*/shingles.parquet",
        "of shingles in more than two documents": "phases/*/sorted-*/several/*/*.parquet",
    }
    return {
        name: int(duckdb.sql(f"SELECT COUNT(*) FROM read_parquet('{corpus}/{files}')").fetchall()[0][0])
        for name, files in tables.items()
    }


def _one_more(folder: Path, pages: Path) -> Path:
    """A file with one document: the first page with other words at its end."""
    with open(next(iter(sorted(pages.glob("a-*.jsonl"))))) as lines:
        record = json.loads(next(lines))
    path = folder / "one.jsonl"
    path.write_text(
        json.dumps(record | {"url": ONE, "text": f"{record['text']} and that is all there is to say"}) + "\n"
    )
    return path


def show(outcomes: list[Outcome]) -> None:
    """Print the figures as tables."""
    headings = [f"{outcome.documents:,}" for outcome in outcomes]
    _show_costs(outcomes, headings)
    print(f"\n| found | {' | '.join(headings)} |")
    print("| --- |" + " ---: |" * len(headings))
    for kind in outcomes[0].recall:
        _row(f"clusters: {kind}, recall (R ≥ 0.5)", [f"{o.recall[kind]:.4f}" for o in outcomes])
    for threshold in outcomes[0].contained:
        _row(f"clusters: contained, recall ({threshold})", [f"{o.contained[threshold]:.4f}" for o in outcomes])
    _row("clusters: precision (R ≥ 0.5)", [f"{o.precision:.4f}" for o in outcomes])
    _row("clusters: precision (R ≥ 0.3 or C ≥ 0.5)", [f"{o.precision_below:.4f}" for o in outcomes])
    _show_answers([outcome.answers for outcome in outcomes])


def _show_costs(outcomes: list[Outcome], headings: list[str]) -> None:
    growing = len(outcomes) > 1

    def growth(last: float, first: float) -> float | None:
        return last / max(first, 0.001) if growing else None

    columns = [*headings, *(["growth"] if growing else [])]
    print(f"\n| seconds (processor seconds; memory) | {' | '.join(columns)} |")
    print("| --- |" + " ---: |" * len(columns))
    for steps in zip(*(outcome.steps for outcome in outcomes), strict=True):
        cells = [f"{s.seconds:.1f} ({s.cpu:.1f}; {s.memory / 1e9:.2f} GB)" for s in steps]
        _row(steps[0].name, cells, growth(steps[-1].cpu, steps[0].cpu))
    cells = [f"{o.total:.1f} ({o.cpu:.1f}; {max(s.memory for s in o.steps) / 1e9:.2f} GB)" for o in outcomes]
    _row("**all**", cells, growth(outcomes[-1].cpu, outcomes[0].cpu))
    for phase in outcomes[-1].phases:
        times = [o.phases.get(phase, 0.0) for o in outcomes]
        _row(f"of clusters: {phase}", [f"({t:.3f})" for t in times], growth(times[-1], times[0]))
    for name in outcomes[-1].rows:
        rows = [o.rows[name] for o in outcomes]
        _row(f"rows {name}", [f"{n:,}" for n in rows], growth(rows[-1], rows[0]))
    disk = [f"{o.disk / 1e6:,.0f}" for o in outcomes]
    _row("on disk, MB", disk, growth(outcomes[-1].disk, outcomes[0].disk))


def _show_answers(answers: list[dict[str, Any]]) -> None:
    for kind in answers[0]["recall"]:
        _row(f"queries: {kind}, recall", [f"{a['recall'][kind]:.4f}" for a in answers])
    for name in answers[0]["milliseconds"]:
        cells = ["{:.1f} / {:.1f} / {:.1f}".format(*a["milliseconds"][name]) for a in answers]
        _row(f"queries: {name}, ms (median / 95 % / processor, median)", cells)
    for name in ("making lookups", "opening"):
        _row(f"queries: {name} once, s", [f"{a[name]:.1f}" for a in answers])


def _row(name: str, cells: list[str], growth: float | None = None) -> None:
    print(" | ".join([f"| {name}", *cells, *([f"{growth:.1f}×"] if growth else [])]) + " |")


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000])
    parser.add_argument("--folder", type=Path, help="where pages and corpora are kept; without it nothing is")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--separate", type=int, metavar="N", help=SEPARATE)
    parser.add_argument("--ask", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        print(json.dumps(ask(*options.ask, options.queries)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        outcomes = [
            measure(number, folder, options.memory, options.queries, options.seed, options.separate)
            for number in options.documents
        ]
    load = os.getloadavg()
    print(f"{os.cpu_count()} cores, load at the end {load[0]:.1f}, {' '.join(sys.argv[1:])}")
    show(outcomes)


if __name__ == "__main__":
    main()
