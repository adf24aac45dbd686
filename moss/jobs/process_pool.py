"""The worker's side of the processes that do jobs; `moss.jobs.job_process` is the other side."""

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

_NUMBER = 32  # bytes, more than any number has


class JobForkServer:
    """A process that has imported what jobs need, and forks for each attempt at one. Threads may share it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._turn = threading.Lock()  # so that requests do not mix
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def __enter__(self) -> JobForkServer:
        self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def attempt(self, config: Config, job_id: int, lease: str) -> JobAttempt:
        """Start an attempt at a job. Raises OSError if that fails."""
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
        """Start the fork server and wait until it is ready, because leases run out while an attempt waits to begin."""
        self._requests, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                self._command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # threads do not survive a fork
                start_new_session=True,  # Ctrl-C at the terminal is for the worker
            )
        self._requests.recv(len(READY))

    def _stop(self) -> None:
        """End the fork server; running attempts have lifelines of their own."""
        if self._requests is not None and self._process is not None:
            self._requests.close()
            self._process.kill()
            self._process.wait()
        self._requests = self._process = None


@dataclass(frozen=True, slots=True)
class JobAttempt:
    """The worker's end of an attempt: the lifeline, and the group of the attempt's processes."""

    lifeline: socket.socket
    group: int

    def wait(self, seconds: float) -> int | None:
        """The exit status of the attempt, negative for a signal; None if it has not ended within so many seconds."""
        self.lifeline.settimeout(seconds)
        try:
            return int(_number(self.lifeline) or -signal.SIGKILL)  # nothing comes if the guard was killed, too
        except TimeoutError:
            return None

    def end(self) -> None:
        """Kill all processes of the attempt, and wait until their guard has ended."""
        self.lifeline.settimeout(None)
        with self.lifeline, contextlib.suppress(OSError):
            with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS raises the latter for dead processes
                os.killpg(self.group, signal.SIGKILL)
            while self.lifeline.recv(_NUMBER):
                pass


def _number(lifeline: socket.socket) -> bytes:
    """The next number that the guard sends; empty if the guard is dead."""
    said = b""
    while not said.endswith(b"\n"):
        part = lifeline.recv(1)
        if not part:
            return b""
        said += part
    return said
