"""Other programs that compare submissions, and how each is called on a class.

copydetect and compare50 are installed from PyPI and Dolos' library from npm, into a folder of their own; SIM is
Debian's (apt install similarity-tester). One that cannot be installed is left out, and named.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SIM = {".java": "sim_java", ".c": "sim_c", ".py": "sim_text"}  # Debian's SIM has no scanner for Python
DOLOS = {".java": "java", ".c": "c", ".py": "python"}
FLOOR = "SIM, each language, -p -a"  # of all programs the one that does the least
_PATIENCE = 300  # seconds in which each has to be installed: npm compiles Dolos' parsers, which takes minutes
_ALL_PAIRS = 1000  # submissions: with more, only SIM is measured, which alone is done in time
_SIM_JAVA = 5000  # submissions: with more, SIM's time for all files as Java grows to minutes

_DRIVER = """
import { Dolos } from "@dodona/dolos-lib";
const [language, ...paths] = process.argv.slice(2);
const report = await new Dolos({ language }).analyzePaths(paths);
console.log(report.allPairs().length);
"""


@dataclass(frozen=True)
class Call:
    """One command, and the files whose names it gets on its input."""

    command: Sequence[str]
    files: Sequence[Path] = ()


def install(folder: Path) -> None:
    """Install the peers, as far as they can be."""
    if not (folder / "bin" / "compare50").exists():
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        _is_done([*pip, "copydetect", "compare50"])
    npm, driver = shutil.which("npm"), folder / "dolos.mjs"
    if npm and not driver.exists():
        quiet = ["--no-audit", "--no-fund", "--silent", "--prefix", str(folder)]
        if _is_done([npm, "install", *quiet, "@dodona/dolos-lib"]):
            driver.write_text(_DRIVER)
    for name, there in (("SIM", shutil.which("sim_java")), ("copydetect", (folder / "bin" / "copydetect").exists()),
                        ("compare50", (folder / "bin" / "compare50").exists()),
                        ("Dolos", driver.exists())):  # fmt: skip
        if not there:
            print(f"{name} is not measured: it could not be installed", file=sys.stderr)


def _is_done(command: list[str]) -> bool:
    """Whether a command succeeds in time; else it and all that it started are ended."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(_PATIENCE) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def peer_calls(folder: Path, submissions: Path, size: int, scratch: Path) -> Iterator[tuple[str, list[Call]]]:
    """The name of each peer that is installed and can do a class of this size, with its calls."""
    files = sorted(path for path in submissions.rglob("*") if path.is_file())
    by_ending = {ending: [path for path in files if path.suffix == ending] for ending in SIM}
    yield from _sim(files, by_ending, size, scratch)
    if size > _ALL_PAIRS:
        return
    if (folder / "bin" / "copydetect").exists():
        options = ["-e", "java", "py", "c", "-a", "-O", str(scratch / "copydetect.html")]
        yield "copydetect", [Call([str(folder / "bin" / "copydetect"), "-t", str(submissions), *options])]
    if (folder / "bin" / "compare50").exists():
        everyone = [str(each) for each in sorted(submissions.iterdir())]
        program = [str(folder / "bin" / "python"), "-m", "compare50"]  # its own script takes whichever Python is first
        for name, options in (("compare50", []), ("compare50, structure only", ["-p", "structure"])):
            place = ["-n", "250", "-o", str(scratch / name.replace(" ", "-"))]  # also ends the list of passes
            yield name, [Call([*program, *options, *place, *everyone])]
    node, script = shutil.which("node"), str(folder / "dolos.mjs")
    if node and os.path.exists(script):
        yield (
            "Dolos, each language",
            [
                Call([node, script, DOLOS[ending], *map(str, some)])
                for ending, some in by_ending.items()
                if len(some) > 1
            ],
        )


def _sim(
    files: list[Path], by_ending: dict[str, list[Path]], size: int, scratch: Path
) -> Iterator[tuple[str, list[Call]]]:
    if not shutil.which("sim_java"):
        return
    for options in (["-p", "-a"], ["-p", "-a", "-e"]):
        if "-e" in options and size > _ALL_PAIRS:
            continue
        rest = [*options, "-i", "-o", str(scratch / "sim")]
        each = [Call([SIM[ending], *rest], some) for ending, some in by_ending.items() if some]
        yield FLOOR if "-e" not in options else f"{FLOOR} -e", each
        if size <= _SIM_JAVA:
            yield f"SIM, all as Java, {' '.join(options)}", [Call(["sim_java", *rest], files)]
