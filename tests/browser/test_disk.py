"""The report from disk: every page opens, asks nobody for anything, and every link leads somewhere."""

from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

CLASSES = ["java-library", "python-textstats", "essays"]


class Links(HTMLParser):
    """Where a page leads to, and what in it can be led to."""

    def __init__(self, page):
        super().__init__()
        self.targets, self.ids = [], {""}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.targets.append(value)
            elif name == "id":
                self.ids.add(value)


def links_of(url):
    with open(unquote(urlsplit(url).path), encoding="utf-8") as file:
        return Links(file.read())


@pytest.mark.parametrize("name", CLASSES)
def test_overview_pair_and_submission_open_without_an_error_or_a_request(open_page, sample, name):
    site = sample(name)
    page = open_page("about:blank")
    page.add_init_script("addEventListener('securitypolicyviolation', (e) => console.error('CSP ' + e.blockedURI))")
    for url in (site.page(), site.pair(1), site.submission(site.report.pairs[0].a)):
        page.goto(url)
        assert page.locator("h1").is_visible()


@pytest.mark.parametrize("name", CLASSES)
def test_links_reach_every_page_and_lead_to_what_exists(sample, name):
    site = sample(name)
    pages = {url: links_of(url) for url in site.pages()}
    files = {path.as_uri() for path in site.folder.rglob("*")}
    reached, dead = {site.page()}, set()
    for url, links in pages.items():
        for target in links.targets:
            there, fragment = urldefrag(urljoin(url, target))
            reached.add(there)
            alive = there in files and (there not in pages or "=" in fragment or fragment in pages[there].ids)
            if not alive:
                dead.add((url.rpartition("/")[2], target))
    assert dead == set()
    assert pages.keys() <= reached


def test_without_scripts_the_first_rows_are_listed_and_their_links_work(open_page, library):
    page = open_page(library.page(), java_script_enabled=False)
    assert page.locator("#pairs tbody tr:visible").count() == len(library.report.pairs)
    assert page.locator("#filter-name").is_hidden()
    page.locator("a.open").first.click()
    page.wait_for_url(library.pair(1))
    assert page.locator("#pane-a mark").first.is_visible()
    assert page.locator("#toolbar").is_hidden()


def test_the_theme_is_the_system_s_until_one_is_chosen(open_page, library):
    page = open_page(library.page(), color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.goto(library.pair(1))
    assert page.locator("html").get_attribute("data-theme") == "light"
