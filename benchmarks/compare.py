"""How long `moss compare` takes for a class of N, and how much memory, beside other tools on the same files.

    python benchmarks/compare.py [N ...] [--peers] [--limit SECONDS] [--keep FILE]

The submissions are real code (Java, Python, C) with planted copies: `mix-N.tar.xz` in the folder that --corpora names,
or the first N of a larger one. Each measurement is a process of its own. What gives the scale, on the same files in the
same run: reading them; lexing them with Pygments on one core; and, with --peers, copydetect, compare50 in its three
default passes and by structure alone, Dolos, and SIM as it is (`-p -a`) and complete (`-p -a -e`), with the scanner of
each language and with that for Java on all files (`peers.py`). A peer that needs more than --limit seconds is stopped.

Comparing with and without pages takes turns, and the best of three counts. Nothing is deleted before everything is
measured: for some minutes after many files were deleted nearby, ext4 takes ten times as long to create one, because it
passes over what belonged to those, and a report has thousands. What writing as many files costs alone, in this state of
the disk, is in the table of pages: more than 0.2 seconds for 5,000 submissions mean that the disk was measured, too.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from findings import Table
from kept import add_option, machine, show
from peers import FLOOR, Call, install, peer_calls

MEGABYTE = 1_000_000
ROOT = Path(__file__).parents[1]
LEXED = 10  # megabytes: more are not lexed with Pygments, which takes minutes
SHOWN = 250  # pairs, unless the user says
BOUNDED = 5000  # submissions of the class that is compared with little memory, too
PAGES = 5000  # submissions: with more, the HTML report is not measured
_TURNS = 3  # of comparing with and without pages, of which the best counts: what files cost varies by half
ALONE_SHOWN, WITH_PAGES = "on one core, as many pairs as pages", "with the HTML report"
FILES_ALONE = "as many files as the report has, of the same sizes"

READ = "import sys, pathlib; [p.read_bytes() for p in pathlib.Path(sys.argv[1]).rglob('*') if p.is_file()]"
LEX = """
import sys, pathlib
from pygments.lexers import get_lexer_for_filename
for path in pathlib.Path(sys.argv[1]).rglob('*'):
    if path.is_file():
        for token in get_lexer_for_filename(path.name).get_tokens_unprocessed(path.read_text('utf-8', 'replace')):
            pass
"""
WRITE = """
import os, sys
report, copy = sys.argv[1:]
for folder, _, names in os.walk(report):
    os.mkdir(copy + folder[len(report):])
    for name in names:
        size = os.path.getsize(os.path.join(folder, name))
        with open(os.path.join(copy + folder[len(report):], name), "xb", buffering=0) as file:
            file.write(bytes(size))
"""
STAGES = """
import json, sys, time
started = {"start": time.process_time()}
from moss.comparison import compare
from moss.settings import Settings
def progress(stage, done, total):
    started.setdefault(stage, time.process_time())
started["reading"] = time.process_time()
compare([sys.argv[1]], settings=Settings(jobs=1, show=int(sys.argv[2])), progress=progress)
started["end"] = time.process_time()
print(json.dumps(started))
"""


@dataclass(frozen=True)
class Cost:
    """The time and memory that a command took."""

    seconds: float
    cpu: float
    megabytes: float  # of the largest process


def environment(cache: Path) -> dict[str, str]:
    """As a user has it: modules compiled once, and a cache, but one of our own."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"MOSS_CACHE": str(cache)}


