"""How long a corpus takes to build, cluster and query, how much memory, and what of the planted copies is found.

    python benchmarks/corpus.py [--documents 100000 1000000] [--folder FOLDER] [--memory 2GB] [--queries 200]

For each number of documents: pages are generated from real text with copies planted among them (generated_pages.py),
added by `moss corpus add`, clustered by `moss corpus clusters`, first from nothing, then at other thresholds, and asked
about. What is found is compared with what was planted; the second number is compared with the first. Memory is the
largest sum over all processes of a step, measured ten times a second (proportional, so that shared pages count once).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from generated_pages import address, generate

MOSS = [sys.executable, "-c", "from moss.cli import main; main()", "corpus"]


@dataclass
class Step:
    """One command: wall time, processor time and memory."""

    name: str
    seconds: float
    cpu: float
    memory: int  # bytes
    output: str = ""


def run(name: str, command: list[str]) -> Step:
    """Run a command and measure it; its failure ends the benchmark."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = [0]
    watcher = threading.Thread(target=_watch, args=(process, peak), daemon=True)
    watcher.start()
    output, _ = process.communicate()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{name} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Step(name, time.perf_counter() - started, cpu, peak[0], output)


def _watch(process: subprocess.Popen[str], peak: list[int]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(_memory(pid) for pid in _tree(process.pid)))
        time.sleep(0.1)


def _tree(root: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path("/proc", entry, "stat").read_text()
                parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry))
            except OSError:
                continue
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += parents.get(pid, [])
    return found


