"""PDF documents: strings where they are painted, put together to lines and paragraphs by where they stand.

pdfminer.six interprets the page; its own analysis of the layout is not used. It takes most of its time, and it sees
letters without how they are painted: invisibly, in white, too small, or beside the page.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from math import hypot
from typing import Any, NamedTuple

from pdfminer.pdfdevice import PDFTextDevice
from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect
from pdfminer.pdffont import PDFUnicodeNotDefined
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import dict_value, list_value, resolve1
from pdfminer.utils import apply_matrix_pt, decode_text, mult_matrix

from moss.intake.documents.lines import Piece, paragraphs_of
from moss.intake.documents.paragraphs import Extracted, Paragraph, ParagraphKind, put_together
from moss.intake.documents.runs import SMALLEST, is_monospaced, is_white
from moss.intake.entries import UnreadableError
from moss.messages import gettext as _
from moss.messages import number
from moss.processes.budget import OverBudgetError

_FIXED_PITCH = 1  # among a font's flags
_INVISIBLE = 3  # render mode
_MOST_GROUNDS = 2000  # filled areas and pictures of a page that are remembered
_MOST_NOTES = 5000  # of a page
_BLANK = 200  # thousandths of a letter's size: a gap that wide is a blank


class Box(NamedTuple):
    """An area of a page."""

    left: float
    bottom: float
    right: float
    top: float

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in it."""
        return self.left <= x <= self.right and self.bottom <= y <= self.top


def read_pdf(content: bytes) -> Extracted:
    """The text of a PDF, with its paragraphs; raises UnreadableError."""
    logging.getLogger("pdfminer").setLevel(logging.CRITICAL)  # it has a word for each oddity of a page
    reader = _Reader()
    try:
        for page in PDFPage.create_pages(PDFDocument(PDFParser(BytesIO(content)))):
            reader.read(page)
    except (PDFPasswordIncorrect, PDFEncryptionError):
        raise UnreadableError(_("an encrypted PDF, so it cannot be read")) from None
    except (MemoryError, RecursionError, OverBudgetError):
        raise
    except Exception as error:  # the library raises whatever hostile bytes lead it to
        reader.damage = type(error).__name__
    return put_together(reader.found, list(reader.findings()))


@dataclass
class _Reader:
    """Reads page by page, and remembers what is odd about them."""

    found: list[Paragraph] = field(default_factory=list)
    pages: int = 0
    pictures: int = 0  # pages that are nothing else
    recognised: int = 0  # pages whose text lies invisibly on a picture, as programs put it that recognise letters
    unknown: int = 0  # characters of which nobody knows the letter
    damage: str = ""  # what went wrong last

    def __post_init__(self) -> None:
        self._resources = PDFResourceManager()

    def read(self, page: PDFPage) -> None:
        self.pages += 1
        device = _Device(self._resources, Box(*page.mediabox))
        try:
            PDFPageInterpreter(self._resources, device).process_page(page)
            self._take(device)
            self.found += _notes(page, self.pages)
        except (MemoryError, RecursionError, OverBudgetError):
            raise
        except Exception as error:  # of one page, which costs that page
            self.damage = type(error).__name__

    def _take(self, device: _Device) -> None:
        pieces = device.pieces
        self.unknown += device.unknown
        if not pieces:
            self.pictures += bool(device.pictures)
            return
        if all(piece.hidden and _lies_on(piece, device.pictures) for piece in pieces):
            self.recognised += 1
            pieces = [piece._replace(hidden=False) for piece in pieces]
        self.found += paragraphs_of(pieces, self.pages)

    def findings(self) -> Iterator[str]:
        """Sentences for the report about this PDF; raises UnreadableError if there is nothing but pictures."""
        if not self.found and self.pictures:
            raise UnreadableError(
                _("a scanned PDF without text: %(n)s pages of pictures, which are not read", n=self.pictures)
            )
        if self.damage and not self.found:
            raise UnreadableError(_("a damaged PDF, not read (%(error)s)", error=self.damage))
        if self.damage:
            yield _("a damaged PDF (%(error)s): only what could be read was compared", error=self.damage)
        if self.pictures:
            yield _(
                "%(n)s of its %(all)s pages are pictures without text, which are not read",
                n=self.pictures,
                all=self.pages,
            )
        if self.recognised:
            yield _(
                "%(n)s of its %(all)s pages are pictures; the invisible text on them was compared",
                n=self.recognised, all=self.pages,
            )  # fmt: skip
        if self.unknown > sum(len(paragraph.text) for paragraph in self.found) // 20:
            yield _("it has %(n)s characters that stand for no letter, which were ignored", n=number(self.unknown))


def _lies_on(piece: Piece, pictures: Sequence[Box]) -> bool:
    return any(picture.holds(*piece.start) for picture in pictures)


