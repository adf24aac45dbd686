"""OpenDocument texts (.odt): body, tables, text boxes, notes, comments, headers, and what was deleted.

A page ends where the author put a break, and where LibreOffice noted one when it last laid the document out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from moss.intake.documents.packages import Package, parse_xml
from moss.intake.documents.paragraphs import Paragraph, ParagraphKind
from moss.intake.documents.runs import PLAIN, SMALLEST, Look, Story, is_listing_style, is_monospaced, is_white_hex
from moss.intake.entries import UnreadableError
from moss.intake.limits import Limits
from moss.messages import gettext as _

_MOST_BLANKS = 100  # in a row: a file of a few bytes may ask for a thousand million
_KINDS = {
    "table": ParagraphKind.TABLE,
    "text-box": ParagraphKind.BOX,
    "note-body": ParagraphKind.NOTE,
    "annotation": ParagraphKind.COMMENT,
    "deletion": ParagraphKind.DELETED,
    "header": ParagraphKind.MARGIN,
    "footer": ParagraphKind.MARGIN,
    "header-left": ParagraphKind.MARGIN,
    "footer-left": ParagraphKind.MARGIN,
    "hidden-paragraph": ParagraphKind.HIDDEN,
}
_UNREAD = frozenset(("creator", "date", "note-citation", "change-info", "font-face-decls"))
_SIZES = {"pt": 1.0, "cm": 28.35, "mm": 2.835, "in": 72.0, "px": 0.75}


def odt_paragraphs(content: bytes, limits: Limits) -> list[Paragraph]:
    """The paragraphs of an OpenDocument text; raises UnreadableError."""
    package = Package(content, limits)
    if "content.xml" not in package:
        raise UnreadableError(_("named like an OpenDocument text, but it is not one: it has no text"))
    if b"encryption-data" in package.read("META-INF/manifest.xml"):
        raise UnreadableError(_("an encrypted document, so it cannot be read"))
    story, styles = Story(), _Styles()
    parts = [package.read("styles.xml") or b"<none/>", package.read("content.xml")]
    for part in parts:
        parse_xml(part, styles)
    for part in reversed(parts):
        parse_xml(part, _Text(story, styles))
    return story.paragraphs()


@dataclass
class _Styles:
    """How text in each style looks, which styles begin a page, and on which letters are not black on white."""

    looks: dict[str, Look] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    fonts: dict[str, bool] = field(default_factory=dict)  # faces, and whether each is a typewriter's
    breaks: set[str] = field(default_factory=set)
    dark: set[str] = field(default_factory=set)
    _now: str = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "font-face":
            fixed = attributes.get("font-pitch") == "fixed"
            self.fonts[attributes.get("name", "")] = fixed or is_monospaced(attributes.get("font-family", ""))
        elif name == "style":
            self._now = attributes.get("name", "")
            listing = is_listing_style(attributes.get("display-name", "") or self._now)
            self.looks[self._now] = Look(monospaced=True) if listing else Look()
            self.bases[self._now] = attributes.get("parent-style-name", "")
        elif name in ("text-properties", "paragraph-properties") and self._now:
            self.looks[self._now] = self._look(attributes).over(self.looks[self._now])
            self.breaks |= {self._now} if attributes.get("break-before") == "page" else set()
            ground = attributes.get("background-color", "transparent").lower()
            self.dark |= {self._now} if ground not in ("transparent", "#ffffff") else set()

    def end(self, name: str) -> None:
        self._now = "" if name == "style" else self._now

    def text(self, data: str) -> None:
        """Styles have no text."""

    def _look(self, attributes: dict[str, str]) -> Look:
        font = attributes.get("font-name") or attributes.get("font-family")
        hidden = attributes.get("display") == "none" or _points(attributes.get("font-size", "")) < SMALLEST
        return Look(
            hidden=True if hidden else None,
            white=is_white_hex(attributes["color"]) if "color" in attributes else None,
            monospaced=self.fonts.get(font, is_monospaced(font)) if font else None,
        )

    def look(self, style: str) -> tuple[Look, bool]:
        """How text in a style looks, and whether the style begins a page."""
        look, breaks, dark, known = Look(), False, False, set[str]()
        while style and style not in known:
            known.add(style)
            breaks |= style in self.breaks
            dark |= style in self.dark
            look, style = look.over(self.looks.get(style, Look())), self.bases.get(style, "")
        return (look._replace(white=False) if dark else look), breaks


def _points(size: str) -> float:
    """A size such as `12pt` in points; what is no such size is taken for one that can be read."""
    try:
        return float(size[:-2]) * _SIZES.get(size[-2:], 1000.0)
    except ValueError:
        return 1000.0


@dataclass
class _Text:
    """One part of the document, told to the story."""

    story: Story
    styles: _Styles
    _kinds: list[ParagraphKind] = field(default_factory=lambda: [ParagraphKind.BODY])
    _looks: list[Look] = field(default_factory=lambda: [PLAIN])
    _unread: int = 0
    _inside: int = 0  # text: what stands elsewhere describes it

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._unread += name in _UNREAD
        if name in _KINDS:
            self._kinds.append(_KINDS[name])
        if name in ("p", "h"):
            look, breaks = self.styles.look(attributes.get("style-name", ""))
            if breaks and self._kinds[-1] is ParagraphKind.BODY:
                self.story.turn_page()
            self._looks.append(look.over(PLAIN))
            self.story.begin(
                self._kinds[-1], 0 if self._kinds[-1] in (ParagraphKind.MARGIN, ParagraphKind.DELETED) else None
            )
            self._inside += 1
        elif name in ("span", "a"):
            self._looks.append(self.styles.look(attributes.get("style-name", ""))[0].over(self._looks[-1]))
        else:
            self._sign(name, attributes)

    def _sign(self, name: str, attributes: dict[str, str]) -> None:
        if name == "soft-page-break":
            self.story.turn_page(noted=True)
        elif name == "s":
            count = attributes.get("c", "1")
            self._add(" " * min(_MOST_BLANKS, int(count) if count.isdecimal() else 1))
        elif name in ("tab", "line-break"):
            self._add("\t" if name == "tab" else "\n")
        elif name in ("hidden-text", "conditional-text"):
            self.story.add(attributes.get("string-value", ""), Look(hidden=True))

    def end(self, name: str) -> None:
        self._unread -= name in _UNREAD
        if name in ("p", "h"):
            self.story.end()
            self._inside -= 1
        if name in ("p", "h", "span", "a"):
            self._looks.pop()
        if name in _KINDS:
            self._kinds.pop()

    def text(self, data: str) -> None:
        if self._inside and not self._unread:
            self._add(data.replace("\n", " "))

    def _add(self, text: str) -> None:
        # In tables and text boxes the ground may be dark by a style that is not looked at.
        dark = self._kinds[-1] in (ParagraphKind.TABLE, ParagraphKind.BOX)
        self.story.add(text, self._looks[-1]._replace(white=False) if dark else self._looks[-1])
