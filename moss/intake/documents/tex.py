r"""TeX: the words without the commands, so that a source meets the PDF that was made of it.

A command goes, and its arguments stay: `\emph{word}` is a word. A few commands have arguments that are no text
(`\label{…}`), or that are a footnote, or that nobody sees in the end. Comments count, each by itself; listings are
programs. The preamble lays the text out and is not compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field

from moss.intake.documents.paragraphs import CODE, Paragraph, ParagraphKind
from moss.intake.documents.runs import PLAIN, Look, Story

_LISTING = re.compile(
    r"\\begin\{(?P<name>(?:verbatim|Verbatim|lstlisting|minted|alltt)\*?)\}(?:\[[^\]\n]*\])?(?:\{\w*\})?\n?"
)
_TOKEN = re.compile(
    r"(?P<listing>\\begin\{(?:verbatim|Verbatim|lstlisting|minted|alltt)\*?\})"
    r"|\\(?P<command>[a-zA-Z@]+)\*?[ \t]*(?P<option>\[[^\[\]\n]{0,500}\])?"
    r"|\\(?P<accent>['`^\"~=.])[ ]?\{?(?P<letter>[a-zA-Z]|\\[ij](?![a-zA-Z]))\}?"
    r"|\\(?P<sign>[^a-zA-Z])"
    r"|%(?P<comment>[^\n]*)\n?[ \t]*"
    r"|(?P<break>\n[ \t]*\n\s*)"
    r"|(?P<brace>[{}])"
    r"|(?P<quote>``|''|---?|~)"
    r"|(?P<text>[^\\%{}`'~\n-]+|.|\n)",
    re.DOTALL,
)
_UNREAD = frozenset((
    "label", "ref", "pageref", "eqref", "autoref", "cref", "cite", "citep", "citet", "parencite", "textcite", "nocite",
    "usepackage", "documentclass", "includegraphics", "input", "include", "bibliography", "bibliographystyle", "vspace",
    "hspace", "begin", "end", "setlength", "hypersetup", "pagestyle", "thispagestyle", "color", "href", "geometry",
))  # fmt: skip
_UNSEEN = frozenset(("phantom", "hphantom", "vphantom"))
_HEADINGS = frozenset(
    ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "caption", "title", "item", "par")
)
_SIGNS = {"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "aa": "å", "i": "ı",
          "ldots": "…", "dots": "…", "textbackslash": "\\", "LaTeX": "LaTeX", "TeX": "TeX", "quad": " "}  # fmt: skip
_QUOTES = {"``": "“", "''": "”", "---": "—", "--": "–", "~": " "}
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307"}
_WHITE = re.compile(r"\{\s*white\s*\}")


def tex_paragraphs(source: str) -> list[Paragraph]:
    """The paragraphs of a document in TeX, each with the line of the source in which it begins."""
    source = source.replace("\r\n", "\n")
    reader = _Reader(source)
    begin = source.find(r"\begin{document}")
    position = begin + len(r"\begin{document}") if begin >= 0 else 0
    while token := _TOKEN.match(source, position):
        position = reader.take(token)
    found = reader.finish()
    return found or [Paragraph(source)]


@dataclass
class _Reader:
    """Goes from token to token; remembers what each open brace means."""

    source: str
    story: Story = field(default_factory=Story)
    _braces: list[str] = field(default_factory=list)  # "", or what the argument in it is
    _inside: Counter[str] = field(default_factory=Counter)  # of such arguments how many are open
    _next: str = ""  # what the argument that comes next is
    _missing: set[str] = field(default_factory=set)  # ends of listings that do not come any more
    _open: bool = False
    _over: bool = False  # the document has ended
    _at: int = 0  # where lines have been counted
    _line: int = 1

    def take(self, token: re.Match[str]) -> int:
        """Do what a token says; where to go on."""
        kind = token.lastgroup
        if token["listing"]:
            return self._listing(token)
        if kind == "comment":
            self._comment(token)
        elif kind == "break":
            self._end()
        elif kind == "brace":
            self._brace(token["brace"])
        elif token["command"]:
            return self._command(token)
        elif kind == "letter":
            self._add(unicodedata.normalize("NFC", token["letter"].lstrip("\\") + _ACCENTS[token["accent"]]), token)
        elif kind == "sign":
            self._add("\n" if token["sign"] == "\\" else token["sign"] if token["sign"] in "%$#&_{}" else " ", token)
        else:
            self._add(_QUOTES.get(token[0], token[0].replace("\n", " ")), token)
        return token.end()

    def _command(self, token: re.Match[str]) -> int:
        name = token["command"]
        if token[0].startswith(r"\end") and self.source.startswith("{document}", token.end()):
            self._end()
            self._over = True
            return token.end() + len("{document}")
        if name in _HEADINGS:
            self._end()
            self._next = "heading"
        if name == "footnote" or name in _UNREAD or name in _UNSEEN or name == "textcolor":
            self._next = "note" if name == "footnote" else "unseen" if name in _UNSEEN else "unread"
        if name == "textcolor" and (white := _WHITE.match(self.source, token.end())):
            self._next = "unseen"
            return white.end()
        if name in _SIGNS:
            self._add(_SIGNS[name], token)
        return token.end()

    def _brace(self, brace: str) -> None:
        if brace == "{":
            self._braces.append(self._next)
            self._inside[self._next] += 1
            if self._next == "note":
                self._begin()
                self.story.begin(ParagraphKind.NOTE, 0)
            self._next = ""
        elif self._braces:
            ended = self._braces.pop()
            self._inside[ended] -= 1
            if ended == "note":
                self.story.end()
            elif ended == "heading":
                self._end()

    def _add(self, text: str, token: re.Match[str]) -> None:
        self._next = self._next if text.isspace() else ""
        if self._inside["unread"]:
            return
        if not text.isspace():
            self._begin(token.start())
        if self._open:
            self.story.add(text, Look(hidden=self._over or self._inside["unseen"] > 0).over(PLAIN))

    def _begin(self, position: int | None = None) -> None:
        if not self._open:
            self.story.begin(ParagraphKind.BODY, 0, self._line_at(self._at if position is None else position))
            self._open = True

    def _end(self) -> None:
        if self._inside["note"]:  # a footnote of several paragraphs
            self.story.add("\n", PLAIN)
        elif self._open:
            self.story.end()
            self._open = False

    def _comment(self, token: re.Match[str]) -> None:
        words = token["comment"].strip("% \t-=*")
        if words:
            line = self._line_at(token.start())
            self.story.found.append(Paragraph(words, ParagraphKind.COMMENT, line=line))

    def _listing(self, token: re.Match[str]) -> int:
        begin = _LISTING.match(self.source, token.start())
        close = f"\\end{{{begin['name']}}}" if begin else ""
        end = self.source.find(close, token.end()) if close and close not in self._missing else -1
        if begin is None or end < 0:
            self._missing.add(close)
            return token.end()
        self._end()
        program = self.source[begin.end() : end]
        line = self._line_at(token.start())
        self.story.found.append(Paragraph(program, monospaced=True, language=CODE, line=line))
        return end + len(close)

    def _line_at(self, position: int) -> int:
        if position > self._at:
            self._line += self.source.count("\n", self._at, position)
            self._at = position
        return self._line

    def finish(self) -> list[Paragraph]:
        """All paragraphs."""
        return [each for each in self.story.paragraphs() if each.text.strip()]
