"""Documents of word processors: all that stands in them is read, where it stands, and what is hidden is told."""

from __future__ import annotations

import pytest
from docx import Document
from docx.shared import Pt, RGBColor
from support.documents import docx, odt, open_text, run, saved, word

from moss.intake import Limits
from moss.intake.documents.extraction import extract
from moss.intake.documents.formats import DocumentFormat
from moss.intake.documents.paragraphs import Extracted

PAGES = [["One paragraph.", "Another one, which is longer."], ["A second page."]]


def read(content: bytes, format: DocumentFormat = DocumentFormat.DOCX) -> Extracted:
    return extract(format, content, Limits())


def places(found: Extracted) -> list[tuple[str, str]]:
    """The label and the text of each cell."""
    return [(cell.label, found.text[cell.start : cell.end]) for cell in found.cells]


@pytest.mark.parametrize(("write", "format"), [(docx, DocumentFormat.DOCX), (odt, DocumentFormat.ODT)])
def test_pages_and_paragraphs_are_counted(write, format) -> None:
    assert places(read(write(PAGES), format)) == [
        ("page 1, paragraph 1", "One paragraph."),
        ("page 1, paragraph 2", "Another one, which is longer."),
        ("page 2, paragraph 1", "A second page."),
    ]


@pytest.mark.parametrize(("write", "format"), [(docx, DocumentFormat.DOCX), (odt, DocumentFormat.ODT)])
def test_without_a_page_break_no_page_is_claimed(write, format) -> None:
    assert [label for label, _ in places(read(write(PAGES[:1]), format))] == ["paragraph 1", "paragraph 2"]


def test_a_break_that_word_noted_again_is_one_break() -> None:
    noted = "<w:r><w:lastRenderedPageBreak/><w:t>next</w:t></w:r>"
    author = '<w:r><w:br w:type="page"/></w:r>'
    found = read(word(f"<w:p>{run('first')}</w:p><w:p>{author}</w:p><w:p>{noted}</w:p><w:p>{noted}</w:p>"))
    assert [label for label, _ in places(found)] == [
        "page 1, paragraph 1",
        "page 2, paragraph 1",
        "page 3, paragraph 1",
    ]


