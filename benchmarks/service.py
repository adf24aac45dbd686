"""How quickly `moss corpus serve` answers: ten clients at once, on one machine.

    python benchmarks/service.py [--documents 1000000] [--clients 10] [--questions 200] [--corpus FOLDER] [--pause 0.02]

Pages are generated (see generated_pages.py) and added, unless a corpus is named. Each client is a process with one
connection, which asks about pages of the corpus with 1 to 4 % of their words replaced. It asks one question after the
other, and waits some milliseconds in between (`--pause`), as a crawler that also fetches does; 0 is one that does
nothing but ask. The look-up itself is measured in a process of its own, with everything in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from measuring import cpu_of, tree

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


@dataclass(slots=True)
class Client:
    """One connection, which asks one question after the other."""

    connection: socket.socket
    questions: Iterator[bytes]
    ready: float  # when it asks next, unless it waits for an answer
    asked: float = 0.0  # when it asked, 0 if it does not wait
    received: bytes = b""

    def ask(self) -> bool:
        """Send the next question, if there is one."""
        question = next(self.questions, b"")
        self.asked, self.received = time.perf_counter(), b""
        if question:
            self.connection.sendall(question)
        return bool(question)

    def receive(self) -> Answered | None:
        """Read what has come; the figures of the answer, once it is whole."""
        self.received += self.connection.recv(1 << 20)
        head, _, body = self.received.partition(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        if length is None or len(body) < int(length[1]):
            return None
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{head[:200]!r} {body[:200]!r}")
        inside, computing = (float(found) for found in re.findall(rb"dur=([\d.]+)", head))
        taken, self.asked = time.perf_counter() - self.asked, 0.0
        return Answered(taken * 1000, inside, computing)


class Answered(NamedTuple):
    """Milliseconds of an answer."""

    taken: float  # as the client sees it
    inside: float  # from the question's arrival at the program to the answer
    computing: float  # of the processor


def question(port: int, kind: str, pages: list[tuple[str, str]], at: int, chance: random.Random) -> bytes:
    """A question about a page, as it is sent."""
    address, text = pages[at]
    if kind == "locate":
        return f"GET /locate?address={address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    given: dict[str, object] = {"text": edited(text, chance)}
    if kind == "query":
        given["show"] = 0
    elif kind == "group":
        given = {"addresses": [other for other, _ in pages[at : at + 10]]}
    body = json.dumps(given).encode()
    return f"POST /{kind} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def ask(port: int, kind: str, pages: list[tuple[str, str]], clients: int, pause: float) -> list[Answered]:
    """The figures of all answers to all clients, which one process drives, to leave the cores to the service."""
    chance = random.Random(7)
    questions = [question(port, kind, pages, at, chance) for at in range(len(pages))]
    answered: list[Answered] = []
    now = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        for number in range(clients):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            mine = Client(connection, iter(questions[number::clients]), now + chance.uniform(0, 2 * pause))
            selector.register(connection, selectors.EVENT_READ, mine)
        while alive := [key.data for key in selector.get_map().values()]:
            for client in alive:
                if not client.asked and client.ready <= time.perf_counter() and not client.ask():
                    selector.unregister(client.connection)
                    client.connection.close()
            pausing = [client.ready for client in alive if not client.asked]
            wait = min(pausing) - time.perf_counter() if pausing else None
            for key, _ in selector.select(wait) if selector.get_map() else ():
                if figures := key.data.receive():
                    answered.append(figures)
                    key.data.ready = time.perf_counter() + chance.uniform(0, 2 * pause)
    return answered


def measure(port: int, server: int, kind: str, pages: list[tuple[str, str]], clients: int, pause: float) -> str:
    """A row of the table: how long answers take, and where the time goes."""
    ask(port, kind, pages[:20], 4, 0)  # what each process makes once
    processes = tree(server)
    before, mine, started = cpu_of(processes), time.process_time(), time.perf_counter()
    answered = ask(port, kind, pages, clients, pause)
    rate = len(answered) / (time.perf_counter() - started)
    service, client = ((now - then) / len(answered) * 1000 for now, then in (
        (cpu_of(processes), before), (time.process_time(), mine)
    ))  # fmt: skip
    taken, inside, computing = np.array(answered).T
    figures = [*np.percentile(taken, [50, 95, 99]), *np.percentile(inside, [50, 95]), np.median(computing)]
    cells = " | ".join(f"{value:.1f}" for value in figures)
    return f"| {kind}, {pause * 1000:.0f} ms between questions | {rate:,.0f} | {cells} | {service:.1f} | {client:.1f} |"


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
        print(f"\n| {given.clients} clients, ms | questions/s | median | 95 % | 99 % | inside: median | 95 % ", end="")
        print("| computing | processor, service | clients |\n| --- |" + " ---: |" * 9)
        with served(corpus) as (port, server):
            for kind in KINDS:
                for pause in given.pause:
                    print(measure(port, server, kind, pages, given.clients, pause), flush=True)


if __name__ == "__main__":
    main()
