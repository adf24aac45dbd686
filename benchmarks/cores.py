"""What several cores have to do, and what only one can: CPU seconds of each stage in the process that was started, and
in those that it shares the work with, beside those of a run on one core.

    python benchmarks/cores.py [N ...] [--jobs 2] [--corpora FOLDER] [--keep FILE]

N is the size of a class (`compare.py` says which), or a folder of submissions. What is done in one process is serial.
On so many cores that nobody else uses, a run takes at least that and the shared part divided by the number of cores;
the lines below the table say how many times as fast that is as one core. It does not depend on what else the machine
has to do, as seconds do.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from compare import ROOT, unpack
from findings import Table
from kept import add_option, machine, show

STAGES = """
import json, os, resource, sys
from moss.cli.numpy_settings import prepare_numpy
prepare_numpy(os.environ)
def spent():
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return [usage.ru_utime + usage.ru_stime for usage in both]
from moss.comparison import compare
from moss.settings import Settings
started = [("start", [0.0, 0.0]), ("reading", spent())]
def progress(stage, done, total):
    if started[-1][0] != stage:
        started.append((str(stage), spent()))
compare([sys.argv[1]], settings=Settings(jobs=int(sys.argv[2])), progress=progress)
print(json.dumps([*started, ("end", spent())]))
"""

Spent = Mapping[str, tuple[float, float]]
"""CPU seconds of each stage, in one process and in those that share its work."""


def measure(submissions: Path, jobs: int) -> Spent:
    """What each stage spends on so many cores."""
    command = [sys.executable, "-c", STAGES, str(submissions), str(jobs)]
    started = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {
        stage: (end[0] - begin[0], end[1] - begin[1])
        for (stage, begin), (_, end) in pairwise(started)
        if stage != "end"
    }


def rows(name: str, alone: Spent, shared: Spent) -> Iterator[list[str]]:
    """A row of the table for each stage, and one for all of them."""
    columns = [(stage, *both, sum(alone.get(stage, (0.0, 0.0)))) for stage, both in shared.items()]
    for stage, *figures in (*columns, ("all", *(sum(column) for column in list(zip(*columns, strict=True))[1:]))):
        yield [name, stage, *(f"{figure:.2f}" for figure in figures)]


def limits(name: str, alone: Spent, shared: Spent, jobs: int) -> Iterator[str]:
    """How many times as fast a run can be, and would be without each of the reasons why it is not faster still."""
    total = sum(map(sum, alone.values()))
    one, others = (sum(column) for column in zip(*shared.values(), strict=True))
    first = sum(shared[stage][0] for stage in ("start", "reading"))
    yield f"{name}: {jobs} cores of our own are at most {total / (one + others / jobs):.2f} times as fast as one"
    yield f"{name}: {total / (one + (total - one) / jobs):.2f} times, if sharing cost no CPU time"
    yield f"{name}: {total / (first + (total - first) / jobs):.2f} times, if besides only start and reading were serial"


def folder_of(given: str, corpora: Path, scratch: Path) -> Path | None:
    """The submissions of a class, by its size or by its folder; None if there is no such class."""
    if not given.isdigit():
        return Path(given)
    case = unpack(corpora, int(given), scratch)
    return case / "submissions" if case else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", default=["5000", "20000"], metavar="N")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--corpora", type=Path, default=ROOT.parent / "shared" / "corpora" / "scale")
    add_option(parser)
    given = parser.parse_args()
    print(machine())
    found: list[list[str]] = []
    lines: list[str] = []
    for name in given.classes:
        with tempfile.TemporaryDirectory() as scratch:
            submissions = folder_of(name, given.corpora, Path(scratch))
            if submissions is None:
                continue
            alone, shared = (measure(submissions, jobs) for jobs in (1, given.jobs))
        title = name if name.isdigit() else Path(name).name
        found += rows(title, alone, shared)
        lines += limits(title, alone, shared, given.jobs)
    headings = ["class", "stage", "in one process", "shared", "on one core"]
    show(given.keep, "cores", Table(headings, found), lines)


if __name__ == "__main__":
    main()
