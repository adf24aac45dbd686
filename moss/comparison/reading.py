"""Reading: scan all submissions on all cores, and lose none to a scanner that hangs or crashes.

With a keeper only what it does not have is scanned, and handed to it as it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from frontends import by_name
from moss.comparison.keeping import Keeper, PackingScanner, look_up
from moss.comparison.planning import Plans
from moss.comparison.scanning import FilePlan, Scanned, Scanner, plan_with_generic
from moss.workers import Failure, map_isolated

_SMALL = 400_000  # characters: less than this is read faster than processes are started
_BATCH = 8  # submissions handed to a worker at a time
_TRUSTED_DEADLINE = 600.0  # our own scanners are linear; only a machine in trouble takes this long
_LOOKED_UP = 200  # submissions looked up at a time: bounds the memory for what was kept
_KEPT = 64  # new files handed to the keeper at a time, hence lost if the run is killed

Result = TypeVar("Result")


def read_all(
    plans: Sequence[Plans],
    scanner: Scanner,
    jobs: int,
    seconds: float,
    done: Callable[[int], None] = lambda count: None,
    keeper: Keeper | None = None,
) -> list[Scanned]:
    """Each submission scanned; `done` is told how many are. A file that overruns its time (`seconds`, and as many
    again for each megabyte) is read by the generic scanner."""
    results: dict[int, Scanned] = {}
    for number, scanned in (
        _read(plans, scanner, jobs, seconds) if keeper is None else _read_new(plans, scanner, jobs, seconds, keeper)
    ):
        results[number] = scanned
        done(len(results))
    return [results[number] for number in range(len(plans))]


def _read_new(
    plans: Sequence[Plans], scanner: Scanner, jobs: int, seconds: float, keeper: Keeper
) -> Iterator[tuple[int, Scanned]]:
    """First the submissions that are kept, then the others, whose new files are put with the keeper."""
    others: dict[int, Plans] = {}
    for first in range(0, len(plans), _LOOKED_UP):
        for number, files in enumerate(look_up(keeper, plans[first : first + _LOOKED_UP]), first):
            if all(plan.streams is not None for plan in files):
                yield number, scanner(files)
            else:
                others[number] = files
    numbers = list(others)
    new: dict[str, bytes] = {}
    for place, (scanned, packed) in _read(list(others.values()), PackingScanner(scanner), jobs, seconds):
        new |= packed
        if len(new) >= _KEPT:
            keeper.put(new)
            new = {}
        yield numbers[place], scanned
    if new:
        keeper.put(new)


def _read(
    plans: Sequence[Plans], scanner: Callable[[Plans], Result], jobs: int, seconds: float
) -> Iterator[tuple[int, Result]]:
    """What the scanner makes of each submission, as they come; those that fail without the files to blame."""
    for number, result in _scan(plans, scanner, jobs, seconds):
        if isinstance(result, Failure):
            yield number, scanner(_without_culprit(plans[number], result, scanner, seconds))
        else:
            yield number, result


def _scan(
    plans: Sequence[Plans], scanner: Callable[[Plans], Result], jobs: int, seconds: float
) -> Iterable[tuple[int, Result | Failure]]:
    unread = [plan for files in plans for plan in files if plan.streams is None]
    isolated = any(map(_is_isolated, unread))
    if not isolated and (jobs == 1 or sum(len(plan.text) for plan in unread) < _SMALL):
        return ((number, scanner(files)) for number, files in enumerate(plans))
    return map_isolated(scanner, plans, jobs=jobs, deadline=lambda files: _deadline(files, seconds), batch=_BATCH)


def _without_culprit(files: Plans, failure: Failure, scanner: Callable[[Plans], object], seconds: float) -> Plans:
    """The files, those that fail by themselves to be read by the generic scanner; if none does, all untrusted ones."""
    tasks = [(plan,) for plan in files]
    failures = {
        number: result
        for number, result in map_isolated(scanner, tasks, jobs=1, deadline=lambda plan: _deadline(plan, seconds))
        if isinstance(result, Failure)
    }
    if not failures:
        failures = {n: failure for n, plan in enumerate(files) if _is_isolated(plan)}
    return tuple(_with_generic(plan, failures[n]) if n in failures else plan for n, plan in enumerate(files))


def _with_generic(plan: FilePlan, failure: Failure) -> FilePlan:
    names = " and ".join(part.language for part in plan.parts)
    return plan_with_generic(plan, f"the {names} scanner {failure.reason}, read by words and signs instead")


def _is_isolated(plan: FilePlan) -> bool:
    return plan.streams is None and any(by_name(part.language).isolated for part in plan.parts)


def _deadline(files: Plans, seconds: float) -> float:
    untrusted = [plan for plan in files if _is_isolated(plan)]
    if not untrusted:
        return _TRUSTED_DEADLINE
    return sum(seconds * (1 + len(plan.text) / 1_000_000) for plan in untrusted)
