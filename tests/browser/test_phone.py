"""On a phone: nothing is wider than the screen, and what is to be tapped is large enough."""

import pytest

from browser.tools import PHONE

LEAST = 24  # pixels, of WCAG 2.2


@pytest.fixture(params=["overview", "pair", "submission", "evidence"])
def page(request, open_page, library):
    name = library.report.pairs[0].a
    addresses = {
        "overview": library.page,
        "pair": lambda: library.pair(library.richest()),
        "submission": lambda: library.submission(name),
        "evidence": lambda: request.getfixturevalue("evidence")(library, 1),
    }
    return open_page(addresses[request.param](), **PHONE)


def test_no_page_is_wider_than_the_screen(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    assert page.evaluate("window.visualViewport.scale") == 1


def test_buttons_are_large_enough_to_be_tapped(page):
    sizes = page.locator("button:visible").evaluate_all(
        """all => all.map((one) => [one.innerText, one.getBoundingClientRect()])
            .map(([name, box]) => [name, Math.min(box.width, box.height)])"""
    )
    assert [(name, size) for name, size in sizes if size < LEAST] == []


def test_every_view_of_a_pair_fits(open_page, library):
    page = open_page(library.pair(library.richest()), **PHONE)
    for view in ("text", "exact", "diff", "structure"):
        page.tap(f".views [data-view={view}]")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    page.tap("#next")
    assert page.locator("mark.current").first.is_visible()


def test_a_table_row_is_a_card_that_opens_its_pair(open_page, library):
    page = open_page(library.page(), **PHONE)
    row = page.locator("#pairs-table tbody tr").first
    assert row.bounding_box()["height"] > 60
    row.locator("a.open").tap()
    page.wait_for_url(library.pair(1))
