"""The layout of an upload: what an instructor meant by the files that were sent together.

A folder of student folders, an archive of a class, several archives with one student each, several archives with one
class each: all of these are dropped onto the same place. Wrapping folders are taken off first; the rest are the
**items**. A single item holds the class. Of several items, each is a submission, unless they are archives that a
learning platform made, which hold a class each. An instructor who meant something else chooses another reading.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from moss.intake import AUTO as ANY_LAYOUT
from moss.intake import Limits, Watch
from moss.intake.archives.formats import HEAD, archive_entries, archive_kind
from moss.intake.entries import UnreadableError
from moss.intake.ignored import ignored_file
from moss.intake.limits import IntakeRun
from moss.intake.names import displayable
from moss.intake.platform_rules import EntryKind, is_own
from moss.intake.sources import downloads_in
from moss.model import Reading


@dataclass(frozen=True, slots=True)
class UploadLayout:
    """The paths to collect, how they are read, and the items that are ignored, with the reason."""

    paths: tuple[str, ...]
    reading: Reading
    ignored: tuple[tuple[str, str], ...] = ()


def plan(folder: Path, reading: Reading, limits: Limits, watch: Watch, layout: str = ANY_LAYOUT) -> UploadLayout:
    """The layout of the files in a folder."""
    if not folder.is_dir():
        return UploadLayout((), reading)
    if reading is Reading.WHOLE:
        return UploadLayout((str(folder if len(list(folder.iterdir())) == 1 else folder.parent),), Reading.WHOLE)
    top = _unwrapped(folder)
    items, ignored = _items(top)
    if reading is Reading.AUTO:
        downloads = [item for item in items if item.is_dir() or not is_own(item.name)]
        sole = len(items) == 1 and not items[0].is_dir()
        run = IntakeRun(limits, watch=watch, layout=layout)
        if not sole and _are_exports(downloads, run):  # beside them may lie what platforms add
            beside = [(displayable(item.name), EntryKind.OWN.value) for item in items if item not in downloads]
            return UploadLayout(tuple(map(str, downloads)), Reading.CLASSES, (*ignored, *beside))
        reading = Reading.CLASSES if sole else Reading.ITEMS
    if reading is Reading.ITEMS:
        return UploadLayout((str(top),), Reading.ITEMS)
    return UploadLayout(tuple(map(str, items)), Reading.CLASSES, tuple(ignored))


def plan_handout(folder: Path) -> UploadLayout:
    """The layout of starter code: each item as it is."""
    items, ignored = _items(folder) if folder.is_dir() else ([], [])
    return UploadLayout(tuple(map(str, items)), Reading.ITEMS, tuple(ignored))


def _unwrapped(folder: Path) -> Path:
    """The folder inside all wrapping folders, which hold one folder and nothing else; the last wrapping one if there is
    only one text in it."""
    top = folder
    items, _ = _items(top)
    while len(items) == 1 and items[0].is_dir():
        top = items[0]
        items, _ = _items(top)
    lone_text = len(items) == 1 and not _is_archive(items[0])
    return top.parent if lone_text and top != folder else top


def _is_archive(path: Path) -> bool:
    with open(path, "rb") as file:
        return bool(archive_kind(path.name, file.read(HEAD)))


def _items(folder: Path) -> tuple[list[Path], list[tuple[str, str]]]:
    """The paths in a folder, and the names of files that only programs put there, with the reason why they are
    ignored."""
    paths = sorted(folder.iterdir())
    reasons = {path: "" if path.is_dir() else ignored_file(path.name) for path in paths}
    ignored = [(displayable(path.name), reason) for path, reason in reasons.items() if reason]
    return [path for path, reason in reasons.items() if not reason], ignored


def _are_exports(items: list[Path], run: IntakeRun) -> bool:
    """Whether all items are archives that a learning platform made, with the names of people in them."""
    return bool(items) and all(not item.is_dir() and _is_export(item, run) for item in items)


def _is_export(item: Path, run: IntakeRun) -> bool:
    with open(item, "rb") as file:
        kind = archive_kind(item.name, file.read(HEAD))
        if not kind:
            return False
        try:
            run.watch.announce(displayable(os.path.basename(item)))
        except UnreadableError:
            return False
        file.seek(0)
        looked = IntakeRun(run.limits, watch=run.watch, layout=run.layout)
        return bool(downloads_in(archive_entries(file, kind, looked, run.limits.total_bytes, item.name), looked))
