"""How many jobs a second a server of MOSS's protocol does, and how long a client waits, beside `moss compare` alone.

    python benchmarks/wire.py [--clients N ...] [--jobs N] [--submissions N] [--workers N] [--keep FILE]

It starts `moss serve` on a new folder, with SQLite. Each job is a class of Java programs, of which two are copies, and
each client waits for its result before it sends the next. The scale is the same comparison by `moss compare` on files,
one after another, each in a process of its own, with the HTML report. Pages are fetched as report readers do it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from findings import Table
from kept import add_option, show

NAMES = ("total", "count", "index", "value", "limit", "entry", "offset", "score", "width", "depth")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}


def program(seed: int) -> str:
    """A program of some sixty lines, unlike that of another seed."""
    lines = []
    for method in range(8):
        kinds = [(seed * 31 + method * 7 + k * k * 13) % 10 for k in range(5)]
        names = [NAMES[kind] for kind in kinds]
        lines += [f"    int method{method}(int {names[0]}, int limit{kinds[1]}) {{"]
        lines += [f"        for (int i = {kinds[2]}; i < {seed % 97 + kinds[3]}; i += {kinds[4] + 1}) {{"] * (
            kinds[0] % 3
        )
        lines += [f"        {names[1]}{k} = {names[2]} {'+-*/%'[kinds[k] % 5]} {seed * k % 101};" for k in range(4)]
        lines += ["        }"] * (kinds[0] % 3) + [f"        return {names[3]}; }}"]
    return f"class Program{seed} {{\n" + "\n".join(lines) + "\n}\n"


def class_of(number: int, size: int) -> dict[str, str]:
    """The programs of one job: the last is a copy of the first."""
    texts = [program(number * size + i) for i in range(size - 1)]
    return {f"c{number}/s{i}.java": text for i, text in enumerate([*texts, texts[0]])}


@contextmanager
def serving(folder: Path, workers: int) -> Iterator[int]:
    """`moss serve`, ready; the port of the protocol."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = int(found.getsockname()[1])
    settings = {"MOSS_WORKERS": str(workers), "MOSS_JOBS_PER_DAY": "100000", "MOSS_JOBS_AT_ONCE": "1000"}
    command = [sys.executable, "-m", "moss", "serve", "--data", str(folder), "--port", "0", "--wire-port", str(port)]
    process = subprocess.Popen(command, env=CLEAN | settings, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield port
    finally:
        process.terminate()
        process.wait()


async def submit(port: int, programs: dict[str, str]) -> str:
    """One job; the address of its result."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"moss 1\nlanguage java\n")
    assert await reader.readline() == b"yes\n"
    for number, (name, text) in enumerate(programs.items(), 1):
        content = text.encode()
        writer.write(f"file {number} java {len(content)} {name}\n".encode() + content)
    writer.write(b"query 0 \n")
    answer = (await reader.readline()).decode().strip()
    writer.write(b"end\n")
    writer.close()
    assert answer.startswith("http"), answer
    return answer


async def crowd(port: int, clients: int, jobs: int, size: int) -> tuple[float, list[float], list[str]]:
    """Seconds in all, seconds of each job, and their addresses, when so many clients share the jobs."""
    waiting, took, addresses = list(range(jobs)), [], []

    async def client() -> None:
        while waiting:
            programs = class_of(waiting.pop(), size)
            start = time.perf_counter()
            addresses.append(await submit(port, programs))
            took.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return time.perf_counter() - start, took, addresses


def compare_alone(folder: Path, jobs: int, size: int) -> list[float]:
    """Seconds of each of the same comparisons by `moss compare`."""
    took = []
    for number in range(jobs):
        for name, text in class_of(number, size).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        report = ["-o", str(folder / f"report{number}")]
        command = [sys.executable, "-m", "moss", "compare", "--quiet", "-l", "java", "-m", "10", *report]
        start = time.perf_counter()
        subprocess.run(
            [*command, str(folder / f"c{number}")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        took.append(time.perf_counter() - start)
    return took


def fetch(address: str) -> tuple[int, float]:
    """How many pages of a result a reader fetches, and how many a second."""
    start = time.perf_counter()
    with urlopen(address) as response:
        numbers = sorted(set(re.findall(r"match(\d+)\.html", response.read().decode())))
    pages = [f"{address}/match{number}{part}.html" for number in numbers for part in ("", "-top", "-0", "-1")]
    for page in pages:
        with urlopen(page) as response:
            response.read()
    return len(pages) + 1, (len(pages) + 1) / (time.perf_counter() - start)


def row(name: str, jobs: int, seconds: float, took: list[float], alone: float) -> list[str]:
    """A row of the table."""
    middle, worst = statistics.median(took), max(took)
    return [name, f"{jobs / seconds:.2f}", f"{middle:.2f}", f"{worst:.2f}", f"{alone * jobs / seconds:.2f}"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16], metavar="N")
    parser.add_argument("--jobs", type=int, default=16, metavar="N", help="for each number of clients (16)")
    parser.add_argument("--submissions", type=int, default=10, metavar="N", help="of each job (10)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="(all cores)")
    add_option(parser)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        alone = compare_alone(Path(folder), min(4, wanted.jobs), wanted.submissions)
        each = statistics.median(alone)
        rows = [row("moss compare alone", len(alone), sum(alone), alone, each)]
        with serving(Path(folder) / "data", wanted.workers) as port:
            asyncio.run(crowd(port, 1, 1, wanted.submissions))  # everything is in memory now
            for clients in wanted.clients:
                seconds, took, addresses = asyncio.run(crowd(port, clients, wanted.jobs, wanted.submissions))
                rows.append(row(f"server, clients at once: {clients}", wanted.jobs, seconds, took, each))
            pages, rate = fetch(addresses[0])
        headings = [
            f"{wanted.submissions} submissions a job, {wanted.workers} workers",
            "jobs/s",
            "median s",
            "worst s",
        ]
        fetched = f"{pages} historical pages of a result were fetched at {rate:.0f} a second, one after another"
        show(wanted.keep, "wire", Table([*headings, "times moss compare alone"], rows), [fetched])


if __name__ == "__main__":
    main()
