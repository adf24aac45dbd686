"""Keeps a server for as long as somebody holds the other end of our standard input, then removes it and its folder.

A process that is killed cannot clean up after itself, but the system closes its end of the pipe: so nothing that a test
starts by this script outlives the tests. Run as a script; the order is its only argument, in JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

GRACE = 30  # seconds that a server has to end by itself


@dataclass(frozen=True)
class Order:
    """A server to keep: its command, the commands to run before it, their folder, and the user who runs them."""

    folder: str
    server: list[str]
    before: list[list[str]]
    user: str | None

    def start(self, output) -> subprocess.Popen[bytes]:
        """A keeper in a session of its own, so that an interrupted test run interrupts neither it nor its server."""
        command = [sys.executable, "-I", __file__, json.dumps(asdict(self))]
        pipes = {"stdin": subprocess.PIPE, "stdout": output, "stderr": subprocess.STDOUT}
        try:
            return subprocess.Popen(command, start_new_session=True, **pipes)
        except OSError:
            shutil.rmtree(self.folder)
            raise

    def obey(self) -> None:
        """Keep the server until we are told to stop, and leave nothing behind."""
        options = {"cwd": self.folder, "stdin": subprocess.DEVNULL} | _identity(self.user)
        try:
            if self.user:
                shutil.chown(self.folder, self.user)
            for command in self.before:
                subprocess.run(command, check=True, **options)
            _serve(subprocess.Popen(self.server, **options))
        finally:
            shutil.rmtree(self.folder)


def _identity(user: str | None) -> dict[str, object]:
    """How a command is run as another user: with none of our groups, and in that user's home."""
    if user is None:
        return {}
    import pwd

    entry = pwd.getpwnam(user)
    environment = os.environ | {"HOME": entry.pw_dir, "USER": user, "LOGNAME": user}
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "env": environment}


def _serve(server: subprocess.Popen[bytes]) -> None:
    """Wait until the server has ended, or ought to: a byte asks for it, and so does the end of our input."""
    try:
        while server.poll() is None and not select.select([sys.stdin], [], [], 0.2)[0]:
            pass
    finally:
        # To PostgreSQL, SIGTERM would mean: when the last client has gone.
        for ask, seconds in ((signal.SIGINT, GRACE), (signal.SIGKILL, None)):
            server.send_signal(ask)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(seconds)
                break


def stop(keeper: subprocess.Popen[bytes]) -> None:
    """End a keeper with its server, even where a forked process still holds a copy of our end of the pipe."""
    keeper.communicate(b".")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # A shell's background jobs are deaf to SIGINT, and so would be whatever they start, down to our server.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        Order(**json.loads(sys.argv[1])).obey()
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"{Path(__file__).name}: {problem}")
