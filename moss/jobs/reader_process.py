"""The process that reads files of strangers (`moss.jobs.sandboxed_reader`), as the job that waits for it sees it.

A job's own process knows the database, so it cannot fork a process that does not. It asks the fork server that it was
forked from, which has never known it, at its **desk**: a socket that all jobs of a worker inherit. A job that runs
without a fork server starts the reader as a program.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol

from moss.jobs import sandboxed_reader
from moss.jobs.lifeline import GuardedProcess

WORDS = "words"  # the file in the folder to which the reader's standard error goes

_SPOKEN = ("MOSS_LOCALE", "MOSS_CATALOGUES")  # the reader says in the server's language why it left something out
_LONGEST = 1 << 16  # bytes of a folder's name
_FEWEST_FILES = 3  # descriptors that every process has

_desk: list[socket.socket] = []  # where to ask the fork server; empty if this process was not forked from one


class ReaderProcess(Protocol):
    """A process that reads the files in a folder."""

    def wait(self, seconds: float) -> int | None:
        """The exit status of the process, negative for a signal; None if it has not ended after `seconds`."""

    def end(self) -> None:
        """End the process."""


def open_desk() -> socket.socket:
    """Let processes that are forked from now on ask for readers; returns the end where requests arrive."""
    arriving, asking = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    _desk[:] = [asking]
    return arriving


def next_folder(desk: socket.socket) -> tuple[Path, socket.socket] | None:
    """The folder for which somebody asks for a reader, and the lifeline; None if whoever asked is gone."""
    folder, received, _, _ = socket.recv_fds(desk, _LONGEST, 1)
    return (Path(os.fsdecode(folder)), socket.socket(fileno=received[0])) if received else None


def start_reader(folder: Path) -> ReaderProcess:
    """Start a reader of a folder, in which its request lies. Raises OSError if that fails."""
    if not _desk:
        return _started(folder)
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            socket.send_fds(_desk[0], [os.fsencode(folder.absolute())], [theirs.fileno()])
        return GuardedProcess.behind(ours)
    except BaseException:
        ours.close()
        raise


def be_reader(folder: Path) -> NoReturn:
    """Read the files of a folder in this process, which was forked for that; nothing that it inherited stays open."""
    status = 1
    try:
        os.chdir(folder)
        nowhere = os.open(os.devnull, os.O_RDWR)
        words = os.open(WORDS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(nowhere, 0), os.dup2(nowhere, 1), os.dup2(words, 2)
        _desk.clear()
        os.closerange(_FEWEST_FILES, os.sysconf("SC_OPEN_MAX"))
        sandboxed_reader.main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


@dataclass(frozen=True, slots=True)
class _StartedReader:
    """A reader that is a child of this process."""

    process: subprocess.Popen[bytes]

    def wait(self, seconds: float) -> int | None:
        """The exit status, once the process has ended."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()


def _started(folder: Path) -> _StartedReader:
    command = [sys.executable, "-P", "-m", "moss.jobs.sandboxed_reader"]
    harmless = without_settings() | {"OPENBLAS_NUM_THREADS": "1"}
    nothing = subprocess.DEVNULL
    with open(folder / WORDS, "wb") as words:
        process = subprocess.Popen(command, cwd=folder, env=harmless, stdin=nothing, stdout=nothing, stderr=words)
    return _StartedReader(process)


def without_settings() -> dict[str, str]:
    """The environment of this process without the server's settings, one of which is the database's password, but with
    its language."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MOSS_") or name in _SPOKEN}
