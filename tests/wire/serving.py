"""A whole MOSS server on loopback: the wire, worker processes, and the historical pages over HTTP.

As a program (`python -m wire.serving LIMITS`), it prints its port, serves until its input ends, and then tells the
most memory it ever used, before and after, in kilobytes.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from moss.report.classic.bitmaps import bitmap
from moss.report.classic.pages import ClassicAddress, classic_help, classic_page
from moss.wire import WireLimits, serve_wire
from wire.offices import ComparingOffice


@asynccontextmanager
async def listening(office, folder=None, **limits):
    """A wire server in this loop; gives its port."""
    stop, port = asyncio.Event(), asyncio.get_running_loop().create_future()
    given = WireLimits(**limits)
    task = asyncio.create_task(
        serve_wire("127.0.0.1", 0, office, given, stop, folder=folder, listening=port.set_result)
    )
    try:
        yield await port
    finally:
        stop.set()
        await task


class Site:
    """The historical pages of all reports in a dictionary, over HTTP on loopback."""

    def __init__(self, reports):
        self.reports = reports
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.host = f"http://127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def page(self, path):
        """What is found at a path, and its type; or None."""
        first, *rest = path.strip("/").split("/")
        if first == "bitmaps":
            return bitmap("/".join(rest)), "image/gif"
        if first == "general":
            return classic_help("/".join(rest), self.host), "text/html; charset=UTF-8"
        if first != "results" or len(rest) < 2 or rest[1] not in self.reports:
            return None, ""
        place = ClassicAddress(f"{self.host}/results/{rest[0]}/{rest[1]}", self.host, f"{self.host}/reports/{rest[1]}")
        return classic_page(self.reports[rest[1]], "/".join(rest[2:]), place), "text/html; charset=UTF-8"

    def _handler(site):  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                content, kind = site.page(self.path)
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Type", kind or "text/plain")
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *words):
                pass

        return Handler

    def close(self):
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


@contextmanager
def service(**limits):
    """All of it, in threads and processes of its own; gives the wire's port and the reports."""
    reports = {}
    site = Site(reports)
    office = ComparingOffice(site.host)
    office.reports = reports
    loop, ready, ports = asyncio.new_event_loop(), threading.Event(), []

    async def run():
        stop.append(asyncio.Event())
        await serve_wire("127.0.0.1", 0, office, WireLimits(**limits), stop[0], listening=told)

    def told(port):
        ports.append(port)
        ready.set()

    stop = []
    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    ready.wait()
    try:
        yield ports[0], reports
    finally:
        loop.call_soon_threadsafe(stop[0].set)
        thread.join()
        loop.close()
        office.close()
        site.close()


def most_memory() -> int:
    """The most memory that this process ever used, in kilobytes."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


def main() -> None:
    """Serve until the input ends."""
    with service(**json.loads(sys.argv[1])) as (port, _):
        before = most_memory()
        print(port, flush=True)
        sys.stdin.read()
        print(before, most_memory(), flush=True)


if __name__ == "__main__":
    main()
