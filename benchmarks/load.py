"""How long pages take for 50 readers of a large report while another run is going.

    python benchmarks/load.py [--readers 50] [--seconds 30] [--corpora FOLDER]

A real server on loopback gets a class of 1,000 by its API, as a program would send it: upload, recognition, run. Then
each reader opens pages of the report one after another, with a pause between as somebody who reads, first with nothing
else going on, then beside a new run of the same class. What pages are compared with, in the same run, is the page that
only says that the server answers, which does no work.
"""

from __future__ import annotations

import argparse
import http.client
import io
import json
import os
import random
import re
import secrets
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections import defaultdict
from pathlib import Path

from moss.config import Config
from moss.store import Store
from moss.store.accounts.tokens import digest
from moss.store.tables import ApiTokenRow, UserRow

CHUNK = 1024 * 1024
KINDS = ("nothing", "home", "overview", "pair", "submission")


class Client:
    """A connection to the server that keeps open, as browsers do."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """The answer; anything but success ends the benchmark."""
        self.connection.request(method, path, body, self.headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            sys.exit(f"{method} {path}: {answer.status} {content[:300]!r}")
        return content

    def api(self, method: str, path: str, body: object = None) -> dict:
        """An answer of the API."""
        sent = json.dumps(body).encode() if body is not None else None
        return json.loads(self.ask(method, f"/api/v1{path}", sent) or b"null")


def start(folder: Path, threads: int) -> tuple[subprocess.Popen[str], int]:
    """A server on a free port."""
    command = [sys.executable, "-m", "moss", "serve", "--data", str(folder), "--port", "0", "--threads", str(threads)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            return server, int(found[1])
    sys.exit("the server did not start")


def make_token(folder: Path) -> str:
    """A token of a new administrator."""
    store = Store(Config(data=folder).database)
    secret = f"moss_{secrets.token_urlsafe(16)}"
    with store.session() as session:
        user = UserRow(email="bench@example.org", name="Benchmark", administrator=True)
        session.add(user)
        session.flush()
        session.add(ApiTokenRow(user_id=user.id, name="benchmark", digest=digest(secret)))
    store.close()
    return secret


def as_zip(archive: Path) -> bytes:
    """The submissions in an archive of the corpora, as a learning platform's download has them."""
    packed = io.BytesIO()
    with tarfile.open(archive) as given, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for member in given:
            _, inside, name = member.name.partition("/submissions/")
            if inside and member.isfile():
                made.writestr(name, given.extractfile(member).read())
    return packed.getvalue()


