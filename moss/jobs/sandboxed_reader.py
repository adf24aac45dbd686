"""The process that reads files of strangers, in a scratch folder: forked from the fork server of a worker
(`moss.jobs.reader_process`), or started as `python -m moss.jobs.sandboxed_reader`.

It knows only that folder, neither the database nor its password, and its memory and its processor time for each file
are limited. Before it reads a file it writes down the file's name (`now.json`), so that if it dies, the file to blame
is known. It writes each text to a file named by its digest (`texts/`), and at the end the recognised submissions
(`found.json`).

First it finds out what an instructor meant by the files that were sent together. A folder of student folders, an
archive of a class, several archives with one student each, several archives with one class each: all of these are
dropped onto the same place. Wrapping folders are taken off first; the rest are the **items**. A single item holds the
class. Of several items, each is a submission, unless they are archives that a learning platform made, which hold a
class each. An instructor who meant something else chooses another reading.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from frontends import GENERIC, Frontend, UnknownLanguageError, by_name
from frontends.selection import choose, main_language
from moss.intake import AUTO, IntakeError, Limits, Watch, collect
from moss.intake.archives.formats import HEAD, archive_entries, archive_kind
from moss.intake.entries import UnreadableError
from moss.intake.ignored import ignored_file
from moss.intake.limits import IntakeRun
from moss.intake.names import displayable
from moss.intake.notebooks import NOTEBOOK
from moss.intake.platform_rules import EntryKind, is_own
from moss.intake.platforms import NONE
from moss.intake.sources import downloads_in
from moss.model import Reading, Role, SourceFile, Submission
from moss.processes.pool import OUT_OF_MEMORY, limit_memory

REQUEST, NOW, FOUND, TEXTS = Path("request.json"), Path("now.json"), Path("found.json"), Path("texts")
FOLDERS = {
    Role.NEW: Path("new/submissions"),
    Role.ARCHIVE: Path("archive/earlier work"),
    Role.BASE: Path("base/handed out"),
}
"""The folder for the files of each role. Readers see its name where two people have the same name."""


def main() -> None:
    """Read everything in this folder as the request asks."""
    request = json.loads(REQUEST.read_text())
    limit_memory(request["megabytes"])
    try:
        reader = SandboxedReader(request["refused"], request["seconds"])
        found = sort_out(reader, Reading(request["reading"]), Limits(**request["limits"]), request["layout"])
        _write(FOUND, json.dumps(found).encode())
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


@dataclass
class SandboxedReader:
    """Announces each file, refuses those known to be harmful, and writes texts to files."""

    refused: dict[str, str]  # files not to be read, with the reason
    seconds: float  # of processor time for each file
    count: int = 0

    def __post_init__(self) -> None:
        TEXTS.mkdir(exist_ok=True)
        self.parent = os.getppid()
        self.now = os.open(NOW, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def before(self, shown: str) -> str:
        """Write down which file comes next, and start its timer; when that runs out, the system kills this process."""
        if os.getppid() != self.parent:
            sys.exit("nobody waits for this any more")
        self.count += 1
        os.pwrite(self.now, json.dumps([self.count, shown]).encode() + b"\n", 0)
        signal.setitimer(signal.ITIMER_PROF, self.seconds)
        return self.refused.get(shown, "")

    def after(self, file: SourceFile) -> SourceFile:
        """Write a file's text to the folder of texts; the digest takes the place of the text."""
        content = file.text.encode("utf-8", "surrogatepass")
        digest = sha256(content).hexdigest()
        if not (TEXTS / digest).exists():
            _write(TEXTS / digest, content)
        return replace(file, text=digest)


