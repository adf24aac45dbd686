"""Graphs of clusters, by mouse and by keys; a cluster's page; the timeline."""

import re
from dataclasses import replace

import pytest
from support.programs import HONEST_JAVA, MAZE, dead_code, write_class

import moss
from browser.sites import Site
from browser.tools import DESK, PHONE, address, needed
from moss.report.site import write_site

expect = needed("playwright.sync_api", "playwright").expect

# The names whose box some line of the same drawing enters: none may.
CROSSED = """svg => {
    const lines = [...svg.querySelectorAll('.link:not([hidden]) path:not(.catch)')].map((line) => {
        const length = line.getTotalLength();
        return Array.from({length: 80}, (_, i) => line.getPointAtLength(length * i / 79));
    });
    return [...svg.querySelectorAll('.node:not([hidden])')].filter((node) => {
        const box = node.querySelector('text').getBBox(), at = node.transform.baseVal[0].matrix;
        return lines.some((points) => points.some((point) =>
            point.x > at.e + box.x && point.x < at.e + box.x + box.width &&
            point.y > at.f + box.y && point.y < at.f + box.y + box.height));
    }).map((node) => node.getAttribute('aria-label'));
}"""
SHAPES = """svg => [...svg.querySelectorAll('.node, .link path:not(.catch)')].map(
    (one) => one.getAttribute('transform') || one.getAttribute('d'))"""
ORDER = """svg => [...svg.querySelectorAll('.node:not([hidden])')].map((node) => [node.getAttribute('aria-label'),
    node.transform.baseVal[0].matrix.e, node.transform.baseVal[0].matrix.f])"""


def box(graph):
    return [round(float(number)) for number in graph.get_attribute("viewBox").split()]


def around(graph):
    """The names, clockwise from the top of the right arc."""
    found = graph.evaluate(ORDER)
    right = sorted((each for each in found if each[1] > 0), key=lambda each: each[2])
    left = sorted((each for each in found if each[1] < 0), key=lambda each: -each[2])
    return [name for name, *_ in right + left]


@pytest.fixture
def twelve(open_page, clustered):
    """The page of the cluster of twelve, and its graph."""
    sizes = [len(members) for members in clustered.report.clusters]
    assert sorted(sizes) == [3, 12]
    page = open_page(clustered.page(f"clusters/{1 + sizes.index(12):04}.html"))
    return page, page.locator(".ring")


def test_the_script_draws_what_the_server_drew(open_page, clustered):
    plain = open_page(clustered.page(fragment="#clusters"), java_script_enabled=False).locator(".ring").all()
    live = open_page(clustered.page(fragment="#clusters")).locator(".ring").all()
    assert len(plain) == len(live) == 2
    for ours, theirs in zip(plain, live, strict=True):
        theirs.focus()
        words = [re.split(r"([-\d.]+)", " ".join(each.evaluate(SHAPES))) for each in (ours, theirs)]
        assert words[0][::2] == words[1][::2]
        numbers = [[float(number) for number in each[1::2]] for each in words]
        assert numbers[0] == pytest.approx(numbers[1], abs=0.11)  # the same, but for rounding
    assert [each.evaluate(CROSSED) for each in live] == [[], []]


def test_the_mouse_zooms_moves_and_puts_in_order(twelve):
    page, graph = twelve
    whole = box(graph)
    place = graph.bounding_box()
    middle = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(*middle)
    page.mouse.wheel(0, -200)
    assert box(graph) == whole  # the page scrolls, until the reader is at work in the graph
    page.mouse.move(place["x"] + 5, place["y"] + 5)
    page.mouse.down()
    page.mouse.up()
    page.mouse.wheel(0, -400)
    expect(graph).to_have_attribute("data-zoomed", "")
    assert box(graph)[2] < whole[2]
    page.click("[data-zoom=all]")
    assert box(graph) == whole
    page.click("[data-zoom=in]")
    zoomed = box(graph)
    page.mouse.move(place["x"] + 5, place["y"] + 5)
    page.mouse.down()
    page.mouse.move(place["x"] + 45, place["y"] + 25, steps=3)
    page.mouse.up()
    assert box(graph)[0] < zoomed[0]
    page.click("[data-zoom=all]")
    before, here = around(graph), address(page)
    one, other = (graph.locator(f".node[aria-label={name}] circle").bounding_box() for name in (before[0], before[3]))
    page.mouse.move(one["x"] + 5, one["y"] + 5)
    page.mouse.down()
    page.mouse.move(other["x"] + 5, other["y"] + 5, steps=8)
    page.mouse.up()
    assert around(graph) == [*before[1:4], before[0], *before[4:]]
    assert graph.evaluate(CROSSED) == []
    assert address(page) == here


