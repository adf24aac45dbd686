"""The report from a server: the same pages, with the states of reviews in the list and a panel beside the texts."""

import csv

import pytest
from support.served import ServedPages

from browser.serving import Served, serving
from browser.test_accessibility import ALL, CONTRAST, violations
from browser.tools import PHONE, address, needed
from moss.report.pages.pair_list import states_script

expect = needed("playwright.sync_api", "playwright").expect

ROWS = "#pairs-table tbody tr:visible"
STATES = {1: "confirmed", 2: "suspicious", 3: "dismissed", 5: "suspicious", 6: "unreviewed"}
PANEL = """<details class="case"><summary>Suspicious, for Ada Lovelace to look at</summary>
<form method="post"><textarea name="note"></textarea><button>Keep</button></form></details>"""


@pytest.fixture(scope="module")
def pages(library):
    return ServedPages(library.report)


@pytest.fixture
def served(pages):
    with serving(Served(pages)) as made:
        yield made


@pytest.fixture
def reviewed(served):
    ranks = {state: [rank for rank, its in STATES.items() if its == state] for state in STATES.values()}
    served.slots["states"] = states_script(ranks)
    return served


def shown(page):
    return [int(rank) for rank in page.locator(ROWS).evaluate_all("rows => rows.map((row) => row.dataset.rank)")]


def downloaded(page):
    with page.expect_download() as download:
        page.click("#download")
    with open(download.value.path(), newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def in_state(pages, state):
    pairs = sum(name.startswith("pairs/") for name in pages)
    return [rank for rank in range(1, pairs + 1) if STATES.get(rank) == state]


@pytest.mark.parametrize("state", ["unreviewed", "suspicious", "confirmed", "dismissed"])
def test_states_filter_the_pairs_and_go_into_the_address_and_the_file(open_page, reviewed, pages, state):
    page = open_page(reviewed.page())
    page.locator("#pairs").get_by_label("State", exact=True).select_option(state)
    assert shown(page) == in_state(pages, state)
    assert address(page) == reviewed.page(fragment=f"#state={state}")
    rows = downloaded(page)
    assert [int(row["rank"]) for row in rows] == in_state(pages, state)
    assert {row["state"] for row in rows} == {state}
    again = open_page(address(page))
    assert shown(again) == in_state(pages, state)
    assert again.input_value("#filter-state") == state
    again.click("#filter-clear")
    assert len(shown(again)) > len(rows)
    assert again.input_value("#filter-state") == ""


def test_the_graph_of_a_cluster_shows_pairs_in_a_state_and_no_ordinary_one_among_those_to_review(open_page, clustered):
    with serving(Served(ServedPages(clustered.report))) as made:
        page = open_page(made.page("clusters/1"))
        links = page.locator(".ring .link:not([hidden])")
        drawn = links.evaluate_all("links => links.map((link) => link.dataset.pair)")
        states = dict(zip(drawn, ("suspicious", "unreviewed", "unreviewed"), strict=False))
        assert len(drawn) > len(states)
        made.slots["states"] = " ".join(f"{rank}:{state}" for rank, state in states.items())
        page.reload()
        for state in ("suspicious", "unreviewed", "confirmed"):
            page.locator("#cluster-state").select_option(state)
            left = links.evaluate_all("links => links.map((link) => link.dataset.pair)")
            assert left == [rank for rank, its in states.items() if its == state]


def test_states_and_other_filters_are_both_kept(open_page, reviewed, library):
    page = open_page(reviewed.page(fragment="#state=suspicious"))
    name = library.report.pairs[4].a
    page.fill("#filter-name", name)
    pairs = library.report.pairs
    assert shown(page) == [rank for rank in (2, 5) if name in (pairs[rank - 1].a, pairs[rank - 1].b)]
    assert address(page).endswith(f"#name={name}&state=suspicious")


def test_a_state_that_there_is_not_filters_nothing(open_page, reviewed, pages):
    page = open_page(reviewed.page(fragment="#state=guilty"))
    assert len(shown(page)) == sum(name.startswith("pairs/") for name in pages)


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desk", "phone"])
def test_without_states_there_is_no_filter_and_no_column(open_page, served, options):
    page = open_page(served.page(fragment="#state=confirmed"), **options)
    assert page.locator("#states").is_hidden()
    assert shown(page)
    assert "state" not in downloaded(page)[0]


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desk", "phone"])
def test_a_state_stands_beside_the_names_and_covers_nothing(open_page, reviewed, options):
    page = open_page(reviewed.page(), **options)
    badge, names = page.locator("#pair-1 .badge").bounding_box(), page.locator("#pair-1 .names").bounding_box()
    assert badge["x"] >= names["x"] + names["width"] or badge["y"] >= names["y"] + names["height"]


def test_states_are_accessible_in_light_and_in_dark(open_page, reviewed):
    assert violations(open_page(reviewed.page(), color_scheme="light"), ALL) == []
    assert violations(open_page(reviewed.page(), color_scheme="dark"), CONTRAST) == []


def test_links_walk_through_the_report_and_out_of_it(open_page, served, library):
    page = open_page(served.page())
    page.locator("a.open").first.click()
    page.wait_for_url(served.page("pairs/1"))
    page.click(".neighbours [rel=next]")
    page.wait_for_url(served.page("pairs/2"))
    page.locator("h1 a").first.click()
    page.wait_for_url(served.page("submissions/*"))
    page.get_by_role("link", name="All pairs").click()
    page.wait_for_url(served.page())
    assert page.evaluate("document.querySelector('.brand').href") == served.page().removesuffix("runs/7/")


def test_the_panel_opens_beside_the_texts_and_its_form_is_sent(open_page, served, library):
    bare = open_page(served.page("pairs/1")).locator("#workspace").bounding_box()
    served.slots["case"] = PANEL
    page = open_page(served.page("pairs/1"))
    assert page.locator("#workspace").bounding_box() == bare, "closed, it takes no room from the texts"
    assert page.locator("#pane-a mark").first.is_visible()
    page.click(".case summary")
    texts, panel = page.locator("#workspace").bounding_box(), page.locator(".case").bounding_box()
    assert texts["y"] == bare["y"]
    assert panel["x"] >= texts["x"] + texts["width"]
    page.fill("textarea", "n n 4 ?")
    assert page.get_attribute("#workspace", "data-view") == "structure"
    with page.expect_navigation():  # to the end: the server stops before the page is closed
        page.click("text=Keep")
    expect(page.locator(".case textarea")).to_be_hidden()
    assert served.received == ["note=n+n+4+%3F"]


def test_what_a_passage_leads_to_can_be_clicked(open_page, served):
    served.slots["passage-1"] = '<p><a id="elsewhere" href="../submissions/1">In other years</a></p>'
    page = open_page(served.page("pairs/1"))
    page.keyboard.press("l")
    page.click("#elsewhere")
    page.wait_for_url(served.page("submissions/1"))


@pytest.mark.parametrize("width", [320, 390, 600, 768, 790, 800, 1024, 1280])
def test_no_name_is_cut_at_any_width(open_page, reviewed, width):
    page = open_page(reviewed.page(), viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    names = page.locator("#pairs-table .name bdi").evaluate_all(
        "all => all.map((one) => [one.scrollWidth - one.clientWidth, one.getBoundingClientRect().width])"
    )
    assert all(beyond <= 0 and wide > 15 for beyond, wide in names)