def _notes(page: PDFPage, number: int) -> Iterator[Paragraph]:
    """Comments on a page, and what was filled into its forms."""
    for reference in list_value(page.annots or [])[:_MOST_NOTES]:
        note = dict_value(reference)
        for key, kind in (("Contents", ParagraphKind.COMMENT), ("V", ParagraphKind.BOX)):
            value = resolve1(note.get(key))
            if isinstance(value, bytes):
                yield Paragraph(decode_text(value), kind, number)


class _Device(PDFTextDevice):
    """Collects the strings of a page and how they are painted."""

    def __init__(self, resources: PDFResourceManager, page: Box) -> None:
        super().__init__(resources)
        self.pieces: list[Piece] = []
        self.pictures: list[Box] = []
        self.unknown = 0
        self._page = page
        self._dark: list[Box] = []

    def render_string(self, textstate: Any, seq: Any, ncs: Any, graphicstate: Any) -> None:
        font = textstate.font
        across, along = mult_matrix(textstate.matrix, self.ctm or (1, 0, 0, 1, 0, 0)), _Advance(textstate)
        start = along.place(across)
        letters: list[str] = []
        for item in seq:
            if isinstance(item, int | float):
                letters += [" "] * (-item > _BLANK)
                along.skip(item)
            elif isinstance(item, bytes):
                letters += self._letters(font, item, along)
        textstate.linematrix = along.position
        self._put(letters, start, along.place(across), across, textstate, graphicstate)

    def _letters(self, font: Any, string: bytes, along: _Advance) -> Iterator[str]:
        for code in font.decode(string):
            along.step(font.char_width(code), is_blank=code == 32)
            try:
                yield font.to_unichr(code)
            except (PDFUnicodeNotDefined, KeyError):
                self.unknown += 1

    def _put(self, letters: list[str], start: Any, end: Any, matrix: Any, textstate: Any, graphicstate: Any) -> None:
        size = abs(textstate.fontsize) * hypot(matrix[2], matrix[3])
        white = is_white_ink(graphicstate.ncolor) and not any(ground.holds(*start) for ground in self._dark)
        unseen = textstate.render == _INVISIBLE or size < SMALLEST or white or not self._page.holds(*start)
        typed = bool(textstate.font.flags & _FIXED_PITCH) or is_monospaced(str(textstate.font.fontname))
        self.pieces.append(Piece("".join(letters), start, end, size, unseen, typed))

    def paint_path(self, gstate: Any, stroke: bool, fill: bool, evenodd: bool, path: Any) -> None:
        if fill and not is_white_ink(gstate.ncolor) and len(self._dark) < _MOST_GROUNDS:
            points = [(step[n], step[n + 1]) for step in path for n in range(1, len(step) - 1, 2)]
            self._dark += self._around(points)

    def render_image(self, name: str, stream: Any) -> None:
        if len(self.pictures) < _MOST_GROUNDS:
            found = self._around([(0, 0), (0, 1), (1, 0), (1, 1)])
            self.pictures += found
            self._dark += found

    def _around(self, points: Sequence[tuple[float, float]]) -> list[Box]:
        if not points or self.ctm is None:
            return []
        xs, ys = zip(*(apply_matrix_pt(self.ctm, point) for point in points), strict=True)
        return [Box(min(xs), min(ys), max(xs), max(ys))]


class _Advance:
    """How far a string has come, in the text's own coordinates."""

    def __init__(self, textstate: Any) -> None:
        scaling = textstate.scaling * 0.01
        self._scale = textstate.fontsize * scaling
        self._charspace = textstate.charspace * scaling
        self._wordspace = 0 if textstate.font.is_multibyte() else textstate.wordspace * scaling
        self._upright = textstate.font.is_vertical()
        self.position: tuple[float, float] = textstate.linematrix

    def step(self, width: float, is_blank: bool) -> None:
        """Go on by one letter."""
        self._go(width * self._scale + self._charspace + (self._wordspace if is_blank else 0))

    def skip(self, thousandths: float) -> None:
        """Go on by a gap, which is counted backwards."""
        self._go(-0.001 * thousandths * self._scale)

    def _go(self, distance: float) -> None:
        x, y = self.position
        self.position = (x, y + distance) if self._upright else (x + distance, y)

    def place(self, matrix: Any) -> tuple[float, float]:
        """Where that is on the page."""
        return apply_matrix_pt(matrix, self.position)


def is_white_ink(color: Any) -> bool:
    """Whether a colour, as one part of grey, three of light or four of ink, cannot be told from white."""
    parts = color if isinstance(color, tuple | list) else (color,)
    if not all(isinstance(part, int | float) for part in parts):
        return False
    if len(parts) == 4:
        return bool(max(parts) < 0.04)
    return len(parts) in (1, 3) and is_white(*(int(255 * part) for part in (parts if len(parts) == 3 else parts * 3)))
