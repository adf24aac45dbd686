"""Rich Text Format (.rtf): text among groups in braces, with words of control that say how it looks.

The format is small, and read here in one pass: footnotes, text boxes, comments, headers and hidden text are told apart,
which the libraries for it do not do.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace

from moss.intake.documents.paragraphs import Paragraph, ParagraphKind
from moss.intake.documents.runs import PLAIN, SMALLEST, Look, Story, is_monospaced, is_white
from moss.intake.entries import UnreadableError
from moss.messages import gettext as _
from moss.messages import number

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\'(?P<byte>[0-9a-fA-F]{2})"
    rb"|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])"
    rb"|(?P<text>[^\\{}\r\n]+)"
    rb"|[\r\n\\]+"
)
_MOST_BLANKS = 4  # characters that stand in for one of Unicode: more would be a way to hide text
_DEEPEST = 2000  # groups inside groups
_KINDS = {
    "footnote": ParagraphKind.NOTE,
    "annotation": ParagraphKind.COMMENT,
    "shptxt": ParagraphKind.BOX,
    "header": ParagraphKind.MARGIN,
    "headerl": ParagraphKind.MARGIN,
    "headerr": ParagraphKind.MARGIN,
    "headerf": ParagraphKind.MARGIN,
    "footer": ParagraphKind.MARGIN,
    "footerl": ParagraphKind.MARGIN,
    "footerr": ParagraphKind.MARGIN,
    "footerf": ParagraphKind.MARGIN,
}
_UNREAD = frozenset((
    "stylesheet", "info", "pict", "object", "themedata", "colorschememapping", "datastore", "latentstyles", "listtable",
    "listoverridetable", "rsidtbl", "generator", "fldinst", "xmlnstbl", "filetbl", "revtbl", "sp", "bkmkstart",
    "bkmkend", "atnid", "atnauthor", "atntime", "atndate", "atnref", "nonshppict", "pntext", "pnseclvl", "mmathPr",
))  # fmt: skip
_SIGNS = {"tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emdash": "—",
          "endash": "–", "bullet": "•", "emspace": " ", "enspace": " "}  # fmt: skip
_ENDS = frozenset(("par", "cell", "nestcell", "row", "sect"))


def rtf_paragraphs(content: bytes) -> list[Paragraph]:
    """The paragraphs of a document in Rich Text Format; raises UnreadableError."""
    reader = _Reader()
    position = 0
    while token := _TOKEN.match(content, position):
        position = token.end() + reader.take(token)
    reader.finish()
    return reader.story.paragraphs()


@dataclass(frozen=True)
class _Group:
    """The state of the reader inside a group, which ends with it."""

    look: Look = PLAIN
    kind: ParagraphKind = ParagraphKind.BODY
    unread: bool = False
    deleted: bool = False
    fonts: bool = False  # inside the table of fonts
    colors: bool = False
    opened: bool = False  # a paragraph of its own, which ends with the group
    blanks: int = 1  # characters that follow one of Unicode, for programs that know none


@dataclass
class _Reader:
    """Goes from token to token; a group that ends gives back what held before."""

    story: Story = field(default_factory=Story)
    _now: _Group = _Group()
    _outer: list[_Group] = field(default_factory=list)
    _codec: str = "cp1252"
    _bytes: bytearray = field(default_factory=bytearray)  # of characters that are not yet decoded
    _skip: int = 0  # characters that only stand in for one of Unicode
    _starred: bool = False  # a group that may be passed over by those who do not know it
    _body_open: bool = False
    _fonts: dict[int, bool] = field(default_factory=dict)
    _colors: list[bool] = field(default_factory=list)  # whether each is white
    _font: int = 0
    _rgb: list[int] = field(default_factory=lambda: [0, 0, 0])

    def take(self, token: re.Match[bytes]) -> int:
        """Do what a token says; how many bytes behind it are no text."""
        if byte := token["byte"]:
            self._add_bytes(bytes.fromhex(byte.decode()))
        elif text := token["text"]:
            self._add_bytes(text)
        elif brace := token["brace"]:
            self._open() if brace == b"{" else self._close()
        elif sign := token["sign"]:
            self._sign(sign)
        elif word := token["word"]:
            number = int(token["number"]) if token["number"] else None
            if word == b"bin":
                return max(0, number or 0)
            self._word(word.decode(), number)
        return 0

    def finish(self) -> None:
        """All that is open ends."""
        self._flush()

    def _open(self) -> None:
        self._flush()
        if len(self._outer) >= _DEEPEST:
            raise UnreadableError(
                _("a document whose groups are nested more than %(n)s deep, not read", n=number(_DEEPEST))
            )
        self._outer.append(self._now)
        self._now = replace(self._now, opened=False)
        self._starred = False

    def _close(self) -> None:
        self._flush()
        if self._now.opened:
            self.story.end()
        if self._outer:
            self._now = self._outer.pop()
        self._skip = 0

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._starred = True
        elif sign == b"~":
            self._add(" ")
        elif sign in b"{}\\":
            self._add_bytes(sign)
        elif sign == b"_":
            self._add("-")

    def _word(self, word: str, number: int | None) -> None:
        self._flush()
        starred, self._starred = self._starred, False
        if word in _KINDS:
            self._now = replace(self._now, kind=_KINDS[word], unread=False, opened=True, look=PLAIN)
            self.story.begin(_KINDS[word], 0 if _KINDS[word] is ParagraphKind.MARGIN else None)
        elif word in _UNREAD or (starred and word not in ("shpinst", "shptxt")):
            self._now = replace(self._now, unread=True)
        elif word in ("fonttbl", "colortbl"):
            self._now = replace(self._now, unread=True, fonts=word == "fonttbl", colors=word == "colortbl")
        elif word in _ENDS:
            self._end_paragraph()
        elif word == "page":
            self.story.turn_page()
        elif word in _SIGNS:
            self._add(_SIGNS[word])
        elif word == "u" and number is not None:
            self._add(chr(number % 65536))
            self._skip = self._now.blanks
        else:
            self._look(word, number)

    def _look(self, word: str, number: int | None) -> None:
        on = number != 0
        if word == "v":
            self._see(hidden=on)
        elif word == "deleted":
            self._now = replace(self._now, deleted=on)
        elif word == "plain":
            self._now = replace(self._now, look=PLAIN, deleted=False)
        elif word == "fs" and number is not None:
            self._see(hidden=True if number / 2 < SMALLEST else self._now.look.hidden)
        elif word == "cf":
            self._see(white=number is not None and 0 <= number < len(self._colors) and self._colors[number])
        elif word in ("highlight", "cb", "chcbpat") and number:
            self._see(white=False)
        elif word == "f" and number is not None:
            self._font = number
            self._see(monospaced=self._fonts.get(number, False))
        elif word in ("intbl", "pard"):
            body = self._now.kind in (ParagraphKind.BODY, ParagraphKind.TABLE)
            self._now = (
                replace(self._now, kind=ParagraphKind.TABLE if word == "intbl" else ParagraphKind.BODY)
                if body
                else self._now
            )
        elif word == "uc" and number is not None:
            self._now = replace(self._now, blanks=min(_MOST_BLANKS, max(0, number)))
        elif word in ("red", "green", "blue") and self._now.colors:
            self._rgb[("red", "green", "blue").index(word)] = min(255, max(0, number or 0))
        elif word == "ansicpg" and number is not None:
            self._codec = _known(f"cp{number}")

    def _see(self, **look: bool | None) -> None:
        self._now = replace(self._now, look=self._now.look._replace(**look))

    def _add_bytes(self, found: bytes) -> None:
        if self._skip:
            self._skip, found = max(0, self._skip - len(found)), found[self._skip :]
        self._bytes += found

    def _flush(self) -> None:
        """Decode what was collected: a character of the east may be two bytes."""
        if self._bytes:
            text = self._bytes.decode(self._codec, "replace")
            self._bytes.clear()
            self._add(text)

    def _add(self, text: str) -> None:
        self._flush()
        if self._now.fonts:
            self._fonts[self._font] = self._fonts.get(self._font, False) or is_monospaced(text)
        elif self._now.colors:
            for _color in range(text.count(";")):
                self._colors.append(is_white(*self._rgb) if any(self._rgb) else False)
                self._rgb = [0, 0, 0]
        elif not self._now.unread:
            self._begin_body()
            dark = self._now.kind in (ParagraphKind.TABLE, ParagraphKind.BOX)  # whose ground is not looked at
            look = self._now.look._replace(white=False) if dark else self._now.look
            self.story.add(text, look, self._now.deleted)

    def _begin_body(self) -> None:
        if self._now.kind in (ParagraphKind.BODY, ParagraphKind.TABLE) and not self._body_open:
            self.story.begin(self._now.kind)
            self._body_open = True

    def _end_paragraph(self) -> None:
        if self._now.unread:
            return
        if self._now.kind in (ParagraphKind.BODY, ParagraphKind.TABLE):
            if self._body_open:
                self.story.end()
            self._body_open = False
        else:
            self._add("\n")


def _known(codec: str) -> str:
    try:
        return codecs.lookup(codec).name
    except LookupError:
        return "cp1252"
