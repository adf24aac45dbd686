"""Who handed in what, in the bulk downloads of learning platforms.

`moss.intake.platform_rules` lists the formats. One is applied to a folder only when nearly all of its children fit, and
when whose they are is certain (`moss.intake.people`), so that an ordinary class is left alone.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from unicodedata import normalize

from moss.intake.entries import Entry, children, is_folder
from moss.intake.people import SUBMITTY_SETTINGS, Person, Read, Sighting, Who, by_name
from moss.intake.platform_rules import BY_KEY, PLATFORMS, EntryKind, Platform, is_own
from moss.intake.submission_lists import DOLOS_LIST, GRADESCOPE_METADATA, dolos_rows, submitters
from moss.intake.teams import with_teams
from moss.intake.times import read_time
from moss.messages import gettext as _
from moss.model import Role

AUTO, NONE = "auto", "none"
LAYOUTS = (AUTO, NONE, *BY_KEY, "dolos")
"""What a user may say of how names are to be read."""

DOLOS = Platform("dolos", "Dolos", "info.csv", "full_name in info.csv", None, None, by_name, unmistakable=True)


LAYOUT_TITLES = {AUTO: "recognise it", NONE: "no platform"} | {
    platform.key: platform.title for platform in (*PLATFORMS, DOLOS)
}
"""The name of each layout on a page."""


class Work(NamedTuple):
    """An entry of a download, with its kind and its owner."""

    entry: Entry
    who: Who
    child: str  # at the top of the download
    path: str  # in the submission
    kind: EntryKind = EntryKind.WORK
    order: tuple[int | str, ...] = ()  # of versions, the oldest first; empty for what belongs to the newest
    version: str = ""
    time: datetime | None = None
    task: str = ""
    role: Role | None = None  # if the download says that it was handed out


class Recognised(NamedTuple):
    """A download that was recognised: all work in it, the platform's own entries, and ordinary children."""

    platform: Platform
    works: tuple[Work, ...]
    own: tuple[tuple[Entry, str], ...]  # with the reason why each is nobody's work
    others: tuple[str, ...]
    why: str


def recognise(entries: Sequence[Entry], read: Read, layout: str = AUTO) -> Recognised | None:
    """The download that a folder is, by the names in it; None unless that is certain or the layout says so."""
    if layout == NONE:
        return None
    held = children(entries)
    folders = _folders(held)
    if layout in (AUTO, DOLOS.key) and (found := _dolos(entries, held, read)):
        return found
    usual = [platform for platform in PLATFORMS if not platform.only_asked]
    for platform in usual if layout == AUTO else [BY_KEY[layout]] if layout in BY_KEY else []:
        if found := _recognised(platform, held, folders, read, forced=layout != AUTO):
            return found
    return None


def near_misses(entries: Sequence[Entry]) -> Iterator[str]:
    """For each platform that most children fit although it was not recognised, why not, in a sentence."""
    held = children(entries)
    folders = _folders(held)
    for platform in PLATFORMS:
        if platform.only_asked:
            continue
        fitting, asked = _fitting(platform, held, folders, share=0.5)
        everything = platform.folders and platform.folders.fullmatch("any")
        if everything or 2 * len(fitting) < len(asked) or not fitting:
            continue
        enough = len(fitting) >= max(platform.least, platform.share * len(asked))
        reason = "but that is not certain" if enough else "too few to be sure"
        yield f"{len(fitting)} of {len(asked)} names could be of {platform.title}, {reason}: --layout {platform.key}"


def _folders(held: Mapping[str, list[Entry]]) -> set[str]:
    """The children that are folders."""
    return {name for name, inside in held.items() if is_folder(name, inside)}


