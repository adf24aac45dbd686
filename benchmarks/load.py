"""What a server's answers cost, whether its memory stays what it is, and how long 50 readers wait.

    python benchmarks/load.py [--each 200] [--answers 20000] [--readers 50] [--seconds 30] [--corpora FOLDER]
                              [--keep FILE]

A real server on loopback has a class of 1,000 (`served_class.py`). Three measurements, each beside the answer that only
says that the server answers, which does no work:

1. the processor time of each kind of answer, one after another, as a browser asks: with a cookie jar's worth of
   headers and gzip. Home is asked with one assignment and again with two and four.
2. the memory of the web server over 20,000 answers of all kinds, to four readers who do not pause.
3. the seconds that readers wait who open one page after another with a pause between, first with nothing else going
   on, then beside a new run of the same class.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

from findings import Table
from kept import add_option, show
from measuring import cpu_of, resident
from served_class import Client, make_token, run, send_class, start, wait

KINDS = ("nothing", "home", "overview", "pair", "submission")
ASSIGNMENTS = (2, 4)  # with which Home is asked again
_AT_ONCE = 4  # readers of the second measurement


def as_browser(client: Client, path: str) -> tuple[int, bytes]:
    """The status and the bytes of a page, asked for as a browser does."""
    return client.answer("GET", path, **{"Accept-Encoding": "gzip, deflate, br"})


def addresses(client: Client, run_id: int) -> dict[str, list[str]]:
    """The addresses of all pages of a report, and of pages that anybody opens, by kind."""
    shown = sorted({int(n) for n in re.findall(rb'id="pair-([1-9]\d*)"', client.ask("GET", f"/runs/{run_id}/"))})
    named: set[int] = set()
    for rank in shown[:10]:
        named |= {int(n) for n in re.findall(rb"submissions/(\d+)", client.ask("GET", f"/runs/{run_id}/pairs/{rank}"))}
    return {
        "nothing": ["/health"],
        "home": ["/"],
        "overview": [f"/runs/{run_id}/"],
        "pair": [f"/runs/{run_id}/pairs/{rank}" for rank in shown],
        "submission": [f"/runs/{run_id}/submissions/{number}" for number in sorted(named)],
        "no such submission": [f"/runs/{run_id}/submissions/{number}" for number in range(90001, 90011)],
        "no such pair": [f"/runs/{run_id}/pairs/{number}" for number in range(90001, 90011)],
    }


def cost(client: Client, server: int, paths: list[str], each: int) -> tuple[float, int]:
    """The seconds of processor time and the bytes of an answer, on average over `each` of them."""
    few = paths[:10]
    for path in few:
        as_browser(client, path)  # a page that nobody has opened is rendered, which is not what is measured here
    before, size = cpu_of([server]), 0
    for number in range(each):
        size += len(as_browser(client, few[number % len(few)])[1])
    return (cpu_of([server]) - before) / each, size // each


def costs(client: Client, server: int, places: dict[str, list[str]], each: int) -> list[list[str]]:
    """A row for each kind of answer: its milliseconds of processor time, and its bytes."""
    rows = []
    for kind, paths in places.items():
        seconds, size = cost(client, server, paths, each)
        rows.append([kind, f"{1000 * seconds:.2f}", str(size)])
    return rows


def memory(port: int, token: str, server: int, places: dict[str, list[str]], answers: int) -> list[list[str]]:
    """The megabytes of the server while it answers, after each tenth of the answers."""
    chances = [random.Random(seed) for seed in range(_AT_ONCE)]
    kinds = [kind for kind in places if kind != "nothing"]
    steps = 10

    def some(chance: random.Random) -> None:
        client = Client(port, token)
        for _ in range(answers // steps // _AT_ONCE):
            as_browser(client, chance.choice(places[chance.choice(kinds)]))

    first = resident(server)
    rows = [["0", f"{first / 1e6:.0f}", "1.00"]]
    for step in range(1, steps + 1):
        threads = [threading.Thread(target=some, args=(chance,)) for chance in chances]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        now = resident(server)
        rows.append([str(step * (answers // steps)), f"{now / 1e6:.0f}", f"{now / first:.2f}"])
    return rows


class Reader(threading.Thread):
    """Somebody who opens pages of a report, one after another, until told to stop."""

    def __init__(self, port: int, token: str, places: dict[str, list[str]], pause: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.client = Client(port, token)
        self.places, self.pause, self.random = places, pause, random.Random(seed)
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.stopped = threading.Event()

    def run(self) -> None:
        """Read."""
        while not self.stopped.wait(self.pause * self.random.uniform(0.5, 1.5)):
            kind = self.random.choices(KINDS, (1, 1, 2, 6, 2))[0]
            path = self.random.choice(self.places[kind])
            began = time.perf_counter()
            as_browser(self.client, path)
            self.seconds[kind].append(time.perf_counter() - began)


def read(readers: list[Reader], until: threading.Event) -> dict[str, list[float]]:
    """Let readers read until something happens; the seconds that each kind of page took."""
    for reader in readers:
        reader.start()
    until.wait()
    for reader in readers:
        reader.stopped.set()
    for reader in readers:
        reader.join()
    return {kind: sorted(s for reader in readers for s in reader.seconds[kind]) for kind in KINDS}


def percentile(seconds: list[float], share: float) -> float:
    """The time under which this share of the requests took."""
    return seconds[min(len(seconds) - 1, int(share * len(seconds)))] if seconds else 0.0


def waits(taken: dict[str, list[float]]) -> list[list[str]]:
    """A row for each kind of page: requests, and milliseconds within which half, 95 % and 99 % were answered."""
    pages = sorted(s for kind, seconds in taken.items() if kind != "nothing" for s in seconds)
    floor = max(percentile(taken["nothing"], 0.95), 1e-9)
    rows = []
    for kind, seconds in {**taken, "all pages": pages}.items():
        figures = [f"{1000 * percentile(seconds, share):.0f}" for share in (0.5, 0.95, 0.99)]
        rows.append([kind, str(len(seconds)), *figures, f"{percentile(seconds, 0.95) / floor:.1f}"])
    return rows


def main() -> None:
    """Measure."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--each", type=int, default=200, help="answers of each kind whose processor time is measured")
    options.add_argument("--answers", type=int, default=20_000, help="over which memory is watched; 0: not at all")
    options.add_argument("--readers", type=int, default=50)
    options.add_argument(
        "--seconds", type=float, default=30, help="of reading with nothing else going on; 0: not at all"
    )
    options.add_argument("--pause", type=float, default=2.0, help="seconds between two pages of a reader, on average")
    options.add_argument("--threads", type=int, default=8, help="of the server")
    options.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    options.add_argument("--class", dest="size", type=int, default=1000)
    add_option(options)
    given = options.parse_args()
    archive = given.corpora / "scale" / f"mix-{given.size}.tar.xz"
    if not archive.is_file():
        sys.exit(f"there is no {archive}; name the folder of corpora by --corpora")
    print(f"{os.uname().machine}, {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        server, port = start(Path(folder), given.threads)
        try:
            measure(given, server, port, make_token(Path(folder)), archive)
        finally:
            server.terminate()
            server.wait()


def measure(given: argparse.Namespace, server: subprocess.Popen[str], port: int, token: str, archive: Path) -> None:
    """All figures, on a server that is there."""
    client = Client(port, token)
    assignment = send_class(client, archive)
    first = run(client, assignment)
    print(f"first run: {wait(client, first):.1f} s")
    places = addresses(client, first)
    rows = costs(client, server.pid, places, given.each)
    for number in range(2, max(ASSIGNMENTS) + 1):
        wait(client, run(client, send_class(client, archive)))
        if number in ASSIGNMENTS:
            rows += costs(client, server.pid, {f"home, {number} assignments": ["/"]}, given.each)
    show(given.keep, "answers", Table(["answer", "CPU ms", "bytes", "CPU, times nothing"], _beside_first(rows)))
    if given.answers:
        watched = memory(port, token, server.pid, places, given.answers)
        show(given.keep, "memory", Table([f"answers, {_AT_ONCE} at once", "MB", "times the beginning"], watched))
    if given.seconds:
        measure_readers(given, port, token, places, assignment)


def _beside_first(rows: list[list[str]]) -> list[list[str]]:
    """Rows with the ratio of their own time to that of the first one."""
    return [[*row, f"{float(row[1]) / max(float(rows[0][1]), 0.1):.1f}"] for row in rows]


def measure_readers(
    given: argparse.Namespace, port: int, token: str, places: dict[str, list[str]], assignment: int
) -> None:
    """How long readers wait, alone and beside a run."""
    quiet = [Reader(port, token, places, given.pause, seed) for seed in range(given.readers)]
    timer = threading.Event()
    threading.Timer(given.seconds, timer.set).start()
    alone = waits(read(quiet, timer))
    busy = [Reader(port, token, places, given.pause, 1000 + seed) for seed in range(given.readers)]
    over = threading.Event()
    second = run(Client(port, token), assignment, comment="beside the readers", show=300)
    began = time.perf_counter()
    threading.Thread(target=lambda: (wait(Client(port, token), second), over.set())).start()
    beside = waits(read(busy, over))
    ended = f"the run took {time.perf_counter() - began:.1f} s, with all its texts scanned before"
    headings = ["page", "requests", "median ms", "95 % ms", "99 % ms", "95 %, times nothing"]
    show(given.keep, "readers-alone", Table(headings, alone))
    show(given.keep, "readers-beside-a-run", Table(headings, beside), [ended])


if __name__ == "__main__":
    main()
