"""Who handed in what, in the bulk downloads of learning platforms.

One table lists the formats; to add one is to add a row. A format is applied to a folder only when nearly all of its
children fit, so that an ordinary class is left alone. Two submissions of one owner are never compared, hence owners
are told apart whenever there is doubt.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from moss.intake.gradescope import METADATA, submitters

NEARLY_ALL = 0.9

Person = tuple[str, str]
"""A name and the number, if any, that the platform adds to tell namesakes apart."""


class Export(NamedTuple):
    """A platform's way to name folders (or files): the groups `name`, `number`, `time` and `file` of the pattern."""

    platform: str
    folders: re.Pattern[str] | None
    files: re.Pattern[str] | None
    owners: Callable[[Sequence[Person], str], dict[Person, str]]  # given all people, and the metadata file
    least: int = 1  # fewer children that fit prove nothing
    share: float = NEARLY_ALL
    metadata: str = ""  # a file that must stand beside the children


class Identity(NamedTuple):
    """What a child's name says about it."""

    platform: str
    owner: str
    person: Person
    file: str  # what the owner called the file; empty for the platform's own notes
    version: str | None = None
    time: datetime | None = None


def _names(people: Sequence[Person], _: str) -> dict[Person, str]:
    """Each person's name, with the number where there are namesakes."""
    numbers: dict[str, set[str]] = defaultdict(set)
    for name, number in people:
        numbers[name].add(number)
    return {(name, number): name if len(numbers[name]) == 1 else f"{name}_{number}" for name, number in people}


def _common_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)  # all others lie between these two
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


def _after_title(people: Sequence[Person], _: str) -> dict[Person, str]:
    """Each login without the assignment's title, which is what all have in common up to an underscore."""
    names = sorted({name for name, _ in people})
    title = _common_start(names).rpartition("_") if len(names) > 1 else names[0].rpartition("_")
    return {(name, number): name[len(title[0] + title[1]) :] for name, number in people}


_ASSIGNMENT = re.compile(
    r"\d|(?:^|-)(?:hw|homework|assignment|assign|lab|project|exercise|exam|quiz|midterm|final|task)s?-", re.IGNORECASE
)


def _after_slug(people: Sequence[Person], _: str) -> dict[Person, str]:
    """Each account without the assignment's slug; the whole names when the common prefix is no sure slug."""
    slug = _common_start([name for name, _ in people]).rpartition("-")[0] + "-"
    sure = len(slug) > 2 and _ASSIGNMENT.search(slug)
    if sure and all(re.search("[A-Za-z]", name[len(slug) :]) for name, _ in people):
        return {person: person[0][len(slug) :] for person in people}
    return {person: person[0] for person in people}


def _submitters(people: Sequence[Person], metadata: str) -> dict[Person, str]:
    owners = submitters(metadata)
    return {person: owners.get(person[0], person[0]) for person in people}


_MOODLE = r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)"

EXPORTS: tuple[Export, ...] = (
    Export("Moodle", re.compile(_MOODLE + "_?"), re.compile(_MOODLE + "_(?P<file>.+)"), _names),
    Export("Gradescope", re.compile(r"(?P<name>submission_\d+)"), None, _submitters, metadata=METADATA),
    Export(
        "Blackboard",
        None,
        re.compile(r"(?P<name>.+_[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)"),
        _after_title,
    ),
    Export(
        "Canvas",
        None,
        re.compile(r"(?P<name>[^\W\d_](?:[^\W_]|[-'])*)(?:_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)"),
        _names,
        least=2,
    ),
    Export("GitHub Classroom", re.compile(r"(?P<name>[\w.]+(?:-[\w.]+)+)"), None, _after_slug, least=3, share=1.0),
)


def identify(kinds: Mapping[str, bool], metadata: Callable[[str], str | None]) -> dict[str, Identity]:
    """What the names of a folder's children say, by name; `kinds` tells which are folders, `metadata` reads a file."""
    for export in EXPORTS:
        fitting = _fitting(export, kinds)
        candidates = len(kinds) - (export.metadata in kinds)
        if len(fitting) < export.least or len(fitting) < export.share * candidates:
            continue
        described = metadata(export.metadata) if export.metadata else ""
        if described is not None:
            return _identities(export, fitting, described)
    return {}


def _fitting(export: Export, kinds: Mapping[str, bool]) -> dict[str, re.Match[str]]:
    found = {}
    for name, folder in kinds.items():
        pattern = export.folders if folder else export.files
        if pattern and (match := pattern.fullmatch(name)):
            found[name] = match
    return found


def _identities(export: Export, fitting: Mapping[str, re.Match[str]], metadata: str) -> dict[str, Identity]:
    groups = {child: match.groupdict() for child, match in fitting.items()}
    people = {child: (group["name"], group.get("number") or "") for child, group in groups.items()}
    owners = export.owners(sorted(set(people.values())), metadata)
    return {
        child: Identity(
            export.platform, owners[people[child]], people[child], group.get("file") or "",
            group.get("time"), _time(group.get("time")),
        )
        for child, group in groups.items()
    }  # fmt: skip


def _time(stamp: str | None) -> datetime | None:
    try:
        return datetime.strptime(stamp, "%Y-%m-%d-%H-%M-%S") if stamp else None
    except ValueError:
        return None
