"""Reading: scan all submissions on all cores, and lose none to a scanner that hangs or crashes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from frontends import by_name
from moss.comparison.planning import Plans
from moss.comparison.scanning import FilePlan, Scanned, Scanner, plan_with_generic
from moss.workers import Failure, map_isolated

_SMALL = 400_000  # characters: less than this is read faster than processes are started
_BATCH = 8  # submissions handed to a worker at a time
_TRUSTED_DEADLINE = 600.0  # our own scanners are linear; only a machine in trouble takes this long


def read_all(
    plans: Sequence[Plans],
    scanner: Scanner,
    jobs: int,
    seconds: float,
    done: Callable[[int], None] = lambda count: None,
) -> list[Scanned]:
    """Each submission scanned; `done` is told how many are. A file that overruns its time (`seconds`, and as many
    again for each megabyte) is read by the generic scanner."""
    results: dict[int, Scanned] = {}
    for number, result in _scan(plans, scanner, jobs, seconds):
        if isinstance(result, Failure):
            result = scanner(_without_culprit(plans[number], result, scanner, seconds))
        results[number] = result
        done(len(results))
    return [results[number] for number in range(len(plans))]


def _scan(
    plans: Sequence[Plans], scanner: Scanner, jobs: int, seconds: float
) -> Iterable[tuple[int, Scanned | Failure]]:
    isolated = any(_is_isolated(plan) for files in plans for plan in files)
    if not isolated and (jobs == 1 or sum(len(plan.text) for files in plans for plan in files) < _SMALL):
        return ((number, scanner(files)) for number, files in enumerate(plans))
    return map_isolated(scanner, plans, jobs=jobs, deadline=lambda files: _deadline(files, seconds), batch=_BATCH)


def _without_culprit(files: Plans, failure: Failure, scanner: Scanner, seconds: float) -> Plans:
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
    return any(by_name(part.language).isolated for part in plan.parts)


def _deadline(files: Plans, seconds: float) -> float:
    untrusted = [plan for plan in files if _is_isolated(plan)]
    if not untrusted:
        return _TRUSTED_DEADLINE
    return sum(seconds * (1 + len(plan.text) / 1_000_000) for plan in untrusted)
