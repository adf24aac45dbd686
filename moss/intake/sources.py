"""The paths a user gives: what each of them is, and the submissions that are found there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from io import BytesIO
from typing import NamedTuple

from moss.intake.archives.formats import HEAD, archive_entries, archive_kind
from moss.intake.archives.git import check_out
from moss.intake.drafts import Draft, name_of, of_children, reader, whole
from moss.intake.entries import NOT_A_FILE, Entry, UnreadableError, below, children, is_folder, wrapping
from moss.intake.folders import cannot_read, file_chunks, walk
from moss.intake.limits import Account, IntakeError, IntakeRun
from moss.intake.names import displayable, without_archive_suffix
from moss.intake.plain_sections import are_other_people, are_tasks, doubts, may_be_people, plain_sections
from moss.intake.platform_rules import EntryKind, Platform, is_own
from moss.intake.platforms import AUTO, Recognised, near_misses, recognise
from moss.intake.source_files import Part, read_content
from moss.messages import gettext as _
from moss.model import Role


class Source(NamedTuple):
    """A folder or an archive; or files, more than one only if they make up one directory's submission."""

    paths: tuple[str, ...]
    kind: str  # "folder", "files", or the kind of archive
    role: Role
    directory: str = ""  # which the files make up, as one submission

    @property
    def name(self) -> str:
        """The last component of its path, fit to be shown."""
        return displayable(os.path.basename(os.path.abspath(self.paths[0])))


def sources(paths: Iterable[str], role: Role, directory: bool) -> list[Source]:
    """The sources in the order given, without repetitions; raises IntakeError for a path that is not there."""
    found: dict[str, Source] = {}
    for path in paths:
        kind = _kind(path)
        absolute = os.path.abspath(path)
        together = directory and kind == "files"
        key = os.path.join(os.path.dirname(absolute), "") if together else absolute
        earlier = found[key].paths if key in found else ()
        if absolute not in map(os.path.abspath, earlier):
            found[key] = Source((*earlier, path), kind, role, os.path.dirname(absolute) if together else "")
    return list(found.values())


def _kind(path: str) -> str:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        raise IntakeError(_("no such file or folder: %(path)s", path=displayable(path))) from None
    if stat.S_ISDIR(mode):
        return "folder"
    if not stat.S_ISREG(mode):
        return "files"
    try:
        with open(path, "rb", buffering=0) as file:
            return archive_kind(path, file.read(HEAD)) or "files"
    except OSError:
        return "files"


class Opened(NamedTuple):
    """The drafts that a source holds, what stands beside them, and which platform's download it is, if it is one."""

    drafts: list[Draft]
    aside: list[Part]
    found: Recognised | None = None
    doubts: tuple[str, ...] = ()  # why it was not taken for one
    tops: tuple[str, ...] = ()  # the folders in which it lies
    why: str = "each folder, archive or file in it is a submission"  # if it is no platform's


def open_source(source: Source, shown: str, run: IntakeRun, stack: ExitStack, sole: bool = False) -> Opened:
    """Open a source; its entries can be read until the stack is closed. In a sole folder, too, those are taken off that
    only wrap a class of three folders or archives or more, and would have nothing to be compared with."""
    if source.kind == "files":
        return Opened([_draft_of_files(source, run)], [])
    path = source.paths[0]
    parents = tuple(map(displayable, name_of(path)))
    entries = check_out(list(walk(path, run)), run) if source.kind == "folder" else _open_archive(source, run, stack)
    if source.role is Role.BASE:
        return Opened([whole(parents, shown, entries, source.role)], [])
    if source.kind != "folder":
        parents = (*parents[:-1], without_archive_suffix(parents[-1]))
    downloads = downloads_in(entries, run)
    if source.kind == "folder" and not downloads and (packed := _packed_downloads(source, entries, shown, run, stack)):
        return packed
    if source.kind != "folder" and not downloads and (inner := _packed_again(entries, shown, run)):
        top = wrapping(inner.entries, least=2)
        opened = _opened_entries(inner.entries, inner.downloads, parents, inner.shown, source, top, run.layout)
        return opened._replace(aside=opened.aside + inner.aside)
    top = wrapping(entries, least=2)
    inside = below(entries, top)
    if source.kind == "folder" and not (sole and (_is_class(inside) or plain_sections(inside))):
        top = ""
    return _opened_entries(entries, downloads, parents, shown, source, top, run.layout)


