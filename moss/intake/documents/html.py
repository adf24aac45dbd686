"""HTML that was written as prose: essays that a person typed into a form, and the chapters of e-books (.epub).

Learning platforms keep what students type into them as a page of HTML. (A page that a student handed in as homework is
a program of its own kind, and the HTML front end reads it.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from moss.intake.documents.packages import Package, parse_xml
from moss.intake.documents.paragraphs import Extracted, Paragraph, ParagraphKind, put_together
from moss.intake.encodings import decode
from moss.intake.entries import UnreadableError
from moss.intake.limits import Limits
from moss.messages import gettext as _

_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl",
    "dt", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li",
    "main", "nav", "ol", "p", "pre", "section", "summary", "table", "td", "th", "tr", "ul",
))  # fmt: skip
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_UNREAD = frozenset(("script", "style", "template", "title"))
_UNSEEN_STYLE = re.compile(
    r"display:none|visibility:hidden|opacity:0(?:\.0*)?(?![.\d])|font-size:0(?:\.0*)?(?:px|pt|em|rem|%)?(?![.\d])"
    r"|(?<![\w-])color:(?:white|transparent|#fff(?:f{3})?(?![0-9a-f])|rgba?\(255,255,255|rgb\(100%,100%,100%)"
)
_DEEPEST = 2000  # elements inside elements: beyond this their styles no longer matter
_BLANKS = re.compile(r"\s+")


def html_text(markup: str) -> Extracted:
    """The text of a page of HTML, with its paragraphs; what a browser would not show is told apart."""
    return put_together(html_paragraphs(markup))


def html_paragraphs(markup: str, page: int = 0) -> Iterator[Paragraph]:
    """The paragraphs of a page of HTML."""
    parser = _Paragraphs(page)
    parser.feed(markup)
    parser.close()
    parser.end_paragraph()
    yield from parser.found


class _Paragraphs(HTMLParser):
    """Collects paragraphs; remembers of each open element whether a reader sees what is in it."""

    def __init__(self, page: int) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Paragraph] = []
        self._page = page
        self._open: list[tuple[str, bool]] = []  # elements, each with whether it is seen
        self._seen: list[str] = []
        self._unseen: list[str] = []
        self._unread = 0
        self._tables = self._listings = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.end_paragraph()
        if tag == "br":
            self._pieces().append("\n")
        if tag in _VOID or len(self._open) >= _DEEPEST:
            return
        self._open.append((tag, self._is_seen() and not _hides(dict(attrs))))
        self._count(tag, 1)

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.end_paragraph()
        if not any(name == tag for name, _ in self._open[-_DEEPEST:]):
            return
        while True:
            name, _ = self._open.pop()
            self._count(name, -1)
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self._pieces().append(data if self._listings else _BLANKS.sub(" ", data))

    def end_paragraph(self) -> None:
        """Put down what was collected, and behind it what of it a reader does not see."""
        kind = ParagraphKind.TABLE if self._tables else ParagraphKind.BODY
        self.found.append(Paragraph("".join(self._seen), kind, self._page, monospaced=bool(self._listings)))
        if self._unseen:
            self.found.append(Paragraph("".join(self._unseen), ParagraphKind.HIDDEN, self._page))
        self._seen, self._unseen = [], []

    def _pieces(self) -> list[str]:
        return self._seen if self._is_seen() else self._unseen

    def _is_seen(self) -> bool:
        return not self._open or self._open[-1][1]

    def _count(self, tag: str, step: int) -> None:
        self._unread += step * (tag in _UNREAD)
        self._tables += step * (tag == "table")
        self._listings += step * (tag == "pre")


def _hides(attributes: dict[str, str | None]) -> bool:
    style = _BLANKS.sub("", attributes.get("style") or "").lower()
    return "hidden" in attributes or bool(_UNSEEN_STYLE.search(style)) or _is_white(attributes.get("color"))


def _is_white(color: str | None) -> bool:
    return (color or "").strip().lower() in ("white", "#fff", "#ffffff")


def epub_paragraphs(content: bytes, limits: Limits) -> Iterator[Paragraph]:
    """The paragraphs of an e-book, with the numbers of their chapters for pages; raises UnreadableError."""
    package = Package(content, limits)
    where = _Names("rootfile", "full-path")
    parse_xml(package.read("META-INF/container.xml") or b"<none/>", where)
    if not where.found or where.found[0] not in package:
        raise UnreadableError(_("named like an e-book, but it is not one: it has no list of chapters"))
    contents = _Contents()
    parse_xml(package.read(where.found[0]), contents)
    names = [normpath(join(dirname(where.found[0]), unquote(href))) for href in contents.chapters()]
    for number, name in enumerate(dict.fromkeys(name for name in names if name in package), 1):
        yield from html_paragraphs(decode(package.read(name))[0], number)


@dataclass
class _Names:
    """The values of one attribute of one kind of element."""

    element: str
    attribute: str
    found: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == self.element and self.attribute in attributes:
            self.found.append(attributes[self.attribute])

    def end(self, name: str) -> None:
        """Only beginnings matter."""

    def text(self, data: str) -> None:
        """Only attributes matter."""


@dataclass
class _Contents:
    """Which files an e-book has, and in which order they are read."""

    files: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "item" and "html" in attributes.get("media-type", ""):
            self.files[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "itemref":
            self.order.append(attributes.get("idref", ""))

    def end(self, name: str) -> None:
        """Only beginnings matter."""

    def text(self, data: str) -> None:
        """Only attributes matter."""

    def chapters(self) -> list[str]:
        """First what is read in order, then what else there is, so that nothing hides."""
        return [self.files[each] for each in dict.fromkeys([*self.order, *self.files]) if each in self.files]
