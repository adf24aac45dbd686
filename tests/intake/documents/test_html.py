"""Text entries: HTML as the essay that somebody typed into a form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.intake.documents.html import html_text

LISTING = "def area(width, height):\n    return width * height"


def test_paragraphs_are_told_apart_and_numbered() -> None:
    found = html_text("<p>One <b>bold</b> wo<i>r</i>d &amp; more</p><div>Two<br>lines</div><ul><li>Three</ul>")
    assert found.text == "One bold word & more\n\nTwo\nlines\n\nThree\n"
    assert [(cell.label, found.text[cell.start : cell.end]) for cell in found.cells] == [
        ("paragraph 1", "One bold word & more"),
        ("paragraph 2", "Two\nlines"),
        ("paragraph 3", "Three"),
    ]


@pytest.mark.parametrize(
    "hiding",
    [
        'style="color: #FFF"',
        'style="color:white"',
        'style="color: rgb(255, 255, 255)"',
        'style="font-size:0px"',
        'style="display: none"',
        'style="opacity: 0"',
        "hidden",
        'color="white"',
    ],
)
def test_what_a_browser_does_not_show_stands_apart_and_is_reported(hiding: str) -> None:
    found = html_text(f"<p>copied w<span {hiding}>noise here</span>ords</p>")
    assert found.text == "copied words\n\nnoise here\n"
    assert [cell.label for cell in found.cells] == ["paragraph 1", "invisible text 1"]
    assert found.findings == ("it has 2 words of invisible text, which were compared too",)


@pytest.mark.parametrize(
    "style", ["color: #fff8dc", "background-color: white", "font-size: 0.9em", "opacity: 0.8", "font-size:10px"]
)
def test_ordinary_styles_hide_nothing(style: str) -> None:
    assert html_text(f'<p style="{style}">words</p>').findings == ()


def test_scripts_and_styles_are_no_text() -> None:
    assert html_text("<style>p {color: red}</style><script>let x = 1;</script><p>words</p>").text == "words\n"


def test_a_listing_is_code_and_keeps_its_lines() -> None:
    found = html_text(f"<p>My function is this:</p><pre>{LISTING}</pre>")
    assert [(cell.language, found.text[cell.start : cell.end]) for cell in found.cells] == [
        ("text", "My function is this:"),
        ("python", LISTING),
    ]


def test_words_that_mix_alphabets_are_reported() -> None:
    mixed = "th\u0435 h\u043euse \u0430nd the g\u0430rden \u0430re h\u0435re"  # Cyrillic letters among Latin ones
    assert "it has 6 words that mix Latin letters with look-alikes" in html_text(f"<p>{mixed}</p>").findings[0]
    assert html_text("<p>Œuvre, smørrebrød, Łódź, Москва and Αθήνα are five words</p>").findings == ()


@given(st.text(alphabet="<>/pdivtablre=\"'&;! \nabc-"))
def test_anything_can_be_read_and_cells_tell_what_stands_there(markup: str) -> None:
    found = html_text(markup)
    spans = [(cell.start, cell.end) for cell in found.cells]
    assert spans == sorted(spans)
    assert "\n\n".join(found.text[start:end] for start, end in spans) == found.text.removesuffix("\n")
