"""Attack a server of our own, and print how long `/health` takes meanwhile, or what it costs.

    python benchmarks/hostile.py                                # without an account
    python benchmarks/hostile.py --files 100000                 # an archive of so many tiny files, by the web
    python benchmarks/hostile.py --evidence 24 --class 1000     # so many evidence files at once, of such a class

It starts `moss serve` in a temporary folder, on a free port of this machine, and attacks nothing else. Each attack is
bounded in count and time.
"""

from __future__ import annotations

import argparse
import http.client
import io
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from served_class import CHUNK, Client, make_token, run, send_class, start, wait


def main() -> None:
    """Start, attack, stop."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=1050, help="with headers that never end")
    parser.add_argument("--seconds", type=int, default=20, help="that these are held")
    parser.add_argument("--megabytes", type=int, default=511, help="announced for the form of the log-in")
    parser.add_argument("--files", type=int, help="in an archive, beside an ordinary class of as many")
    parser.add_argument("--evidence", type=int, help="evidence files that one person asks for at once")
    parser.add_argument("--class", dest="size", type=int, default=1000)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the classes")
    given = parser.parse_args()
    if not (given.files or given.evidence):
        strangers(given)
        return
    with serving() as (server, client):
        if given.files:
            tiny_files(server.pid, client, "while everything starts", ["f.py"])
            for name, paths in archives(given.files).items():
                tiny_files(server.pid, client, name, paths)
        if given.evidence:
            evidence(client, given.evidence, given.corpora / "scale" / f"mix-{given.size}.tar.xz")


def strangers(given: argparse.Namespace) -> None:
    """The attacks that need no account."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = [sys.executable, "-m", "moss", "serve", "--no-worker", "--data", folder, "--port", str(port)]
        server = subprocess.Popen([*command, "--wire-port", "0"], stdout=subprocess.PIPE)
        try:
            assert server.stdout is not None
            server.stdout.readline()
            print(f"before: /health after {health(port):.3f} s")
            half_sent(port, given.connections, given.seconds)
            large_body(port, given.megabytes * 1024 * 1024)
        finally:
            server.terminate()
            server.wait()


def archives(count: int) -> dict[str, list[str]]:
    """The paths in an archive of so many files: of an ordinary class, of one student, and each by itself."""
    return {
        "100 in each folder": [f"class/s{number // 100:05}/f{number % 100:03}.py" for number in range(count)],
        "all in one folder": [f"class/ada/src/f{number:06}.py" for number in range(count)],
        "each by itself": [f"f{number:06}.py" for number in range(count)],
    }


def tiny_files(server: int, client: Client, name: str, paths: Sequence[str]) -> None:
    """Upload an archive of tiny files, have it recognised, and confirm what was found."""
    chance, packed = random.Random(1), io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.writestr(path, f"x{chance.randrange(10**6)} = {chance.randrange(10**6)}\n")
    usage = Usage(server)
    before = usage.seconds()
    upload = send(client, packed.getvalue())
    while (found := client.api("GET", f"/uploads/{upload}"))["state"] == "recognising":
        usage.seconds()
        time.sleep(0.1)
    end = found["reason"]
    if found["state"] == "ready":
        end = f"{client.api('POST', f'/uploads/{upload}/confirm')['added']:,} submissions"
    print(f"{len(paths):,} files, {name}: {usage.seconds() - before:.1f} CPU s; {end}", flush=True)


@contextmanager
def serving() -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """A server with a worker, and an administrator's connection to it."""
    with tempfile.TemporaryDirectory() as folder:
        server, port = start(Path(folder), threads=8)
        try:
            yield server, Client(port, make_token(Path(folder)))
        finally:
            server.terminate()
            server.wait()


