"""A class of three hundred: the overview still opens and reacts."""

import re

from browser.tools import needed

expect = needed("playwright.sync_api", "playwright").expect
ROWS = "#pairs-table tbody tr:visible"


def test_a_large_overview_opens_and_reacts_to_typing(open_page, crowd):
    assert len(crowd.report.submissions) == 300
    assert len(crowd.report.pairs) == 250
    page = open_page(crowd.page())
    assert page.locator(ROWS).count() == 250
    page.locator("#filter-name").press_sequentially("copy001")
    wanted = [pair for pair in crowd.report.pairs if "copy001" in (pair.a, pair.b)]
    assert 0 < len(wanted) < 250
    expect(page.locator(ROWS)).to_have_count(len(wanted))
    expect(page.locator("#filter-count")).to_have_text(re.compile(f"^{len(wanted)} of 250"))


def test_a_large_overview_sorts_and_opens_its_last_pair(open_page, crowd):
    page = open_page(crowd.page())
    page.click("[data-sort=rank]")
    assert page.locator(ROWS).first.get_attribute("data-rank") == "250"
    page.locator("a.open").first.click()
    page.wait_for_url(crowd.pair(250))