def measure(
    command: list[str], cache: Path, limit: float | None = None, files: list[Path] | None = None
) -> Cost | None:
    """The cost of a command, or None if it is not done in time; it gets `files` on its input, one on each line."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as names:
        names.write("".join(f"{file}\n" for file in files or ()).encode())
        names.seek(0)
        process = subprocess.Popen(
            command, stdin=names, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL if limit else None,
            env=environment(cache), start_new_session=True, cwd=cache,
        )  # fmt: skip
        if limit and not _ends(process, limit):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    if status:
        print(f"failed: {' '.join(command)}", file=sys.stderr)
        return None
    unit = 1 if platform.system() == "Darwin" else 1024
    return Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / MEGABYTE)


def cheapest(costs: Iterable[Cost | None]) -> Cost | None:
    """The cost with the least CPU time, or None if something was not done."""
    done = [*costs]
    return min((cost for cost in done if cost), key=lambda cost: cost.cpu) if all(done) else None


def _ends(process: subprocess.Popen[bytes], limit: float) -> bool:
    """Whether it ends in time; it stays to be waited for."""
    until = time.monotonic() + limit
    while time.monotonic() < until:
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return True
        time.sleep(0.02)
    return False


def planted_found(case: Path, names: set[str], report: Path) -> str:
    """How many of the planted copies are among the shown pairs."""
    shown = {frozenset((pair["a"], pair["b"])) for pair in json.loads(report.read_text())["pairs"]}
    with (case / "truth.csv").open(newline="") as file:
        planted = [{row["a"], row["b"]} for row in csv.DictReader(file) if row["label"] == "1"]
    planted = [pair for pair in planted if pair <= names]
    return f"{sum(frozenset(pair) in shown for pair in planted)}/{len(planted)}"


def unpack(corpora: Path, size: int, folder: Path) -> Path | None:
    """The class of so many; the first ones of a larger one if there is none of this size. None, which is said, if there
    is no class that is large enough."""
    archives = {int(file.name[4:].split(".")[0]): file for file in corpora.glob("mix-*.tar.xz")}
    larger = [count for count in archives if count >= size]
    if not larger:
        print(f"mix-{size}: skipped, there is no mix-{size}.tar.xz nor a larger one (name its folder by --corpora)")
        return None
    with tarfile.open(archives[min(larger)]) as packed:
        members = {Path(member.name): member for member in packed.getmembers()}
        chosen = {"", *sorted({_submission(path) for path in members} - {""})[:size]}
        wanted = [member for path, member in members.items() if _submission(path) in chosen]
        packed.extractall(folder, wanted, filter="data")
    (case,) = folder.iterdir()
    return case


def _submission(path: Path) -> str:
    """The submission that a file of a packed class belongs to; empty if it belongs to none."""
    _, *below = path.parts
    return below[1] if below[:1] == ["submissions"] and below[1:] else ""


def megabytes_in(folder: Path) -> float:
    """The size of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / MEGABYTE


@dataclass
class Bench:
    """What was measured of one class."""

    size: int
    megabytes: float
    taken: dict[str, Cost | None] = field(default_factory=dict)  # None: not done in time
    planted: dict[str, str] = field(default_factory=dict)  # planted copies among the pairs shown
    stages: dict[str, float] = field(default_factory=dict)  # CPU seconds on one core
    kept: float = 0.0  # megabytes in the cache after a run
    written: dict[str, float] = field(default_factory=dict)  # megabytes of the HTML report, and of its folders

    def note(self, name: str, cost: Cost | None, planted: str = "") -> None:
        """Note what something took, and say so."""
        self.taken[name], self.planted[name] = cost, planted
        words = f"{cost.cpu:.2f} CPU s" if cost else "not done in time, or failed"
        print(f"{self.size}: {name}: {words}", flush=True)

    def cpu(self, name: str) -> float | None:
        """The CPU seconds of something, if it was done."""
        cost = self.taken.get(name)
        return cost.cpu if cost else None

    def rows(self) -> Iterator[list[str]]:
        """A row of the table for each thing measured."""
        reading, ours = self.cpu("reading the files"), self.cpu("moss compare")
        for name, cost in self.taken.items():
            if cost is None:
                yield [str(self.size), name, "not done", "", "", "", "", ""]
                continue
            figures = [f"{cost.seconds:.2f}", f"{cost.cpu:.2f}", f"{cost.megabytes:.0f}"]
            ratios = [f"{cost.cpu / of:.2f}" if of else "" for of in (reading, ours)]
            yield [str(self.size), name, *figures, *ratios, self.planted[name]]

    def page_rows(self) -> Iterator[list[str]]:
        """The HTML report beside the comparison that shows as many pairs, both on one core."""
        alone, pages, files = self.cpu(ALONE_SHOWN), self.cpu(WITH_PAGES), self.cpu(FILES_ALONE)
        if alone and pages and files:
            sizes = [f"{self.written[part]:.1f}" for part in ("", "pairs", "submissions")]
            yield [
                str(self.size),
                str(shown(self.size)),
                f"{alone:.2f}",
                f"{pages:.2f}",
                f"{pages / alone:.2f}",
                f"{files:.2f}",
                *sizes,
            ]


