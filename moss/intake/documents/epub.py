"""E-books (.epub): the chapters in the order of reading, each a page of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from moss.intake.documents.html import html_paragraphs
from moss.intake.documents.packages import Package, parse_xml
from moss.intake.documents.paragraphs import Paragraph
from moss.intake.encodings import decode
from moss.intake.entries import UnreadableError
from moss.intake.limits import Limits
from moss.messages import gettext as _


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