def _memory(pid: int) -> int:
    """The proportional set size of a process, in bytes."""
    try:
        for line in Path("/proc", str(pid), "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


@dataclass
class Truth:
    """What was planted: (kind, number of the original, number of the copy)."""

    planted: list[tuple[str, int, int]] = field(default_factory=list)

    @staticmethod
    def read(folder: Path) -> Truth:
        with open(folder / "truth.jsonl") as lines:
            rows = [json.loads(line) for line in lines]
        return Truth([(row["kind"], row["original"], row["copy"]) for row in rows])

    def recall(self, clusters: Iterable[list[int]]) -> dict[str, float]:
        """For each kind the part of copies that are in their original's cluster."""
        place = {number: at for at, members in enumerate(clusters) for number in members}
        total, hit = Counter[str](), Counter[str]()
        for kind, original, copy in self.planted:
            if original != copy:
                total[kind] += 1
                hit[kind] += place.get(original, -1) == place.get(copy, -2)
        return {kind: hit[kind] / total[kind] for kind in total}

    def precision(self, clusters: Iterable[list[int]]) -> float:
        """The part of pairs in one cluster that were planted."""
        family = {copy: original for _, original, copy in self.planted}
        right = pairs = 0
        for members in clusters:
            families = Counter(family.get(number, number) for number in members)
            pairs += len(members) * (len(members) - 1) // 2
            right += sum(count * (count - 1) // 2 for count in families.values())
        return right / pairs if pairs else 1.0


def number_of(url: str) -> int:
    """The number in a page's address."""
    return int(url.rpartition("/")[2].removesuffix(".html"))


def read_clusters(path: Path) -> tuple[list[list[int]], dict[str, float]]:
    """The clusters in a file, as numbers of pages, and the seconds of each phase."""
    plain = json.loads(path.read_text())
    return [[number_of(url) for url in cluster["documents"]] for cluster in plain["clusters"]], plain["seconds"]


def ask(corpus: Path, pages: Path, queries: int) -> dict[str, object]:
    """Times and outcomes of queries, in this process: one open corpus, many questions."""
    from moss.corpus.documents import Document
    from moss.corpus.queries import Corpus

    truth = Truth.read(pages)
    chance = random.Random(1)
    started = time.perf_counter()
    with Corpus(corpus) as opened:
        answer: dict[str, object] = {"making lookups": time.perf_counter() - started}
        started = time.perf_counter()
        with Corpus(corpus):
            answer["opening"] = time.perf_counter() - started
        times: dict[str, list[tuple[float, float]]] = {"lookup": [], "lookup, window ×4": [], "with passages": []}
        hits, total = Counter[str](), Counter[str]()
        for kind in ("edited", "moved", "contained"):
            chosen = chance.sample([row for row in truth.planted if row[0] == kind], queries)
            for _, original, copy in chosen:
                at = opened.at(address(copy))[0]
                text = opened.texts([at.doc])[at.doc].text
                document = Document("asked", text, 0, len(text))
                for name, options in (
                    ("lookup", {"shown": 0}),
                    ("lookup, window ×4", {"shown": 0, "widen": 4}),
                    ("with passages", {}),
                ):
                    begun, worked = time.perf_counter(), time.process_time()
                    found = opened.query(document, **options)
                    times[name].append((time.perf_counter() - begun, time.process_time() - worked))
                same = {s.address for item in found[:10] for s in opened.same_as(item.sighting.doc)}
                total[kind] += 1
                hits[kind] += address(original) in same
        for _, original, copy in chance.sample([row for row in truth.planted if row[0] == "moved"], queries):
            total["lost and found"] += 1
            hits["lost and found"] += opened.locate(address(original))[0][0].address == address(copy)
        answer["recall"] = {kind: hits[kind] / total[kind] for kind in total}
        answer["milliseconds"] = {
            name: [float(np.percentile([v[of] for v in values], q)) * 1000 for q, of in ((50, 0), (95, 0), (50, 1))]
            for name, values in times.items()
        }
    return answer


@dataclass
class Outcome:
    """All figures of one number of documents."""

    documents: int
    steps: list[Step]
    phases: dict[str, float]
    recall: dict[str, float]
    precision: float
    containment_recall: float
    answers: dict[str, object]
    disk: int

    @property
    def total(self) -> float:
        return sum(step.seconds for step in self.steps)

    @property
    def cpu(self) -> float:
        return sum(step.cpu for step in self.steps)


def measure(documents: int, folder: Path, memory: str, queries: int, seed: int) -> Outcome:
    """Build, cluster and query a corpus of so many pages."""
    pages, corpus = folder / f"pages-{documents}", folder / f"corpus-{documents}"
    shutil.rmtree(corpus, ignore_errors=True)
    if not (pages / "truth.jsonl").exists():
        print(f"generating {documents:,} pages", file=sys.stderr)
        generate(pages, documents, seed)
    files = [sorted(str(path) for path in pages.glob(f"{part}-*.jsonl")) for part in "ab"]
    options = ["--memory", memory, "--quiet"]
    clusters = ["clusters", str(corpus), *options, "--json"]
    here = [sys.executable, __file__, "--ask", str(corpus), str(pages), "--queries", str(queries)]
    commands = {
        "add originals": [*MOSS, "add", str(corpus), *files[0], *options],
        "add copies": [*MOSS, "add", str(corpus), *files[1], *options],
        "clusters, R ≥ 0.5": [*MOSS, *clusters, str(folder / "half.json"), "--resemblance", "0.5"],
        "clusters, R ≥ 0.8": [*MOSS, *clusters, str(folder / "high.json"), "--resemblance", "0.8"],
        "clusters, R ≥ 0.5 or C ≥ 0.8": [*MOSS, *clusters, str(folder / "held.json"), "--containment", "0.8"],
        "queries": here,
    }
    steps = []
    for name, command in commands.items():
        print(f"{documents:,} documents: {name}", file=sys.stderr)
        steps.append(run(name, command))
    truth = Truth.read(pages)
    found, phases = read_clusters(folder / "half.json")
    held, _ = read_clusters(folder / "held.json")
    return Outcome(
        documents, steps, phases, truth.recall(found), truth.precision(found), truth.recall(held)["contained"],
        json.loads(steps[-1].output), sum(path.stat().st_size for path in corpus.rglob("*") if path.is_file()),
    )  # fmt: skip


def show(outcomes: list[Outcome]) -> None:
    """Print the figures as tables."""
    headings = [f"{outcome.documents:,}" for outcome in outcomes]
    growth = ["growth"] if len(outcomes) > 1 else []
    print(f"\n| seconds (processor seconds; memory) | {' | '.join(headings + growth)} |")
    print("| --- |" + " ---: |" * len(headings + growth))
    for steps in zip(*(outcome.steps for outcome in outcomes), strict=True):
        cells = [f"{s.seconds:.1f} ({s.cpu:.1f}; {s.memory / 1e9:.2f} GB)" for s in steps]
        _row(steps[0].name, cells, steps[-1].cpu / steps[0].cpu if growth else None)
    ratio = outcomes[-1].cpu / outcomes[0].cpu if growth else None
    _row(
        "**all**",
        [f"{o.total:.1f} ({o.cpu:.1f}; {max(s.memory for s in o.steps) / 1e9:.2f} GB)" for o in outcomes],
        ratio,
    )
    for phase in outcomes[-1].phases:
        times = [o.phases.get(phase, 0.0) for o in outcomes]
        _row(f"of clusters: {phase}", [f"{t:.1f}" for t in times], times[-1] / max(times[0], 0.001) if growth else None)
    _row(
        "on disk, MB",
        [f"{o.disk / 1e6:,.0f}" for o in outcomes],
        outcomes[-1].disk / outcomes[0].disk if growth else None,
    )
    print(f"\n| found | {' | '.join(headings)} |")
    print("| --- |" + " ---: |" * len(headings))
    for kind in outcomes[0].recall:
        if kind != "contained":
            _row(f"clusters: {kind}, recall", [f"{o.recall[kind]:.4f}" for o in outcomes])
    _row("clusters: contained, recall (C ≥ 0.8)", [f"{o.containment_recall:.4f}" for o in outcomes])
    _row("clusters: precision", [f"{o.precision:.4f}" for o in outcomes])
    answers = [o.answers for o in outcomes]
    for kind in answers[0]["recall"]:  # type: ignore[attr-defined]
        _row(f"queries: {kind}, recall", [f"{a['recall'][kind]:.4f}" for a in answers])  # type: ignore[index]
    for name in answers[0]["milliseconds"]:  # type: ignore[attr-defined]
        cells = ["{:.1f} / {:.1f} / {:.1f}".format(*a["milliseconds"][name]) for a in answers]  # type: ignore[index]
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
    parser.add_argument("--ask", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        print(json.dumps(ask(*options.ask, options.queries)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        outcomes = [
            measure(number, folder, options.memory, options.queries, options.seed) for number in options.documents
        ]
    load = os.getloadavg()
    print(f"{os.cpu_count()} cores, load at the end {load[0]:.1f}, {' '.join(sys.argv[1:])}")
    show(outcomes)


if __name__ == "__main__":
    main()
