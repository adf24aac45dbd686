"""Bundles: all that a run compared, with its settings and what it found, as one zip from which it can be repeated.

A folder cannot say all that a run knew: whose two submissions are one person's, which texts a notebook's cells were,
what could not be read. So `bundle.json` says it, and names for each file the member that has its text, in UTF-8:

    bundle.json             format, settings, submissions with roles and files, and the report of the run
    submissions/, earlier/, handed-out/      a folder for each submission, with its texts
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from moss.intake.limits import IntakeError, Limits, human_size
from moss.messages import gettext
from moss.model import Cell, Commit, GitHistory, LineOrigin, Problem, ReferenceKind, Role, SourceFile, Submission

FORMAT = "moss-bundle"
VERSION = 1
_INDEX = "bundle.json"
_FOLDERS = {Role.NEW: "submissions", Role.ARCHIVE: "earlier", Role.BASE: "handed-out"}


@dataclass(frozen=True, slots=True)
class Bundle:
    """All that a run compared."""

    submissions: tuple[Submission, ...]
    settings: Mapping[str, Any]
    inputs: Mapping[str, Sequence[str]]  # where the submissions came from, as the report says it
    about: Mapping[str, Any] = field(default_factory=dict)  # which run it was
    report: Mapping[str, Any] = field(default_factory=dict)  # what the run found, as JSON has it


def write_bundle(bundle: Bundle, file: IO[bytes]) -> None:
    """Write a bundle."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        index = [_written(archive, number, each) for number, each in enumerate(bundle.submissions, 1)]
        head = {"format": FORMAT, "version": VERSION, "about": dict(bundle.about), "settings": dict(bundle.settings)}
        parts = {"inputs": dict(bundle.inputs), "submissions": index, "report": dict(bundle.report)}
        archive.writestr(_INDEX, json.dumps(head | parts, indent=1))


def _written(archive: zipfile.ZipFile, number: int, submission: Submission) -> dict[str, Any]:
    folder = f"{_FOLDERS[submission.role]}/{number:04}-{re.sub('[^0-9A-Za-z]+', '_', submission.id)[:40]}"
    files = []
    for place, file in enumerate(submission.files, 1):
        ending = re.search(r"\.[0-9A-Za-z]{1,10}\Z", file.path)
        member = f"{folder}/{place:03}{ending[0] if ending else '.txt'}"
        archive.writestr(member, file.text.encode("utf-8", "surrogatepass"))
        cells = [[cell.label, cell.language, cell.start, cell.end] for cell in file.cells]
        about = {"sha256": file.digest, "encoding": file.encoding, "cells": cells, "origins": file.origins}
        files.append({"path": file.path, "member": member} | about)
    return {"id": submission.id, "owner": submission.owner, "role": submission.role, "language": submission.language,
            "version": submission.version, "time": submission.time.isoformat() if submission.time else None,
            "dated": submission.dated.isoformat() if submission.dated else None,
            "section": submission.section, "account": submission.account, "reference": submission.reference,
            "history": asdict(submission.history) if submission.history else None,
            "skipped": [list(problem) for problem in submission.skipped], "files": files}  # fmt: skip


def read_bundle(path: Path, limits: Limits | None = None) -> Bundle:
    """The bundle in a file; raises IntakeError if it is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            most = (limits or Limits()).total_bytes
            size = sum(member.file_size for member in archive.infolist())
            if size > most:
                raise IntakeError(
                    gettext("%(path)s has more in it than the limit of %(limit)s", path=path, limit=human_size(most))
                )
            return _bundle(archive)
    except OSError as error:
        raise IntakeError(
            gettext("%(path)s cannot be read: %(reason)s", path=path, reason=(error.strerror or str(error)).lower())
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError, ValueError, RuntimeError) as error:
        if isinstance(error, IntakeError):
            raise
        raise IntakeError(
            gettext("%(path)s is not a bundle of a run; you can download one from the page of each run", path=path)
        ) from None


def _bundle(archive: zipfile.ZipFile) -> Bundle:
    index = json.loads(archive.read(_INDEX))
    if (index["format"], index["version"]) != (FORMAT, VERSION):
        raise IntakeError(
            gettext(
                "the bundle has format %(format)s %(version)s, which this version of moss cannot read",
                format=index["format"],
                version=index["version"],
            )
        )
    submissions = tuple(_submission(archive, each) for each in index["submissions"])
    if len({each.id for each in submissions}) < len(submissions):
        raise IntakeError(gettext("the bundle has two submissions of the same name"))
    return Bundle(submissions, dict(index["settings"]), dict(index["inputs"]), dict(index["about"]), index["report"])


def _submission(archive: zipfile.ZipFile, given: Mapping[str, Any]) -> Submission:
    skipped = tuple(Problem(str(path), str(reason)) for path, reason in given["skipped"])
    return Submission(
        str(given["id"]), str(given["owner"]), tuple(_files(archive, given["files"])), Role(given["role"]), skipped,
        given.get("version"), _time(given.get("time")),
        str(given["language"]), section=str(given.get("section", "")), account=str(given.get("account", "")),
        history=_history(given.get("history")), dated=_time(given.get("dated")),
        reference=ReferenceKind(kind) if (kind := given.get("reference")) else None,
    )  # fmt: skip


def _time(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written) if written else None


def _history(given: Mapping[str, Any] | None) -> GitHistory | None:
    if given is None:
        return None
    commits = tuple(Commit(**each) for each in given["commits"])
    return GitHistory(commits, int(given["count"]), bool(given["cut"]))


def _files(archive: zipfile.ZipFile, given: Sequence[Mapping[str, Any]]) -> Iterator[SourceFile]:
    for file in given:
        text = archive.read(file["member"]).decode("utf-8", "surrogatepass")
        cells = tuple(Cell(str(label), str(language), start, end) for label, language, start, end in file["cells"])
        if not all(0 <= cell.start <= cell.end <= len(text) for cell in cells):
            raise IntakeError(gettext("the bundle has a cell outside of %(file)s", file=file["path"]))
        origins = tuple(LineOrigin(int(line), int(commit)) for line, commit in file.get("origins", ()))
        yield SourceFile(str(file["path"]), text, str(file["sha256"]), str(file["encoding"]), cells, origins)
