"""A budget of computing time, for what one submission may cost in a scanner that is not ours.

`limited_to` gives the process a budget for a task, and each call through `spend` takes from it. A call that would take
more than is left is ended where it stands, and every later one is refused at once: one file that takes for ever has
spent the time of all files of its submission. Time of the processor is counted, not of the clock, so that a busy
machine changes nothing. Where a process cannot be interrupted so (Windows, or beside the main thread), a deadline must
end it.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TypeVar

Result = TypeVar("Result")

CAN_INTERRUPT = hasattr(signal, "setitimer")

_left = inf  # seconds of this process


class OverBudgetError(Exception):
    """The budget is used up; `now` says whether this call did it."""

    def __init__(self, now: bool) -> None:
        super().__init__("the budget of computing time is used up")
        self.now = now


@contextmanager
def limited_to(seconds: float) -> Iterator[None]:
    """Limit all calls through `spend` in this process to so many seconds together."""
    global _left
    before, _left = _left, seconds
    try:
        yield
    finally:
        _left = before


def spend(function: Callable[[], Result]) -> Result:
    """The function's result; raises OverBudgetError as soon as the budget is used up."""
    global _left
    if _left <= 0:
        raise OverBudgetError(now=False)
    if _left == inf or not CAN_INTERRUPT or threading.current_thread() is not threading.main_thread():
        return function()
    begun = time.process_time()
    former = signal.signal(signal.SIGPROF, _interrupt)
    signal.setitimer(signal.ITIMER_PROF, _left)
    try:
        return function()
    except OverBudgetError:
        _left = 0.0
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)
        _left -= time.process_time() - begun


def _interrupt(number: int, frame: object) -> None:
    raise OverBudgetError(now=True)
