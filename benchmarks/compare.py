"""How long `moss compare` takes for a class of N, and how much memory, beside reading and lexing the same files.

    python benchmarks/compare.py [N ...]

The submissions are real code (Java, Python, C) with planted copies: `mix-N.tar.xz` in the folder that --corpora names.
Each measurement is a process of its own, with JSON written. Two things on the same files in the same run give the
scale: reading them, and lexing them with Pygments, on one core.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
from itertools import pairwise
from pathlib import Path

MEGABYTE = 1_000_000

READ = "import sys, pathlib; [p.read_bytes() for p in pathlib.Path(sys.argv[1]).rglob('*') if p.is_file()]"
LEX = """
import sys, pathlib
from pygments.lexers import get_lexer_for_filename
for path in pathlib.Path(sys.argv[1]).rglob('*'):
    if path.is_file():
        for token in get_lexer_for_filename(path.name).get_tokens_unprocessed(path.read_text('utf-8', 'replace')):
            pass
"""


def measure(command: list[str]) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak memory in MB (of the largest process) of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    unit = 1 if platform.system() == "Darwin" else 1024
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / MEGABYTE


def planted_found(case: Path, report: Path) -> str:
    """How many of the planted copies are among the shown pairs."""
    shown = {frozenset((pair["a"], pair["b"])) for pair in json.loads(report.read_text())["pairs"]}
    with (case / "truth.csv").open(newline="") as file:
        planted = [frozenset((row["a"], row["b"])) for row in csv.DictReader(file) if row["label"] == "1"]
    return f"{sum(pair in shown for pair in planted)}/{len(planted)}"


def measure_class(archive: Path, show: int) -> dict[str, float]:
    """Print one row for each thing measured on the class in this archive; return moss's seconds by name."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (case,) = Path(folder).iterdir()
        submissions, report = str(case / "submissions"), case / "report.json"
        size = sum(p.stat().st_size for p in (case / "submissions").rglob("*") if p.is_file()) / MEGABYTE
        moss = [sys.executable, "-m", "moss", "compare", "--quiet", "-n", str(show), "--json", str(report), submissions]
        rows = {
            "reading the files": [sys.executable, "-c", READ, submissions],
            "moss compare": moss,
            "moss compare -j 1": [*moss[:4], "-j", "1", *moss[4:]],
            "with the HTML report": [*moss[:4], "-o", str(case / "pages"), *moss[4:]],
        }
        if size < 10:
            rows["lexing by Pygments"] = [sys.executable, "-c", LEX, submissions]
        seconds = {}
        for name, command in rows.items():
            wall, cpu, memory = measure(command)
            seconds[name] = wall
            found = planted_found(case, report) if name.startswith("moss") else ""
            print(f"{case.name:10} {size:6.1f} {name:20} {wall:8.2f} {cpu:8.2f} {memory:8.0f}  {found}", flush=True)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[1000, 5000], metavar="N")
    parser.add_argument("--corpora", type=Path, default=Path(__file__).parents[2] / "shared" / "corpora" / "scale")
    args = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{'class':10} {'MB':>6} {'what':20} {'seconds':>8} {'CPU s':>8} {'peak MB':>8}  planted copies shown")
    taken: dict[int, dict[str, float]] = {}
    for size in args.sizes:
        archive = args.corpora / f"mix-{size}.tar.xz"
        if not archive.exists():
            print(f"mix-{size}: skipped, there is no {archive.name} (name its folder with --corpora)")
            continue
        taken[size] = measure_class(archive, show=max(250, size // 5))
    for size, seconds in taken.items():
        if "lexing by Pygments" in seconds:
            ratio = seconds["lexing by Pygments"] / seconds["moss compare -j 1"]
            print(f"{size}: Pygments' lexing alone takes {ratio:.1f} times as long as all of moss on one core")
    for size, seconds in taken.items():
        ratio = seconds["with the HTML report"] / seconds["moss compare"] - 1
        print(f"{size}: writing the HTML report takes {ratio:.1f} times as long as comparing")
    sizes = sorted(taken)
    for small, large in pairwise(sizes):
        ratio = taken[large]["moss compare"] / taken[small]["moss compare"]
        print(f"{small} to {large}: {ratio:.1f} times the time for {large / small:.1f} times the submissions")


if __name__ == "__main__":
    main()
