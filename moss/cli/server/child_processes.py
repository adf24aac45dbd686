"""Companions: processes that run beside the server, are restarted when they die, and end with it.

Each has a pipe from the server as its standard input. When the server ends, however it ends, the pipe closes, and the
companion stops. So none outlives the server, even if the server is killed.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from moss.cli.output import complain
from moss.config import Config, environment_of
from moss.messages import gettext

_PATIENCE = 15.0  # seconds that a companion may take to stop
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds until a companion that died is restarted; twice as long each time
_HEALTHY = 60.0  # seconds of life after which the next pause is the first one again


@dataclass
class Companion:
    """A process beside the server."""

    name: str
    arguments: Sequence[str]  # arguments of `moss`
    config: Config
    descriptors: Sequence[int] = ()  # file descriptors that it inherits
    _stopping: threading.Event = field(default_factory=threading.Event)
    _process: subprocess.Popen[bytes] | None = None

    def keep_running(self) -> None:
        """Start the process, and restart it whenever it dies, until told to stop."""
        pause = _FIRST_PAUSE
        while not self._stopping.is_set():
            started = time.monotonic()
            self._start()
            status = self._wait()
            if self._stopping.is_set():
                return
            if time.monotonic() - started > _HEALTHY:
                pause = _FIRST_PAUSE
            complain(
                gettext("the %(name)s ended with status %(status)s; restarting it.", name=self.name, status=status)
            )
            self._stopping.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _start(self) -> None:
        command = [sys.executable, "-P", "-m", "moss", *self.arguments]
        # In a session of its own: Ctrl-C in the terminal is for the server, which then stops this process properly.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            env=os.environ | environment_of(self.config),
            pass_fds=self.descriptors,
            start_new_session=True,
        )

    def _wait(self) -> int:
        assert self._process is not None
        while (status := self._process.poll()) is None and not self._stopping.is_set():
            self._stopping.wait(0.2)
        return status if status is not None else self._stop()

    def _stop(self) -> int:
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            return self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def stop(self) -> None:
        """Let the process end."""
        self._stopping.set()


@contextmanager
def beside(companions: Sequence[Companion]) -> Iterator[None]:
    """Keep companions running until the block ends."""
    threads = [threading.Thread(target=each.keep_running, name=each.name) for each in companions]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for each in companions:
            each.stop()
        for thread in threads:
            thread.join()


class Tether:
    """Ties a companion to its server. While the companion is still starting, it ends with the server at once, because
    it has begun nothing; later it is told and stops properly."""

    def __init__(self) -> None:
        self._gone = threading.Event()
        self._turn = threading.Lock()
        self._is_ready = False
        threading.Thread(target=self._watch, daemon=True).start()

    def wait(self) -> None:
        """Return when the server has ended; from now on the companion stops properly."""
        with self._turn:
            self._is_ready = True
        self._gone.wait()

    def _watch(self) -> None:
        while os.read(0, 64):
            pass
        with self._turn:
            if not self._is_ready:
                os._exit(0)
            self._gone.set()
