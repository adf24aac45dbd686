"""How long `moss compare` takes for a class of N, and how much memory, beside other tools on the same files.

    python benchmarks/compare.py [N ...] [--peers] [--limit SECONDS]

The submissions are real code (Java, Python, C) with planted copies: `mix-N.tar.xz` in the folder that --corpora names,
or the first N of a larger one. Each measurement is a process of its own. What gives the scale, on the same files in the
same run: reading them; lexing them with Pygments on one core; and, with --peers, copydetect and compare50 (installed
from PyPI into a folder of their own) and SIM (Debian: apt install similarity-tester), both as it is (`-p -a`) and
complete (`-p -a -e`). SIM's scanner for Java reads all files. A peer that needs more than --limit seconds is stopped.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

MEGABYTE = 1_000_000
ROOT = Path(__file__).parents[1]
LEXED = 10  # megabytes: more are not lexed with Pygments, which takes minutes
SHOWN = 250  # pairs, unless the user says
PEERS = 1000  # submissions: with more, only SIM's floor is measured beside moss

READ = "import sys, pathlib; [p.read_bytes() for p in pathlib.Path(sys.argv[1]).rglob('*') if p.is_file()]"
LEX = """
import sys, pathlib
from pygments.lexers import get_lexer_for_filename
for path in pathlib.Path(sys.argv[1]).rglob('*'):
    if path.is_file():
        for token in get_lexer_for_filename(path.name).get_tokens_unprocessed(path.read_text('utf-8', 'replace')):
            pass
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
    """The class of so many; the first ones of a larger one if there is none of this size."""
    archives = {int(file.name[4:].split(".")[0]): file for file in corpora.glob("mix-*.tar.xz")}
    larger = [count for count in archives if count >= size]
    if not larger:
        return None
    with tarfile.open(archives[min(larger)]) as packed:
        packed.extractall(folder, filter="data")
    (case,) = folder.iterdir()
    for extra in sorted((case / "submissions").iterdir())[size:]:
        shutil.rmtree(extra)
    return case


def make_peers(folder: Path) -> Path:
    """The folder with the programs of copydetect and compare50."""
    if not (folder / "bin" / "compare50").exists():
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "copydetect", "compare50"], check=False, stderr=subprocess.DEVNULL)
    return folder / "bin"


def peer_commands(peers: Path, submissions: Path, size: int, scratch: Path) -> dict[str, list[str]]:
    """How each peer that is installed is called."""
    commands: dict[str, list[str]] = {}
    if sim := shutil.which("sim_java"):
        commands["SIM -p -a"] = [sim, "-p", "-a", "-i", "-o", str(scratch / "sim")]
        if size <= PEERS:
            commands["SIM -p -a -e"] = [sim, "-p", "-a", "-e", "-i", "-o", str(scratch / "sim")]
    if size <= PEERS and (peers / "copydetect").exists():
        commands["copydetect"] = [
            str(peers / "copydetect"), "-t", str(submissions), "-e", "java", "py", "c", "-a",
            "-O", str(scratch / "copydetect.html"),
        ]  # fmt: skip
    if size <= PEERS and (peers / "compare50").exists():
        folders = [str(folder) for folder in sorted(submissions.iterdir())]
        program = [str(peers / "python"), "-m", "compare50"]  # its own script takes whichever Python comes first
        commands["compare50"] = [*program, "-n", "250", "-o", str(scratch / "compare50"), *folders]
    return commands


