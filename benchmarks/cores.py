"""What several cores have to do, and what only one can: CPU seconds of each stage in the process that was started, and
in those that it shares the work with.

    python benchmarks/cores.py SUBMISSIONS [--jobs 2]

The first column is serial. On so many cores that nobody else uses, a run takes at least the first column and the second
divided by the number of cores; how many times as fast that is as one core is the last line. It does not depend on what
else the machine has to do, as seconds do.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

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


def stages(submissions: Path, jobs: int) -> dict[str, tuple[float, float]]:
    """CPU seconds of each stage, in one process and in those that share its work."""
    command = [sys.executable, "-c", STAGES, str(submissions), str(jobs)]
    started = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {
        stage: (end[0] - begin[0], end[1] - begin[1])
        for (stage, begin), (_, end) in pairwise(started)
        if stage != "end"
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("submissions", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    alone = sum(map(sum, stages(options.submissions, 1).values()))
    shared = stages(options.submissions, options.jobs)
    print(f"{'stage':10} {'in one process':>15} {'shared':>8}")
    for stage, (one, others) in shared.items():
        print(f"{stage:10} {one:15.2f} {others:8.2f}")
    one, others = (sum(column) for column in zip(*shared.values(), strict=True))
    print(f"{'all':10} {one:15.2f} {others:8.2f}")
    times = alone / (one + others / options.jobs)
    print(f"-j 1: {alone:.2f}; {options.jobs} cores of our own: at most {times:.2f} times as fast")


if __name__ == "__main__":
    main()
