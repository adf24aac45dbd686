"""A report's stored pages behind a real server on loopback, with a policy and filled slots, as the web app has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from threading import Thread
from urllib.parse import urlsplit

from moss.report.page_templates import report_assets
from moss.report.served import fill_slots

MOUNT = "/behind/a/proxy/runs/7/"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'"


@dataclass
class Served:
    """A report that is being served: its pages, what is in their slots now, and what was sent to it."""

    pages: Mapping[str, str]
    slots: dict[str, str] = field(default_factory=dict)
    received: list[str] = field(default_factory=list)
    origin: str = ""

    def page(self, name: str = "", fragment: str = "") -> str:
        """The address of a page."""
        return f"{self.origin}{MOUNT}{name}{fragment}"

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """The type and the content of what an address stands for."""
        name = path.removeprefix(MOUNT)
        if name in self.pages:
            kind = "text/javascript" if name.endswith(".js") else "text/html"
            return f"{kind}; charset=utf-8", fill_slots(self.pages[name], self.slots).encode()
        asset = report_assets().get(name.removeprefix("assets/"))
        return (guess_type(asset)[0] or "", asset.read_bytes()) if asset else None


@contextmanager
def serving(served: Served) -> Iterator[Served]:
    """Serve a report as long as the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            kind, content = served.answer(urlsplit(self.path).path) or ("", b"")
            self.send_response(200 if kind else 404)
            for name, value in (("Content-Type", kind), ("Content-Security-Policy", POLICY)):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self):
            served.received.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(303)
            self.send_header("Location", self.path)
            self.end_headers()

        def log_message(self, *told):
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 50  # a page asks for all its files at once

    with Server(("127.0.0.1", 0), Handler) as server:
        served.origin = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