def measure_class(size: int, corpora: Path, peers: Path | None, limit: float) -> Mapping[str, Cost]:
    """Print one row for each thing measured on the class of this size; return what they took, by name."""
    show = max(SHOWN, size // 5)  # a fifth, so that there is room for every planted copy
    taken: dict[str, Cost] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        case, scratch = unpack(corpora, size, Path(folder)), Path(other)
        if case is None:
            print(
                f"mix-{size}: skipped, there is no mix-{size}.tar.xz nor a larger one (name its folder with --corpora)"
            )
            return taken
        submissions, report = case / "submissions", scratch / "report.json"
        names = {path.name for path in submissions.iterdir()}
        files = sorted(path for path in submissions.rglob("*") if path.is_file())
        megabytes = sum(path.stat().st_size for path in files) / MEGABYTE

        def row(name: str, command: list[str], limit: float | None = None, found: bool = False) -> None:
            cost = measure(command, scratch, limit, files if "-i" in command else None)
            start = f"{size:6} {megabytes:6.1f} {name:22}"
            if cost is None:
                print(f"{start} more than {limit or 0:.0f} seconds, or failed", flush=True)
                return
            taken[name] = cost
            copies = planted_found(case, names, report) if found else ""
            print(f"{start} {cost.seconds:8.2f} {cost.cpu:8.2f} {cost.megabytes:8.0f}  {copies}", flush=True)

        moss = [sys.executable, "-m", "moss", "compare", "--quiet", "--json", str(report)]
        row("reading the files", [sys.executable, "-c", READ, str(submissions)])
        row("moss compare", [*moss, "--no-cache", str(submissions)], found=True)
        if show > SHOWN:
            row(f"moss compare -n {show}", [*moss, "--no-cache", "-n", str(show), str(submissions)], found=True)
        row("moss compare -j 1", [*moss, "--no-cache", "-j", "1", str(submissions)])
        row("the first run, kept", [*moss, str(submissions)])
        row("the second run", [*moss, str(submissions)])
        if size <= PEERS:
            row("with the HTML report", [*moss, "--no-cache", "-o", str(scratch / "pages"), str(submissions)])
        if megabytes < LEXED:
            row("lexing by Pygments", [sys.executable, "-c", LEX, str(submissions)])
        if peers is not None:
            for name, command in peer_commands(peers, submissions, size, scratch).items():
                row(name, command, limit)
        if size <= PEERS and "lexing by Pygments" in taken:
            print_stages(submissions, SHOWN, taken, scratch)
    return taken


def print_stages(submissions: Path, show: int, taken: Mapping[str, Cost], cache: Path) -> None:
    """CPU seconds of each stage on one core, beside reading alone and lexing alone."""
    command = [sys.executable, "-c", STAGES, str(submissions), str(show)]
    alone = environment(cache) | {"OPENBLAS_NUM_THREADS": "1"}  # as the command line sets it
    printed = subprocess.run(command, check=True, capture_output=True, env=alone).stdout
    started = sorted(json.loads(printed).items(), key=lambda item: item[1])
    print(f"{'stage':12} {'CPU s':>8} {'times reading':>14} {'of lexing':>10}")
    for (stage, begin), (_, end) in pairwise(started):
        cpu = end - begin
        reading, lexing = taken["reading the files"].cpu, taken["lexing by Pygments"].cpu
        print(f"{stage:12} {cpu:8.2f} {cpu / reading:14.1f} {cpu / lexing:9.0%}")


def print_ratios(taken: Mapping[int, Mapping[str, Cost]]) -> None:
    """Print the ratios of our times to those of the references."""
    for size, of in taken.items():
        if "moss compare" not in of:
            continue
        ours = of["moss compare"]
        for name in ("lexing by Pygments", "copydetect", "compare50", "SIM -p -a", "SIM -p -a -e"):
            if name in of:
                cpu, wall = of[name].cpu / ours.cpu, of[name].seconds / ours.seconds
                print(f"{size}: {name} takes {cpu:.2f} times the CPU time of moss, and {wall:.2f} times the seconds")
        if "the second run" in of:
            first, second = of["the first run, kept"], of["the second run"]
            print(f"{size}: the second run takes 1/{first.cpu / second.cpu:.1f} of the CPU time of the first")
        print(f"{size}: {ours.megabytes * MEGABYTE / size / 1000:.0f} kB of memory for each submission")
    sizes = sorted(size for size, of in taken.items() if "moss compare" in of)
    for small, large in pairwise(sizes):
        a, b = taken[small]["moss compare"], taken[large]["moss compare"]
        print(
            f"{small} to {large}: {b.seconds / a.seconds:.1f} times the seconds, {b.cpu / a.cpu:.1f} times the CPU time"
        )
    if {1000, 20000} <= set(sizes):
        a, b = taken[1000]["moss compare"], taken[20000]["moss compare"]
        print(f"1000 to 20000: {b.seconds / a.seconds:.1f} times the seconds, {b.cpu / a.cpu:.1f} times the CPU time")


def machine() -> str:
    """The machine and the versions, in one line."""
    found = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    models = {line.partition(":")[2].strip() for line in found.splitlines() if line.startswith("model name")}
    load = f"{os.getloadavg()[0]:.1f}"
    kind = ", ".join(sorted(models)) or platform.machine()
    return f"{kind}, {os.cpu_count()} cores, Python {platform.python_version()}, load before {load}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[200, 1000, 5000, 20000], metavar="N")
    parser.add_argument("--corpora", type=Path, default=ROOT.parent / "shared" / "corpora" / "scale")
    parser.add_argument("--peers", action="store_true", help="measure other tools too")
    parser.add_argument(
        "--peers-in", type=Path, default=ROOT / ".peers", metavar="DIR", help="where they are installed"
    )
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="for each peer")
    args = parser.parse_args()
    print(machine())
    print(
        f"{'N':>6} {'MB':>6} {'what':22} {'seconds':>8} {'CPU s':>8} {'peak MB':>8}  planted copies shown", flush=True
    )
    peers = make_peers(args.peers_in) if args.peers else None
    taken = {size: measure_class(size, args.corpora, peers, args.limit) for size in args.sizes}
    print_ratios(taken)


if __name__ == "__main__":
    main()
