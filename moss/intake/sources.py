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
from moss.intake.platform_rules import EntryKind, is_own
from moss.intake.platforms import Recognised, near_misses, recognise
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


def open_source(source: Source, shown: str, run: IntakeRun, stack: ExitStack) -> Opened:
    """Open a source; its entries can be read until the stack is closed."""
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
    if source.kind == "folder" and not downloads and (packed := _sole_archive(source, entries)):
        opened = open_source(packed, f"{shown}/{packed.name}".strip("/"), run, stack)
        if opened.found:
            outside = [_beside(entry, opened.found) for entry in entries if entry.path != packed.name]
            return opened._replace(aside=opened.aside + _parts(outside, shown))
    if source.kind != "folder" and not downloads and (inner := _packed_again(entries, shown, run)):
        opened = _opened_entries(inner.entries, inner.downloads, parents, inner.shown, source)
        return opened._replace(aside=opened.aside + inner.aside)
    return _opened_entries(entries, downloads, parents, shown, source)


def _opened_entries(
    entries: Sequence[Entry], downloads: Sequence[LocatedDownload], parents: tuple[str, ...], shown: str, source: Source
) -> Opened:
    """The submissions among entries: of the platform's downloads there, or else each child is one."""
    if downloads:
        return _join([_opened(each, parents, shown, entries, source.role) for each in downloads], entries, shown)
    top = wrapping(entries, least=2) if source.kind != "folder" else ""
    ordinary = _opened(LocatedDownload(top, None), parents, shown, entries, source.role)
    inside = below(entries, top)
    return _join([ordinary], entries, shown)._replace(doubts=tuple(near_misses(inside)))


class PackedClass(NamedTuple):
    """A class in an archive inside another one."""

    shown: str  # its path as the sender knows it
    entries: list[Entry]
    downloads: list[LocatedDownload]
    aside: list[Part]  # what is ignored in the archives around it


def _packed_again(entries: Sequence[Entry], shown: str, run: IntakeRun, depth: int = 1) -> PackedClass | None:
    """The class in an archive that is all there is in another one: a platform's download, or an archive for each of
    three students or more. One student's archive may hold anything else, so it is left alone."""
    files = [entry for entry in entries if entry.refusal or entry.chunks]
    sole = [entry for entry in files if not entry.ignored and not is_own(entry.path)]
    if len(sole) != 1 or not sole[0].chunks or depth > run.limits.depth:
        return None
    path = f"{shown}/{sole[0].path}".strip("/")
    try:
        run.watch.announce(path)
        kind, content = read_content(sole[0], sole[0].path, Account(run))
        if not kind:
            return None
        inside = archive_entries(BytesIO(content), kind, run, run.limits.submission_bytes, sole[0].path)
    except UnreadableError:
        return None
    downloads, aside = downloads_in(inside, run), _parts([entry for entry in files if entry.refusal], shown)
    if downloads or _are_archives(inside):
        return PackedClass(path, inside, downloads, aside)
    deeper = _packed_again(inside, path, run, depth + 1)
    return deeper._replace(aside=aside + deeper.aside) if deeper else None


def _are_archives(entries: Sequence[Entry]) -> bool:
    """Whether there is nothing but three or more archives, by their names."""
    names = [entry.path for entry in entries if entry.chunks and not entry.ignored]
    return len(names) >= 3 and all(without_archive_suffix(name) != name for name in names)


def _sole_archive(source: Source, entries: Sequence[Entry]) -> Source | None:
    """The archive that is all there is in a folder, besides what platforms add: a download nobody has unpacked."""
    names = [entry.path for entry in entries if not entry.ignored and not (entry.chunks and is_own(entry.path))]
    path = os.path.join(source.paths[0], names[0]) if len(names) == 1 and "/" not in names[0] else ""
    kind = _kind(path) if path and os.path.isfile(path) else ""
    return Source((path,), kind, source.role) if kind not in ("", "files") else None


class LocatedDownload(NamedTuple):
    """The path, ending in a slash, of the folder in which a platform's download begins, and its section, if several."""

    top: str
    found: Recognised | None
    section: str = ""


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
    aside += _parts(outside, shown)
    drafts = [draft for each in opened for draft in each.drafts]
    if found and len(opened) > 1:
        drafts = _of_accounts(drafts) if found.platform.accounts else _of_names(drafts)
    return Opened(drafts, aside, found, tops=tops)


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
            return _sections(inside, top, folders, run)
        top += folders[0] + "/"


def _sections(entries: Sequence[Entry], top: str, folders: Sequence[str], run: IntakeRun) -> list[LocatedDownload]:
    """The download in each folder, if each is one, of the same platform, which cannot be one student's own files."""
    located: list[LocatedDownload] = []
    keys: set[str] = set()
    for name in folders:
        inside = below(entries, f"{name}/")
        found = recognise(inside, reader(inside, run), run.layout)
        keys.add(found.platform.key if found and found.platform.unmistakable else "")
        if keys != {found.platform.key if found else None}:
            return []
        located.append(LocatedDownload(f"{top}{name}/", found, name))
    return located


def _beside(entry: Entry, found: Recognised | None) -> Entry:
    """An entry beside a download, marked as the platform's own and not to be compared."""
    if not found or entry.refusal or entry.chunks is None:
        return entry
    return replace(entry, chunks=None, refusal=_(EntryKind.OWN.value), ignored=True)


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
