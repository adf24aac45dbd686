"""Runs of text as writers' programs store them, put together to paragraphs: who sees them, and in which font.

`Story` is what the readers of word processors' formats share: they tell it which paragraphs begin and end, which runs
stand in them, and where pages end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from moss.intake.documents.paragraphs import Paragraph, ParagraphKind

_MONOSPACED = re.compile(
    r"courier|consol|menlo|monaco|mono(?!type|lith)|source ?code|fira ?code|cascadia|typewriter|fixed|cmtt|terminal",
    re.IGNORECASE,
)
_LISTING_STYLE = re.compile(r"code|listing|preformatted|verbatim|source", re.IGNORECASE)
_WHITE = 0xF5  # the least of each colour that nobody tells from white paper
SMALLEST = 1.5  # points: smaller letters cannot be read


class Look(NamedTuple):
    """How a run of text looks; None where it looks as what is around it."""

    hidden: bool | None = None
    white: bool | None = None
    monospaced: bool | None = None

    def over(self, below: Look) -> Look:
        """This look where it says something, else the one below."""
        return Look(*(mine if mine is not None else theirs for mine, theirs in zip(self, below, strict=True)))


PLAIN = Look(False, False, False)


def is_monospaced(font: str) -> bool:
    """Whether a font of this name is one of a typewriter."""
    return bool(_MONOSPACED.search(font))


def is_listing_style(name: str) -> bool:
    """Whether a style of this name is meant for programs."""
    return bool(_LISTING_STYLE.search(name))


def is_white(red: int, green: int, blue: int) -> bool:
    """Whether a colour, each part of it up to 255, cannot be told from white."""
    return min(red, green, blue) >= _WHITE


def is_white_hex(color: str) -> bool:
    """Whether a colour such as `#FFFFFF` cannot be told from white."""
    digits = color.lstrip("#")
    try:
        return len(digits) == 6 and is_white(*bytes.fromhex(digits))
    except ValueError:
        return False


@dataclass
class _Open:
    """A paragraph that has begun."""

    kind: ParagraphKind
    page: int
    line: int = 0
    seen: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    monospaced: int = 0  # characters of those that are seen
    written: int = 0

    def paragraphs(self) -> Iterator[Paragraph]:
        """Three paragraphs: the text that is seen, the text that is hidden, and the text that was deleted."""
        typed = bool(self.written) and self.monospaced == self.written
        yield Paragraph("".join(self.seen), self.kind, self.page, self.line, monospaced=typed)
        yield Paragraph("".join(self.hidden), ParagraphKind.HIDDEN, self.page, self.line)
        yield Paragraph("".join(self.deleted), ParagraphKind.DELETED, self.page, self.line)


class Story:
    """Collects the paragraphs of a document in the order in which they end, and counts its pages."""

    def __init__(self) -> None:
        self.found: list[Paragraph] = []
        self.page = 1
        self._open: list[_Open] = []
        self._breaks = 0
        self._fresh = True  # nothing stands on this page yet

    def begin(self, kind: ParagraphKind, page: int | None = None, line: int = 0) -> None:
        """A paragraph begins, perhaps inside another one, as in a text box."""
        self._open.append(_Open(kind, self.page if page is None else page, line))

    def add(self, text: str, look: Look, deleted: bool = False) -> None:
        """A run of the innermost paragraph."""
        if not self._open or not text:
            return
        paragraph = self._open[-1]
        if deleted:
            paragraph.deleted.append(text)
        elif look.hidden or look.white:
            paragraph.hidden.append(text)
        else:
            self._see(paragraph, text, bool(look.monospaced))

    def _see(self, paragraph: _Open, text: str, monospaced: bool) -> None:
        if written := len(text) - text.count(" "):
            if not paragraph.written:
                paragraph.page = max(paragraph.page, self.page) if paragraph.page else 0
            paragraph.written += written
            paragraph.monospaced += written * monospaced
            self._fresh = False
        paragraph.seen.append(text)

    def end(self) -> None:
        """The innermost paragraph ends."""
        if self._open:
            self.found.extend(self._open.pop().paragraphs())

    def turn_page(self, noted: bool = False) -> None:
        """A page ends here; `noted` by the program that laid the text out, which notes the author's breaks as well."""
        if not (noted and self._fresh and self._breaks):
            self.page += 1
            self._breaks += 1
        self._fresh = True

    def paragraphs(self) -> list[Paragraph]:
        """All paragraphs; without a page where nothing in the file says where pages end."""
        while self._open:
            self.end()
        return self.found if self._breaks else [replace(paragraph, page=0) for paragraph in self.found]
