"""The scanning of a class: all submissions on all cores, and none lost to a scanner that hangs or crashes.

With a cache, only files that it does not have are scanned, and their streams are stored in it as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from frontends import by_name
from moss.comparison.plan import Plans
from moss.comparison.scan import Scanner, plan_with_generic
from moss.comparison.scanned_files import FilePlan, ScannedBatch, ScannedSubmission
from moss.comparison.stream_cache import ComparisonCache, PackingScanner, look_up
from moss.comparison.views import ViewBags
from moss.messages import gettext as _
from moss.messages import listed
from moss.processes.budget import CAN_INTERRUPT, limited_to
from moss.processes.pool import Failure, map_isolated

_SMALL = 1_000_000  # characters: less than this is read faster than processes are started
_BATCH = 128  # submissions that are read together, at most,
_BATCH_SIZE = 1_200_000  # and their characters: what is made of them stays in the processor's cache
_PATIENCE = 6 if CAN_INTERRUPT else 1  # times a submission's computing time may pass before its process is killed
_TRUSTED_DEADLINE = 600.0  # our own scanners are linear; only a machine in trouble takes this long
_LOOKED_UP = 200  # submissions looked up in the cache at a time: bounds the memory
_STORED = 64  # new files stored in the cache at a time, hence lost if the run is killed

Group = tuple[int, ...]
"""The numbers of submissions that are read together."""
Take = Callable[[ScannedBatch], ScannedBatch]
"""Moves a batch to where it stays during the run, in memory or in a file."""


class BatchScanner(Protocol):
    """Scans some submissions together."""

    def scan_batch(self, submissions: Sequence[Plans]) -> ScannedBatch:
        """The submissions that have these files, scanned."""


class ScannedClass(NamedTuple):
    """Each submission of a class scanned, and their bags in each view, some submissions at a time."""

    scanned: list[ScannedSubmission]
    bags: list[ViewBags]


def read_all(
    plans: Sequence[Plans],
    scanner: Scanner,
    jobs: int,
    seconds: float,
    done: Callable[[int], None] = lambda count: None,
    cache: ComparisonCache | None = None,
    take: Take = lambda batch: batch,
) -> ScannedClass:
    """All submissions scanned; `done` is called with how many are. A submission may take so many `seconds` in scanners
    that are not ours, and as many again for each megabyte. The file that uses them up, and later files of such
    scanners, are read by the generic scanner."""
    results: dict[int, ScannedSubmission] = {}
    bags: list[ViewBags] = []
    reading = _Reading(jobs, seconds)
    for group, batch in reading.read(plans, scanner) if cache is None else reading.read_new(plans, scanner, cache):
        taken = take(batch)
        for number, scanned in zip(group, taken.split(), strict=True):
            results[number] = scanned
            done(len(results))
        bags.append(taken.bags_of(group))
    return ScannedClass([results[number] for number in range(len(plans))], bags)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The way submissions are read: on how many cores, and with how many seconds for each."""

    jobs: int
    seconds: float

    def read_new(
        self, plans: Sequence[Plans], scanner: Scanner, cache: ComparisonCache
    ) -> Iterator[tuple[Group, ScannedBatch]]:
        """First the submissions that the cache has, then the others, whose new streams are stored in it."""
        others: dict[int, Plans] = {}
        for first in range(0, len(plans), _LOOKED_UP):
            found = dict(enumerate(look_up(cache, plans[first : first + _LOOKED_UP]), first))
            known = {n: files for n, files in found.items() if all(plan.streams is not None for plan in files)}
            others |= {number: files for number, files in found.items() if number not in known}
            if known:
                yield tuple(known), scanner.scan_batch(list(known.values()))
        numbers = list(others)
        digests = {plan.key: plan.digest for files in others.values() for plan in files if plan.key}
        new: dict[str, bytes] = {}
        for group, batch in self.read(list(others.values()), PackingScanner(scanner)):
            new |= batch.new
            if len(new) >= _STORED:
                cache.put(new, {key: digests[key] for key in new})
                new = {}
            yield tuple(numbers[place] for place in group), batch
        if new:
            cache.put(new, {key: digests[key] for key in new})

    def read(self, plans: Sequence[Plans], scanner: BatchScanner) -> Iterator[tuple[Group, ScannedBatch]]:
        """The submissions as the scanner reads them, as they come; if it fails, the files to blame are read by the
        generic scanner."""
        blamed: list[int] = []
        for group, result in _scan(plans, _groups(plans), scanner, self.jobs, self.seconds):
            if not isinstance(result, Failure):
                yield group, result
            elif len(group) == 1:  # it would fail once more
                yield group, scanner.scan_batch([_without_culprit(plans[group[0]], result, scanner, self.seconds)])
            else:
                blamed += group
        for group, result in _scan(plans, [(number,) for number in blamed], scanner, self.jobs, self.seconds):
            if isinstance(result, Failure):
                yield group, scanner.scan_batch([_without_culprit(plans[group[0]], result, scanner, self.seconds)])
            else:
                yield group, result


