"""Submissions before their files are read: which files belong together, and to whom."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from moss.intake.encodings import decode
from moss.intake.entries import Entry, UnreadableError
from moss.intake.layout import children, is_folder
from moss.intake.limits import Account, Run
from moss.intake.platforms import EXPORTS, Identity, identify
from moss.intake.source_files import Part, read_content
from moss.model import Role

NOTE = "the learning platform's own note on the submission, not compared"
METADATA = "the learning platform's list of owners, not compared"


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


def whole(name: tuple[str, ...], shown: str, entries: Sequence[Entry], role: Role) -> Draft:
    """One submission of everything there is."""
    return Draft(name, shown, tuple(Part(e, e.path or name[-1], _join(shown, e.path)) for e in entries), role)


def of_children(
    parents: tuple[str, ...], shown: str, entries: Sequence[Entry], role: Role, run: Run
) -> tuple[list[Draft], list[Part]]:
    """A submission for each child (or each owner, in a platform's export), and what stands beside them all."""
    held = children(entries)
    kinds = {name: is_folder(name, inside) for name, inside in held.items()}
    aside = [entry for entry in entries if entry.nameless or _stands_aside(entry)]
    known = identify(kinds, lambda name: _content(held, name, run))
    platforms = {identity.platform for identity in known.values()}
    lists = {export.metadata for export in EXPORTS if export.platform in platforms}
    drafts: list[Draft] = []
    groups: dict[tuple[str, tuple[str, str], str | None], list[tuple[Entry, Identity]]] = {}
    for name, inside in held.items():
        identity = known.get(name)
        if identity and not kinds[name]:
            group = groups.setdefault((identity.platform, identity.person, identity.version), [])
            group.extend((entry, identity) for entry in inside)
        elif name in lists:
            aside.extend(replace(entry, chunks=None, refusal=METADATA, ignored=True) for entry in inside)
        else:
            draft = _child((*parents, name), _join(shown, name), inside, role, kinds[name])
            drafts.append(replace(draft, owner=identity.owner) if identity else draft)
    drafts.extend(_exported(parents, shown, group, role) for group in groups.values())
    drafts.sort(key=lambda draft: draft.name)
    return _told_apart(drafts), [Part(entry, entry.path, _join(shown, entry.path)) for entry in aside]


def _stands_aside(entry: Entry) -> bool:
    return not entry.path or (entry.ignored and "/" not in entry.path)


def _child(name: tuple[str, ...], shown: str, inside: Sequence[Entry], role: Role, folder: bool) -> Draft:
    parts = []
    for entry in inside:
        path = entry.path.removeprefix(name[-1]).lstrip("/")
        parts.append(Part(entry, path or name[-1], _join(shown, path), lone=not folder))
    return Draft(name, shown, tuple(parts), role, is_folder=folder)


def _exported(parents: tuple[str, ...], shown: str, group: Sequence[tuple[Entry, Identity]], role: Role) -> Draft:
    own = [identity.file for _, identity in group if identity.file]
    parts = tuple(
        Part(
            entry,
            identity.file or entry.path,
            _join(shown, entry.path),
            lone=len(own) == 1 and bool(identity.file),
            # A note is all there is when the text was typed into the platform's form.
            note=NOTE if own and not identity.file else "",
        )
        for entry, identity in group
    )
    first = group[0][1]
    at = parts[0].shown if len(parts) == 1 else _join(shown, first.owner)
    return Draft((*parents, first.owner), at, parts, role, first.owner, version=first.version, time=first.time)


def _told_apart(drafts: list[Draft]) -> list[Draft]:
    # Several attempts of one owner go by the owner's name and the attempt's time.
    count: dict[tuple[str, ...], int] = {}
    for draft in drafts:
        count[draft.name] = count.get(draft.name, 0) + 1
    return [
        replace(draft, name=(*draft.name[:-1], f"{draft.name[-1]} {draft.version}"))
        if draft.version and count[draft.name] > 1
        else draft
        for draft in drafts
    ]


def _content(held: dict[str, list[Entry]], name: str, run: Run) -> str | None:
    entries = held.get(name, [])
    if len(entries) != 1 or entries[0].chunks is None:
        return None
    try:
        run.watch.announce(name)
        return decode(read_content(entries[0], name, Account(run))[1])[0]
    except UnreadableError:
        return None


def _join(shown: str, path: str) -> str:
    return f"{shown}/{path}" if shown and path else shown or path


def name_of(path: str) -> tuple[str, ...]:
    """All components of a path as the system sees it, the last one being its name."""
    return tuple(part for part in os.path.abspath(path).replace(os.sep, "/").split("/") if part) or ("root",)
