"""Progress on standard error: a bar with the time left, for anything that takes over a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 1.0  # seconds before anything is shown
_REFRESH = 0.1  # seconds between two updates: a terminal costs more than the work


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
