"""The worker's side of the processes that do jobs; `moss.jobs.job_process` is the other side."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Sequence
from types import TracebackType

from moss.config import Config, environment_of
from moss.jobs.job_process import ASKED, READY
from moss.jobs.lifeline import GuardedProcess
from moss.jobs.reader_process import without_settings


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

    def attempt(self, config: Config, job_id: int, lease: str) -> GuardedProcess:
        """Start an attempt at a job. Raises OSError if that fails.

        The request goes over the lifeline: the fork server, from which readers of strangers' files are forked too,
        never learns the settings."""
        request = {"job": job_id, "lease": lease, "settings": environment_of(config)}
        with self._turn:
            if self._process is None or self._process.poll() is not None:
                self._stop()
                self._start()
            ours, theirs = socket.socketpair()
            try:
                assert self._requests is not None
                with theirs:
                    socket.send_fds(self._requests, [ASKED], [theirs.fileno()])
                ours.sendall(json.dumps(request).encode() + b"\n")
                return GuardedProcess.behind(ours)
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
                env=without_settings() | {"OPENBLAS_NUM_THREADS": "1"},  # threads do not survive a fork
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
