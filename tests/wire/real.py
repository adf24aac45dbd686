"""The real server: `moss serve` in processes of its own, with the port of MOSS's protocol; and clients by hand."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from support.odd_jobs import until
from support.programs import dead_code
from support.services import free_port

from moss.config import Config
from moss.store import Store

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}


@dataclass
class Real:
    """A server that runs."""

    process: subprocess.Popen
    address: str
    port: int  # of MOSS's protocol
    folder: Path

    def companion(self, kind: str) -> int | None:
        """The process beside it that runs `moss KIND`, if it runs."""
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                if kind.encode() in words:
                    return int(child)
        return None

    @contextmanager
    def store(self):
        """Its database."""
        store = Store(Config(data=self.folder).database)
        try:
            yield store
        finally:
            store.close()


@contextmanager
def serving(folder: Path, port: int | None = None, web: int = 0, worker: bool = True, **settings: object):
    """`moss serve` with these settings, ready."""
    port = port or free_port()
    environment = CLEAN | {f"MOSS_{name.upper()}": str(value) for name, value in settings.items()}
    options = ["--data", str(folder), "--port", str(web), "--wire-port", str(port)]
    options += [] if worker else ["--no-worker"]
    process = subprocess.Popen(
        [sys.executable, "-m", "moss", "serve", *options], env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        address = re.match(r"Open (http://\S+) in a browser", process.stdout.readline())[1]
        assert process.stdout.readline() == f"MOSS's scripts can submit to 127.0.0.1, port {port}.\n"
        yield Real(process, address, port, folder)
    finally:
        process.terminate()
        process.communicate()


def programs_of(number: int) -> dict[str, str]:
    """Two copies and one stranger, all unlike those of every other number."""
    own, other = dead_code(2 * number, 40), dead_code(2 * number + 1, 40)
    return {"ann": own, "bob": other, "cem": own}


def conversation(number: int) -> bytes:
    """All that a client with these programs sends before it asks."""
    said = b"moss %d\nlanguage java\n" % number
    for program, (name, text) in enumerate(programs_of(number).items(), 1):
        content = text.encode()
        said += b"file %d java %d c%d/%s.java\n" % (program, len(content), number, name.encode()) + content
    return said


def begin(port: int, number: int) -> socket.socket:
    """A client that has asked, and waits."""
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(conversation(number) + b"query 0 client %d\n" % number)
    assert client.recv(4) == b"yes\n"
    return client


def answer(client: socket.socket) -> str:
    """What a client is told in the end."""
    with client, client.makefile("rb") as lines:
        said = lines.readline().decode().strip()
        if said:
            client.sendall(b"end\n")
        return said


def page(address: str) -> str:
    """A page as text."""
    with urlopen(address) as response:
        return response.read().decode(response.headers.get_content_charset("utf-8"))


def status(address: str) -> int:
    """How a server answers."""
    try:
        with urlopen(address) as response:
            return response.status
    except HTTPError as error:
        return error.code


def is_right(text: str, number: int) -> bool:
    """Whether a result is that of the client with this number."""
    rows = re.findall(r'<TD><A HREF="\S+">(\S+) \(\d+%\)</A>', text)
    own = all(name.startswith(f"c{number}/") for name in rows)
    return f"<p>client {number}\n" in text and own and rows[:2] == [f"c{number}/ann.java", f"c{number}/cem.java"]


def wait_until(condition, what: str, seconds: float = 600) -> None:
    """Wait for something that takes its time on a busy machine."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"still waiting for {what}"
        time.sleep(0.05)


__all__ = [
    "Real",
    "answer",
    "begin",
    "free_port",
    "is_right",
    "page",
    "programs_of",
    "serving",
    "status",
    "until",
    "wait_until",
]