def send_class(client: Client, archive: Path) -> int:
    """Upload a class and have it recognised; the assignment's id."""
    course = client.api("POST", "/courses", {"name": "Benchmark"})["id"]
    assignment = client.api("POST", f"/courses/{course}/assignments", {"name": archive.name})["id"]
    upload = client.api("POST", f"/assignments/{assignment}/uploads", {})["id"]
    content = as_zip(archive)
    began = time.perf_counter()
    for at in range(0, len(content), CHUNK):
        where = f"path=class.zip&start={at}&total={len(content)}"
        client.ask("PUT", f"/api/v1/uploads/{upload}/parts?{where}", content[at : at + CHUNK])
    print(f"upload of {len(content) / 1e6:.1f} MB: {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    client.api("POST", f"/uploads/{upload}/recognise", {})
    while client.api("GET", f"/uploads/{upload}")["state"] == "recognising":
        time.sleep(0.2)
    added = client.api("POST", f"/uploads/{upload}/confirm")["added"]
    print(f"recognition and confirmation of {added} submissions: {time.perf_counter() - began:.1f} s")
    return assignment


def run(client: Client, assignment: int, **settings: object) -> int:
    """Start a run; its id."""
    return client.api("POST", f"/assignments/{assignment}/runs", settings)["id"]


def finished(client: Client, run_id: int) -> bool:
    """Whether a run is over; one that failed ends the benchmark."""
    state = client.api("GET", f"/runs/{run_id}")
    if state["progress"]["state"] in ("failed", "cancelled"):
        sys.exit(f"the run failed: {state['progress']['reason']}")
    return state["finished"] is not None


def wait(client: Client, run_id: int) -> float:
    """Seconds until a run is finished."""
    began = time.perf_counter()
    while not finished(client, run_id):
        time.sleep(0.2)
    return time.perf_counter() - began


class Reader(threading.Thread):
    """Somebody who opens pages of a report, one after another, until told to stop."""

    def __init__(self, port: int, token: str, run_id: int, pause: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.client = Client(port, token)
        self.run_id, self.pause, self.random = run_id, pause, random.Random(seed)
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.stopped = threading.Event()

    def run(self) -> None:
        """Read."""
        shown = [int(n) for n in re.findall(rb'id="pair-(\d+)"', self.client.ask("GET", f"/runs/{self.run_id}/"))]
        named = [1]
        while not self.stopped.wait(self.pause * self.random.uniform(0.5, 1.5)):
            kind = self.random.choices(KINDS, (1, 1, 2, 6, 2))[0]
            rank, number = self.random.choice(shown), self.random.choice(named)
            path = {"nothing": "/health", "home": "/", "overview": f"/runs/{self.run_id}/",
                    "pair": f"/runs/{self.run_id}/pairs/{rank}",
                    "submission": f"/runs/{self.run_id}/submissions/{number}"}[kind]  # fmt: skip
            began = time.perf_counter()
            page = self.client.ask("GET", path)
            self.seconds[kind].append(time.perf_counter() - began)
            if kind == "pair":
                named = [int(n) for n in re.findall(rb"submissions/(\d+)", page)] or named


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


def show(title: str, taken: dict[str, list[float]], elapsed: float) -> None:
    """Print a table, and how pages compare with the one that does nothing."""
    print(f"\n{title}: {sum(map(len, taken.values()))} requests in {elapsed:.0f} s")
    print(f"{'page':<12} {'requests':>8} {'median ms':>10} {'95 % ms':>8} {'99 % ms':>8}")
    for kind, seconds in taken.items():
        figures = [1000 * percentile(seconds, share) for share in (0.5, 0.95, 0.99)]
        print(f"{kind:<12} {len(seconds):>8} {figures[0]:>10.0f} {figures[1]:>8.0f} {figures[2]:>8.0f}")
    pages = sorted(s for kind, seconds in taken.items() if kind != "nothing" for s in seconds)
    floor = percentile(taken["nothing"], 0.95)
    print(f"95th percentile of all pages: {1000 * percentile(pages, 0.95):.0f} ms, "
          f"{percentile(pages, 0.95) / max(floor, 1e-9):.1f} times the page that does nothing; "
          f"mean {1000 * statistics.fmean(pages or [0.0]):.0f} ms")  # fmt: skip


def main() -> None:
    """Measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--readers", type=int, default=50)
    options.add_argument("--seconds", type=float, default=30, help="of reading with nothing else going on")
    options.add_argument("--pause", type=float, default=2.0, help="seconds between two pages of a reader, on average")
    options.add_argument("--threads", type=int, default=8, help="of the server")
    options.add_argument("--corpora", type=Path, default=Path("../shared/corpora"))
    options.add_argument("--class", dest="size", type=int, default=1000)
    given = options.parse_args()
    archive = given.corpora / "scale" / f"mix-{given.size}.tar.xz"
    if not archive.is_file():
        sys.exit(f"there is no {archive}; name the folder of corpora by --corpora")
    print(f"{os.uname().machine}, {os.cpu_count()} cores, Python {sys.version.split()[0]}; {given.readers} readers")
    with tempfile.TemporaryDirectory() as folder:
        server, port = start(Path(folder), given.threads)
        try:
            measure(given, port, make_token(Path(folder)), archive)
        finally:
            server.terminate()
            server.wait()


def measure(given: argparse.Namespace, port: int, token: str, archive: Path) -> None:
    """All figures, on a server that is there."""
    client = Client(port, token)
    assignment = send_class(client, archive)
    first = run(client, assignment)
    print(f"first run: {wait(client, first):.1f} s")
    quiet = [Reader(port, token, first, given.pause, seed) for seed in range(given.readers)]
    timer = threading.Event()
    threading.Timer(given.seconds, timer.set).start()
    show("Readers alone", read(quiet, timer), given.seconds)
    busy = [Reader(port, token, first, given.pause, 1000 + seed) for seed in range(given.readers)]
    over = threading.Event()
    second = run(client, assignment, comment="beside the readers", show=300)
    began = time.perf_counter()
    threading.Thread(target=lambda: (wait(Client(port, token), second), over.set())).start()
    taken = read(busy, over)
    elapsed = time.perf_counter() - began
    show("Readers beside a run", taken, elapsed)
    print(f"that run, with all its texts scanned before: {elapsed:.1f} s")


if __name__ == "__main__":
    main()
