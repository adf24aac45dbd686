"""Output of all commands: text, tables and progress on a terminal, and files that only this user may read.

Standard output may be full or closed, or unable to show a name. Tables fit the terminal, and are complete where
there is none. A bar on standard error shows the progress of anything that takes over a second.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO
from unicodedata import combining, east_asian_width

import click

from moss.messages import gettext, looked_up

_PATIENCE = 1.0  # seconds before anything is shown
_REFRESH = 0.1  # seconds between two updates: a terminal costs more than the work
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


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


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print rows under headings, which are marked messages; columns named in `right` are aligned to the right."""
    cells = [[printable(cell) for cell in row] for row in rows]
    right = [_shown(heading) for heading in right]
    headings = [_shown(heading) for heading in headings]
    if sys.stdout.isatty():
        _print_folded(headings, cells, right)
        return
    columns = zip(*[[*headings], *cells], strict=True)
    widths = [max(map(_width, column)) for column in columns]
    for row in ([*headings], *cells):
        padded = [
            blank + cell if heading in right else cell + blank
            for cell, heading, width in zip(map(str.rstrip, row), headings, widths, strict=True)
            for blank in (" " * (width - _width(cell)),)
        ]
        print("  ".join(padded).rstrip())


def _print_folded(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str]) -> None:
    """Print a table whose cells are folded where they are too long for the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console(highlight=False).print(table)


def _shown(heading: str) -> str:
    """A heading in the reader's language; a second one of the same name has a space behind it."""
    return looked_up(heading.rstrip()) + heading[len(heading.rstrip()) :]


def _width(text: str) -> int:
    """The number of columns of the terminal that a text takes."""
    return len(text) if text.isascii() else sum(map(_places, text))


def _places(char: str) -> int:
    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1


def printable(text: str) -> str:
    """The text without characters that would move the cursor or change the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A function to tell the progress to; it shows nothing if asked to be quiet or if there is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    # Refreshed by hand: a thread of its own would make forking the workers unsafe.
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), auto_refresh=False, transient=True,
    )  # fmt: skip
    task = bar.add_task("", total=None)
    started = last = time.monotonic()
    stage_now = ""

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal last, stage_now
        if stage != stage_now:
            bar.reset(task, description=stage, total=total or None)
            stage_now = stage
        now = time.monotonic()
        if now - started >= _PATIENCE and (now - last >= _REFRESH or done == total):
            bar.start()
            bar.update(task, completed=done, total=total or None)
            bar.refresh()
            last = now

    try:
        yield tell
    finally:
        bar.stop()


@contextmanager
def private_files() -> Iterator[None]:
    """Let files and folders that are made inside be readable by this user alone, also those of child processes."""
    before = os.umask(_OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def warn_of_open_files(data: Path) -> None:
    """Name the parts of a data folder that others on this machine may read: an older version made them, or a copy."""
    if os.name != "posix" or not data.is_dir():
        return
    found = [gettext("the folder itself")] if _is_open(data) else []
    found += sorted(path.name for path in data.iterdir() if _is_open(path))
    if found:
        complain(
            gettext(
                "other users of this machine can read what is in %(data)s: %(files)s. To prevent that: chmod -R go= "
                "%(data)s",
                data=data,
                files=", ".join(found),
            )
        )


def _is_open(path: Path) -> bool:
    return bool(path.lstat().st_mode & _OTHERS) and not path.is_symlink()