def test_everything_in_a_word_document_counts() -> None:
    box = f"<w:pict><w:txbxContent><w:p>{run('in a box')}</w:p></w:txbxContent></w:pict>"
    again = f"<mc:Fallback xmlns:mc='urn:x'>{box}</mc:Fallback>"
    body = (
        f"<w:p>{run('said ')}<w:del>{run('never ').replace('w:t', 'w:delText')}</w:del>{run('so')}</w:p>"
        f"<w:p><w:r>{box}{again}</w:r></w:p>"
        f"<w:tbl><w:tr><w:tc><w:p>{run('left')}</w:p></w:tc><w:tc><w:p>{run('right')}</w:p></w:tc></w:tr></w:tbl>"
        '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    )
    notes = f'<w:footnote w:type="separator" w:id="1"><w:p>{run("-")}</w:p></w:footnote>'
    notes += f'<w:footnote w:id="2"><w:p>{run("see below")}</w:p></w:footnote>'
    found = read(
        word(body, footnotes=notes, comments=f'<w:comment w:id="0"><w:p>{run("why?")}</w:p></w:comment>',
             header1=f"<w:p>{run('My essay')}</w:p>")
    )  # fmt: skip
    assert places(found) == [
        ("paragraph 1", "said so"),
        ("deleted text 1", "never"),
        ("text box 1", "in a box"),
        ("table paragraph 1", "left"),
        ("table paragraph 2", "right"),
        ("footnote 1", "see below"),
        ("comment 1", "why?"),
        ("header or footer 1", "My essay"),
    ]


def test_comments_as_a_library_writes_them() -> None:
    document = Document()
    written = document.add_paragraph().add_run("All men are mortal.")
    document.add_comment(written, text="Copied from the book", author="J", initials="J")
    assert ("comment 1", "Copied from the book") in places(read(saved(document)))


@pytest.mark.parametrize(
    "hiding",
    ["<w:vanish/>", '<w:color w:val="FFFFFF"/>', '<w:color w:val="FDFEFE"/>', '<w:sz w:val="1"/>',
     '<w:rStyle w:val="Ghost"/>'],
)  # fmt: skip
def test_invisible_text_stands_apart_and_is_reported(hiding: str) -> None:
    styles = '<w:style w:styleId="Ghost"><w:basedOn w:val="Pale"/></w:style>'
    styles += '<w:style w:styleId="Pale"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    found = read(word(f"<w:p>{run('copied w')}{run('noise here', hiding)}{run('ords')}</w:p>", styles=styles))
    assert places(found) == [("paragraph 1", "copied words"), ("invisible text 1", "noise here")]
    assert found.findings == ("it has 2 words of invisible text, which were compared too",)


def test_invisible_text_as_a_library_writes_it() -> None:
    document = Document()
    paragraph = document.add_paragraph("seen ")
    paragraph.add_run("white").font.color.rgb = RGBColor(255, 255, 255)
    paragraph.add_run(" tiny").font.size = Pt(1)
    paragraph.add_run(" gone").font.hidden = True
    assert places(read(saved(document))) == [("paragraph 1", "seen"), ("invisible text 1", "white tiny gone")]


@pytest.mark.parametrize(
    "properties",
    ['<w:color w:val="FFFFFF"/><w:shd w:fill="1F3864"/>', '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>',
     '<w:vanish w:val="0"/>', '<w:color w:val="808080"/>', '<w:sz w:val="16"/>'],
)  # fmt: skip
def test_what_can_be_read_is_not_called_invisible(properties: str) -> None:
    assert read(word(f"<w:p>{run('Title', properties)}</w:p>")).findings == ()


def test_white_letters_in_a_table_may_stand_on_a_dark_ground() -> None:
    heading = run("Name", '<w:color w:val="FFFFFF"/>')
    assert read(word(f"<w:tbl><w:tr><w:tc><w:p>{heading}</w:p></w:tc></w:tr></w:tbl>")).findings == ()


def test_a_program_in_a_typewriter_font_is_code() -> None:
    lines = ["int main() {", "    return 0;", "}"]
    typewriter = '<w:rFonts w:ascii="Courier New"/>'
    body = "".join(f"<w:p>{run(line, typewriter)}</w:p>" for line in lines)
    (cell,) = read(word(body)).cells
    assert cell.language == "code"


def test_everything_in_an_open_document_counts() -> None:
    note = "<text:note><text:note-citation>1</text:note-citation>"
    note += "<text:note-body><text:p>see below</text:p></text:note-body></text:note>"
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>never</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        f"<text:h>Title</text:h><text:p>said<text:s text:c='2'/>so{note}</text:p>"
        "<text:p><office:annotation><dc:creator xmlns:dc='urn:x'>J</dc:creator><text:p>why?</text:p>"
        "</office:annotation></text:p>"
        "<draw:frame><draw:text-box><text:p>in a box</text:p></draw:text-box></draw:frame>"
        "<table:table><table:table-row><table:table-cell table:number-columns-repeated='999999'><text:p>left</text:p>"
        "</table:table-cell></table:table-row></table:table>"
        "<text:p>after<text:soft-page-break/></text:p><text:p>end</text:p>"
    )
    assert places(read(open_text(body), DocumentFormat.ODT)) == [
        ("deleted text 1", "never"),
        ("page 1, paragraph 1", "Title"),
        ("page 1, footnote 1", "see below"),
        ("page 1, paragraph 2", "said so"),
        ("page 1, comment 1", "why?"),
        ("page 1, text box 1", "in a box"),
        ("page 1, table paragraph 1", "left"),
        ("page 1, paragraph 3", "after"),
        ("page 2, paragraph 1", "end"),
    ]


@pytest.mark.parametrize("hiding", ['fo:color="#ffffff"', 'fo:font-size="0.5pt"', 'text:display="none"'])
def test_invisible_text_in_an_open_document(hiding: str) -> None:
    styles = f'<style:style style:name="T1"><style:text-properties {hiding}/></style:style>'
    body = '<text:p>copied w<text:span text:style-name="T1">noise</text:span>ords</text:p>'
    found = read(open_text(body, styles), DocumentFormat.ODT)
    assert places(found) == [("paragraph 1", "copied words"), ("invisible text 1", "noise")]


def test_embedded_documents_are_told() -> None:
    content = word(f"<w:p>{run('words')}</w:p>", **{"embeddings/other": "x", "afchunk1": "y"})
    assert read(content).findings == ("it has 2 documents embedded in it, which were not read",)