def _opened_entries(
    entries: Sequence[Entry], downloads: Sequence[LocatedDownload], parents: tuple[str, ...], shown: str,
    source: Source, top: str, layout: str,
) -> Opened:  # fmt: skip
    """The submissions among entries: of the platform's downloads there, or else each child of this folder, or of the
    sections in it, is one."""
    if downloads:
        return _join([_opened(each, parents, shown, entries, source.role) for each in downloads], entries, shown)
    if layout == AUTO and (sections := plain_sections(below(entries, top))):
        located = [LocatedDownload(f"{top}{name}/", None, name) for name in sections.folders]
        joined = _join([_opened(each, parents, shown, entries, source.role) for each in located], entries, shown)
        own = [draft for draft in joined.drafts if not draft.is_folder and is_own(draft.name[-1])]
        named = [
            replace(draft, owner=without_archive_suffix(draft.name[-1])) for draft in joined.drafts if draft not in own
        ]
        drafts = _of_accounts(named) if sections.tasks else _of_names(named)
        aside = [part._replace(entry=_nobodys(part.entry, EntryKind.OWN)) for draft in own for part in draft.parts]
        return joined._replace(drafts=drafts, aside=joined.aside + aside, why=sections.why)
    ordinary = _opened(LocatedDownload(top, None), parents, shown, entries, source.role)
    inside = below(entries, top)
    return _join([ordinary], entries, shown)._replace(doubts=(*near_misses(inside), *doubts(inside)))


class PackedClass(NamedTuple):
    """A class in an archive inside another one."""

    shown: str  # its path as the sender knows it
    entries: list[Entry]
    downloads: list[LocatedDownload]
    aside: list[Part]  # what is ignored in the archives around it


def _packed_again(entries: Sequence[Entry], shown: str, run: IntakeRun, depth: int = 1) -> PackedClass | None:
    """The class in an archive that is all there is in another one: a platform's download, or an archive for each of
    three students or more; or the downloads of several sections. One student's archive may hold anything else, so it is
    left alone."""
    files = [entry for entry in entries if entry.refusal or entry.chunks]
    packed = [entry for entry in files if not entry.ignored and not is_own(entry.path)]
    if not packed or depth > run.limits.depth:
        return None
    aside = _parts([entry for entry in files if entry.refusal], shown)
    if len(packed) > 1:
        archives = all("/" not in entry.path and without_archive_suffix(entry.path) != entry.path for entry in packed)
        return _packed_sections(packed, shown, run, aside) if archives else None
    path, inside = f"{shown}/{packed[0].path}".strip("/"), _inside(packed[0], shown, run)
    downloads = downloads_in(inside, run)
    if downloads or _are_archives(inside):
        return PackedClass(path, inside, downloads, aside)
    deeper = _packed_again(inside, path, run, depth + 1)
    return deeper._replace(aside=aside + deeper.aside) if deeper else None


def _packed_sections(packed: Sequence[Entry], shown: str, run: IntakeRun, aside: list[Part]) -> PackedClass | None:
    """The downloads of one platform in several archives, one for each section, which cannot be students' own."""
    if not downloads_in(_inside(packed[0], shown, _looking(run)), run):
        return None  # as usual, where each student has an archive
    found = [
        replace(each, path=f"{without_archive_suffix(entry.path)}/{each.path}")
        for entry in packed
        for each in _inside(entry, shown, run)
        if each.path
    ]
    downloads = downloads_in(found, run)
    return PackedClass(shown, found, downloads, aside) if downloads else None


def _looking(run: IntakeRun) -> IntakeRun:
    """A run that counts by itself what is only looked at."""
    return IntakeRun(run.limits, watch=run.watch, choice=run.choice, layout=run.layout)


def _inside(entry: Entry, shown: str, run: IntakeRun) -> list[Entry]:
    """The entries of an archive inside another one; none, if it is no archive or damaged."""
    try:
        if not entry.chunks:
            return []
        run.watch.announce(f"{shown}/{entry.path}".strip("/"))
        kind, content = read_content(entry, entry.path, Account(run))
        return archive_entries(BytesIO(content), kind, run, run.limits.submission_bytes, entry.path) if kind else []
    except UnreadableError:
        return []


def _is_class(entries: Sequence[Entry]) -> bool:
    """Whether there are three folders or archives or more, and nothing else but what platforms add."""
    held = children(entries)
    packed = [name for name, inside in held.items() if is_folder(name, inside) or without_archive_suffix(name) != name]
    return len(packed) >= 3 and all(is_own(name) for name in held.keys() - set(packed))


def _are_archives(entries: Sequence[Entry]) -> bool:
    """Whether there is nothing but three or more archives, by their names."""
    names = [entry.path for entry in entries if entry.chunks and not entry.ignored]
    return len(names) >= 3 and all(without_archive_suffix(name) != name for name in names)


