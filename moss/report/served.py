"""The report as pages that a server stores, fills and serves: the templates are those of the report on disk.

    runs/7/  runs/7/pairs.js  runs/7/pairs/3  runs/7/submissions/2  runs/7/clusters/1  runs/7/assets/moss.css?v=…

All links are relative, so that one stored page works wherever the report is mounted, two steps below the server's home:
for those who may decide, behind a link that only reads, and behind a proxy's prefix.

Content that changes with time or reader is not stored. Its place is marked by a slot, a comment that no submitted text
can forge, because every `<` in texts is escaped. The slots: `head`, `masthead` and `notice` on each page, `crumbs`
on each that is not shown alone; on the overview `tools`, and `state-N` for each pair that is in the page itself; in the
data of its list `states`; on a pair's page `case`, and `passage-N` for each passage; on a submission's page
`submission`; on a cluster's page `state-N` for each of its pairs. `states`, on the overview and on a cluster's page, is
the value of an attribute: `3:confirmed 7:dismissed`. `moss.report.packed_page` has the form in which pages with slots
are stored and sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from markupsafe import Markup

from moss.messages import language_digest
from moss.model import Report
from moss.report.page_templates import PAIR_LIST, REPORT_FOLDERS, TEMPLATES, environment
from moss.report.pages.overview import render_overview
from moss.report.pages.pair_list import pair_list_script
from moss.report.render import PAIRS, Page, make_pages, pages_of

OVERVIEW = ""
"""The name of the overview; other pages are called by their addresses, as `pairs/3`."""

ALONE = "alone"
"""`alone/3` is the page of a pair for somebody who may see nothing else, served where the overview would be."""

_STORED = (*REPORT_FOLDERS, TEMPLATES / "classic")  # folders of the templates of stored pages
_SLOT = re.compile(r"<!--moss:slot ([a-z]+(?:-\d+)?)-->")


class NoSuchPageError(LookupError):
    """A name that no page of the report has."""


@dataclass(frozen=True, slots=True)
class ServedLinks:
    """Links between the addresses of one report, relative to the page."""

    root: str = ""  # how to get from the page to the report's overview: "" or "../"
    lone: bool = False  # there is no overview, and no other page

    def live(self) -> bool:
        """A server sends the pages."""
        return True

    def alone(self) -> bool:
        """Whether the reader may see this page only."""
        return self.lone

    def home(self) -> str:
        """The server's first page; for a reader who may see one page, that page."""
        return "./" if self.lone else f"{self.root}../../"

    def overview(self) -> str:
        """The list of pairs."""
        return self.root or "./"

    def pair(self, number: int) -> str:
        """The page of a pair."""
        return f"{self.root}pairs/{number}"

    def pair_list(self) -> str:
        """The script with the data of the overview's lists."""
        return f"{self.root}{PAIR_LIST}"

    def submission(self, number: int) -> str:
        """The page of a submission."""
        return f"{self.root}submissions/{number}"

    def cluster(self, number: int) -> str:
        """The page of a cluster."""
        return f"{self.root}clusters/{number}"

    def asset(self, name: str) -> str:
        """A style sheet or script; its address changes with the templates, so browsers may cache it for ever."""
        return f"{self.root}assets/{name}?v={templates_digest()}"

    def slot(self, name: str) -> Markup:
        """The mark of a place to be filled."""
        return Markup(f"<!--moss:slot {name}-->")


def templates_digest() -> str:
    """A short digest of the templates, style sheets and scripts that pages are made of, and of their language."""
    return _templates_digest(language_digest())


@cache
def _templates_digest(language: str) -> str:
    digest = sha256(language.encode())
    for path in sorted(path for folder in _STORED for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(TEMPLATES).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def fill_slots(page: str, contents: Mapping[str, str]) -> str:
    """The page with its slots filled by name; slots without content disappear."""
    return _SLOT.sub(lambda slot: contents.get(slot[1], ""), page)


def state_badge(state: str) -> Markup:
    """The content of the slot `state-N`."""
    parts = environment().get_template("parts/parts.html").module
    return Markup(parts.state(state))  # type: ignore[attr-defined]


def render_one(report: Report, name: str) -> str:
    """A page by its name, rendered in a process of its own; needs only the texts that the page shows."""
    if name == OVERVIEW:
        return _overview(report)
    if name == PAIR_LIST:
        return pair_list_script(report, ServedLinks())
    folder, _, number = name.partition("/")
    address, links = (f"{PAIRS}/{number}", _lone_links) if folder == ALONE else (name, ServedLinks)
    wanted = [page for page in pages_of(report) if _name(page) == address]
    if not wanted:
        raise NoSuchPageError(f"the report has no page {name!r}")
    [(_, text)] = make_pages(report, links, wanted, 1, _storable)
    return text


def _lone_links(root: str) -> ServedLinks:
    """The links of a page that stands where the overview would."""
    return ServedLinks(lone=True)


def _overview(report: Report) -> str:
    return _storable(None, render_overview(report, ServedLinks()))


def _name(page: Page) -> str:
    return page.address(ServedLinks())


def _storable(page: Page | None, text: str) -> str:
    """The text without NUL and half surrogate pairs, which databases refuse; only names can have them."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
