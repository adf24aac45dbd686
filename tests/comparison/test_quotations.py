"""Quotations and lists of references: found where they are, marked, and left out by a switch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import prose
from support.documents import WRITERS

from moss.comparison import compare
from moss.comparison.quotations import quoted_spans, without
from moss.settings import Settings

SPANS = (
    st.lists(st.integers(0, 40), max_size=12, unique=True)
    .map(sorted)
    .map(lambda p: list(zip(p[::2], p[1::2], strict=False)))
)


def quoted(text: str) -> list[str]:
    return [text[start:end] for start, end in quoted_spans(text)]


@pytest.mark.parametrize("marks", ['""', "“”", "„“", "«»", "»«"])
def test_what_stands_between_quotation_marks(marks: str) -> None:
    quotation = f"{marks[0]}all men are mortal{marks[1]}"
    assert quoted(f"He wrote {quotation}, and it's a “short one”.") == [quotation]


def test_marks_that_are_never_closed_quote_nothing() -> None:
    assert quoted('One 5" wide board and\n\nanother 6" wide of the same wood') == []
    assert quoted("“He began to speak and\n\nnever ended” it all") == []
    assert quoted('"' + "word " * 700 + '"') == []


@pytest.mark.parametrize(
    "heading", ["References", "5. Bibliography", "WORKS CITED:", "Literaturverzeichnis", "## Sources"]
)
def test_the_list_of_references(heading: str) -> None:
    essay = "An essay about many things. " * 5
    listed = f"{heading}\n\nSmith, J. (2020). “A book of things.” Oxford.\n"
    assert quoted(f"{essay}\n\n{listed}\nAppendix A\nMore words.") == [f"{listed}\n"]
    assert quoted(f"The references are below.\n\n{essay}") == []
    assert quoted(f"{heading}\n\n{essay * 3}") == []  # a heading of the table of contents


@given(SPANS, SPANS)
def test_what_remains_is_what_is_not_left_out(spans, left_out) -> None:
    kept = {place for start, end in spans for place in range(start, end)}
    gone = {place for start, end in left_out for place in range(start, end)}
    remaining = without(spans, left_out)
    assert remaining == sorted(remaining)
    assert [place for start, end in remaining for place in range(start, end)] == sorted(kept - gone)


@pytest.fixture(params=["docx", "txt"])
def essays(request, tmp_path):
    """A class in which two quote one passage, and two others, who do not say so, have another."""
    quotation, listed, copied = prose(1, 80), prose(2, 60), prose(3, 80)
    for number in range(6):
        own = [prose(10 * number + part, 120) for part in (11, 12)]
        middle = f"“{quotation}”" if number < 2 else copied if number < 4 else prose(99 + number, 80)
        pages = [[own[0], middle, own[1], "References", listed if number < 2 else prose(200 + number, 60)]]
        (tmp_path / f"{number}.{request.param}").write_bytes(WRITERS[request.param](pages))
    return tmp_path


def test_quoted_passages_are_marked(essays) -> None:
    pairs = compare([essays]).pairs
    shares = {pair.a[0] + pair.b[0]: [match.a.quoted for match in pair.matches] for pair in pairs}
    assert all(share > 0.95 for share in shares["01"])
    assert shares["23"] == [0.0]


def test_quotations_are_left_out_by_a_switch(essays) -> None:
    report = compare([essays], settings=Settings(quotations=False))
    assert [pair.a[0] + pair.b[0] for pair in report.pairs if pair.matches] == ["23"]
    assert report.parameters["quotations"] is False


def test_an_essay_of_quotations_is_named(tmp_path) -> None:
    for name in ("ann", "bob"):
        (tmp_path / f"{name}.txt").write_text(f"“{prose(1, 100)}” as {name} says.\n")
    report = compare([tmp_path], settings=Settings(quotations=False))
    assert not report.pairs
    assert [problem.path for problem in report.problems] == ["ann.txt/ann.txt", "bob.txt/bob.txt"]
    assert all("is quotations and references, which were ignored" in problem.reason for problem in report.problems)
