"""Strangers' bytes read in processes of their own, within limits of time and memory: what hangs or grows costs itself.

Every task gets so much of the processor's time, more if it is large, and its process so much memory beyond what that
has when it starts. What comes back is a result or a reason, never an exception and never nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from moss.intake.entries import UnreadableError
from moss.intake.limits import MIB
from moss.messages import gettext as _
from moss.processes.budget import OverBudgetError, limited_to, spend
from moss.processes.pool import Failure, available_cores, limit_memory, map_isolated

SECONDS = 20.0  # of the processor's time for a document or an archive,
SECONDS_PER_MEBIBYTE = 10.0  # and for each mebibyte of it
MEGABYTES = 1024  # that a process may need to read one
_PATIENCE = 6  # times that time by the clock, on a busy machine, before the process is ended


class _HasContent(Protocol):
    @property
    def content(self) -> bytes: ...


class Refused(NamedTuple):
    """Why something has no result, in one sentence."""

    reason: str


Task = TypeVar("Task", bound=_HasContent)
Result = TypeVar("Result")


def read_isolated(
    read: Callable[[Task], Result],
    tasks: Sequence[Task],
    what: str,
    *,
    jobs: int | None = None,
    seconds: float = SECONDS,
) -> list[Result | Refused]:
    """The result of `read` for each task, or why there is none; `what` is a noun for a task, with its article."""
    within_limits = partial(_read_within, read, what, seconds)
    if _is_daemon():  # whose parent ends it if need be, and who may have no children
        return [within_limits(task) for task in tasks]
    found: dict[int, Result | Refused] = {}
    cores = min(jobs or available_cores(), len(tasks))
    results = map_isolated(
        partial(_in_own_process, within_limits), tasks, jobs=cores,
        deadline=lambda task: _PATIENCE * _seconds(task, seconds),
    )  # fmt: skip
    for number, result in results:
        if not isinstance(result, Failure):
            found[number] = result
        elif result.late:
            found[number] = Refused(_too_slow(what, tasks[number], seconds))
        else:
            found[number] = Refused(
                _("%(what)s that cannot be read: its reader %(failed)s", what=what, failed=result.reason)
            )
    return [found[number] for number in range(len(tasks))]


def _is_daemon() -> bool:
    from multiprocessing import current_process

    return current_process().daemon


def _in_own_process(read: Callable[[Task], Result | Refused], task: Task) -> Result | Refused:
    limit_memory(_address_space() + MEGABYTES)
    return read(task)


def _read_within(read: Callable[[Task], Result], what: str, seconds: float, task: Task) -> Result | Refused:
    try:
        with limited_to(_seconds(task, seconds)):
            return spend(partial(read, task))
    except UnreadableError as refused:
        return Refused(refused.reason)
    except OverBudgetError:
        return Refused(_too_slow(what, task, seconds))
    except (MemoryError, RecursionError):
        return Refused(f"{what} that takes more memory to read than it may, not read")


def _seconds(task: _HasContent, seconds: float) -> float:
    return seconds + SECONDS_PER_MEBIBYTE * len(task.content) / MIB


def _too_slow(what: str, task: _HasContent, seconds: float) -> str:
    return _(
        "%(what)s that takes longer than %(n)s seconds to read, not read", what=what, n=f"{_seconds(task, seconds):.3g}"
    )


def _address_space() -> int:
    """The megabytes that this process has already."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") // MIB
    except (OSError, ValueError, IndexError):  # only Linux tells, and only there does a limit hold for sure
        return 3 * MEGABYTES