def send(client: Client, content: bytes) -> int:
    """Upload an archive to a new assignment, and ask what is in it; the upload's id."""
    course = client.api("POST", "/courses", {"name": "Hostile"})["id"]
    assignment = client.api("POST", f"/courses/{course}/assignments", {"name": "Tiny files"})["id"]
    upload: int = client.api("POST", f"/assignments/{assignment}/uploads", {})["id"]
    for at in range(0, len(content), CHUNK):
        where = f"path=class.zip&start={at}&total={len(content)}"
        client.ask("PUT", f"/api/v1/uploads/{upload}/parts?{where}", content[at : at + CHUNK])
    client.api("POST", f"/uploads/{upload}/recognise", {})
    return upload


class Usage:
    """Processor time of a process and all its descendants, also of those that were there when it was last asked."""

    def __init__(self, root: int) -> None:
        self._root, self._ticks = root, dict[int, int]()

    def seconds(self) -> float:
        """So far."""
        parents: dict[int, list[int]] = {}
        ticks: dict[int, int] = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = path.read_text().rpartition(")")[2].split()
                process = int(path.parent.name)
                parents.setdefault(int(fields[1]), []).append(process)
                ticks[process] = int(fields[11]) + int(fields[12])
        family = [self._root]
        for process in family:
            family += parents.get(process, [])
        self._ticks |= {process: ticks[process] for process in family if process in ticks}
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")


def evidence(client: Client, count: int, archive: Path) -> None:
    """Ask for many evidence files of a class at once, again and again, as long as it takes."""
    assignment = send_class(client, archive)
    first = run(client, assignment)
    wait(client, first)
    port = client.connection.port
    assert port is not None
    answers: Counter[int] = Counter()
    threads = [
        threading.Thread(target=ask_for_evidence, args=(client, f"/runs/{first}/pairs/{rank}/evidence", answers))
        for rank in range(1, count + 1)
    ]
    for thread in threads:
        thread.start()
    waits = [health(port)]
    while any(thread.is_alive() for thread in threads):
        waits.append(health(port))
        time.sleep(0.05)
    told = ", ".join(f"{number} times {status}" for status, number in sorted(answers.items()))
    print(f"{count} evidence files at once: {told}; /health after {max(waits):.3f} s at worst of {len(waits)}")


def ask_for_evidence(client: Client, path: str, answers: Counter[int]) -> None:
    """One request, on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", client.connection.port, timeout=600)
    connection.request("GET", path, headers=client.headers)
    answer = connection.getresponse()
    answer.read()
    answers[answer.status] += 1


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def health(port: int) -> float:
    """Seconds until `/health` is answered."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: moss\r\nConnection: close\r\n\r\n")
        answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 200"), answer
    return time.perf_counter() - began


def half_sent(port: int, number: int, seconds: int) -> None:
    """Hold connections whose headers never end, and send a byte on each now and then."""
    held = []
    for _ in range(number):
        with suppress(OSError):
            held.append(socket.create_connection(("127.0.0.1", port), timeout=5))
            held[-1].sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
    waits, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        waits.append(health(port))
        for connection in held:
            with suppress(OSError):
                connection.sendall(b"x")
        time.sleep(1)
    alive = sum(is_open(connection) for connection in held)
    print(f"{number} half-sent headers: /health after {max(waits):.3f} s at worst of {len(waits)}; "
          f"{alive} of them still open after {seconds} s")  # fmt: skip
    for connection in held:
        connection.close()


def is_open(connection: socket.socket) -> bool:
    """Whether the other side has not closed."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def large_body(port: int, size: int) -> None:
    """Send a form of half a gigabyte, as far as it is taken."""
    sent, block = 0, b"x" * 65536
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"POST /login HTTP/1.1\r\nHost: moss\r\nContent-Length: %d\r\n\r\n" % size)
        with suppress(OSError):
            while sent < size and not answered(connection):
                connection.sendall(block)
                sent += len(block)
        with suppress(OSError):
            answer = connection.recv(65536).partition(b"\r\n")[0].decode()
            print(f"POST /login with {size / 1e6:.0f} MB: {answer!r} after {sent / 1e6:.1f} MB")


def answered(connection: socket.socket) -> bool:
    """Whether the server has said something already."""
    connection.setblocking(False)
    try:
        return bool(connection.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    finally:
        connection.settimeout(60)


if __name__ == "__main__":
    main()
