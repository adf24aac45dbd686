"""What axe-core finds: nothing serious or critical, on any page, in any view, in light and in dark."""

import pytest

from browser.tools import needed

AXE = needed("axe_playwright_python.sync_playwright", "axe-playwright-python").Axe()

CONTRAST = {"runOnly": ["color-contrast", "link-in-text-block"]}
SIZES = {"runOnly": ["target-size"]}
ALL = {}


# What a row looks like does not depend on its words: two of each kind stand for all, and axe looks at every one.
_TWO_OF_EACH = """() => {
    const told = ["class", "role", "type", "data-state", "aria-current"];
    const shape = (element) => [element, ...element.querySelectorAll("*")].map((each) => each.tagName
        + each.getAttributeNames().sort().map((name) => told.includes(name) ? name + each.getAttribute(name) : name));
    for (const rows of [...document.querySelectorAll("main tbody, main ul, main ol")].reverse()) {  // the inner first
        const seen = {};
        for (const row of [...rows.children]) {
            const kind = shape(row).join();
            seen[kind] = (seen[kind] || 0) + 1;
            if (seen[kind] > 2) row.remove();
        }
    }
}"""


def leave_two_of_each(page):
    """Leave of the rows of each table and list two of each kind: the same elements with the same classes and states."""
    page.evaluate(_TWO_OF_EACH)


def violations(page, options, part=None):
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script)
    options = options | {"resultTypes": ["violations"], "preload": False}
    found = page.evaluate("([part, options]) => axe.run(part || document, options).then((all) => all.violations)",
                          [part, options])  # fmt: skip
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:120]} | {node['any'][0]['message'] if node['any'] else ''}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.fixture
def address(request, sample, library, clustered):
    """The address of a page by its name; of the short programs, because axe looks at every character's colours."""
    site = sample("python-textstats")
    number, _ = min(site.ranked(), key=lambda ranked: size(site, ranked[1]))

    def of(which):
        if which == "evidence":
            return request.getfixturevalue("evidence")(site, number)
        addresses = {
            "overview": site.page(), "submission": library.submission("hana"), "pair": site.pair(number),
            "clusters": clustered.page(fragment="#clusters"), "timeline": clustered.page(fragment="#timeline"),
            "cluster": clustered.page("clusters/0002.html"),
        }  # fmt: skip
        return addresses.get(which) or site.pair(number, f"#m1/{which}")

    return of


def size(site, pair):
    return sum(len(file.text) for one in site.report.submissions if one.id in (pair.a, pair.b) for file in one.files)


PARTS = {"text": "#texts", "exact": "#texts", "diff": "#diff"}  # all that a view changes
PAGES = ["overview", "pair", "text", "exact", "diff", "submission", "evidence", "clusters", "cluster", "timeline"]
SIZED = ["overview", "pair", "submission", "evidence"]  # on which all that is clicked is large enough or stands apart


@pytest.mark.parametrize("which", PAGES)
def test_every_page_is_accessible_and_can_be_read_in_the_dark(open_page, address, which):
    page = open_page(address(which), color_scheme="light")
    if which in SIZED:
        assert violations(page, SIZES) == []
    leave_two_of_each(page)
    assert violations(page, ALL, PARTS.get(which)) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, CONTRAST, PARTS.get(which)) == []


@pytest.mark.parametrize("which", ["overview", "pair"])
def test_help_is_accessible(open_page, address, which):
    page = open_page(address(which))
    page.keyboard.press("?")
    assert violations(page, ALL) == []