def _recognised(
    platform: Platform, held: Mapping[str, list[Entry]], folders: set[str], read: Read, forced: bool
) -> Recognised | None:
    fitting, asked = _fitting(platform, held, folders, 0.0 if forced else platform.share)
    if not fitting or (not forced and len(fitting) < max(platform.least, platform.share * len(asked))):
        return None
    if platform.trace and not forced and 2 * _traced(platform.trace, held, fitting) < len(fitting):
        return None
    sightings = [Sighting(name, name in folders, _said(match), held[name]) for name, match in fitting.items()]
    whose = platform.people(sightings, read)
    if not (forced or whose.certain):
        return None
    people, copies = whose.people, set[str]()
    sheet: dict[str, datetime] = {}
    if platform.key == "moodle":
        sheet = _grading_sheet(held, folders, read)
        people, copies = with_teams(sightings, people, read)
    works = [w for s, who in zip(sightings, people, strict=True) for w in _works(platform, s, who, read, sheet)]
    own = [(work.entry, _(EntryKind.COPY.value)) for work in works if work.child in copies]
    works = [work for work in works if work.child not in copies]
    beside = [name for name in held if name not in fitting]
    kinds = {name: _kind(platform, name) for name in beside if name not in asked}
    own += [(e, _((kinds[name] if kinds[name].value else EntryKind.OWN).value)) for name in kinds for e in held[name]]
    others = [name for name in beside if name in asked]
    why = f"{len(sightings)} of {len(asked)} names have the form of {platform.title}"
    return Recognised(platform, tuple(works), tuple(own), tuple(others), why + (", as --layout says" if forced else ""))


def _traced(trace: re.Pattern[str], held: Mapping[str, list[Entry]], names: Iterable[str]) -> int:
    """How many of these children hold a path that begins in this way."""
    return sum(any(trace.match(entry.path, len(name) + 1) for entry in held[name]) for name in names)


def _fitting(
    platform: Platform, held: Mapping[str, list[Entry]], folders: set[str], share: float
) -> tuple[dict[str, re.Match[str]], set[str]]:
    """The children whose names fit, and all that could have: not the files that platforms add. None, if fewer than this
    share of all fit."""
    found: dict[str, re.Match[str]] = {}
    asked: set[str] = set()
    for name in held:
        folder = name in folders
        pattern = platform.folders if folder else platform.files
        # macOS takes accents apart, also in the archives that it makes.
        match = pattern.fullmatch(normalize("NFC", name)) if pattern and len(name) <= _LONGEST_NAME else None
        if match:
            found[name] = match
        if match or folder or not (is_own(name) or _kind(platform, name) is not EntryKind.WORK):
            asked.add(name)
            if len(asked) - len(found) > (1 - share) * len(held):
                return {}, asked
    return found, asked


_LONGEST_NAME, _LONGEST_PATH = 255, 1024  # characters: the names that platforms write are shorter


def _kind(platform: Platform, path: str) -> EntryKind:
    fitting = (kind for pattern, kind in platform.kinds if pattern.fullmatch(path))
    return next(fitting, EntryKind.WORK) if len(path) <= _LONGEST_PATH else EntryKind.WORK


def _said(match: re.Match[str]) -> dict[str, str]:
    """The groups of a match by what they mean; empty where nothing was said."""
    found: dict[str, str] = {}
    for group, value in match.groupdict().items():
        name = group.rstrip("_")
        found[name] = value or found.get(name, "")
    return found


def _works(
    platform: Platform, sighting: Sighting, who: Who, read: Read, sheet: Mapping[str, datetime]
) -> Iterator[Work]:
    moments = {"": sheet.get(sighting.said.get("number", ""))} if sheet else _moments(platform, sighting, read)
    for entry in sighting.inside:
        kind = _kind(platform, entry.path)
        rest = entry.path.removeprefix(sighting.child).lstrip("/")
        found = platform.inside.fullmatch(rest) if platform.inside and rest else None
        said = {**sighting.said, **{k: v for k, v in (found.groupdict() if found else {}).items() if v}}
        path, kind = _path(platform, sighting, said, rest, kind)
        attempt, written = said.get("attempt", ""), said.get("time", "")
        time = _in_utc(read_time(written)) if written else moments.get(attempt)
        order, version = _order(attempt, written, time) if platform.versions else ((), "")
        yield Work(entry, who, sighting.child, path, kind, order, version, time, said.get("task", ""))


def _path(
    platform: Platform, sighting: Sighting, said: Mapping[str, str], rest: str, kind: EntryKind
) -> tuple[str, EntryKind]:
    """How the file is called in the submission, and what it is: the platform's note, if it has no name of its own."""
    file = said.get("file", "")
    if sighting.folder:
        return (file if platform.inside and file else "" if said.get("attempt") == rest else rest), kind
    if file.startswith((".", "_")):  # the task is the file's name
        return said.get("task", "") + file, kind
    if file or kind is not EntryKind.WORK:
        return file or said.get("typed", "") or sighting.child, kind
    return sighting.child, EntryKind.NOTE if platform.files and "file" in platform.files.groupindex else kind


