"""On paper: several pages, with the names, the passages by number, and both texts."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from support.programs import HONEST_JAVA, MAZE, write_class

import moss
from browser.tools import lacking
from moss.report.site import write_site


def pages_of(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.fixture(scope="session")
def words_of():
    """A function that reads a printed page as text."""
    if shutil.which("pdftotext") is None:
        lacking("pdftotext is missing: apt install poppler-utils")

    def words(pdf):
        told = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
        return told.stdout.decode()

    return words


def test_a_pair_is_printed_with_names_passages_and_both_texts(open_page, library, words_of):
    number = library.richest()
    pair = library.report.pairs[number - 1]
    pdf = open_page(library.pair(number)).pdf()
    assert pages_of(pdf) > 1
    text = words_of(pdf)
    assert pair.a in text
    assert pair.b in text
    assert "Similarity is not proof" in text
    assert "How they are built" in text, "why the score is what it is, though it is closed on the screen"
    for i, match in enumerate(pair.matches, 1):
        assert re.search(rf"\b{i}\b.*\b{match.tokens} tokens", text)
    records = {record.id: record for record in library.report.submissions}
    for side, region in ((pair.a, pair.matches[0].a), (pair.b, pair.matches[0].b)):
        [file] = [file for file in records[side].files if file.path == region.file]
        line = file.text.splitlines()[region.start_line - 1].strip()
        assert " ".join(line.split()) in " ".join(text.split())


def test_no_sheet_of_paper_is_wasted(open_page, library, words_of):
    pdf = open_page(library.pair(library.richest())).pdf()
    sheets = words_of(pdf).split("\f")[:-1]
    assert len(sheets) == pages_of(pdf)
    assert [number for number, sheet in enumerate(sheets, 1) if len(sheet.split()) < 20] == []


def test_a_timeline_longer_than_a_page_leaves_none_empty(open_page, clustered, tmp_path, words_of):
    baseline = replace(clustered.report.baseline, limit=0.0)
    write_site(replace(clustered.report, clusters=(), baseline=baseline), tmp_path, jobs=1)
    page = open_page((tmp_path / "index.html").as_uri() + "#timeline")
    assert page.locator(".timeline svg").bounding_box()["height"] > 1500
    sheets = words_of(page.pdf()).split("\f")[:-1]
    assert [number for number, sheet in enumerate(sheets, 1) if not sheet.split()] == []


@pytest.mark.parametrize("sheet", ["A4", "Letter"])
@pytest.mark.parametrize("members", [16, 17, 60])
def test_the_scores_of_a_large_cluster_are_all_on_paper(open_page, tmp_path, words_of, members, sheet):
    copies = {f"a rather long name {number:02}": {"Work.java": MAZE} for number in range(members)}
    source = write_class(tmp_path / "hw", HONEST_JAVA | copies)
    write_site(moss.compare([source], settings=moss.Settings(jobs=1, show=2, cluster=0.9)), tmp_path / "report", jobs=1)
    page = open_page((tmp_path / "report/clusters/0001.html").as_uri())
    table = words_of(page.pdf(format=sheet)).partition("Scores of all members")[2].partition("Pairs")[0]
    assert table.count("100%") == members * (members - 1) // 2


def test_paper_has_no_buttons_and_is_light_even_in_the_dark(open_page, library):
    page = open_page(library.pair(1), color_scheme="dark")
    page.emulate_media(media="print")
    assert page.locator("button:visible, .map:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"


@pytest.mark.parametrize("chosen", ["light", "dark"])
def test_paper_is_light_whatever_theme_was_chosen(open_page, library, chosen):
    page = open_page(library.page(), color_scheme="dark" if chosen == "light" else "light")
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == chosen
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"


def test_the_overview_is_printed_with_every_pair(open_page, library, words_of):
    text = words_of(open_page(library.page()).pdf())
    for pair in library.report.pairs:
        assert pair.a in text
        assert pair.b in text
