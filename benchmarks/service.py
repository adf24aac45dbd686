"""How quickly `moss corpus serve` answers: ten clients at once, on one machine.

    python benchmarks/service.py [--documents 1000000] [--clients 10] [--questions 200] [--corpus FOLDER] [--pause 0.02]

Pages are generated (see generated_pages.py) and added, unless a corpus is named. Each client is a process with one
connection, which asks about pages of the corpus with 1 to 4 % of their words replaced. It asks one question after the
other, and waits some milliseconds in between (`--pause`), as a crawler that also fetches does; 0 is one that does
nothing but ask. The look-up itself is measured in a process of its own, with everything in memory.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np

MOSS = [sys.executable, "-c", "from moss.cli import main; main(prog_name='moss')"]
KINDS = ("near", "query", "locate", "group")


def build(folder: Path, documents: int) -> Path:
    """A corpus of generated pages."""
    from generated_pages import generate

    generate(folder / "pages", documents)
    files = sorted(map(str, (folder / "pages").glob("[ab]-*.jsonl")))
    subprocess.run([*MOSS, "corpus", "add", str(folder / "corpus"), *files], check=True, stdout=sys.stderr)
    return folder / "corpus"


def sample(corpus: Path, count: int) -> list[tuple[str, str]]:
    """Addresses and texts of so many documents."""
    from moss.corpus.search.queries import Corpus

    with Corpus(corpus) as opened:
        docs = random.Random(1).sample(range(len(opened)), min(count, len(opened)))
        return [(document.address, document.text) for document in opened.texts(docs).values()]


def edited(text: str, chance: random.Random) -> str:
    """The text with 1 to 4 % of its words replaced."""
    words = text.split()
    for at in chance.sample(range(len(words)), max(1, round(len(words) * chance.uniform(0.01, 0.04)))):
        words[at] = f"changed{chance.randrange(10**6)}"
    return " ".join(words)


@contextmanager
def served(corpus: Path) -> Iterator[tuple[int, int]]:
    """The port and the process of a service."""
    command = [*MOSS, "corpus", "serve", str(corpus), "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", said)
        if not found:
            raise SystemExit(f"the service did not start: {said}")
        try:
            yield int(found[1]), process.pid
        finally:
            process.send_signal(signal.SIGINT)


def ask(port: int, kind: str, pages: list[tuple[str, str]], pause: float, seed: int) -> list[float]:
    """One client: the seconds that each answer takes."""
    chance = random.Random(seed)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    taken = []
    for at, (address, text) in enumerate(pages):
        time.sleep(chance.uniform(0, 2 * pause))
        method, path, body = "POST", f"/{kind}", None
        if kind == "locate":
            method, path = "GET", f"/locate?address={address}"
        elif kind == "group":
            body = json.dumps({"addresses": [other for other, _ in pages[at : at + 10]]})
        else:
            body = json.dumps({"text": edited(text, chance), "show": 0})
        started = time.perf_counter()
        connection.request(method, path, body)
        answer = connection.getresponse()
        content = answer.read()
        taken.append(time.perf_counter() - started)
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {content[:200]!r}")
    return taken


def measure(port: int, kind: str, pages: list[tuple[str, str]], clients: int, pause: float) -> np.ndarray:
    """The milliseconds of all answers to all clients."""
    ask(port, kind, pages[:1], 0, 0)  # what is made once
    shares = [pages[number::clients] for number in range(clients)]
    with ProcessPoolExecutor(clients) as pool:
        jobs = [pool.submit(ask, port, kind, share, pause, number) for number, share in enumerate(shares)]
        return np.concatenate([job.result() for job in jobs]) * 1000


def lookup(corpus: Path, pages: list[tuple[str, str]]) -> list[tuple[str, np.ndarray, int]]:
    """Microseconds of the look-up alone, and of making a text's fingerprint, for plain and compressed tables."""
    from moss.corpus.ingest.documents import CorpusDocument
    from moss.corpus.near.duplicates import NearIndex, fingerprints_of
    from moss.corpus.storage.segments import Snapshot, local_engine

    chance = random.Random(2)
    documents = [CorpusDocument("", edited(text, chance), 0, 0) for _, text in pages]
    found = []
    prints, taken = [], []
    for document in documents:
        started = time.perf_counter()
        prints.append(int(fingerprints_of([document])[0][0]))
        taken.append(time.perf_counter() - started)
    found.append(("fingerprint of a text", np.array(taken) * 1e6, 0))
    for compressed in (False, True):
        engine = local_engine(corpus)
        with Snapshot(corpus) as snapshot:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            index = NearIndex.open(snapshot, engine, 3, compressed)
        engine.close()
        hits, taken = 0, []
        for value in prints:
            started = time.perf_counter()
            hits += bool(index.near(value))
            taken.append(time.perf_counter() - started)
        name = f"look-up, {'compressed' if compressed else 'plain'} tables ({hits / len(prints):.0%} found)"
        found.append((name, np.array(taken) * 1e6, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--questions", type=int, default=200, help="of each client")
    parser.add_argument("--pause", type=float, nargs="+", default=[0.02, 0.0])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = given.corpus or build(Path(folder), given.documents)
        pages = sample(corpus, given.clients * given.questions)
        print("| in one process, µs | median | 95 % |\n| --- | ---: | ---: |")
        for name, taken, _ in lookup(corpus, pages):
            print(f"| {name} | {np.median(taken):,.0f} | {np.percentile(taken, 95):,.0f} |")
        print(f"\n| {given.clients} clients, ms | questions/s | median | 95 % | 99 % |")
        print("| --- | ---: | ---: | ---: | ---: |")
        with served(corpus) as (port, _):
            for kind in KINDS:
                for pause in given.pause:
                    some = pages if kind == "near" else pages[: max(given.clients, len(pages) // 10)]
                    started = time.perf_counter()
                    taken = measure(port, kind, some, given.clients, pause)
                    rate = len(taken) / (time.perf_counter() - started)
                    figures = " | ".join(f"{value:.1f}" for value in np.percentile(taken, [50, 95, 99]))
                    print(f"| {kind}, {pause * 1000:.0f} ms between questions | {rate:,.0f} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
