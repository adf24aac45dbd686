"""Rich Text Format, e-books and TeX: the words as they are read, each where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.documents import zipped

from moss.intake import Limits
from moss.intake.documents.extraction import extract
from moss.intake.documents.formats import DocumentFormat, document_format
from moss.intake.documents.paragraphs import Extracted, put_together
from moss.intake.documents.rtf import rtf_paragraphs
from moss.intake.documents.tex import tex_paragraphs
from moss.intake.entries import UnreadableError


def places(found: Extracted) -> list[tuple[str, str]]:
    return [(cell.label, found.text[cell.start : cell.end]) for cell in found.cells]


def rtf(text: str) -> Extracted:
    tables = r"{\fonttbl{\f0 Arial;}{\f1 Courier New;}}{\colortbl;\red255\green255\blue255;\red200\green0\blue0;}"
    content = f"{{\\rtf1\\ansi\\ansicpg1252 {tables}{{\\*\\generator X;}}{text}}}".encode()
    return extract(DocumentFormat.RTF, content, Limits())


def test_a_rich_text_is_read_with_its_notes_and_pages() -> None:
    found = rtf(
        r"{\header My essay\par}One {\b bold} word, caf\'e9 \u8364?.{\footnote see \i below}\par\page "
        r"\pard\intbl left\cell right\cell\row\pard Last{\deleted  never}{\*\annotation why?}{\shp{\*\shpinst{\sp no}"
        r"{\shptxt in a box\par}}}\par"
    )
    assert places(found) == [
        ("header or footer 1", "My essay"),
        ("page 1, footnote 1", "see below"),
        ("page 1, paragraph 1", "One bold word, café €."),
        ("page 2, table paragraph 1", "left"),
        ("page 2, table paragraph 2", "right"),
        ("page 2, comment 1", "why?"),
        ("page 2, text box 1", "in a box"),
        ("page 2, paragraph 1", "Last"),
        ("page 2, deleted text 1", "never"),
    ]


@pytest.mark.parametrize("hiding", [r"\v", r"\cf1", r"\fs1"])
def test_invisible_text_in_a_rich_text(hiding: str) -> None:
    found = rtf(rf"copied w{{{hiding} noise here}}ords\par")
    assert places(found) == [("paragraph 1", "copied words"), ("invisible text 1", "noise here")]
    assert rtf(r"{\cf2 a red} {\fs20 small} {\v0 word}").findings == ()


def test_a_program_in_a_rich_text_is_code() -> None:
    found = rtf(r"I wrote:\par{\f1 int main() \{\par     return 0;\par\}\par}")
    assert [(cell.language, found.text[cell.start : cell.end]) for cell in found.cells] == [
        ("text", "I wrote:"),
        ("code", "int main() {\n    return 0;\n}"),
    ]


def test_bytes_of_a_picture_are_no_text() -> None:
    picture = b"{\\pict\\bin5 }}{{\\}"
    found = extract(DocumentFormat.RTF, b"{\\rtf1 before " + picture + b"after\\par}", Limits())
    assert found.text == "before after\n"


def test_an_e_book_is_read_chapter_by_chapter() -> None:
    listing = (
        '<package xmlns="x"><manifest><item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="text/one%20.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="c" href="hidden.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    book = zipped(
        [
            ("mimetype", "application/epub+zip"),
            ("META-INF/container.xml", '<c><rootfile full-path="OPS/book.opf"/></c>'),
            ("OPS/book.opf", listing),
            ("OPS/two.xhtml", "<p>Third</p>"),
            ("OPS/text/one .xhtml", "<!DOCTYPE html><html><h1>First</h1><p>Second&nbsp;one</p></html>"),
            ("OPS/hidden.xhtml", "<p>Fourth</p>"),
        ]
    )
    assert document_format("book.epub", book) is DocumentFormat.EPUB
    assert places(extract(DocumentFormat.EPUB, book, Limits())) == [
        ("chapter 1, paragraph 1", "First"),
        ("chapter 1, paragraph 2", "Second one"),
        ("chapter 2, paragraph 1", "Third"),
        ("chapter 3, paragraph 1", "Fourth"),
    ]


SOURCE = r"""\documentclass[12pt]{article}
\usepackage{graphicx} % pictures
\begin{document}
\section{The \emph{first} thing}\label{sec:one}
Caf\'e, na\"{\i}ve and 50\,\% of ``it''~\cite{knuth1984}\footnote{See \textbf{below}.} holds --
or not.

% I took this from the book
Second\textcolor{white}{ noise} paragraph\ref{sec:one}.
\begin{verbatim}
int main() {
    return 0;
}
\end{verbatim}
\end{document}
Nobody reads this.
"""


def test_tex_without_its_commands() -> None:
    assert places(put_together(tex_paragraphs(SOURCE))) == [
        ("paragraph 1 (line 4)", "The first thing"),
        ("footnote 1", "See below."),
        ("paragraph 2 (line 5)", "Café, naïve and 50 % of “it” holds – or not."),
        ("comment 1 (line 8)", "I took this from the book"),
        ("paragraph 3 (line 9)", "Second paragraph."),
        ("invisible text 1 (line 9)", "noise"),
        ("paragraph 4 (line 10)", "int main() {\n    return 0;\n}"),
        ("invisible text 2 (line 16)", "Nobody reads this."),
    ]


def test_a_source_of_commands_alone_is_compared_as_it_is() -> None:
    assert put_together(tex_paragraphs(r"\newcommand\x\y")).text == "\\newcommand\\x\\y\n"


def test_too_many_groups_are_refused() -> None:
    with pytest.raises(UnreadableError, match="groups are nested more than 2,000 deep"):
        rtf_paragraphs(b"{\\rtf1 " + b"{" * 3000)


@given(st.text(alphabet="\\{}%$~`'-abegin\n footnote[]*"))
def test_any_tex_can_be_read(source: str) -> None:
    found = put_together(tex_paragraphs(source))
    assert "\n\n".join(text for _, text in places(found)) == found.text.removesuffix("\n")


@given(st.binary(), st.text(alphabet="\\{}'*uvbin0123 parfootnote;"))
def test_any_rich_text_can_be_read(content: bytes, words: str) -> None:
    found = put_together(rtf_paragraphs(b"{\\rtf1 " + words.encode() + content))
    assert "\n\n".join(text for _, text in places(found)) == found.text.removesuffix("\n")
