"""Anonymous mode in a real browser: no name of a student in what is seen, titles, attributes, addresses, downloads."""

import re
from urllib.parse import unquote, urldefrag, urljoin

import pytest

from browser.app import log_in
from browser.classes import LIBRARY
from browser.furnishing import STAFF

RUN = 2  # of the library, with cases that were decided and notes on them
OPENED = 3  # pages of each kind that are opened; of the others, what the server sends is read
NAMES = re.compile(
    r"(?<!\w)(?:" + "|".join(sorted({part for name in LIBRARY.values() for part in name.split()})) + r")(?!\w)",
    re.IGNORECASE,
)

EVERYTHING = """() => [document.title, location.href, document.documentElement.textContent,
    ...[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].map((each) => each.value)),
    ...[...document.querySelectorAll('template')].map((one) => one.innerHTML),
    ...[...document.querySelectorAll('input, textarea')].map((one) => one.value)].join('\\n')"""


class Walk:
    """Opens pages of a report as a reader would, and notes every name that it meets and where."""

    def __init__(self, page, root):
        self.page, self.root, self.found, self.seen = page, root, [], {}
        page.on("response", self.heard)

    def heard(self, response):
        if response.url.endswith((".js", ".json", ".csv")) and "/assets/" not in response.url:
            self.note(response.url, response.text())

    def note(self, where, text):
        self.found += [(where, name) for name in NAMES.findall(unquote(text))]

    def links(self):
        hrefs = self.page.locator("a[href]").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
        return {urldefrag(urljoin(self.page.url, href))[0] for href in hrefs}

    def look(self, address):
        self.page.goto(address)
        self.note(address, self.page.evaluate(EVERYTHING))
        self.seen[address] = self.page.inner_text("body")
        return self.links()

    def read(self, address):
        answer = self.page.request.get(address)
        self.seen[address] = answer.text()
        self.note(address, f"{answer.url}\n{answer.headers}\n{answer.text()}")

    def everything(self):
        """The overview and what it leads to: of each kind of page some are opened, and all are read."""
        inside = {link for link in self.look(self.root) if link.startswith(self.root)}
        for kind in ("pairs", "submissions", "clusters"):
            pages = sorted(link for link in inside if re.search(rf"/{kind}/\d+$", link))
            for address in pages[:OPENED]:
                inside |= {link for link in self.look(address) if link.startswith(self.root)}
        for address in sorted(inside - self.seen.keys()):
            self.read(address)
        return self


@pytest.fixture
def reader(open_page, furnished):
    """An instructor with a session of their own, on the report."""
    page = open_page(f"{furnished}/login")
    log_in(page, STAFF["instructor"][1])
    page.goto(f"/runs/{RUN}/")
    return page


def kinds(walk):
    return {found[1] for address in walk.seen if (found := re.search(r"/(pairs|submissions|clusters)/\d+$", address))}


def test_names_are_there_to_be_hidden(reader):
    walk = Walk(reader, reader.url)
    links = walk.look(reader.url)
    walk.look(next(link for link in sorted(links) if link.endswith("/pairs/1")))
    assert {where for where, _ in walk.found} >= {*walk.seen}


def test_in_anonymous_mode_nothing_that_a_browser_gets_names_a_student(reader):
    root = reader.url
    reader.get_by_role("button", name="Hide names").click()
    reader.get_by_role("button", name="Show names").first.wait_for()
    assert reader.url == root
    walk = Walk(reader, root).everything()
    for download in ("pairs.csv", "scores.csv", "report.json", "pairs/1/evidence", "shares"):
        walk.read(root + download)
    walk.read(urljoin(root, "/"))
    assert walk.found == []
    assert kinds(walk) >= {"pairs", "submissions"}
    assert all("Show names" in text for address, text in walk.seen.items() if address.startswith(root))


def test_a_link_without_names_leads_to_none(reader, open_page):
    reader.goto(f"/runs/{RUN}/shares")
    reader.get_by_label("For whom").fill("Somebody else")
    reader.get_by_label("Names").select_option("yes")
    reader.get_by_role("button", name="Create link").click()
    link = reader.get_by_label("Address for Somebody else").input_value()
    walk = Walk(open_page(link), link).everything()
    assert walk.found == []
    assert kinds(walk) >= {"pairs", "submissions"}
