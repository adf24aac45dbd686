"""The cost of starting: CPU seconds of small commands, beside starting Python and importing numpy.

    python benchmarks/starting.py [--rounds 7] [--keep FILE]

Each is a process of its own, the best of some rounds in which all take turns. The class is the first of the samples.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from findings import Table
from kept import add_option, show

CLASS = Path(__file__).parents[1] / "sample_submissions" / "java-library" / "submissions"


def cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    """CPU seconds of a command and all that it starts."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    add_option(parser)
    options = parser.parse_args()
    moss = [sys.executable, "-m", "moss"]
    compare = [*moss, "compare", "--quiet", str(CLASS)]
    commands = {
        "python": [sys.executable, "-c", ""],
        "python, import numpy": [sys.executable, "-c", "import numpy"],
        "moss --help": [*moss, "--help"],
        "moss compare (sample class)": [*compare, "--no-cache"],
        "moss compare, a second time": compare,
    }
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as cache:
        environment["MOSS_CACHE"] = cache
        for command in commands.values():
            cpu_seconds(command, environment)  # modules are compiled, and what was found is kept
        rounds = [[cpu_seconds(command, environment) for command in commands.values()] for _ in range(options.rounds)]
    best = {name: min(times) for name, *times in zip(commands, *rounds, strict=True)}
    rows = [[name, f"{cpu:.3f}", f"{cpu / best['python, import numpy']:.2f}"] for name, cpu in best.items()]
    show(options.keep, "starting", Table(["what", "CPU s", "times importing numpy"], rows))


if __name__ == "__main__":
    main()
