"""Several processes that answer at one address: each has the corpus open, and the system gives questions to whoever
waits. One process computes on one core, however many threads it has."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from functools import partial

Running = Callable[[socket.socket, Callable[[], None]], None]
"""Answers questions that come to a socket; calls the function when it is ready."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; raises OSError if it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def run_in_processes(count: int, listener: socket.socket, run: Running, ready: Callable[[], None]) -> None:
    """Run so many processes, this one among them, until this one is interrupted; call `ready` when all can answer."""
    reading, writing = os.pipe()
    children = [_child(listener, run, writing, reading) for _ in range(count - 1)]

    def mine_is_ready() -> None:
        os.close(writing)
        waiting = threading.Thread(target=_wait, args=(reading, len(children), ready), daemon=True)
        waiting.start()

    try:
        run(listener, mine_is_ready)
    finally:
        for child in children:
            os.kill(child, signal.SIGTERM)
        for child in children:
            os.waitpid(child, 0)


def _child(listener: socket.socket, run: Running, writing: int, reading: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.close(reading)
        signal.signal(signal.SIGTERM, lambda number, frame: os._exit(0))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
        threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
        run(listener, partial(_tell, writing))
        status = 0
    finally:
        os._exit(status)


def _tell(writing: int) -> None:
    os.write(writing, b".")
    os.close(writing)


def _follow(parent: int) -> None:
    """End when the parent has."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _wait(reading: int, count: int, ready: Callable[[], None]) -> None:
    """Wait until so many have written a byte, or have ended."""
    while count > 0 and (some := os.read(reading, count)):
        count -= len(some)
    os.close(reading)
    ready()
