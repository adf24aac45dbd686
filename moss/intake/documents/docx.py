"""Word documents (.docx): body, tables, text boxes, notes, comments, headers, and what was deleted but not accepted.

A page ends where its author put a break, and where Word noted one when it last laid the document out; without either,
paragraphs are counted from the beginning of the document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from moss.intake.documents.packages import Package, parse_xml
from moss.intake.documents.paragraphs import Extracted, Paragraph, ParagraphKind, put_together
from moss.intake.documents.runs import PLAIN, SMALLEST, Look, Story, is_listing_style, is_monospaced, is_white_hex
from moss.intake.entries import UnreadableError
from moss.intake.limits import Limits
from moss.messages import gettext as _
from moss.messages import ngettext

_LOOKS = frozenset(("vanish", "webHidden", "color", "sz", "rFonts"))
_EMBEDDED = re.compile(r"word/embeddings/.|word/.*(?:afchunk|altchunk)", re.IGNORECASE)
_OFF = ("0", "false", "off", "none")
_SIGNS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-"}
_BREAKS = ("br", "pageBreakBefore", "lastRenderedPageBreak")
_NO_NOTES = ("separator", "continuationSeparator", "continuationNotice")
_NOTES = {"word/footnotes.xml": ("footnote", ParagraphKind.NOTE), "word/endnotes.xml": ("endnote", ParagraphKind.NOTE),
          "word/comments.xml": ("comment", ParagraphKind.COMMENT)}  # fmt: skip


def read_docx(content: bytes, limits: Limits) -> Extracted:
    """The text of a Word document, with its paragraphs; raises UnreadableError."""
    package = Package(content, limits)
    if "word/document.xml" not in package:
        raise UnreadableError(_("named like a Word document, but it is not one: it has no text"))
    embedded = [name for name in package.names("word/") if _EMBEDDED.match(name)]
    findings = []
    if embedded:
        findings.append(
            ngettext(
                "it has %(num)s document embedded in it, which was not read",
                "it has %(num)s documents embedded in it, which were not read",
                len(embedded),
            )
        )
    return put_together(_paragraphs(package), findings)


def _paragraphs(package: Package) -> list[Paragraph]:
    styles = _Styles()
    parse_xml(package.read("word/styles.xml") or b"<none/>", styles)
    story = Story()
    body = _Body(story, styles, ParagraphKind.BODY)
    parse_xml(package.read("word/document.xml"), body)
    for name, (element, kind) in _NOTES.items():
        if name in package:
            parse_xml(package.read(name), _Body(story, styles, kind, element, body.pages_of))
    for name in package.names("word/"):
        if name.startswith(("word/header", "word/footer")) and name.endswith(".xml"):
            parse_xml(package.read(name), _Body(story, styles, ParagraphKind.MARGIN, page=0))
    return story.paragraphs()


def _is_on(attributes: dict[str, str]) -> bool:
    return attributes.get("val", "1").lower() not in _OFF


def _look_of(name: str, attributes: dict[str, str]) -> Look:
    """The look that a property of Word gives to a run of text."""
    value = attributes.get("val", "")
    if name in ("vanish", "webHidden"):
        return Look(hidden=_is_on(attributes))
    if name == "color":
        return Look(white=is_white_hex(value) or attributes.get("themeColor") == "background1")
    if name == "sz":
        return Look(hidden=True) if value.isdigit() and int(value) / 2 < SMALLEST else Look()
    if name == "rFonts":
        return Look(monospaced=is_monospaced(font)) if (font := attributes.get("ascii")) else Look()
    return Look()


def _is_dark(name: str, attributes: dict[str, str]) -> bool:
    """Whether a property gives text another ground than white paper: white letters are meant to be read there."""
    if name == "highlight":
        return attributes.get("val") not in ("white", "none")
    return name == "shd" and attributes.get("fill", "auto").lower() not in ("auto", "ffffff")


@dataclass
class _Styles:
    """The looks of all styles by their ids, each with the style that it is based on."""

    looks: dict[str, Look] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    dark: set[str] = field(default_factory=set)
    _now: str = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            # Those of tables are looked up by nothing here, and are most of what a template has.
            self._now = attributes.get("styleId", "") if attributes.get("type") != "table" else ""
            self.looks[self._now] = Look()
        elif self._now and name == "basedOn":
            self.bases[self._now] = attributes.get("val", "")
        elif self._now and name == "name" and is_listing_style(attributes.get("val", "")):
            self.looks[self._now] = Look(monospaced=True).over(self.looks[self._now])
        elif self._now and _is_dark(name, attributes):
            self.dark.add(self._now)
        elif self._now and name in _LOOKS:
            self.looks[self._now] = _look_of(name, attributes).over(self.looks[self._now])

    def end(self, name: str) -> None:
        self._now = "" if name == "style" else self._now

    def text(self, data: str) -> None:
        """Styles have no text."""

    def look(self, style: str) -> Look:
        """How text in a style looks."""
        look, dark, known = Look(), False, set[str]()
        while style and style not in known:
            known.add(style)
            dark |= style in self.dark
            look, style = look.over(self.looks.get(style, Look())), self.bases.get(style, "")
        return look._replace(white=False) if dark else look


@dataclass
class _Level:
    """An open paragraph: how its text looks, and whether its ground may be dark."""

    look: Look = PLAIN
    dark: bool = False


@dataclass
class _Body:
    """One part of the document, told to the story; of notes and comments each is where the body refers to it."""

    story: Story
    styles: _Styles
    kind: ParagraphKind
    note: str = ""  # the element that holds a note, if this part has some
    pages_of: dict[str, int] = field(default_factory=dict)  # notes by their kind and number
    page: int | None = None
    _elements: list[str] = field(default_factory=list)
    _paragraphs: list[_Level] = field(default_factory=lambda: [_Level()])
    _run: _Level = field(default_factory=_Level)
    _deleted: int = 0
    _unread: int = 0
    _tables: int = 0
    _boxes: int = 0
    _same_page: bool = False  # the section that ends goes on where it is

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements.append(name)
        self._count(name, 1)
        if name == self.note:
            self.page = self.pages_of.get(f"{name} {attributes.get('id', '')}", 0)
            self._unread += attributes.get("type") in _NO_NOTES
        elif name == "p":
            self._paragraphs.append(_Level())
            self.story.begin(self._kind(), self.page)
        elif name == "r":
            self._run = replace(self._paragraphs[-1])
        elif name in ("footnoteReference", "endnoteReference", "commentReference"):
            self.pages_of[f"{name.removesuffix('Reference')} {attributes.get('id', '')}"] = self.story.page
        elif name in _BREAKS:
            self._break(name, attributes)
        else:
            self._property(name, attributes)

    def _break(self, name: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("type")
        if name == "lastRenderedPageBreak":
            self.story.turn_page(noted=True)
        elif name == "br" and kind != "page":
            self._add("\n")
        elif _is_on(attributes):
            self.story.turn_page()

    def _property(self, name: str, attributes: dict[str, str]) -> None:
        inside = self._elements[-2] if len(self._elements) > 1 else ""
        if inside == "r":
            self._add(_SIGNS.get(name, ""))
        elif inside == "sectPr" and name == "type":
            self._same_page = attributes.get("val") == "continuous"
        elif inside == "pPr":
            self._style(self._paragraphs[-1], name, attributes, "pStyle")
        elif inside == "rPr" and self._elements[-3:-2] == ["r"]:
            self._style(self._run, name, attributes, "rStyle")

    def _style(self, level: _Level, name: str, attributes: dict[str, str], style: str) -> None:
        look = self.styles.look(attributes.get("val", "")) if name == style else _look_of(name, attributes)
        level.look = look.over(level.look)
        level.dark |= _is_dark(name, attributes)

    def end(self, name: str) -> None:
        self._elements.pop()
        self._count(name, -1)
        if name == "p" and len(self._paragraphs) > 1:
            self._paragraphs.pop()
            self.story.end()
        elif name == "sectPr" and "pPr" in self._elements[-1:]:
            if not self._same_page:
                self.story.turn_page()
            self._same_page = False
        elif name == self.note:
            self._unread = 0

    def text(self, data: str) -> None:
        if self._elements and self._elements[-1] in ("t", "delText"):
            self._add(data.replace("\n", " "))

    def _add(self, text: str) -> None:
        # In tables and text boxes the ground may be dark by a style that is not looked at.
        dark = self._tables or self._boxes or self._run.dark
        if not self._unread:
            look = self._run.look._replace(white=False) if dark else self._run.look
            self.story.add(text, look, deleted=self._deleted > 0)

    def _kind(self) -> ParagraphKind:
        if self.kind is not ParagraphKind.BODY:
            return self.kind
        return ParagraphKind.BOX if self._boxes else ParagraphKind.TABLE if self._tables else ParagraphKind.BODY

    def _count(self, name: str, step: int) -> None:
        self._deleted += step * (name in ("del", "moveFrom"))
        self._tables += step * (name == "tbl")
        self._boxes += step * (name == "txbxContent")
        self._unread += step * (name == "Fallback")  # a text box again, for old programs
