"""Processes that are there at once: forked by one that has imported what servers, workers and jobs of all kinds need.

To start the program takes a second or two of computing, and tests that kill it start it again and again. What is forked
is a process like any other, with an environment of its own: it can be killed, stopped, waited for, and forks in turn.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, NoReturn

TESTS = Path(__file__).parents[1]


class Forked:
    """A child of this process, with as much of `subprocess.Popen` as is needed."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """How it ended, if it has."""
        return self.returncode if self.returncode is not None else self._look(os.WNOHANG)

    def wait(self) -> int | None:
        """How it ended, once it has."""
        return self.returncode if self.returncode is not None else self._look(0)

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _look(self, options: int) -> int | None:
        found, status = os.waitpid(self.pid, options)
        self.returncode = os.waitstatus_to_exitcode(status) if found else None
        return self.returncode


class Hatched:
    """A process that the incubator forked, at the other end of a line to the one that attends it."""

    def __init__(self, line: socket.socket, output: IO[str] | None) -> None:
        self._line = line
        self.output = output
        self._said = line.makefile("r")
        self.pid = int(self._said.readline())
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        """Send a signal, which means nothing to the dead."""
        if self.returncode is None and not select.select([self._line], [], [], 0)[0]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        """How it ended, once it has: its exit status, negative for a signal."""
        if self.returncode is None:
            self.returncode = int(self._said.readline())
            self._said.close()
            self._line.close()
            if self.output:
                self.output.close()
        return self.returncode


def hatch(function: str, environment: dict[str, str], command: Sequence[str] = ()) -> Hatched:
    """A process that calls a function, given as `module:name`, with this environment.

    If it believes to be a command, what it prints, errors included, can be read from its `output`.
    """
    ours, theirs = socket.socketpair()
    readable, writable = os.pipe() if command else (None, None)
    with theirs:
        request = json.dumps([function, environment, command]).encode()
        descriptors = [theirs.fileno()] + ([writable] if writable else [])
        socket.send_fds(_incubator(), [len(request).to_bytes(4, "big")], descriptors)
        _incubator().sendall(request)
    if writable:
        os.close(writable)
    return Hatched(ours, os.fdopen(readable) if readable else None)


@cache
def _incubator() -> socket.socket:
    """The way to the incubator, which is started when it is first asked, and ends with this process."""
    requests, theirs = socket.socketpair()
    with theirs:
        places = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")]))
        process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=theirs.fileno(),
            env=os.environ | {"PYTHONPATH": places, "OPENBLAS_NUM_THREADS": "1"},  # threads do not survive a fork
            start_new_session=True,  # Ctrl-C is for the tests, which stop what they started
        )
    atexit.register(process.wait)
    atexit.register(requests.close)
    return requests


def main() -> None:
    """Fork for each request, until there is nobody left to send any."""
    import moss.cli.server.serve
    import moss.jobs.worker
    import moss.web  # noqa: F401
    from moss.jobs.job_process import preload
    from moss.server_jobs import register_jobs

    register_jobs()
    preload()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those who attend are not waited for
    with socket.socket(fileno=os.dup(0)) as requests:
        while True:
            length, received, _, _ = socket.recv_fds(requests, 4, 2)
            if not length:
                return
            request = json.loads(requests.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL))
            with socket.socket(fileno=received[0]) as line:
                if os.fork() == 0:
                    requests.close()
                    _attend(line, received[1:], *request)
            for output in received[1:]:
                os.close(output)


def _attend(
    line: socket.socket, output: list[int], function: str, environment: dict[str, str], command: list[str]
) -> NoReturn:
    """Fork the process, tell its number and later how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        line.close()
        for descriptor in output:
            os.dup2(descriptor, 1), os.dup2(descriptor, 2)
            os.close(descriptor)
        _be(function, environment, command)
    for descriptor in output:
        os.close(descriptor)
    try:
        line.sendall(b"%d\n" % pid)
        line.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    finally:
        os._exit(0)


def _be(function: str, environment: dict[str, str], command: list[str]) -> NoReturn:
    status = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        # What pytest has put there may be a file, in which one can seek; a pipe is none.
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        os.environ.clear()
        os.environ.update(environment)
        sys.argv[:] = command or sys.argv
        module, _, name = function.partition(":")
        getattr(import_module(module), name)()
        status = 0
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
