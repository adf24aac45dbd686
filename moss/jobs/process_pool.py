"""The nursery, as the worker sees it: where processes that do jobs come from. `moss.jobs.job_process` is its inside."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from moss.config import Config, environment_of
from moss.jobs.job_process import READY

_NUMBER = 32  # bytes are more than a number has


class JobForkServer:
    """A process that has imported what jobs need, and forks for each attempt at one. It may be used by many threads."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._turn = threading.Lock()  # so that requests never mix
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def __enter__(self) -> JobForkServer:
        self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def attempt(self, config: Config, job_id: int, lease: str) -> JobAttempt:
        """Begin an attempt at a job. Raises OSError if that cannot be."""
        request = {"job": job_id, "lease": lease, "settings": environment_of(config)}
        with self._turn:
            if self._process is None or self._process.poll() is not None:
                self._stop()
                self._start()
            ours, theirs = socket.socketpair()
            try:
                assert self._requests is not None
                with theirs:
                    socket.send_fds(self._requests, [json.dumps(request).encode() + b"\n"], [theirs.fileno()])
                group = _number(ours)
                if not group:
                    raise ConnectionError("the process was ended before it began")
                return JobAttempt(ours, int(group))
            except BaseException:
                ours.close()
                raise

    def _start(self) -> None:
        """Start it, and wait until it is ready: leases run out while one waits for an attempt to begin."""
        self._requests, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                self._command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # threads do not survive a fork
                start_new_session=True,  # what is typed at the worker's terminal is for the worker
            )
        self._requests.recv(len(READY))

    def _stop(self) -> None:
        """End it; attempts that are under way have lifelines of their own."""
        if self._requests is not None and self._process is not None:
            self._requests.close()
            self._process.kill()
            self._process.wait()
        self._requests = self._process = None


@dataclass(frozen=True, slots=True)
class JobAttempt:
    """The processes that make an attempt at a job, at the other end of their lifeline."""

    lifeline: socket.socket
    group: int

    def wait(self, seconds: float) -> int | None:
        """How the attempt ended, if it does within so many seconds: a process's exit status, negative for a signal."""
        self.lifeline.settimeout(seconds)
        try:
            return int(_number(self.lifeline) or -signal.SIGKILL)  # or: the guard was killed, too
        except TimeoutError:
            return None

    def end(self) -> None:
        """End all its processes, and wait for the end of their guard."""
        self.lifeline.settimeout(None)
        with self.lifeline, contextlib.suppress(OSError):
            with contextlib.suppress(ProcessLookupError, PermissionError):  # the latter is what macOS says of the dead
                os.killpg(self.group, signal.SIGKILL)
            while self.lifeline.recv(_NUMBER):
                pass


def _number(lifeline: socket.socket) -> bytes:
    """The next number that the guard tells; empty if it is dead."""
    said = b""
    while not said.endswith(b"\n"):
        part = lifeline.recv(1)
        if not part:
            return b""
        said += part
    return said
