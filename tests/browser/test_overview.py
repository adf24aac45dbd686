"""The overview: sorting, filtering, its address, its histogram, its file and its keys."""

import csv
import re

import pytest
from support.programs import MAZE, write_class

import moss
from browser.tools import address, needed, wait_until
from moss.report.site import write_site

expect = needed("playwright.sync_api", "playwright").expect

ROWS = "#pairs-table tbody tr:visible"


def shown(page):
    """The ranks of the rows that can be seen, in order."""
    return [int(rank) for rank in page.locator(ROWS).evaluate_all("rows => rows.map((row) => row.dataset.rank)")]


def downloaded(page):
    with page.expect_download() as download:
        page.click("#download")
    with open(download.value.path(), newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def values(site, key):
    """What each pair is sorted by, by its rank."""
    clusters = {id: n for n, members in enumerate(site.report.clusters, 1) for id in members}

    def cluster(pair):
        a, b = clusters.get(pair.a), clusters.get(pair.b)
        return a if a and a == b else 1000

    of = {
        "rank": lambda rank, pair: rank,
        "a": lambda rank, pair: pair.a,
        "share": lambda rank, pair: round(max(pair.share_a, pair.share_b), 4),
        "score": lambda rank, pair: round(pair.score, 6),
        "above": lambda rank, pair: round(site.report.baseline.spreads(pair.score), 2),
        "longest": lambda rank, pair: pair.longest,
        "tokens": lambda rank, pair: pair.tokens,
        "rarity": lambda rank, pair: round(pair.rarity, 1),
        "cluster": lambda rank, pair: cluster(pair),
    }[key]
    return {rank: of(rank, pair) for rank, pair in site.ranked()}


def test_every_column_sorts_both_ways(open_page, library):
    page = open_page(library.page())
    keys = page.locator("[data-sort]").evaluate_all("all => all.map((one) => one.dataset.sort)")
    assert len(keys) == 9
    for key in keys[1:] + keys[:1]:
        value = values(library, key)
        directions = set()
        for _ in range(2):
            page.click(f"[data-sort={key}]")
            sorting = page.locator("th[aria-sort]")
            assert sorting.get_attribute("data-key") == key
            direction = sorting.get_attribute("aria-sort")
            found = [value[rank] for rank in shown(page)]
            assert found == sorted(value.values(), reverse=direction == "descending")
            directions.add(direction)
        assert directions == {"ascending", "descending"}


def test_a_name_filters_the_pairs_in_any_case_and_goes_into_the_address(open_page, library):
    page = open_page(library.page())
    name = library.report.pairs[2].b
    page.fill("#filter-name", name.upper())
    wanted = [rank for rank, pair in library.ranked() if name in pair.a or name in pair.b]
    assert shown(page) == wanted
    assert page.inner_text("#filter-count") == f"{len(wanted)} of {len(library.report.pairs)} pairs"
    assert f"#name={name.upper()}" in address(page)
    page.click("#filter-clear")
    assert len(shown(page)) == len(library.report.pairs)
    assert address(page) == library.page()


@pytest.mark.parametrize("typed", ["İBRAHİM", "ibrahim", "İbr", "brahim"])
def test_a_turkish_name_is_found_in_any_case(open_page, tmp_path, typed):
    copies = {"İbrahim": {"Maze.java": MAZE}, "ada": {"Maze.java": MAZE}}
    report = moss.compare([write_class(tmp_path / "hw", copies)], settings=moss.Settings(jobs=1))
    write_site(report, tmp_path / "report", jobs=1)
    page = open_page((tmp_path / "report" / "index.html").as_uri())
    page.fill("#filter-name", typed)
    assert shown(page) == [1]


def test_a_range_filters_the_pairs_by_the_score_that_is_shown(open_page, library):
    page = open_page(library.page())
    page.fill("#filter-from", "30")
    page.fill("#filter-to", "95")
    assert shown(page) == [rank for rank, pair in library.ranked() if 0.30 <= pair.score < 0.95]
    assert address(page).endswith("#from=0.3&to=0.95")


def test_nothing_found_is_said_and_can_be_undone_by_a_key(open_page, library):
    page = open_page(library.page())
    page.fill("#filter-name", "nobody of this name")
    assert shown(page) == []
    assert page.locator("#nothing-found").is_visible()
    page.press("#filter-name", "Escape")
    assert len(shown(page)) == len(library.report.pairs)


def test_a_view_can_be_sent_on_by_its_address(open_page, library):
    page = open_page(library.page())
    page.fill("#filter-name", "a")
    page.fill("#filter-from", "2.5")
    page.click("[data-sort=longest]")
    view, sent = shown(page), address(page)
    page.reload()
    assert shown(page) == view
    again = open_page(sent)
    assert shown(again) == view
    assert again.input_value("#filter-name") == "a"
    assert again.input_value("#filter-from") == "2.5"
    assert again.locator("th[aria-sort]").get_attribute("data-key") == "longest"


def test_a_bar_of_the_histogram_lists_its_pairs_and_the_same_again_lists_all(open_page, library):
    page = open_page(library.page())
    bar = page.locator("#histogram a").last
    low, high, count = (float(bar.get_attribute(f"data-{name}")) for name in ("from", "to", "count"))
    bar.click()
    found = shown(page)
    assert len(found) == count
    assert found == [rank for rank, pair in library.ranked() if low <= pair.score and (pair.score < high or high == 1)]
    assert bar.get_attribute("aria-current") == "true"
    assert re.search(r"#from=[\d.]+&to=[\d.]+$", address(page))
    bar.click()
    assert len(shown(page)) == len(library.report.pairs)


def threshold(page):
    """Where the handle of the threshold is, in percent."""
    return float(page.get_attribute("#threshold", "aria-valuenow"))


def count_of(page, tab):
    return int(page.inner_text(f".tabs a[href='#{tab}'] .count"))


def test_list_counts_and_address_follow_the_threshold(open_page, library):
    page = open_page(library.page())
    page.evaluate("document.addEventListener('moss:threshold', (event) => { window.told = event.detail.score; })")
    page.focus("#threshold")
    for key in ("PageUp", "PageUp", "ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert threshold(page) == 21
    left = [rank for rank, pair in library.ranked() if pair.score >= 0.21]
    assert shown(page) == left
    assert count_of(page, "pairs") == len(left)
    links = library.report.ranking.score >= 0.21
    assert f"From 21% on: {links.sum()} pairs" in page.get_attribute("#threshold", "aria-valuetext")
    assert f"From 21% on: {links.sum()} pairs" in page.inner_text("#threshold-told")
    assert page.evaluate("window.told") == 0.21
    wait_until(page, lambda: address(page).endswith("#from=0.21"))
    page.click(".tabs a[href='#clusters']")
    assert address(page).endswith("#clusters&from=0.21")
    assert count_of(page, "clusters") == len(page.locator(".rings figure").all()) == len(library.report.clusters)
    page.focus("#threshold")
    page.keyboard.press("End")
    assert page.locator("#clusters").is_visible(), "the section stays"
    assert count_of(page, "clusters") == 0
    wait_until(page, lambda: address(page).endswith("#clusters&from=1"))
    sent = open_page(library.page(fragment="#from=0.21"))
    assert (threshold(sent), shown(sent)) == (21, left)


def test_the_threshold_can_be_dragged(open_page, library):
    page = open_page(library.page())
    plot, grip = page.locator("#histogram").bounding_box(), page.locator("#threshold").bounding_box()
    y = grip["y"] + grip["height"] / 2
    page.mouse.move(grip["x"] + grip["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] / 2, y, steps=4)
    page.mouse.up()
    page.mouse.move(plot["x"] + plot["width"] * 0.9, y)
    assert threshold(page) == 50
    assert shown(page) == [rank for rank, pair in library.ranked() if pair.score >= 0.5]
    assert page.input_value("#filter-from") == "50"


def test_neighbours_and_the_way_back_are_those_of_the_list(open_page, library):
    page = open_page(library.page())
    page.fill("#filter-name", "a")
    page.click("[data-sort=longest]")
    view = shown(page)
    assert len(view) > 3
    assert view != sorted(view)
    page.locator("a.open").nth(1).click()
    for way, wanted in (("next", view[2]), ("next", view[3]), ("prev", view[2])):
        page.click(f".neighbours [rel={way}]")
        page.wait_for_url(re.compile(rf"/{wanted:04}\.html\?name=a&sort=longest"))
        expect(page.locator("#in-list")).to_have_text(f", {view.index(wanted) + 1} of {len(view)} in the list")
    page.keyboard.press("u")
    page.wait_for_url(re.compile(r"index\.html#pair-\d+&name=a"))
    assert shown(page) == view
    assert page.evaluate("document.activeElement.closest('tr').dataset.rank") == str(view[2])
    page.goto(library.pair(view[-1], "?name=a&sort=longest&order=descending"))
    expect(page.locator(".neighbours [rel=next]")).to_be_hidden()


def test_paper_says_that_the_list_is_filtered(open_page, library):
    page = open_page(library.page())
    told = page.get_by_text("The list is filtered")
    page.emulate_media(media="print")
    expect(told).to_be_hidden()
    page.emulate_media(media="screen")
    page.fill("#filter-from", "30")
    expect(told).to_be_hidden()
    page.emulate_media(media="print")
    left = len([pair for pair in library.report.pairs if pair.score >= 0.3])
    expect(told).to_have_text(f"The list is filtered: it has {left} of {len(library.report.pairs)} pairs.")
    expect(told).to_be_visible()


def test_the_file_has_exactly_the_rows_of_the_view_in_its_order(open_page, library):
    page = open_page(library.page())
    page.fill("#filter-name", "a")
    page.click("[data-sort=tokens]")
    rows = downloaded(page)
    assert [int(row["rank"]) for row in rows] == shown(page)
    for row in rows:
        pair = library.report.pairs[int(row["rank"]) - 1]
        assert (row["a"], row["b"], int(row["tokens"])) == (pair.a, pair.b, pair.tokens)
        assert float(row["score"]) == pytest.approx(pair.score, abs=1e-6)
        assert float(row["share_a"]) == pytest.approx(pair.share_a, abs=1e-4)


def test_no_cell_of_the_file_is_a_formula(open_page, hostile):
    page = open_page(hostile.page())
    rows = downloaded(page)
    assert len(rows) == len(hostile.report.pairs)
    names = {row[side] for row in rows for side in "ab"}
    assert not [name for name in names if name.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert {"'+1+1", "'-2+3", "'@SUM(A1)"} <= names


def test_keys_filter_walk_and_open(open_page, library):
    page = open_page(library.page())
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "filter-name"
    page.keyboard.type("jk?")
    assert page.input_value("#filter-name") == "jk?"
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    for key in "jjjk":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_url(library.pair(2))


def test_help_opens_by_its_key_and_gives_the_focus_back(open_page, library):
    page = open_page(library.page())
    page.focus("#download")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#help").is_hidden()
    assert page.evaluate("document.activeElement.id") == "download"


def test_the_way_back_from_a_pair_keeps_the_view(open_page, library):
    page = open_page(library.page(fragment="#from=0.2&sort=longest&order=descending"))
    view = shown(page)
    assert len(view) > 3
    page.locator("a.open:visible").nth(2).click()
    page.go_back()
    assert shown(page) == view
    assert page.evaluate("document.activeElement.closest('tr').dataset.rank") == str(view[2])


def test_all_pairs_leads_back_to_the_row_and_keys_go_on_from_there(open_page, library):
    page = open_page(library.pair(5))
    page.keyboard.press("u")
    page.wait_for_url(library.page(fragment="#pair-5"), wait_until="load")
    page.wait_for_timeout(300)  # the browser goes to the place of the address by itself, a moment after the script
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('tr').dataset.rank") == "6"


def test_ten_pairs_can_be_seen_without_scrolling(open_page, library):
    page = open_page(library.page())
    assert page.locator("#pair-10").bounding_box()["y"] + 30 <= 800


def test_sections_are_tabs_with_addresses_of_their_own(open_page, library):
    page = open_page(library.page())
    shown = "section.tab-panel:visible"
    for name in ("clusters", "students", "files", "made", "pairs"):
        page.click(f".tabs a[href='#{name}']")
        assert page.locator(shown).evaluate_all("all => all.map((one) => one.id)") == [name]
        assert page.locator(".tabs [aria-current]").get_attribute("href") == f"#{name}"
        assert address(page).endswith(f"#{name}")
    page.go_back()
    assert page.locator(shown).get_attribute("id") == "made"
    sent = open_page(library.page(fragment="#cluster-2"))
    assert sent.locator("#cluster-2").is_visible()
    assert sent.locator(shown).get_attribute("id") == "clusters"


def test_without_scripts_all_sections_follow_each_other(open_page, library):
    page = open_page(library.page(), java_script_enabled=False)
    assert page.locator("section.tab-panel:visible").count() == page.locator("section.tab-panel").count() >= 4


def test_a_card_lists_its_pairs(open_page, library):
    page = open_page(library.page())
    page.click(".tabs a[href='#students']")
    page.click(".stat[data-standing='far above']")
    far = library.report.baseline.far
    assert shown(page) == [rank for rank, pair in library.ranked() if pair.score > far]
    assert address(page).endswith("#standing=far")
    assert page.input_value("#filter-standing") == "far"


def test_the_slider_of_the_clusters_and_the_handle_follow_each_other(open_page, clustered):
    page = open_page(clustered.page(fragment="#clusters"))
    slider = page.locator("#cluster-from")
    slider.fill("60")
    assert threshold(page) == 60
    wait_until(page, lambda: address(page).endswith("#clusters&from=0.6"))
    assert count_of(page, "pairs") == len([pair for pair in clustered.report.pairs if pair.score >= 0.6])
    page.focus("#threshold")
    page.keyboard.press("ArrowRight")
    assert threshold(page) == 61
    assert slider.input_value() == "61"
    slider.fill("62")
    assert threshold(page) == 62
    slider.fill(slider.get_attribute("min"))
    assert threshold(page) == 0, "where the slider begins, nothing is left out of the list either"
    assert count_of(page, "pairs") == len(clustered.report.pairs)
    wait_until(page, lambda: address(page).endswith("#clusters"))
    half = open_page(clustered.page(fragment="#clusters&from=0.625"))
    assert "From 62.5% on:" in half.inner_text("#threshold-told")
    assert half.inner_text(".cluster-filters output") == "62.5%"
