"""One side of a pair's page: its files with marked passages, and the map beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from moss.lines import count_lines
from moss.model import FileRecord, Status, SubmissionRecord
from moss.report.character_layers import Marking, spans_by_line
from moss.report.code_view import MarkedFile, PassagePlace, code, folds_of, is_handed_out, look
from moss.report.syntax_classes import kinds_of
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
    path: Markup
    language: str
    lines: int
    matched: int  # lines with a marked character
    base: int  # lines with handed-out code
    code: Markup
    reason: str  # why it is not compared, or compared in a lesser way


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
    role: str
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
        record.role.value,
        share,
        files,
        tuple(_blocks(ordered, [f.place for f in found])),
        tuple(MAP_HEIGHT * (first + file.lines) / _total(ordered) for file, first in _firsts(ordered))[:-1],
    )


def _file(name: str, file: FileRecord, found: Sequence[SidePassage], careful: bool) -> PairFile:
    kinds = kinds_of(file.language, file.text, careful)
    base = [(region.start, region.end) for region in file.base]
    places = [f.place for f in found]
    # Folded lines have no colours: on most pages they are most of the text, and few are ever opened.
    folds = folds_of(count_lines(file.text), places)
    lines = spans_by_line(file.text, kinds, [f.marking for f in found], base, folds)
    shown = MarkedFile(name, file.text, lines, places, file.base, file.cells)
    return PairFile(
        name,
        visible(file.path),
        file.language,
        len(lines),
        sum(any(span.look.match for span in line) for line in lines) if found else 0,
        sum(map(is_handed_out, lines)) if file.base else 0,
        code(shown),
        file.reason,
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
