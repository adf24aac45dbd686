"""Attack a server of our own without an account, and print how long `/health` takes meanwhile.

    python benchmarks/hostile.py

It starts `moss serve` in a temporary folder, on a free port of this machine, and attacks nothing else. Each attack is
bounded in count and time.
"""

from __future__ import annotations

import argparse
import resource
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress


def main() -> None:
    """Start, attack, stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=1050, help="with headers that never end")
    parser.add_argument("--seconds", type=int, default=20, help="that these are held")
    parser.add_argument("--megabytes", type=int, default=511, help="announced for the form of the log-in")
    given = parser.parse_args()
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
