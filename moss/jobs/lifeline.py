"""Lifelines: sockets by which a process that is not a child is watched, and dies with whoever watches it.

A fork server forks a guard for each process that somebody asks for. The guard has one end of a lifeline, leads a group
of processes of its own, and forks the process that does the work. It sends its process id, and later how that process
ended. As soon as the other end closes, because whoever has it gives up or has died, the guard kills the whole group and
itself.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

_NUMBER = 32  # bytes, more than any number has


@dataclass(frozen=True, slots=True)
class GuardedProcess:
    """The end of a lifeline for whoever watches a process, and the group of its processes."""

    lifeline: socket.socket
    group: int

    @classmethod
    def behind(cls, lifeline: socket.socket) -> GuardedProcess:
        """The process that was asked for with a lifeline, as soon as its guard is there."""
        group = _number(lifeline)
        if not group:
            raise ConnectionError("the process was ended before it began")
        return cls(lifeline, int(group))

    def wait(self, seconds: float) -> int | None:
        """The exit status of the process, negative for a signal; None if it has not ended after `seconds`."""
        self.lifeline.settimeout(seconds)
        try:
            return int(_number(self.lifeline) or -signal.SIGKILL)  # nothing comes if the guard was killed, too
        except TimeoutError:
            return None

    def end(self) -> None:
        """Kill all processes of the group, and wait until their guard has ended."""
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


def guard(work: Callable[[], NoReturn], lifeline: socket.socket) -> NoReturn:
    """Be the guard of a process that does this work, until it ends or the lifeline closes.

    The guard is not a thread of that process, because a process with threads cannot safely fork, and scanning forks.
    """
    os.setsid()
    try:
        ended, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes)
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            lifeline.close()
            work()
        lifeline.sendall(b"%d\n" % os.getpid())
        if ended in select.select([lifeline.fileno(), ended], [], [])[0]:
            lifeline.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    finally:
        os.killpg(0, signal.SIGKILL)
        os._exit(1)  # not reached: the signal ends this process, too
