"""PDF: lines become paragraphs again, and nothing that is painted oddly is missed or passed over in silence."""

from __future__ import annotations

import io
import logging

import pytest
from fpdf import FPDF
from fpdf.enums import TextMode
from PIL import Image
from support.corpora import prose
from support.documents import pdf

from moss.intake import Limits
from moss.intake.documents.extraction import extract
from moss.intake.documents.formats import DocumentFormat
from moss.intake.documents.paragraphs import Extracted
from moss.intake.entries import UnreadableError


def read(content: bytes | FPDF) -> Extracted:
    return extract(DocumentFormat.PDF, content if isinstance(content, bytes) else bytes(content.output()), Limits())


def places(found: Extracted) -> list[tuple[str, str]]:
    return [(cell.label, found.text[cell.start : cell.end]) for cell in found.cells]


def one_page() -> FPDF:
    document = FPDF()
    document.add_page()
    document.set_font("Helvetica", size=11)
    return document


def picture(document: FPDF) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "gray").save(buffer, "PNG")
    document.image(buffer, 0, 0, document.w, document.h)


@pytest.fixture(autouse=True)
def quiet():
    """What the reader does to the library's log is undone."""
    level = logging.getLogger("pdfminer").level
    yield
    logging.getLogger("pdfminer").setLevel(level)


def test_paragraphs_are_whole_again_on_their_pages() -> None:
    pages = [[prose(10 * n + k, 60) for k in range(5)] for n in range(3)]
    assert places(read(pdf(pages))) == [
        (f"page {number}, paragraph {place}", text.strip())
        for number, page in enumerate(pages, 1)
        for place, text in enumerate(page, 1)
    ]


def test_words_are_put_together_that_a_line_end_took_apart() -> None:
    document = one_page()
    for line in ("The govern-", "ment of the well-", "Known north"):
        document.cell(0, 5, line, new_x="LMARGIN", new_y="NEXT")
    assert read(document).text == "The government of the well- Known north\n"


def test_indented_paragraphs_are_told_apart() -> None:
    document = one_page()
    for indent, line in ((0, "first of"), (0, "one"), (8, "first of"), (0, "two")):
        document.set_x(document.l_margin + indent)
        document.cell(0, 5, line, new_x="LMARGIN", new_y="NEXT")
    assert [text for _, text in places(read(document))] == ["first of one", "first of two"]


@pytest.mark.parametrize("columns", [(10, 110), (110, 10)])
def test_columns_are_read_one_after_the_other(columns: tuple[int, int]) -> None:
    document = one_page()
    for left in columns:
        for number in range(3):
            document.text(left, 20 + 5 * number, f"column {left} line {number}")
    assert [text for _, text in places(read(document))] == [
        " ".join(f"column {left} line {number}" for number in range(3)) for left in columns
    ]


def hide_by_mode(document: FPDF) -> None:
    document.text_mode = TextMode.INVISIBLE


def hide_by_color(document: FPDF) -> None:
    document.set_text_color(255, 255, 255)


def hide_by_size(document: FPDF) -> None:
    document.set_font_size(1)


def hide_by_place(document: FPDF) -> None:
    document.set_xy(10, -40)


@pytest.mark.parametrize("hide", [hide_by_mode, hide_by_color, hide_by_size, hide_by_place])
def test_invisible_text_stands_apart_and_is_reported(hide) -> None:
    document = one_page()
    document.cell(30, 5, "plain to see", new_x="LMARGIN", new_y="NEXT")
    hide(document)
    document.set_auto_page_break(False)
    if hide is hide_by_place:
        document.text(10, -40, "noise here")
    else:
        document.cell(30, 5, "noise here")
    found = read(document)
    assert places(found) == [("page 1, paragraph 1", "plain to see"), ("page 1, invisible text 1", "noise here")]
    assert found.findings == ("it has 2 words of invisible text, which were compared too",)


def test_white_letters_on_a_dark_ground_can_be_read() -> None:
    document = one_page()
    document.set_fill_color(20, 40, 90)
    document.rect(5, 5, 100, 30, style="F")
    document.set_text_color(255)
    document.text(10, 20, "My title")
    assert read(document).findings == ()


def test_a_scan_without_text_is_called_one() -> None:
    document = one_page()
    picture(document)
    document.add_page()
    picture(document)
    with pytest.raises(UnreadableError, match="a scanned PDF without text: 2 pages of pictures, which are not read"):
        read(document)


def test_a_scan_among_pages_with_text_is_told() -> None:
    document = one_page()
    document.text(10, 20, "one page of text")
    document.add_page()
    picture(document)
    assert read(document).findings == ("1 of its 2 pages are pictures without text, which are not read",)


def test_recognised_text_on_a_scan_is_no_hidden_text() -> None:
    document = one_page()
    picture(document)
    document.text_mode = TextMode.INVISIBLE
    document.text(10, 20, "words that were recognised")
    found = read(document)
    assert places(found) == [("page 1, paragraph 1", "words that were recognised")]
    assert found.findings == ("1 of its 1 pages are pictures; the invisible text on them was compared",)


def test_a_listing_keeps_its_lines_and_is_code() -> None:
    document = one_page()
    document.set_font("Courier", size=10)
    program = "def mean(values):\n    total = sum(values)\n    return total / len(values)"
    document.multi_cell(0, 5, program)
    found = read(document)
    assert [(cell.language, found.text[cell.start : cell.end]) for cell in found.cells] == [("python", program)]


def test_comments_on_a_page_count() -> None:
    document = one_page()
    document.text(10, 20, "words")
    document.text_annotation(10, 30, "copied from the book")
    assert ("page 1, comment 1", "copied from the book") in places(read(document))


def test_an_encrypted_pdf_is_called_so() -> None:
    document = one_page()
    document.text(10, 20, "words")
    document.set_encryption(owner_password="a", user_password="b")
    with pytest.raises(UnreadableError, match="an encrypted PDF"):
        read(document)


def test_a_damaged_page_costs_that_page() -> None:
    damaged = pdf([[prose(n, 40)] for n in range(3)]).replace(b"/FlateDecode", b"/XlateDecode", 1)
    found = read(damaged)
    assert found.text == f"{prose(1, 40)}\n\n{prose(2, 40)}\n"
    assert found.findings == ("a damaged PDF (PDFNotImplementedError): only what could be read was compared",)


def test_a_pdf_of_which_nothing_is_left_is_refused() -> None:
    with pytest.raises(UnreadableError, match=r"a damaged PDF, not read \("):
        read(pdf([[prose(1, 40)]])[:400])
