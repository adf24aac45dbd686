"""What it costs to read a git history: ours, for every line of every file, beside `git blame` of the same files.

    python benchmarks/histories.py [--commits 50 200 800] [--files 10]

Students' repositories are made up: each commit changes one file in some lines. CPU seconds, the best of three rounds in
which both take turns; `git blame` is called once for each file of the newest commit. `table` is what is kept of a
history: the bytes of its commits and origins in JSON, beside the bytes of the newest texts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.repositories import Change, make_repository

from moss.intake import collect


def changes(commits: int, files: int, seed: int = 1) -> list[Change]:
    """Commits, each of which replaces some lines of one file by new ones and adds some."""
    rng = random.Random(seed)
    texts = {f"part{number}.py": [f"first_{number} = {number}"] for number in range(files)}
    made = []
    for day in range(commits):
        lines = texts[rng.choice(sorted(texts))]
        at = rng.randrange(len(lines))
        new = [f"    value_{day}_{n} = compute({rng.randrange(10**6)}, {n})" for n in range(rng.randrange(2, 9))]
        lines[at : at + rng.randrange(3)] = new
        made.append(Change({name: "\n".join(lines) + "\n" for name, lines in texts.items()}, day=day))
    return made


def cpu_seconds(work: Callable[[], object]) -> float:
    """The processor's time that a piece of work takes, its child processes included."""
    before = os.times()
    start = time.process_time()
    work()
    after = os.times()
    children = after.children_user + after.children_system - before.children_user - before.children_system
    return time.process_time() - start + children


def blame(folder: Path) -> None:
    """Call `git blame` for each file."""
    for file in sorted(folder.glob("*.py")):
        command = ["git", "-C", str(folder), "blame", "--porcelain", "--", file.name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def measure(commits: int, files: int) -> str:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "class" / "student"
        make_repository(folder, changes(commits, files), packed=True)
        plain = Path(place) / "plain" / "student"
        plain.mkdir(parents=True)
        for file in folder.glob("*.py"):
            (plain / file.name).write_bytes(file.read_bytes())
        rounds = [
            (
                cpu_seconds(lambda: collect([folder.parent], jobs=1)),
                cpu_seconds(lambda: collect([plain.parent], jobs=1)),
                cpu_seconds(lambda: blame(folder)),
            )
            for _ in range(3)
        ]
        ours, without, gits = map(min, zip(*rounds, strict=True))
        [submission] = collect([folder.parent]).submissions
    assert submission.history is not None
    table = [asdict(submission.history), *(file.origins for file in submission.files)]
    text = sum(len(file.text) for file in submission.files)
    kept = len(json.dumps(table))
    return f"| {commits:,} | {ours - without:.2f} | {gits:.2f} | {kept:,} | {text:,} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, nargs="+", default=[50, 200, 800])
    parser.add_argument("--files", type=int, default=10)
    options = parser.parse_args()
    print(
        "| commits | history, CPU s | git blame, CPU s | table, bytes | texts, bytes |\n| --- | --- | --- | --- | --- |"
    )
    for commits in options.commits:
        print(measure(commits, options.files))


if __name__ == "__main__":
    main()
