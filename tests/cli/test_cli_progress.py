"""The progress bar: on a terminal, when it takes long, and nowhere else."""

import io
import os
import pty
import subprocess
import sys

import pytest

from moss.cli import output

PROGRAM = """
import sys, moss.cli.output as progress
progress._PATIENCE = 0
with progress.progress_bar(quiet="--quiet" in sys.argv) as tell:
    tell("scanning", 1, 3)
    tell("scanning", 3, 3)
    tell("ranking", 0, 0)
    tell("aligning", 0, 0)
"""


def on_a_terminal(*arguments):
    """What the program writes to standard error if that is a terminal."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
        env=environment, check=True,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # the other end of a terminal is closed
        pass
    os.close(ours)
    assert done.stdout == b""
    return shown.decode()


def test_on_a_terminal_it_tells_the_stage_and_how_much_is_done():
    shown = on_a_terminal()
    assert "scanning" in shown
    assert "3/3" in shown


def test_quiet_is_quiet():
    assert on_a_terminal("--quiet") == ""


def test_without_a_terminal_nothing_is_shown(monkeypatch):
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(output, "_PATIENCE", 0)
    with output.progress_bar(quiet=False) as tell:
        tell("scanning", 1, 3)
    assert stderr.getvalue() == ""


def test_an_error_passes_through():
    def fail():
        with output.progress_bar(quiet=False) as tell:
            tell("scanning", 1, 3)
            raise ValueError("as it happens")

    with pytest.raises(ValueError, match="as it happens"):
        fail()