def sort_out(reader: SandboxedReader, reading: Reading, limits: Limits, layout: str = AUTO) -> dict[str, Any]:
    """Everything that was recognised, as plain data."""
    watch = Watch(reader.before, reader.after)
    layout = NONE if reading is Reading.WHOLE else layout  # names of files are no students' where all is one student's
    plans = {
        role: plan_class(folder, reading, limits, watch, layout)
        for role, folder in FOLDERS.items()
        if role is not Role.BASE
    }
    base = plan_handout(FOLDERS[Role.BASE])
    new, archive = plans[Role.NEW], plans[Role.ARCHIVE]
    try:
        whole = _reading(new, archive) is Reading.WHOLE
        intake = collect(new.paths, archive.paths, base.paths, limits=limits, watch=watch, layout=layout, whole=whole)
    except IntakeError:  # what was asked for does not fit, so it is read as it looks
        found = sort_out(reader, reading, limits)
        found["problems"].insert(0, ["layout", f"nothing is named as {layout} says, so it was read as it looks"])
        return found
    signal.setitimer(signal.ITIMER_PROF, 0)
    main = main_language(file.path for submission in _class_first(intake.submissions) for file in submission.files)
    ignored = [list(pair) for each in (new, archive, base) for pair in each.ignored]
    return {
        "reading": _reading(new, archive),
        "submissions": [_submission(submission, main) for submission in intake.submissions],
        "problems": [[_as_sent(problem.path), problem.reason] for problem in intake.problems] + ignored,
    }


def _as_sent(path: str) -> str:
    """The path of a file as its sender knows it: without the folder for its role."""
    return next((path.removeprefix(f"{folder}/") for folder in FOLDERS.values() if path.startswith(f"{folder}/")), path)


def _reading(new: UploadLayout, archive: UploadLayout) -> Reading:
    return new.reading if new.paths else archive.reading


def _class_first(submissions: Iterable[Submission]) -> list[Submission]:
    given = list(submissions)
    return [submission for submission in given if submission.role is Role.NEW] or given


def _submission(submission: Submission, main: Frontend | None) -> dict[str, Any]:
    return {
        "name": submission.id,
        "owner": submission.owner,
        "role": submission.role,
        "time": submission.time.isoformat() if submission.time else None,
        "dated": submission.dated.isoformat() if submission.dated else "",
        "age": submission.age,
        "section": submission.section,
        "account": submission.account,
        "history": asdict(submission.history) if submission.history else None,
        "skipped": [[problem.path, problem.reason] for problem in submission.skipped],
        "files": [_file(file, main) for file in submission.files],
    }


def _file(file: SourceFile, main: Frontend | None) -> dict[str, Any]:
    return {
        "path": file.path,
        "text": file.text,
        "sha256": file.digest,
        "encoding": file.encoding,
        "language": _main_language(file) if file.cells else _language(file, main),
        "cells": [[cell.label, cell.language, cell.start, cell.end] for cell in file.cells],
        "origins": file.origins,
        "finding": file.finding,
    }


def _language(file: SourceFile, main: Frontend | None) -> str:
    text = (TEXTS / file.text).read_bytes()[:400_000].decode("utf-8", "replace")
    return choose(file.path, text, None, main).name


def _main_language(file: SourceFile) -> str:
    """The language of most of a notebook's code, or of most of a document."""
    notebook = file.path.lower().endswith(NOTEBOOK)
    sizes: Counter[str] = Counter()
    for cell in file.cells:
        sizes[cell.language] += 0 if notebook and cell.language == "text" else cell.end - cell.start
    try:
        return by_name(max(sizes, key=lambda name: (sizes[name], name))).name
    except UnknownLanguageError:
        return GENERIC.name


@dataclass(frozen=True, slots=True)
class UploadLayout:
    """The paths to collect, how they are read, and the items that are ignored, with the reason."""

    paths: tuple[str, ...]
    reading: Reading
    ignored: tuple[tuple[str, str], ...] = ()


def plan_class(folder: Path, reading: Reading, limits: Limits, watch: Watch, layout: str = AUTO) -> UploadLayout:
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


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it is never there in part."""
    draft = path.with_suffix(".part")
    draft.write_bytes(content)
    draft.replace(path)


if __name__ == "__main__":
    main()