def shown(size: int) -> int:
    """How many pairs are shown: a fifth of the class, so that there is room for every planted copy."""
    return max(SHOWN, size // 5)


def measure_class(size: int, corpora: Path, peers: Path | None, limit: float, folder: Path) -> Bench | None:
    """Everything measured on the class of this size, in an empty folder; None if there is no such class."""
    show, scratch = shown(size), folder / "scratch"
    scratch.mkdir(parents=True)
    case = unpack(corpora, size, folder / "class")
    if case is None:
        return None
    submissions, report = case / "submissions", scratch / "report.json"
    names = {path.name for path in submissions.iterdir()}
    found = Bench(size, megabytes_in(submissions))

    def note(name: str, *command: str, planted: bool = False) -> None:
        cost = measure(list(command), scratch)
        found.note(name, cost, planted_found(case, names, report) if planted and cost else "")

    moss = [sys.executable, "-m", "moss", "compare", "--quiet", "--json", str(report)]
    note("reading the files", sys.executable, "-c", READ, str(submissions))
    note("moss compare", *moss, "--no-cache", str(submissions), planted=True)
    if show > SHOWN:
        note(f"moss compare -n {show}", *moss, "--no-cache", "-n", str(show), str(submissions), planted=True)
    note("moss compare -j 1", *moss, "--no-cache", "-j", "1", str(submissions))
    if size == BOUNDED:
        note("moss compare --memory 400MB", *moss, "--no-cache", "--memory", "400MB", str(submissions))
    before = megabytes_in(scratch)
    note("the first run, kept", *moss, str(submissions))
    found.kept = megabytes_in(scratch) - before
    note("the second run", *moss, str(submissions))
    if size <= PAGES:
        one_core = ["--no-cache", "-j", "1", "-n", str(show), str(submissions)]
        pages = [scratch / f"pages-{turn}" for turn in range(_TURNS)]
        commands = [
            {
                ALONE_SHOWN: [*moss, *one_core],
                WITH_PAGES: [*moss, "-o", str(written), *one_core],
                FILES_ALONE: [sys.executable, "-c", WRITE, str(written), f"{written}-again"],
            }
            for written in pages
        ]
        costs = [{name: measure(command, scratch) for name, command in turn.items()} for turn in commands]
        for name in commands[0]:
            found.note(name, cheapest(turn[name] for turn in costs))
        found.written = {part: megabytes_in(pages[0] / part) for part in ("", "pairs", "submissions")}
    if found.megabytes < LEXED:
        note("lexing by Pygments", sys.executable, "-c", LEX, str(submissions))
        found.stages = stages(submissions, SHOWN, scratch)
    for name, calls in peer_calls(peers, submissions, size, scratch) if peers else ():
        found.note(name, measure_all(calls, scratch, limit))
    return found


def measure_all(calls: Sequence[Call], cache: Path, limit: float) -> Cost | None:
    """The cost of some calls one after another; None if one of them is not done in time."""
    total = Cost(0.0, 0.0, 0.0)
    for call in calls:
        cost = measure(list(call.command), cache, limit - total.seconds, list(call.files))
        if cost is None:
            return None
        total = Cost(total.seconds + cost.seconds, total.cpu + cost.cpu, max(total.megabytes, cost.megabytes))
    return total


def stages(submissions: Path, show: int, cache: Path) -> dict[str, float]:
    """CPU seconds of each stage on one core."""
    command = [sys.executable, "-c", STAGES, str(submissions), str(show)]
    alone = environment(cache) | {"OPENBLAS_NUM_THREADS": "1"}  # as the command line sets it
    printed = subprocess.run(command, check=True, capture_output=True, env=alone).stdout
    started = sorted(json.loads(printed).items(), key=lambda item: item[1])
    return {stage: end - begin for (stage, begin), (_, end) in pairwise(started)}


def stage_table(found: Sequence[Bench]) -> Table:
    """The stages of each class for which they were measured, beside reading alone and lexing alone."""
    rows = []
    for each in found:
        reading, lexing = each.cpu("reading the files"), each.cpu("lexing by Pygments")
        for stage, cpu in each.stages.items():
            ratios = [f"{cpu / reading:.1f}" if reading else "", f"{cpu / lexing:.0%}" if lexing else ""]
            rows.append([str(each.size), stage, f"{cpu:.2f}", *ratios])
    return Table(["class", "stage", "CPU s", "times reading", "of lexing"], rows)


def ratios(found: Sequence[Bench]) -> list[str]:
    """What follows from the figures, in words."""
    lines = []
    for each in found:
        ours = each.taken.get("moss compare")
        first, second = each.cpu("the first run, kept"), each.cpu("the second run")
        if first and second:
            lines.append(f"{each.size}: the second run takes 1/{first / second:.1f} of the CPU time of the first")
        alone, floor = each.cpu("moss compare -j 1"), each.cpu(FLOOR)
        if alone and floor:
            lines.append(f"{each.size}: moss compare -j 1 takes {alone / floor:.1f} times the CPU time of {FLOOR}")
        if ours:
            memory, handed_in = (MEGABYTE * each_mb / each.size / 1000 for each_mb in (ours.megabytes, each.megabytes))
            lines.append(f"{each.size}: {memory:.0f} kB of memory for each submission of {handed_in:.1f} kB")
        if each.kept:
            lines.append(f"{each.size}: {each.kept:.1f} MB are kept in the cache")
    for small, large in [*pairwise(found), (found[0], found[-1])] if len(found) > 1 else []:
        a, b = small.cpu("moss compare"), large.cpu("moss compare")
        line = f"{small.size} to {large.size}: {b / a:.1f} times the CPU time" if a and b else ""
        lines += [line] if line and line not in lines else []
    return lines


PAGE_HEADINGS = ["class", "pairs", "CPU s", "with pages", "times", "files alone", "MB", "of pairs", "of submissions"]
HEADINGS = ["class", "what", "seconds", "CPU s", "peak MB", "CPU, times reading", "CPU, times moss", "planted shown"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[200, 1000, 5000, 20000], metavar="N")
    parser.add_argument("--corpora", type=Path, default=ROOT.parent / "shared" / "corpora" / "scale")
    parser.add_argument("--peers", action="store_true", help="measure other tools too")
    parser.add_argument(
        "--peers-in", type=Path, default=ROOT / ".peers", metavar="DIR", help="where they are installed"
    )
    parser.add_argument("--limit", type=float, default=240, metavar="SECONDS", help="for each peer")
    add_option(parser)
    args = parser.parse_args()
    print(machine())
    if args.peers:
        install(args.peers_in)
    peers = args.peers_in if args.peers else None
    with tempfile.TemporaryDirectory() as folder:
        measured = [
            measure_class(size, args.corpora, peers, args.limit, Path(folder, str(place)))
            for place, size in enumerate(args.sizes)
        ]
    found = [each for each in measured if each is not None]
    show(args.keep, "compare", Table(HEADINGS, [row for each in found for row in each.rows()]), ratios(found))
    show(args.keep, "pages", Table(PAGE_HEADINGS, [row for each in found for row in each.page_rows()]))
    show(args.keep, "stages", stage_table(found))


if __name__ == "__main__":
    main()
