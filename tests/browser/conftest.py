"""A browser, the reports that it opens, and a watch over everything that their pages do."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from urllib.parse import urljoin

import pytest
from click.testing import CliRunner

from browser.app import log_in, serving_pages
from browser.furnishing import STAFF, furnish
from browser.sites import Site, clustered_site, hostile_site, sample_site
from browser.tools import DESK, PATIENT, lacking, needed
from moss.cli import main

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# The first has no window of its own to draw: less than half the processor time for each page.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="package")
def chromium():
    """One browser for all tests of the package."""
    api = needed("playwright.sync_api", "playwright")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        lacking("there is no browser: apt install chromium-headless-shell")
    api.expect.set_options(timeout=PATIENT)  # else five seconds
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()


@dataclass
class Watch:
    """What pages did that no page of a report may do."""

    seen: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=lambda: ["file:", "blob:"])

    def over(self, page) -> None:
        """Begin to watch a page."""
        page.on("console", self.said)
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("request", lambda request: self.request(request.url))
        page.on("requestfailed", self.failed)
        page.on("dialog", self.dialog)

    def said(self, message) -> None:
        """No page complains."""
        if message.type in ("error", "warning"):
            self.seen.append(f"{message.text} {message.location['url']}")

    def request(self, url: str) -> None:
        """Nothing but files of the report is asked for, on disk or where the page itself came from."""
        if not url.startswith(tuple(self.allowed)):
            self.seen.append(f"request: {url}")

    def failed(self, request) -> None:
        """Nothing fails but what a page still asks when its reader goes on, or what becomes a download. A file that is
        not there fails in another way."""
        if request.failure != "net::ERR_ABORTED":
            self.seen.append(f"failed: {request.url} {request.failure}")

    def dialog(self, dialog) -> None:
        """No page asks anything."""
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()


Opening = Callable[..., object]


def new_window(chromium, url: str, watch: Watch, **options):
    """A window of its own for an address, which it does not open yet."""
    chosen = {"viewport": DESK, "reduced_motion": "reduce"} | options
    if url.startswith("http:"):
        watch.allowed.append(urljoin(url, "/"))
        chosen = {"base_url": urljoin(url, "/")} | chosen
    context = chromium.new_context(**chosen)
    context.set_default_timeout(PATIENT)
    page = context.new_page()
    watch.over(page)
    return page


@pytest.fixture
def open_page(chromium) -> Iterator[Opening]:
    """Opens an address in a fresh window; at the end, whatever the pages did must have been harmless."""
    watch = Watch()
    with ExitStack() as windows:

        def opened(url: str, **options):
            page = new_window(chromium, url, watch, **options)
            windows.callback(page.context.close)
            page.goto(url)
            return page

        yield opened
    assert watch.seen == []


@pytest.fixture(scope="session")
def sample(tmp_path_factory) -> Callable[[str], Site]:
    """The report of a sample class by its name, made when it is first asked for."""
    made: dict[str, Site] = {}

    def site(name: str) -> Site:
        if name not in made:
            made[name] = sample_site(name, tmp_path_factory.mktemp(name))
        return made[name]

    return site


@pytest.fixture(scope="session")
def library(sample) -> Site:
    """The sample class of Java programs."""
    return sample("java-library")


@pytest.fixture(scope="session")
def evidence(library, tmp_path_factory) -> Callable[[Site, int], str]:
    """Makes the evidence of a pair by the command, and tells its address."""
    if "evidence" not in main.commands:
        pytest.skip("there is no command that makes evidence")
    folder = tmp_path_factory.mktemp("evidence")

    def made(site: Site, number: int) -> str:
        pair = site.report.pairs[number - 1]
        file = folder / f"{site.folder.name}-{number}.html"
        if not file.exists():
            told = CliRunner().invoke(main, ["evidence", "-o", str(file), "--", str(site.folder), pair.a, pair.b])
            assert told.exit_code == 0, told.output
        return file.as_uri()

    return made


@pytest.fixture(scope="session")
def hostile(tmp_path_factory) -> Site:
    """The class of people with bad names."""
    return hostile_site(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session")
def clustered(tmp_path_factory) -> Site:
    """The class with clusters, sections and times."""
    return clustered_site(tmp_path_factory.mktemp("clustered"))


@pytest.fixture(scope="package")
def furnished(tmp_path_factory) -> Iterator[str]:
    """A server with something on every page, on which nothing changes by itself."""
    folder = tmp_path_factory.mktemp("furnished")
    furnish(folder)
    with serving_pages(folder) as origin:
        yield origin


@pytest.fixture(scope="package")
def cookies(chromium, furnished) -> dict[str, list]:
    """The cookies of people who have logged in, by whom."""
    found = {"": []}
    for who in ("instructor", "administrator", "assistant"):
        page = chromium.new_page(base_url=furnished)
        page.set_default_timeout(PATIENT)
        page.goto("/login")
        log_in(page, STAFF[who][1])
        found[who] = page.context.cookies()
        page.context.close()
    return found


@pytest.fixture
def visit(open_page, furnished, cookies) -> Opening:
    """Opens a page of that server as somebody."""

    def opened(path: str, who: str = "instructor", **options):
        return open_page(furnished + path, storage_state={"cookies": cookies[who], "origins": []}, **options)

    return opened


@pytest.fixture(scope="package")
def window_of(chromium, furnished, cookies) -> Iterator[Callable[[str], tuple]]:
    """Gives the window in which somebody goes from page to page, and the watch over it."""
    windows: dict[str, tuple] = {}

    def window(who: str) -> tuple:
        if who not in windows:
            watch, known = Watch(), {"cookies": cookies[who], "origins": []}
            windows[who] = new_window(chromium, furnished, watch, storage_state=known), watch
        return windows[who]

    yield window
    for page, _ in windows.values():
        page.context.close()


@pytest.fixture
def look_at(window_of) -> Iterator[Opening]:
    """Opens a page of that server where the same person has looked at others, for a test that changes nothing: a new
    window is a new process, which takes as long as the page. At the end the page must have been harmless."""
    looked = []

    def opened(path: str, who: str):
        page, watch = window_of(who)
        watch.seen.clear()  # what another test has told already
        looked.append(watch)
        page.set_viewport_size(DESK)
        page.emulate_media(color_scheme="light")
        page.goto(path)
        return page

    yield opened
    assert [seen for watch in looked for seen in watch.seen] == []
