"""One side of a pair's page: its files with marked passages, and the map beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from moss.model import FileRecord, ReferenceKind, Status, SubmissionRecord
from moss.report.character_layers import Marking
from moss.report.code_view import MarkedFile, PassagePlace, code, look
from moss.report.file_sheet import sheet_of
from moss.report.visible_text import visible, visible_plain

MAP_HEIGHT = 1000
_SMALLEST = 6  # the least height of a block of the map, so that it can be seen and clicked


@dataclass(frozen=True, slots=True)
class SidePassage:
    """A passage on one side: how it is marked, and where it is."""

    marking: Marking
    place: PassagePlace


@dataclass(frozen=True, slots=True)
class PairFile:
    """A file as the page shows it."""

    name: str
    file: FileRecord
    path: Markup
    lines: int
    matched: int  # lines with a marked character
    base: int  # lines with handed-out code
    code: Markup


@dataclass(frozen=True, slots=True)
class MapBlock:
    """A passage on the map of a side, in thousandths of the height."""

    number: int
    look: str
    top: float
    height: float


@dataclass(frozen=True, slots=True)
class PairSide:
    """One submission of the pair."""

    letter: str  # a or b
    number: int
    name: Markup
    plain_name: str
    kind: ReferenceKind | None  # if it is a reference
    share: float
    files: tuple[PairFile, ...]
    blocks: tuple[MapBlock, ...]
    ends: tuple[float, ...]  # where files end on the map


def side_of(
    letter: str, number: int, record: SubmissionRecord, share: float, found: Sequence[SidePassage], careful: bool
) -> PairSide:
    """A submission with the passages found in it; files with passages come first."""
    here = {file.path: [f for f in found if f.place.region.file == file.path] for file in record.files}
    ordered = sorted(record.files, key=lambda file: (not here[file.path], file.status is Status.SKIPPED))
    files = tuple(_file(f"{letter}{n}", file, here[file.path], careful) for n, file in enumerate(ordered, 1))
    return PairSide(
        letter,
        number,
        visible(record.id),
        visible_plain(record.id),
        record.kind,
        share,
        files,
        tuple(_blocks(ordered, [f.place for f in found])),
        tuple(MAP_HEIGHT * (first + file.lines) / _total(ordered) for file, first in _firsts(ordered))[:-1],
    )


def _file(name: str, file: FileRecord, found: Sequence[SidePassage], careful: bool) -> PairFile:
    sheet = sheet_of(file.language, file.text, careful)
    shown = MarkedFile(name, sheet, [f.marking for f in found], [f.place for f in found], file.base, file.cells)
    return PairFile(
        name,
        file,
        visible(file.path),
        len(sheet.lines),
        shown.matched,
        len(shown.starter),
        code(shown),
    )


def _firsts(files: Sequence[FileRecord]) -> list[tuple[FileRecord, int]]:
    """Each file with the number of lines before it."""
    result = []
    before = 0
    for file in files:
        result.append((file, before))
        before += file.lines
    return result


def _total(files: Sequence[FileRecord]) -> int:
    return max(1, sum(file.lines for file in files))


def _blocks(files: Sequence[FileRecord], places: Sequence[PassagePlace]) -> list[MapBlock]:
    before = {file.path: first for file, first in _firsts(files)}
    scale = MAP_HEIGHT / _total(files)
    return [
        MapBlock(
            place.number,
            look(place.number),
            round(scale * (before[place.region.file] + place.region.start_line - 1), 1),
            round(max(_SMALLEST, scale * (place.region.end_line - place.region.start_line + 1)), 1),
        )
        for place in places
    ]
