"""Classes of no platform that lie in a folder for each section of the course, or for each task.

What says so is that every folder holds only folders and archives, as no student's own folder does: of different names
in each (`Monday/ann`, `Tuesday/bob`), or of the same ones in all (`task 1/ann`, `task 2/ann`), of which there are then
many more than of tasks. A class of whose students each has the same few folders is not like that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from moss.intake.entries import Entry, below, children, is_folder
from moss.intake.names import without_archive_suffix
from moss.intake.people import starts
from moss.intake.platform_rules import is_own

_FEWEST, _USUAL = 3, 6  # students in a section: in the smallest, and on average
_MORE_THAN_TASKS = 3  # times
_SHOWN = 3  # names in a sentence
_SAME_TWICE = 0.1  # of all names in sections may come back: namesakes
_PARTS = frozenset((
    "app", "assets", "backend", "bin", "build", "client", "code", "config", "core", "data", "doc", "docs", "examples",
    "frontend", "images", "include", "lib", "libs", "main", "public", "report", "resources", "scripts", "server",
    "source", "sources", "src", "static", "templates", "test", "tests", "util", "utils", "web",
))  # of a project: folders that no student is called  # fmt: skip
_PEOPLE = re.compile(
    r"(?:anon|group|gr[uo]p|équipe|equipe|pair|participant|student|submission|team|user)", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?P<title>\D*?)[ _.-]*(?P<number>\d{1,2}|\b[A-Za-z])(?![^\W_])")


class PlainSections(NamedTuple):
    """The folders of a class, and whether each is a task, which the same students have."""

    folders: tuple[str, ...]
    tasks: bool

    @property
    def why(self) -> str:
        """How the folders are read, in a sentence."""
        if self.tasks:
            return f"its {len(self.folders)} folders hold the same names, so each is a task, and each name a student"
        return f"its {len(self.folders)} folders hold only folders and archives, so each of these is a submission"


def plain_sections(entries: Sequence[Entry]) -> PlainSections | None:
    """The sections or tasks in which a class lies, if there is no other way to read its folders."""
    held = children(entries)
    folders = tuple(name for name, inside in held.items() if is_folder(name, inside))
    if len(folders) < 2 or not all(is_own(name) for name in held.keys() - set(folders)):
        return None
    students: list[list[str]] = []
    for folder in folders:
        students.append(_students(below(held[folder], f"{folder}/")))
        if len(students[-1]) < _FEWEST:
            return None
    count = Counter(name for some in students for name in some)
    again = [name for name, number in count.items() if number > 1]
    if not _PARTS.isdisjoint(name.lower() for name in count):
        return None
    if are_other_people(students, _USUAL):
        return PlainSections(folders, tasks=False)
    many = len(count) >= _MORE_THAN_TASKS * len(folders) and 2 * len(again) > len(count)
    if many and are_numbered(folders) and not _PEOPLE.match(folders[0]) and not are_numbered(list(count)):
        return PlainSections(folders, tasks=True)
    return None


def are_other_people(sections: Sequence[Collection[str]], usual: int) -> bool:
    """Whether names are those of the people in several sections, of this size or larger on average, of which hardly any
    come back in another one."""
    count, again = _counted(sections)
    many = len(sections) > 1 and count >= usual * len(sections) and min(map(len, sections)) >= _FEWEST
    return many and again <= _SAME_TWICE * count


def may_be_people(sections: Sequence[Collection[str]]) -> bool:
    """Whether names in several folders are not those of the same few tasks in all of them."""
    count, again = _counted(sections)
    return again <= _SAME_TWICE * count or count >= _MORE_THAN_TASKS * len(sections)


def are_tasks(people: Sequence[Collection[str]], folders: Collection[str]) -> bool:
    """Whether most of the people in several numbered folders are in several of them."""
    count, again = _counted(people)
    named = sorted(set(folders))
    return len(named) == len(people) and 2 * again > count and are_numbered(named) and not _PEOPLE.match(named[0])


def _counted(sections: Sequence[Collection[str]]) -> tuple[int, int]:
    """How many names there are, and how many of them in several sections."""
    count = Counter(name for some in sections for name in some)
    return len(count), sum(1 for number in count.values() if number > 1)


def _students(entries: Sequence[Entry]) -> list[str]:
    """The names of folders and archives; none if there is anything else, which is a student's own."""
    held = children(entries)
    mine = [name for name, inside in held.items() if is_folder(name, inside) or without_archive_suffix(name) != name]
    beside = held.keys() - set(mine)
    return [without_archive_suffix(name) for name in mine] if all(map(is_own, beside)) else []


def are_numbered(names: Sequence[str]) -> bool:
    """Whether names are those of parts of one thing, and of no people: `Task 1`, `Task 2`; `A`, `B`."""
    found = [_NUMBERED.match(name) for name in names]
    titles = {each["title"].lower() for each in found if each}
    return all(found) and len(titles) == 1 and len({each["number"] for each in found if each}) == len(names)


def doubts(entries: Sequence[Entry]) -> Iterator[str]:
    """Sentences on what else the names of an ordinary class could mean."""
    held = children(entries)
    folders = {name: inside for name, inside in held.items() if is_folder(name, inside)}
    files = [name for name in held if name not in folders and not is_own(name)]
    if not files and all(len(children(below(inside, f"{name}/"))) >= _FEWEST for name, inside in folders.items()):
        names = [*folders]
        if len(names) == 1:
            yield f"its only folder ({names[0]}) could be that of the class: to compare what is in it, name that folder"
        elif names and (are_numbered(names) or _hold_folders(held)):
            yield (
                f"its folders ({', '.join(names[:_SHOWN])}) could be sections or tasks: to compare what is in them, "
                "name each of them"
            )
    ways = Counter(starts(files))
    if 1 < len(ways) < len(files) and not all(_NUMBERED.fullmatch(way) for way in ways):
        some = ", ".join(list(ways)[:_SHOWN])
        yield f"its {len(files)} files begin in {len(ways)} ways ({some}, …): if these are students: --layout start"


def _hold_folders(held: Mapping[str, Sequence[Entry]]) -> bool:
    """Whether all hold folders and archives alone, of other names in each."""
    students = [_students(below(inside, f"{name}/")) for name, inside in held.items()]
    return all(students) and _counted(students)[1] <= _SAME_TWICE * _counted(students)[0]