def _order(attempt: str, written: str, time: datetime | None) -> tuple[tuple[int | str, ...], str]:
    if attempt:
        return (int(attempt),), attempt
    if not written:
        return (), ""
    shown = written if re.fullmatch(r"[\d-]+", written) else f"{time:%Y-%m-%d %H:%M}" if time else written
    return (time.isoformat() if time else "", written), shown


def _moments(platform: Platform, sighting: Sighting, read: Read) -> dict[str, datetime | None]:
    """When the work in a folder was handed in, by attempt, if a file of the platform says so."""
    if platform.key == "gradescope":
        described = submitters(read(GRADESCOPE_METADATA) or "").get(sighting.child)
        return {"": _in_utc(described.time)} if described else {}
    if platform.key == "submitty":
        return _submitty_moments(read(f"{sighting.child}/{SUBMITTY_SETTINGS}"))
    notes = [entry.path for entry in sighting.inside if _kind(platform, entry.path) is EntryKind.TIME]
    return {"": _in_utc(read_time(read(notes[0]) or ""))} if notes else {}


def _grading_sheet(held: Mapping[str, list[Entry]], folders: set[str], read: Read) -> dict[str, datetime]:
    """When students of a Moodle download handed in, by their numbers, if its grading worksheet was put beside them.

    Moodle translates the headings. Each row begins with `Participant` and the number; the first column with times has
    those of the submissions, a later one those of the grades.
    """
    sheets = [name for name in held if name not in folders and name.lower().endswith(".csv") and is_own(name)]
    try:
        rows = [row for name in sheets for row in csv.reader(io.StringIO(read(name) or "")) if row]
    except csv.Error:
        return {}
    numbered = [(found[1], row) for row in rows if (found := re.fullmatch(r"\ufeff?\D{0,60}(\d{1,18})", row[0]))]
    width = max((len(row) for _, row in numbered), default=0)
    for column in range(1, width):
        cells = ((number, read_time(row[column])) for number, row in numbered if column < len(row))
        if times := {number: time for number, time in cells if time}:
            return times
    return {}


def _submitty_moments(settings: str | None) -> dict[str, datetime | None]:
    try:
        history = json.loads(settings or "{}")["history"]
        return {str(each["version"]): _in_utc(read_time(str(each["time"]))) for each in history}
    except (ValueError, KeyError, TypeError):
        return {}


def _in_utc(time: datetime | None) -> datetime | None:
    try:
        return time.astimezone(UTC) if time and time.tzinfo else time
    except OverflowError:
        return None


def _dolos(entries: Sequence[Entry], held: Mapping[str, list[Entry]], read: Read) -> Recognised | None:
    """A download as Dolos reads it: its list names each file, which is a submission."""
    rows = dolos_rows(read(DOLOS_LIST) or "") if DOLOS_LIST in held else {}
    listed = [entry for entry in entries if entry.path in rows]
    if not listed:
        return None
    works = []
    for entry in listed:
        row = rows[entry.path]
        who = Who((row.label, ""), row.label, row.section, row.account)
        name = entry.path.rpartition("/")[2]
        role, time = Role.BASE if row.handed_out else None, _in_utc(row.time)
        order, version = (time.isoformat() if time else "", entry.path), f"{time:%Y-%m-%d %H:%M}" if time else ""
        works.append(Work(entry, who, entry.path, name, order=order, version=version, time=time, role=role))
    lists = [(entry, _(EntryKind.OWNERS.value)) for entry in held[DOLOS_LIST]]
    unlisted = [
        e for e in entries if e.path and e.path not in rows and e.path != DOLOS_LIST and (e.chunks or e.refusal)
    ]
    own = [
        (e, e.refusal or _("not compared, because the list of submissions (info.csv) does not name it"))
        for e in unlisted
    ]
    why = f"{DOLOS_LIST} names {len(listed)} of its files"
    return Recognised(DOLOS, tuple(works), tuple(lists + own), (), why)


def people_in(works: Sequence[Work]) -> dict[Person, list[Work]]:
    """The work of each person, in the order in which it was found."""
    found: dict[Person, list[Work]] = {}
    for work in works:
        found.setdefault(work.who.person, []).append(work)
    return found
