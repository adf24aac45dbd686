"""A report with five thousand pairs: its list stays small, draws what can be seen, and reacts."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from browser.tools import PHONE, address, needed, wait_until
from moss.model import Ranking
from moss.report.page_templates import DiskLinks
from moss.report.pages.pair import render_pair, tools_script

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from overview import generated_report, write_overview

expect = needed("playwright.sync_api", "playwright").expect
PAIRS, SUBMISSIONS = 5000, 600
NODES = """() => {
  let count = 1;
  for (const walker = document.createTreeWalker(document); walker.nextNode();) count += 1;
  return count;
}"""
DRAWN = "#pairs-table tbody tr[data-rank]"


@pytest.fixture(scope="module")
def large(library):
    return generated_report(library.report, SUBMISSIONS, PAIRS)


@pytest.fixture(scope="module")
def files(large, tmp_path_factory):
    return write_overview(large, tmp_path_factory.mktemp("large") / "report")


@pytest.fixture
def url(files):
    return files[0].as_uri()


def drawn(page):
    """The ranks of the rows that are drawn, in order."""
    return [int(rank) for rank in page.locator(DRAWN).evaluate_all("rows => rows.map((row) => row.dataset.rank)")]


def test_the_list_and_its_data_are_small(open_page, files, url):
    page, data = (file.read_text(encoding="utf-8") for file in files)
    section = re.search(r'<section class="tab-panel" id="pairs".*?</section>', page, re.DOTALL)[0]
    assert len(section.encode()) + len(data.encode()) <= 600_000
    opened = open_page(url)
    assert opened.evaluate(NODES) <= 5000
    for share in (0.3, 0.7, 1):
        opened.evaluate(f"window.scrollTo(0, {share} * document.documentElement.scrollHeight)")
        wait_until(opened, lambda share=share: any(abs(rank - share * PAIRS) < 400 for rank in drawn(opened)))
        assert opened.evaluate(NODES) <= 5000


def test_numbers_of_thousands_are_written_alike_everywhere(open_page, url):
    page = open_page(url)
    page.fill("#filter-from", "1")
    expect(page.locator("#filter-count")).to_have_text(re.compile(r"^\d,\d{3} of 5,000 pairs$"))
    assert not re.search(r"\b\d{4,} (?:pair|submission)", page.inner_text("main"))


def test_a_pair_says_with_marks_between_thousands_which_of_the_list_it_is(open_page, large, files):
    folder = files[0].parent / "pairs"
    folder.mkdir(exist_ok=True)
    bare = replace(large, pairs=tuple(replace(pair, matches=()) for pair in large.pairs))
    (files[0].parent / "assets" / "pair_tools.js").write_text(tools_script(), encoding="utf-8")
    (folder / "1500.html").write_text(render_pair(bare, 1500, DiskLinks("../")), encoding="utf-8")
    page = open_page((folder / "1500.html").as_uri() + "?order=descending")
    expect(page.get_by_text("Pair 1,500 of 5,000")).to_be_visible()
    expect(page.locator("#in-list")).to_have_text(", 3,501 of 5,000 in the list")


def test_the_counts_beside_the_histogram_are_on_the_screen(open_page, large, tmp_path):
    chance = np.random.default_rng(1)
    scores = np.sort(chance.beta(1, 30, 400_000))[::-1]
    ranking = Ranking(np.zeros(len(scores), int), np.ones(len(scores), int), scores)
    page = open_page(write_overview(replace(large, ranking=ranking), tmp_path / "report")[0].as_uri(), **PHONE)
    counts = page.locator(".histogram .tick", has_text="00,000")
    assert counts.count() == 1
    assert counts.bounding_box()["x"] >= 0


def test_each_row_says_which_of_how_many_it_is(open_page, url):
    page = open_page(url)
    assert page.get_attribute("#pairs-table", "aria-rowcount") == str(PAIRS + 1)
    assert page.get_attribute("#pairs-table thead tr", "aria-rowindex") == "1"
    page.locator("a.open").first.focus()
    page.keyboard.press("End")
    row = page.locator("tr", has=page.locator("a.open:focus"))
    assert row.get_attribute("data-rank") == str(PAIRS)
    assert row.get_attribute("aria-rowindex") == str(PAIRS + 1)
    expect(row).to_be_in_viewport()
    page.keyboard.press("ArrowUp")
    assert page.locator("tr", has=page.locator("a.open:focus")).get_attribute("data-rank") == str(PAIRS - 1)


def test_sorting_and_filtering_hold_for_all_rows_and_not_only_for_those_drawn(open_page, large, url):
    page = open_page(url)
    page.click("[data-sort=tokens]")
    most = sorted(range(PAIRS), key=lambda place: (-large.pairs[place].tokens, place))
    assert drawn(page)[:20] == [place + 1 for place in most[:20]]
    name = large.pairs[4321].a
    page.fill("#filter-name", name)
    wanted = [place for place in most if name in (large.pairs[place].a, large.pairs[place].b)]
    assert drawn(page) == [place + 1 for place in wanted]
    assert page.inner_text("#filter-count") == f"{len(wanted):,} of {PAIRS:,} pairs"


def test_an_address_leads_to_a_row_far_down(open_page, url):
    page = open_page(url + "#pair-3210&order=descending")
    row = page.locator("tr", has=page.locator("a.open:focus"))
    assert row.get_attribute("id") == "pair-3210"
    assert row.get_attribute("aria-rowindex") == str(PAIRS - 3210 + 2)
    expect(row).to_be_in_viewport()
    assert address(page).endswith("#pair-3210&order=descending")


def test_paper_has_the_first_rows_and_says_how_many_there_are(open_page, url):
    page = open_page(url)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(f"{DRAWN}:visible").count() == 200
    expect(page.get_by_text(f"The first 200 of {PAIRS:,} pairs are printed.")).to_be_visible()
    expect(page.get_by_text(f"The first 200 of {SUBMISSIONS} submissions are printed.")).to_be_visible()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    wait_until(page, lambda: len(drawn(page)) < 200)


def test_without_scripts_the_first_rows_are_there_and_the_rest_is_named(open_page, url):
    page = open_page(url, java_script_enabled=False)
    assert page.locator("#pairs tbody tr:visible").count() == 200
    assert "These are the first 200 of 5,000 pairs." in page.inner_text("#pairs")
    assert "These are the first 200 of 600 submissions." in page.inner_text("#students")


def test_students_and_files_are_drawn_as_pairs_are(open_page, large, url):
    page = open_page(url + "#students")
    row = page.locator("#students-table tbody tr").first
    expect(row).to_contain_text(large.submissions[0].id)
    assert page.get_attribute("#students-table", "aria-rowcount") == str(SUBMISSIONS + 1)
    page.click(".tabs a[href='#files']")
    record = large.submissions[0]
    row = page.locator("#files-table tbody tr").first
    expect(row).to_contain_text(record.files[0].path)
    expect(row).to_contain_text(record.id)
    files = sum(len(each.files) for each in large.submissions)
    assert page.get_attribute("#files-table", "aria-rowcount") == str(files + 1)
    assert page.evaluate(NODES) <= 5000
