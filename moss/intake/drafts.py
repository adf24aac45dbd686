"""Submissions before their files are read: which files belong together, and to whom."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from moss.intake.encodings import decode
from moss.intake.entries import Entry, UnreadableError, children, is_folder
from moss.intake.limits import Account, IntakeRun
from moss.intake.people import Read
from moss.intake.platform_rules import EntryKind
from moss.intake.platforms import Recognised, Work, people_in
from moss.intake.source_files import Part, read_content
from moss.messages import gettext as _
from moss.model import Role


@dataclass(frozen=True, slots=True)
class Draft:
    """A submission as it was found: the components of its name, its parts, and its owner if that is known."""

    name: tuple[str, ...]  # the folders above it, then its own name
    shown: str
    parts: tuple[Part, ...]
    role: Role
    owner: str = ""
    is_folder: bool = False
    loose: bool = False  # made of files that were given one by one, so its name may stand for anything
    version: str | None = None
    time: datetime | None = None
    age: int = 0  # how many newer versions there are
    section: str = ""
    account: str = ""


def whole(name: tuple[str, ...], shown: str, entries: Sequence[Entry], role: Role) -> Draft:
    """One submission of everything there is."""
    return Draft(name, shown, tuple(Part(e, e.path or name[-1], _join(shown, e.path)) for e in entries), role)


def of_children(
    parents: tuple[str, ...], shown: str, entries: Sequence[Entry], role: Role, found: Recognised | None
) -> tuple[list[Draft], list[Part]]:
    """A submission for each child (or each owner, in a platform's download), and what stands beside them all."""
    held = children(entries)
    aside = [Part(e, e.path, _join(shown, e.path)) for e in entries if e.nameless or _stands_aside(e)]
    drafts = [
        _child((*parents, name), _join(shown, name), held[name], role, is_folder(name, held[name]))
        for name in (found.others if found else held)
    ]
    if found:
        drafts += _exported(parents, shown, found, role)
        nobodys = [replace(entry, chunks=None, refusal=reason, ignored=True) for entry, reason in found.own]
        aside += [Part(entry, entry.path, _join(shown, entry.path)) for entry in nobodys if entry.path]
    return sorted(drafts, key=lambda draft: (draft.name, -draft.age)), aside


def _stands_aside(entry: Entry) -> bool:
    return not entry.path or (entry.ignored and "/" not in entry.path)


def _child(name: tuple[str, ...], shown: str, inside: Sequence[Entry], role: Role, folder: bool) -> Draft:
    parts = []
    for entry in inside:
        path = entry.path.removeprefix(name[-1]).lstrip("/")
        parts.append(Part(entry, path or name[-1], _join(shown, path), lone=not folder))
    return Draft(name, shown, tuple(parts), role, is_folder=folder)


def _exported(parents: tuple[str, ...], shown: str, found: Recognised, role: Role) -> Iterator[Draft]:
    """The submissions in a download: of each person the newest version, and those before it."""
    tasks = len({work.task for work in found.works if work.task}) > 1
    for works in people_in(found.works).values():
        ages = _by_age(works)
        for age, group in enumerate(ages):
            yield _version(parents, shown, group, role, age, len(ages), tasks, found.platform.folder_ids)


def _by_age(works: Sequence[Work]) -> list[list[Work]]:
    """A person's work, the newest first: of each task the newest attempt, then those before."""
    orders: dict[str, set[tuple[int | str, ...]]] = {}
    for work in works:
        orders.setdefault(work.task, set()).update([work.order] if work.order else [])
    ages = {
        (task, order): age for task, known in orders.items() for age, order in enumerate(sorted(known, reverse=True))
    }
    groups: dict[int, list[Work]] = {}
    for work in works:
        groups.setdefault(ages.get((work.task, work.order), 0), []).append(work)
    return [groups[age] for age in sorted(groups)]


def _version(
    parents: tuple[str, ...],
    shown: str,
    works: Sequence[Work],
    role: Role,
    age: int,
    of: int,
    tasks: bool,
    by_folder: bool,
) -> Draft:
    who = works[0].who
    folders = {work.child for work in works if work.entry.path != work.child or work.entry.chunks is None}
    children = {work.child for work in works}
    newest = max(works, key=lambda work: work.order)
    version = newest.version or None
    label = f"{who.label} {f'version {version}' if (version or '').isdigit() else version}" if of > 1 else who.label
    name = next(iter(children)) if by_folder and folders and len(children) == 1 else label
    parts = _parts(shown, works, tasks)
    at = _join(shown, next(iter(children)) if len(children) == 1 else who.label)
    times = [work.time for work in works if work.time]
    latest = max(times, key=lambda time: time.replace(tzinfo=None), default=None)
    return Draft(
        (*parents, name), at, parts, works[0].role or role, who.label, is_folder=bool(folders), version=version,
        time=latest, age=age, section=who.section, account=who.account,
    )  # fmt: skip


def _parts(shown: str, works: Sequence[Work], tasks: bool) -> tuple[Part, ...]:
    own = [work for work in works if work.kind in (EntryKind.WORK, EntryKind.TYPED)]
    parts = []
    for work in works:
        # A note is all there is when the text was typed into the platform's form.
        kept = work in own or (work.kind is EntryKind.NOTE and not own)
        path = f"{work.task}/{work.path}" if tasks and work.task else work.path or work.child
        alone = len(own) == 1 and work is own[0] and work.entry.path == work.child
        note = "" if kept or not work.kind.value else _(work.kind.value)
        parts.append(Part(work.entry, path, _join(shown, work.entry.path), alone, note, work.kind is EntryKind.TYPED))
    return tuple(parts)


def reader(entries: Sequence[Entry], run: IntakeRun) -> Read:
    """How to read one of the entries by its path."""
    places = {entry.path: entry for entry in entries if entry.chunks}

    def read(path: str) -> str | None:
        try:
            run.watch.announce(path)
            return decode(read_content(places[path], path, Account(run))[1])[0] if path in places else None
        except UnreadableError:
            return None

    return read


def _join(shown: str, path: str) -> str:
    return f"{shown}/{path}" if shown and path else shown or path


def name_of(path: str) -> tuple[str, ...]:
    """All components of a path as the system sees it, the last one being its name."""
    return tuple(part for part in os.path.abspath(path).replace(os.sep, "/").split("/") if part) or ("root",)
