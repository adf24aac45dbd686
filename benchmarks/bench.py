"""Everything that docs/performance.md shows about comparing and about jobs, measured in one go: `make bench`.

    python benchmarks/bench.py [--keep docs/performance.json] [--corpora FOLDER] [--only PROGRAM ...] [-- OPTION ...]

Programs run one after another, each printing its tables with ratios to something named in the same run, and keeping
them (`kept.py`). One that fails does not stop the others; at the end the page is filled, and the failures are named.
Options after -- are given to each program.
Other pages have programs of their own, which are not run here: load.py, papers.py, near_duplicates.py, corpus.py,
quality.py.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from kept import FIGURES, machine

HERE = Path(__file__).parent
PROGRAMS: tuple[tuple[str, ...], ...] = (
    ("starting.py",),
    ("scanners.py", "--rounds", "3"),
    ("compare.py", "--peers"),
    ("cores.py",),
    ("shapes.py",),
    ("jobs.py",),
    ("wire.py",),
)


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, default=FIGURES, metavar="FILE")
    parser.add_argument("--corpora", type=Path, metavar="FOLDER", help="where mix-1000.tar.xz and others are")
    parser.add_argument("--only", nargs="+", metavar="PROGRAM", help="run these alone, as starting.py")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="given to each program")
    given = parser.parse_args()
    print(machine(), flush=True)
    began, failed = time.monotonic(), []
    for program, *options in PROGRAMS:
        if given.only and program not in given.only:
            continue
        if given.corpora and program in ("compare.py", "cores.py"):
            options += ["--corpora", str(given.corpora)]
        start = time.monotonic()
        command = [sys.executable, HERE / program, *options, *given.options, "--keep", given.keep]
        done = subprocess.run(command, check=False)
        failed += [program] * bool(done.returncode)
        print(f"-- {program}: {time.monotonic() - start:.0f} s", flush=True)
    print(f"-- all of it: {(time.monotonic() - began) / 60:.1f} minutes")
    if given.keep.resolve() == FIGURES.resolve():
        subprocess.run([sys.executable, HERE / "kept.py"], check=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
