"""Saved pages of MOSS become reports: names, percentages, programs and lines, as the pages have them."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import HONEST_JAVA, LEDGER, write_class

import moss
from moss.imported import import_result
from moss.imported.moss_pages import _program
from moss.intake import IntakeError
from moss.report.classic.figures import rows
from moss.report.classic.pages import ClassicAddress, classic_pages
from moss.report.classic.text import escaped
from moss.report.site import write_site

PLACE = ClassicAddress("http://moss.example.org/results/1/2", "http://moss.example.org", "http://moss.example.org/r")


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A report of ours, whose pages in the form of MOSS's are those that its readers read byte for byte."""
    root = tmp_path_factory.mktemp("class")
    half = "\n".join(LEDGER.splitlines()[: len(LEDGER.splitlines()) // 2])
    members = {
        "ann": {"Ledger.java": LEDGER},
        "bo": {"Copy.java": f"// & more <b>\n{LEDGER}"},
        "cy": {"Half.java": half},
    }
    return moss.compare([write_class(root / "hw1", members | HONEST_JAVA)])


@pytest.fixture
def pages(compared, tmp_path) -> Path:
    folder = tmp_path / "saved"
    folder.mkdir()
    for name, content in classic_pages(compared, PLACE):
        (folder / (name if name.endswith(".html") else f"{name or 'index'}.html")).write_bytes(content)
    return folder


def test_pages_and_report_say_the_same(compared, pages):
    report = import_result(pages)
    listed = {frozenset((row.sides[0].name, row.sides[1].name)): row for row in rows(compared)}
    assert {frozenset((pair.a, pair.b)) for pair in report.pairs} == set(listed)
    texts = {record.id: record.files[0].text for record in report.submissions}
    for pair in report.pairs:
        row = listed[frozenset((pair.a, pair.b))]
        by_name = {side.name: side for side in row.sides}
        assert (pair.share_a, pair.share_b) == (by_name[pair.a].percent / 100, by_name[pair.b].percent / 100)
        ours = sorted((p.start_line, p.end_line) for p in by_name[pair.a].passages)
        assert sorted((m.a.start_line, m.a.end_line) for m in pair.matches) == ours
        for match in pair.matches:
            assert texts[pair.a].splitlines()[match.a.start_line - 1] in texts[pair.a][match.a.start : match.a.end]
    assert report.imported.tool == "MOSS"
    assert "-l" in report.imported.version
    assert any("// & more <b>" in text for text in texts.values())


def test_it_can_be_looked_at(pages, tmp_path):
    report = import_result(pages / "index.html")
    write_site(report, tmp_path / "report")
    index = (tmp_path / "report" / "index.html").read_text()
    assert "Imported from MOSS" in index
    assert "two percentages that MOSS printed" in index


def test_pages_that_a_browser_has_saved_are_read(pages):
    before = import_result(pages)
    for file in pages.glob("*.html"):
        page = file.read_text()
        page = re.sub(r"</?[A-Z]+", lambda tag: tag[0].lower(), page)
        file.write_text(page.replace(f"{PLACE.base}/", "").replace("\n", "\r\n"))
    after = import_result(pages)
    assert [(p.a, p.b, p.score, len(p.matches)) for p in after.pairs] == [
        (p.a, p.b, p.score, len(p.matches)) for p in before.pairs
    ]


def test_a_page_that_was_not_saved_is_named(pages):
    (pages / "match0-top.html").unlink()
    report = import_result(pages)
    [problem] = report.problems
    assert "there is no match0-top.html beside the index" in problem.reason
    assert sorted(len(pair.matches) > 0 for pair in report.pairs)[0] is False


def test_no_matches_is_a_report_without_pairs(tmp_path):
    (tmp_path / "index.html").write_text("<HTML>\nNo matches were found in your submission.<p></BODY>\n</HTML>\n")
    assert import_result(tmp_path).pairs == ()


@pytest.mark.parametrize(
    "page", ["<html>hello</html>", "", "<TABLE>" * 5000, "&#99999999999;<a href=match0.html>x (1%)"]
)
def test_another_page_is_one_sentence(page, tmp_path):
    (tmp_path / "index.html").write_text(page)
    with pytest.raises(IntakeError, match="there is no list of pairs in its"):
        import_result(tmp_path / "index.html")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=60))
def test_a_program_comes_out_as_it_went_in(text):
    """If ampersands are written as they should be; MOSS's own pages leave them, and then `&lt;` is ambiguous."""
    page = f"<HR>\nx<p><PRE>\n{escaped(text)}\n</PRE>\n</PRE>\n</BODY>\n"
    shown = str(escaped(text)).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert _program(page).startswith(shown)


def test_an_ampersand_that_moss_left_stays():
    page = "<PRE>\nif (a &lt; b && c & 1) x = &y;\n</PRE>\n</PRE>"
    assert _program(page) == "if (a < b && c & 1) x = &y;\n\n"