def _groups(plans: Sequence[Plans]) -> list[Group]:
    """The submissions in groups to be scanned together; one whose scanner may hang or crash is alone."""
    groups: list[Group] = []
    members: list[int] = []
    size = 0
    for number, files in enumerate(plans):
        if any(map(_is_isolated, files)):
            groups.append((number,))
            continue
        members.append(number)
        size += sum(len(plan.text) for plan in files)
        if len(members) == _BATCH or size >= _BATCH_SIZE:
            groups.append(tuple(members))
            members, size = [], 0
    return [*groups, *([tuple(members)] if members else [])]


def _scan(
    plans: Sequence[Plans], groups: Sequence[Group], scanner: BatchScanner, jobs: int, seconds: float
) -> Iterator[tuple[Group, ScannedBatch | Failure]]:
    tasks = [[plans[number] for number in group] for group in groups]
    unread = [plan for task in tasks for files in task for plan in files if plan.streams is None]
    isolated = any(map(_is_isolated, unread))
    if not isolated and (jobs == 1 or sum(len(plan.text) for plan in unread) < _SMALL):
        yield from ((group, scanner.scan_batch(task)) for group, task in zip(groups, tasks, strict=True))
        return
    read = partial(_read_within, scanner, seconds)
    results = map_isolated(read, tasks, jobs=jobs, deadline=lambda task: _deadline(task, seconds))
    yield from ((groups[number], result) for number, result in results)


def _read_within(scanner: BatchScanner, seconds: float, submissions: Sequence[Plans]) -> ScannedBatch:
    """Scan a submission, or some that need no budget, within the computing time that they may take."""
    with limited_to(_budget(submissions, seconds)):
        return scanner.scan_batch(submissions)


def _without_culprit(files: Plans, failure: Failure, scanner: BatchScanner, seconds: float) -> Plans:
    """The files of a submission that failed, with those to blame to be read by the generic scanner: those that fail
    alone, or all files of scanners that are not ours if none does or if the submission's time is up."""
    read = partial(_read_within, scanner, seconds)
    tasks = [] if failure.late else [[(plan,)] for plan in files]
    failures = {
        number: result
        for number, result in map_isolated(read, tasks, jobs=1, deadline=lambda task: _deadline(task, seconds))
        if isinstance(result, Failure)
    }
    if not failures:
        failures = {n: failure for n, plan in enumerate(files) if _is_isolated(plan)}
    return tuple(_with_generic(plan, failures[n]) if n in failures else plan for n, plan in enumerate(files))


def _with_generic(plan: FilePlan, failure: Failure) -> FilePlan:
    languages = listed([part.language for part in plan.parts])
    reason = _(
        "the %(language)s scanner %(failed)s, read word by word instead", language=languages, failed=failure.reason
    )
    return plan_with_generic(plan, reason)


def _is_isolated(plan: FilePlan) -> bool:
    return plan.streams is None and any(by_name(part.language).isolated for part in plan.parts)


def _budget(submissions: Sequence[Plans], seconds: float) -> float:
    """The computing time for all files of these submissions that scanners of others read."""
    return seconds * (1 + sum(len(p.text) for files in submissions for p in files if _is_isolated(p)) / 1_000_000)


def _deadline(submissions: Sequence[Plans], seconds: float) -> float:
    """The seconds after which a process is killed, because it could not be interrupted when its budget was used up; on
    a busy machine that takes longer than the budget says."""
    if any(_is_isolated(plan) for files in submissions for plan in files):
        return _PATIENCE * _budget(submissions, seconds)
    return _TRUSTED_DEADLINE
