"""Standard output that may be full or closed, or unable to show a name; and sentences on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import IO

import click

from moss.messages import gettext


def complain(sentence: str) -> None:
    """Print a sentence about a mistake or a problem to standard error, with the program's name before it."""
    click.echo(f"moss: {sentence}", err=True)


@contextmanager
def standard_output() -> Iterator[IO[str]]:
    """Standard output, flushed at the end; a write that fails becomes one sentence, as with any file."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # the reader has seen enough; click ends quietly
    except OSError as error:
        from moss.report.atomic_files import OutputError

        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python complains once more about the rest at its end
        raise OutputError(
            gettext("cannot write to standard output: %(reason)s", reason=(error.strerror or str(error)).lower())
        ) from error


@contextmanager
def data_output() -> Iterator[IO[str]]:
    """Standard output for a program to read: in UTF-8 and with plain line ends on every system, as files are."""
    with standard_output() as file:
        if isinstance(file, TextIOWrapper):
            file.reconfigure(encoding="utf-8", errors="replace", newline="")
        yield file


def show_what_is_possible() -> None:
    """Let standard output show a question mark for each character that its encoding lacks.

    On Windows, output to a file or another program has an old encoding, and names come from everywhere."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
