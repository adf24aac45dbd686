"""Essays as documents, written by the libraries that other programs write them with."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

Pages = Sequence[Sequence[str]]
"""The paragraphs of each page."""


def docx(pages: Pages) -> bytes:
    """The pages as a Word document, with a page break between two of them."""
    from docx import Document

    document = Document()
    for number, page in enumerate(pages):
        if number:
            document.add_page_break()
        for paragraph in page:
            document.add_paragraph(paragraph)
    return saved(document)


def saved(document) -> bytes:
    """The bytes of something that can be saved to a file."""
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def odt(pages: Pages) -> bytes:
    """The pages as an OpenDocument text, each of which begins with a paragraph that begins a page."""
    from odf.opendocument import OpenDocumentText
    from odf.style import ParagraphProperties, Style
    from odf.text import P

    document = OpenDocumentText()
    break_before = Style(name="Break", family="paragraph")
    break_before.addElement(ParagraphProperties(breakbefore="page"))
    document.automaticstyles.addElement(break_before)
    for number, page in enumerate(pages):
        for place, paragraph in enumerate(page):
            style = {"stylename": break_before} if number and not place else {}
            document.text.addElement(P(text=paragraph, **style))
    return saved(document)


def pdf(pages: Pages) -> bytes:
    """The pages as a PDF, lines broken where they are full."""
    from fpdf import FPDF

    document = FPDF()
    document.set_font("Helvetica", size=11)
    for page in pages:
        document.add_page()
        for paragraph in page:
            document.multi_cell(0, 5, paragraph, new_x="LMARGIN", new_y="NEXT")
            document.ln(4)
    return bytes(document.output())


def txt(pages: Pages) -> bytes:
    """The pages as plain text."""
    return "\n\n".join(paragraph for page in pages for paragraph in page).encode()


WRITERS = {"docx": docx, "odt": odt, "pdf": pdf, "txt": txt}


_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word(body: str, **parts: str) -> bytes:
    """A Word document of this markup, with other parts (`footnotes`, `comments`, `styles`, …) by their names."""
    members = [("[Content_Types].xml", "<Types/>"), ("word/document.xml", f"<w:body {_WORD}>{body}</w:body>")]
    return zipped(
        [*members, *((f"word/{name}.xml", f"<w:part {_WORD}>{text}</w:part>") for name, text in parts.items())]
    )


def run(text: str, properties: str = "") -> str:
    """The markup of a run in Word."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def zipped(members: Sequence[tuple[str, str | bytes]]) -> bytes:
    """A zip archive of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


_PREFIXES = ("office", "text", "style", "table", "draw", "fo")
_OPEN = " ".join(f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0"' for prefix in _PREFIXES)


def open_text(body: str, styles: str = "") -> bytes:
    """An OpenDocument text of this markup and these automatic styles."""
    text = f"<office:body><office:text>{body}</office:text></office:body>"
    content = f"<office:document {_OPEN}>{styles}{text}</office:document>"
    return zipped([("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", content)])