def _packed_downloads(
    source: Source, entries: Sequence[Entry], shown: str, run: IntakeRun, stack: ExitStack
) -> Opened | None:
    """The download that nobody has unpacked in a folder, if there is nothing else in it but what platforms add; or
    several of one platform, one for each section."""
    names = [entry.path for entry in entries if not entry.ignored and not (entry.chunks and is_own(entry.path))]
    several = len(names) > 1
    if several and not all("/" not in name and without_archive_suffix(name) != name for name in names):
        return None
    # Of students' archives only the first is looked into, which is no download.
    if several and not _packed_download(source, names[0], shown, _looking(run), stack, several):
        return None
    found = [_packed_download(source, name, shown, run, stack, several) for name in names]
    opened = [each for each in found if each]
    platforms = {each.found.platform for each in opened if each.found}
    people = [{draft.owner for draft in each.drafts} for each in opened]
    if len(opened) < len(names) or len(platforms) != 1:
        return None
    if several and not _are_sections(people, next(iter(platforms))):
        return None
    outside = [_beside(entry, opened[0].found) for entry in entries if entry.path not in names]
    return _together(opened, [part for each in opened for part in each.aside] + _parts(outside, shown))


def _packed_download(
    source: Source, name: str, shown: str, run: IntakeRun, stack: ExitStack, several: bool
) -> Opened | None:
    """The platform's download in an archive in a folder; if there are several, it is a section."""
    path = os.path.join(source.paths[0], name)
    kind = _kind(path) if "/" not in name and os.path.isfile(path) else ""
    if kind in ("", "files"):
        return None
    opened = open_source(Source((path,), kind, source.role), f"{shown}/{name}".strip("/"), run, stack)
    if not opened.found:
        return None
    section = without_archive_suffix(name) if several else ""
    return opened._replace(drafts=[replace(each, section=each.section or section) for each in opened.drafts])


class LocatedDownload(NamedTuple):
    """The path, ending in a slash, of the folder in which a platform's download begins, and its section, if several."""

    top: str
    found: Recognised | None
    section: str = ""

    @property
    def platform(self) -> Platform | None:
        """The platform that made the download, if that is known."""
        return self.found.platform if self.found else None


def _opened(at: LocatedDownload, parents: tuple[str, ...], shown: str, entries: Sequence[Entry], role: Role) -> Opened:
    place = (*parents, at.section) if at.section else parents
    drafts, aside = of_children(place, f"{shown}/{at.top}".strip("/"), below(entries, at.top), role, at.found)
    drafts = [replace(draft, section=draft.section or at.section) for draft in drafts]
    return Opened(drafts, aside, at.found, tops=(at.top,))


def _join(opened: Sequence[Opened], entries: Sequence[Entry], shown: str) -> Opened:
    """All of them together, with what lies outside of them."""
    found = opened[0].found
    tops = tuple(top for each in opened for top in each.tops)
    outside = [_beside(entry, found) for entry in entries if not entry.path.startswith(tops)]
    aside = [part for each in opened for part in each.aside]
    return _together(opened, aside + _parts(outside, shown))._replace(tops=tops)


def _together(opened: Sequence[Opened], aside: list[Part]) -> Opened:
    """The drafts of all of them. Of several sections, each name says whose it is."""
    found = opened[0].found
    drafts = [draft for each in opened for draft in each.drafts]
    if found and len(opened) > 1:
        tasks = are_tasks([{draft.owner for draft in each.drafts} for each in opened], [d.section for d in drafts])
        drafts = _of_accounts(drafts) if found.platform.accounts or tasks else _of_names(drafts)
    return Opened(drafts, aside, found)


def _parts(entries: Sequence[Entry], shown: str) -> list[Part]:
    return [Part(entry, entry.path, f"{shown}/{entry.path}".strip("/")) for entry in entries]


