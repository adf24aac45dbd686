"""Strings that stand somewhere on a page, put together to lines, and lines to paragraphs.

Strings are taken in the order in which the page paints them, which is that of reading in what word processors and TeX
write, columns included. A line goes on as long as strings stand on one height; a paragraph goes on as long as lines are
as far apart as most are, are of one size, and are not indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from statistics import median
from typing import NamedTuple

from moss.intake.documents.paragraphs import Paragraph, ParagraphKind

_GAP = 0.15  # of a letter's size between two strings: a blank
_ON_LINE = 0.6  # of a letter's size: how much higher or lower a string of the same line may stand
_WIDER = 1.35  # times the usual distance of two lines: a new paragraph
_INDENTED = 0.8  # of a letter's size
_LETTER_WIDTH = 0.6  # of a typewriter's letter, by its size
_HYPHEN = re.compile("[^\\W\\d_][-\xad\u2010]$")


class Piece(NamedTuple):
    """A string on a page: where it begins and ends, and how it is painted."""

    text: str
    start: tuple[float, float]
    end: tuple[float, float]
    size: float
    hidden: bool
    monospaced: bool


@dataclass
class _Line:
    """A line: its text, how far along and across its direction it begins, and how its letters look."""

    along: float
    across: float
    size: float
    monospaced: bool
    end: float
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.words)


def paragraphs_of(pieces: Sequence[Piece], page: int) -> Iterator[Paragraph]:
    """The paragraphs of a page, and behind them what of it nobody sees."""
    lines = [line for line in _lines([piece for piece in pieces if not piece.hidden]) if not line.text.isspace()]
    usual = _usual_distance(lines)
    for found in _grouped(lines, usual):
        typed = all(line.monospaced for line in found)
        yield Paragraph(_listing(found) if typed else _flowing(found), ParagraphKind.BODY, page, monospaced=typed)
    hidden = [line.text for line in _lines([piece for piece in pieces if piece.hidden])]
    yield Paragraph(" ".join(hidden), ParagraphKind.HIDDEN, page)


def _lines(pieces: Sequence[Piece]) -> list[_Line]:
    lines: list[_Line] = []
    direction = (1.0, 0.0)
    for piece in pieces:
        if not piece.text:
            continue
        (x, y), (end_x, end_y) = piece.start, piece.end
        length = hypot(end_x - x, end_y - y)
        if length > 0.1 and not piece.text.isspace():
            direction = ((end_x - x) / length, (end_y - y) / length)
        along, across = _turned(x, y, direction)
        end, _ = _turned(end_x, end_y, direction)
        if not (lines and abs(lines[-1].across - across) < _ON_LINE * max(lines[-1].size, piece.size)):
            lines.append(_Line(along, across, piece.size, True, along))
        _append(lines[-1], piece, along, end)
    return lines


def _turned(x: float, y: float, direction: tuple[float, float]) -> tuple[float, float]:
    """A point by how far along a direction it lies, and how far across."""
    return x * direction[0] + y * direction[1], y * direction[0] - x * direction[1]


def _append(line: _Line, piece: Piece, along: float, end: float) -> None:
    apart = abs(along - line.end) > _GAP * max(piece.size, line.size)
    if line.words and apart and not line.words[-1].endswith(" "):
        line.words.append(" ")
    line.words.append(piece.text)
    line.monospaced &= piece.monospaced or piece.text.isspace()
    line.size, line.end = max(line.size, piece.size), end


def _usual_distance(lines: Sequence[_Line]) -> float:
    distances = [above.across - below.across for above, below in pairwise(lines)]
    sane = [d for d, line in zip(distances, lines, strict=False) if 0.5 * line.size < d < 3 * line.size]
    return median(sane) if sane else 0.0


def _grouped(lines: Sequence[_Line], usual: float) -> Iterator[list[_Line]]:
    group: list[_Line] = []
    for line in lines:
        if group and _begins(line, group, usual):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _begins(line: _Line, group: Sequence[_Line], usual: float) -> bool:
    """Whether a line begins a paragraph, behind those of another one."""
    above = group[-1]
    distance = above.across - line.across
    if distance <= 0 or distance > max(_WIDER * usual, 0.5 * line.size) or above.monospaced != line.monospaced:
        return True
    if abs(above.size - line.size) > 0.15 * above.size:
        return True
    return not line.monospaced and line.along - above.along > _INDENTED * line.size


def _flowing(lines: Sequence[_Line]) -> str:
    """The lines as one, words put together that were hyphenated at the end of a line."""
    text = ""
    for line in lines:
        hyphenated = _HYPHEN.search(text) and line.text.lstrip()[:1].islower()
        text = f"{text[:-1] if hyphenated else f'{text} '}{line.text.strip()}"
    return text


def _listing(lines: Sequence[_Line]) -> str:
    """The lines as they stand, each as far to the right as it is painted."""
    left = min(line.along for line in lines)
    return "\n".join(
        " " * min(80, round((line.along - left) / max(0.1, _LETTER_WIDTH * line.size))) + line.text.rstrip()
        for line in lines
    )
