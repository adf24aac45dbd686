"""A program's text as the historical pages show it: in one piece, with its passages in colours."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup

from moss.report.classic.figures import ClassicPassage, ClassicSide, compared_files

COLOURS = ("FF0000", "00FF00", "0000FF", "00FFFF", "FF00FF")

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# Tab, line feed, form feed and carriage return can stand in a page; a number in the second group would be read as
# something else.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escaped(text: str) -> Markup:
    """The text as markup. Quotes stay as they are: it never stands in an attribute, and readers look for them."""
    return Markup(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text).translate(_ESCAPES))


def escaped_name(name: str) -> Markup:
    """A name or comment as markup, with nothing left in it that could end or begin anything."""
    return Markup(str(escaped(name)).replace('"', "&quot;"))


def text_lines(side: ClassicSide) -> list[str]:
    """The lines of the program's text, each with its end."""
    lines: list[str] = []
    for path, _, text in compared_files(side.record):
        if side.with_headers:
            lines.append(f">>>> file: {path}\n")
        lines.extend(_LINE.findall(text))
        if lines and not lines[-1].endswith(("\r", "\n")):
            lines[-1] += "\n"
    return lines


def marked_text(side: ClassicSide, match: int, other: int, bitmaps: str) -> Markup:
    """The program's text with each passage in its colour, and a link from its beginning to the `other` side's."""
    lines = text_lines(side)
    markup: list[str] = []
    done = 0
    for passage, first, end in _places(side.passages, len(lines)):
        markup += map(escaped, lines[done:first])
        markup.append(_opening(passage, match, other, bitmaps))
        markup += map(escaped, lines[first:end])
        markup.append("</FONT>")
        done = end
    return Markup("".join([*markup, *map(escaped, lines[done:])]))


def _places(passages: tuple[ClassicPassage, ...], lines: int) -> Iterator[tuple[ClassicPassage, int, int]]:
    """Each passage with its first line, from 0, and the line after its last; a line of two passages is the first's."""
    free = 0
    for passage in sorted(passages, key=lambda passage: (passage.start_line, passage.end_line, passage.number)):
        first = min(lines, max(free, passage.start_line - 1))
        free = min(lines, max(first, passage.end_line))
        yield passage, first, free


def _opening(passage: ClassicPassage, match: int, other: int, bitmaps: str) -> str:
    number, colour = passage.number, passage.number % len(COLOURS)
    return (
        f'<A NAME="{number}"></A><FONT color = #{COLOURS[colour]}>'
        f'<A HREF="match{match}-{other}.html#{number}" TARGET="{other}">'
        f'<IMG SRC="{bitmaps}/tm_{colour}_{passage.percent}.gif" ALT="other" BORDER="0" ALIGN=left></A>\n\n'
    )