def test_keys_do_the_same(twelve, clustered):
    page, graph = twelve
    whole, before = box(graph), around(graph)
    graph.focus()
    page.keyboard.press("+")
    zoomed = box(graph)
    assert zoomed[2] < whole[2]
    page.keyboard.press("ArrowRight")
    assert box(graph)[0] > zoomed[0]
    page.keyboard.press("0")
    assert box(graph) == whole
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == before[1]
    assert page.locator(".readout").inner_text() == before[1]
    page.keyboard.press("Shift+ArrowDown")
    assert around(graph) == [before[0], before[2], before[1], *before[3:]]
    assert graph.evaluate(CROSSED) == []
    page.keyboard.press("Enter")
    page.wait_for_url(clustered.submission(before[1]))


def test_threshold_section_and_order_filter_and_sort(twelve):
    page, graph = twelve
    scores = graph.locator(".link").evaluate_all("all => all.map((one) => Number(one.dataset.score))")
    percent = int(100 * sorted(scores)[-3])
    page.locator("#cluster-from").fill(str(percent))
    kept = sum(score >= percent / 100 for score in scores)
    expect(graph.locator(".link:not([hidden])")).to_have_count(kept)
    assert len(around(graph)) < 12
    assert graph.evaluate(CROSSED) == []
    assert address(page).endswith(f"#from={percent / 100}")
    page.reload()
    expect(graph.locator(".link:not([hidden])")).to_have_count(kept)
    page.evaluate("document.dispatchEvent(new CustomEvent('moss:threshold', {detail: {score: 0.1}}))")
    expect(graph.locator(".node:visible")).to_have_count(12)
    page.select_option("#cluster-section", "Section 2")
    inside = graph.locator(".node[data-section='Section 2']:visible").count()
    assert 0 < inside <= 6
    page.select_option("#cluster-section", "")
    page.select_option("#cluster-order", "time")
    assert around(graph) == sorted(around(graph), reverse=True)  # they were handed in from the last to the first


def test_the_overview_leads_to_a_cluster_and_back_and_the_matrix_to_a_pair(open_page, clustered):
    page = open_page(clustered.page(fragment="#clusters"))
    page.click("#cluster-1 .to-cluster")
    page.wait_for_url(clustered.page("clusters/0001.html"))
    page.click("nav.crumbs a")
    expect(page.locator("#clusters")).to_be_visible()
    page.go_back()
    page.locator("table.matrix a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/pairs/\d{4}\.html$"))
    expect(page.locator(".handed-in")).to_contain_text("before")


def test_the_timeline_has_a_row_for_each_cluster(open_page, clustered):
    page = open_page(clustered.page(fragment="#timeline"))
    assert page.locator(".timeline circle").count() >= 15
    rows = page.locator(".timeline-rows tbody tr")
    assert [rows.nth(i).locator("th").inner_text() for i in range(2)] == ["Cluster 1", "Cluster 2"]
    page.locator(".timeline a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(clustered.page("clusters/0001.html"))


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """A cluster of three, with a name that has no place to break and one that is written from right to left."""
    folder = tmp_path_factory.mktemp("foreign")
    names = ("ada", "x" * 120, "محمد")
    copies = {name: {"Maze.java": MAZE + dead_code(i, 4)} for i, name in enumerate(names)}
    source = write_class(folder / "hw", HONEST_JAVA | copies)
    report = moss.compare([source], settings=moss.Settings(jobs=1, cluster=0.4))
    records = [replace(each, handed_in=f"2025-10-{28 - day:02}") for day, each in enumerate(report.submissions)]
    report = replace(report, submissions=tuple(records))
    write_site(report, folder / "report", jobs=1)
    return Site(folder / "report", report)


@pytest.mark.parametrize("screen", [{"viewport": DESK}, PHONE], ids=["desk", "phone"])
def test_no_name_makes_the_page_of_a_cluster_wider_or_its_pairs_narrow(open_page, foreign, screen):
    page = open_page(foreign.page("clusters/0001.html"), **screen)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    ada = page.locator(".cluster-pairs bdi", has_text=re.compile("^ada$")).first
    assert ada.bounding_box()["height"] < 24, "three letters are in one line"


def test_a_name_from_right_to_left_does_not_take_the_number_behind_it_along(open_page, foreign):
    page = open_page(foreign.page("clusters/0001.html"))
    cell = page.locator(".cluster-pairs td", has_text=re.compile("^محمد [0-9]+ days? before$")).first
    name, number = cell.evaluate("""cell => {
        const boxes = [];
        for (const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT); walker.nextNode();) {
            for (const found of walker.currentNode.data.matchAll(/[^ ]+/g)) {
                const range = document.createRange();
                range.setStart(walker.currentNode, found.index);
                range.setEnd(walker.currentNode, found.index + found[0].length);
                boxes.push(range.getBoundingClientRect().x);
            }
        }
        return boxes;
    }""")[:2]
    assert name < number
