"""Readers of strangers' files for jobs that a test does in its own process, as a worker's jobs have them.

A worker's jobs ask its fork server for a reader (`moss.jobs.reader_process`), which is there at once. A job without a
fork server starts the program, which takes several times as long as most tests that hand something in do.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from moss.jobs import reader_process
from moss.jobs.lifeline import guard
from support.incubator import hatch

_SOCKET = "READERS_SOCKET"


@contextmanager
def readers_at_hand() -> Iterator[None]:
    """Let jobs of this process ask for readers; those that have to speak another language are started as programs."""
    spoken = any(name in os.environ for name in reader_process._SPOKEN)
    if spoken or not hasattr(socket, "SOCK_SEQPACKET"):
        yield
    else:
        with patch.object(reader_process, "_desk", [_asking()]):
            yield


@cache
def _asking() -> socket.socket:
    """Where to ask; whoever answers is started when it is first asked, and ends with this process."""
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        place = str(Path(folder, "readers"))
        listening.bind(place)
        listening.listen()
        server = hatch("support.readers:serve", reader_process.without_settings() | {_SOCKET: place})
        asking, _ = listening.accept()
    atexit.register(server.wait)
    atexit.register(asking.close)
    return asking


def serve() -> None:
    """Fork a guard and a reader for each folder, until there is nobody left who could ask."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for guards
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as desk:
        desk.connect(os.environ.pop(_SOCKET))
        while desk.recv(1, socket.MSG_PEEK):
            if asked := reader_process.next_folder(desk):
                folder, lifeline = asked
                with lifeline:
                    if os.fork() == 0:
                        desk.close()
                        guard(partial(reader_process.be_reader, folder), lifeline)
