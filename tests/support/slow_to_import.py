"""A module whose import takes a worker four seconds, as that of a large library may."""

from __future__ import annotations

import multiprocessing
import time

if multiprocessing.current_process().name != "MainProcess":
    time.sleep(4)


def echo(task: str) -> str:
    """The task itself."""
    return task
