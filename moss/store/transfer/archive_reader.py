"""Reading the archive of a course, which anyone may have made: everything in it is checked."""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TypeVar

from pydantic import ValidationError

from moss.messages import gettext as _
from moss.shapes import first_fault
from moss.store.transfer.archive_format import (
    COURSE,
    ArchivedCourse,
    ArchivedModel,
    ArchivedReport,
    run_member,
    text_member,
)

MIB = 1024 * 1024
MOST_MEMBERS = 500_000
MOST_BYTES = 4096 * MIB  # of all members together
LARGEST_PLAIN = 256 * MIB  # of JSON, or of a ranking
LARGEST_TEXT = 64 * MIB
HIGHEST_RATIO = 200  # unpacked to packed size, above the first megabytes
_MEMBER = re.compile(r"course\.json|runs/[1-9]\d{0,7}-[1-9]\d{0,9}\.(?:json|ranking)|texts/[0-9a-f]{64}")

Model = TypeVar("Model", bound=ArchivedModel)


class ArchiveError(ValueError):
    """An archive that cannot be imported; the message says why, in words that end a sentence."""


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive whose names and sizes were checked."""

    zip: zipfile.ZipFile
    course: ArchivedCourse

    def report(self, assignment: int, number: int) -> ArchivedReport:
        """The report of a run."""
        return _plain(self.zip, run_member(assignment, number, "json"), ArchivedReport)

    def ranking(self, assignment: int, number: int) -> bytes:
        """The ranking of a run."""
        return _content(self.zip, run_member(assignment, number, "ranking"), LARGEST_PLAIN)

    def text(self, digest: str) -> str:
        """A text, checked against the digest in its name."""
        name = text_member(digest)
        content = _content(self.zip, name, LARGEST_TEXT)
        if hashlib.sha256(content).hexdigest() != digest:
            raise ArchiveError(_("%(file)s is not the text that its name says", file=name))
        try:
            return content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise ArchiveError(_("%(file)s is not a text", file=name)) from None


def open_archive(file: IO[bytes]) -> Archive:
    """The archive in a file; raises ArchiveError if it is not an archive, is too large, or has members that do not
    belong there."""
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, OverflowError):
        raise ArchiveError(_("it is not a zip file, or only a part of one")) from None
    _check_members(archive, file.seek(0, 2))
    if COURSE not in archive.NameToInfo:
        raise ArchiveError(_("it is not a course that moss exported: %(file)s is missing", file=COURSE))
    course = _plain(archive, COURSE, ArchivedCourse)
    if surplus := set(archive.namelist()) - set(_expected(course)):
        raise ArchiveError(_("%(file)s belongs to nothing in it", file=min(surplus)))
    return Archive(archive, course)


def _check_members(archive: zipfile.ZipFile, size: int) -> None:
    members = archive.infolist()
    if len(members) > MOST_MEMBERS or len(members) != len(archive.NameToInfo):
        raise ArchiveError(_("it has too many files, or several with one name"))
    for member in members:
        if not _MEMBER.fullmatch(member.filename):
            raise ArchiveError(_("%(file)r does not belong into an exported course", file=member.filename[:80]))
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ArchiveError(_("%(file)s is encrypted, or packed in an unusual way", file=member.filename))
    total = sum(member.file_size for member in members)
    if total > min(MOST_BYTES, 64 * MIB + HIGHEST_RATIO * size):
        raise ArchiveError(_("unpacked, it is much too large"))


def _expected(course: ArchivedCourse) -> Iterator[str]:
    yield COURSE
    for place, assignment in enumerate(course.assignments):
        for run in assignment.runs:
            yield from (run_member(place, run.number, ending) for ending in ("json", "ranking"))
            yield from map(text_member, run.texts)
        for submission in assignment.submissions:
            yield from (text_member(file.text) for file in submission.files)


def _content(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    member = archive.NameToInfo.get(name)
    if member is None:
        raise ArchiveError(_("it is incomplete: %(file)s is missing", file=name))
    if member.file_size > most:
        raise ArchiveError(_("%(file)s is larger than %(n)s MB", file=name, n=most // MIB))
    try:
        with archive.open(member) as file:  # which reads no more than the size in the directory
            return file.read()
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError, zlib.error):
        raise ArchiveError(_("%(file)s is damaged", file=name)) from None


def _plain(archive: zipfile.ZipFile, name: str, model: type[Model]) -> Model:
    content = _content(archive, name, LARGEST_PLAIN)
    try:
        return model.model_validate_json(content, strict=True)
    except ValidationError as error:
        raise ArchiveError(_("%(file)s is wrong at %(place)s", file=name, place=first_fault(error))) from None
