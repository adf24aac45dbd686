"""A module whose import takes a worker a second, as that of a large library may."""

from __future__ import annotations

import multiprocessing
import time

if multiprocessing.current_process().name != "MainProcess":
    time.sleep(1)


def echo(task: str) -> str:
    """The task itself."""
    return task