def _of_names(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts of several sections; equal names in two of them may be two people's."""
    sections: dict[str, set[str]] = {}
    for draft in drafts:
        sections.setdefault(draft.owner, set()).add(draft.section)
    return [
        replace(draft, owner=f"{draft.owner} ({draft.section})") if len(sections[draft.owner]) > 1 else draft
        for draft in drafts
    ]


def _of_accounts(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts of several folders; what one account has in each of them is one submission, with a folder for each."""
    mine: dict[str, list[Draft]] = {}
    for draft in drafts:
        mine.setdefault(draft.owner, []).extend([] if draft.age else [draft])
    joined = [draft for draft in drafts if draft.age]
    for newest in mine.values():
        parts = [p._replace(path=f"{d.section}/{p.path}", lone=False) for d in newest for p in d.parts]
        several = len(newest) > 1
        joined += [replace(newest[0], parts=tuple(parts), section="", time=None)] if several else newest
    return sorted(joined, key=lambda draft: (draft.name, -draft.age))


def downloads_in(entries: Sequence[Entry], run: IntakeRun) -> list[LocatedDownload]:
    """Where a platform's download lies among the entries, or several of one platform, one in each section's folder.
    Only folders wrap it, beside which there is nothing but what platforms add."""
    top = ""
    while True:
        inside = below(entries, top)
        if found := recognise(inside, reader(inside, run), run.layout):
            return [LocatedDownload(top, found)]
        held = children(inside)
        folders = [name for name, some in held.items() if is_folder(name, some)]
        if not folders or not all(is_own(name) for name in held.keys() - set(folders)):
            return []
        if len(folders) > 1:
            return _sections(inside, top, folders, run) or _handed_in(inside, top, folders, run)
        top += folders[0] + "/"


def _handed_in(entries: Sequence[Entry], top: str, folders: Sequence[str], run: IntakeRun) -> list[LocatedDownload]:
    """The one download among two folders, if the other has the same students in it: their drafts, as Teams keeps."""
    if len(folders) != 2:
        return []
    inside = {name: below(entries, f"{name}/") for name in folders}
    found = {name: recognise(inside[name], reader(inside[name], run), run.layout) for name in folders}
    recognised = [(name, each) for name, each in found.items() if each]
    if len(recognised) != 1 or not recognised[0][1].platform.drafts:
        return []
    name, download = recognised[0]
    students, others = set(children(inside.pop(name))), set(children(*inside.values()))
    alike = 2 * len(students & others) > min(len(students), len(others))
    return [LocatedDownload(f"{top}{name}/", download)] if alike else []


def _sections(entries: Sequence[Entry], top: str, folders: Sequence[str], run: IntakeRun) -> list[LocatedDownload]:
    """The download in each folder, if each is one, of the same platform, which cannot be one student's own files:
    nobody but the platform writes such names, or each folder has other ones."""
    located: list[LocatedDownload] = []
    for name in folders:
        inside = downloads_in(below(entries, f"{name}/"), run)
        found = inside[0].found if len(inside) == 1 else None
        if not found or (located and found.platform != located[0].platform):
            return []
        located.append(LocatedDownload(f"{top}{name}/{inside[0].top}", found, name))
        if found.platform.teams and all(map(found.platform.teams.fullmatch, folders)):
            return []
    people = [{work.who.label for work in each.found.works} for each in located if each.found]
    return located if located and _are_sections(people, located[0].platform) else []


_USUAL = 4  # students of a section


def _are_sections(people: Sequence[set[str]], platform: Platform | None) -> bool:
    """Whether downloads in several folders or archives are of sections of the course, and none is a student's own."""
    if not platform or not platform.unmistakable:
        return are_other_people(people, _USUAL)
    # Where any name fits, only what is in the folders is the platform's, and they could be a student's tasks.
    any_name = platform.folders and platform.folders.fullmatch("any")
    return may_be_people(people) if any_name else True


def _beside(entry: Entry, found: Recognised | None) -> Entry:
    """An entry beside a download, marked as the platform's own, or a draft, and not to be compared."""
    if not found or entry.refusal or entry.chunks is None:
        return entry
    return _nobodys(entry, EntryKind.OWN if is_own(entry.path.rpartition("/")[2]) else EntryKind.DRAFT)


def _nobodys(entry: Entry, kind: EntryKind) -> Entry:
    return replace(entry, chunks=None, refusal=_(kind.value), ignored=True)


def _open_archive(source: Source, run: IntakeRun, stack: ExitStack) -> list[Entry]:
    try:
        run.watch.announce(source.name)
        file = stack.enter_context(open(source.paths[0], "rb"))  # noqa: SIM115
    except OSError as error:
        return [Entry("", refusal=cannot_read(error))]
    except UnreadableError as refused:
        return [Entry("", refusal=refused.reason)]
    return archive_entries(file, source.kind, run, run.limits.total_bytes, source.name)


def _draft_of_files(source: Source, run: IntakeRun) -> Draft:
    name = tuple(map(displayable, name_of(source.directory or source.paths[0])))
    parts = []
    for path in source.paths:
        run.may_look()  # counted, never refused: whoever names each file wants each file
        file = displayable(os.path.basename(path))
        entry = Entry(file, file_chunks(path)) if os.path.isfile(path) else Entry(file, refusal=NOT_A_FILE)
        parts.append(Part(entry, file, displayable(path)))
    shown = (os.path.dirname(source.paths[0]) or ".") if source.directory else source.paths[0]
    return Draft(name, displayable(shown), tuple(parts), source.role, is_folder=bool(source.directory), loose=True)


def shown_names(given: Sequence[Source]) -> list[str]:
    """The name to put before the paths of each source, so that a reader recognises them; none for a sole folder."""
    folders = sum(source.kind == "folder" and source.role is not Role.BASE for source in given)
    return [
        "" if source.kind == "folder" and source.role is not Role.BASE and folders == 1 else source.name
        for source in given
    ]
