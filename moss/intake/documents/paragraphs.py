"""Paragraphs of a document put together: one text, with cells that lead back to page and paragraph.

The visible text comes as a reader sees it. Text that a reader does not see stands behind the paragraph in which it was
hidden, as a paragraph of its own: letters hidden inside words would otherwise tear a copied sentence apart, and so hide
it. Nothing of either is left out.

Programs pasted into a document are recognised: a line is code if it ends, begins or assigns as programs do. Paragraphs
in a typewriter font are a listing if half of their lines are code; others only if there are at least four lines in a
row and nearly all are, with marks of a language or the signs that programs have. In a document that is a program as a
whole, all lines are code except sentences. To read an essay as a program costs more than to read a program as an essay,
because its words are compared either way.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from itertools import groupby

from moss.messages import gettext as _
from moss.messages import number
from moss.model import Cell

PROSE = "text"
MOST_CELLS = 20_000  # paragraphs that are told apart: a book has fewer, and each is written into the report

_UNPRINTABLE = re.compile("[\ud800-\udfff]")  # half a character, which nothing downstream could write
_BLANKS = re.compile(r"[^\S\n]+")
_FEWEST_WORDS = 5  # fewer are slips of a keyboard, or letters of a formula
_WORD = re.compile(r"[^\W\d_]+")
_SPLIT_WORD = re.compile("\\w[\u200b-\u200d\u2060\ufeff]+\\w")
CODE = "code"  # a program in a language that its text does not tell

_FEWEST_LINES = 4  # of a listing that no font gives away
_MONOSPACED_SHARE, _SHARE = 0.5, 0.8  # of its lines that are code
_SENTENCES = 0.3  # of the text of a document that is a program as a whole; the rest of it is code
_SENTENCE = 6  # words, the fewest, unless
_SHORT_SENTENCE = re.compile(r"\s*[A-Z]\w*\s.*[.:?!]\s*")  # it begins and ends as one

_CODE_LINE = re.compile(
    r".*[;{}]\s*(//.*|/\*.*|\#.*)?$"
    r"|\s*[}\])]"
    r"|\s*(?:#include|#define|#!|//|/\*|\*/|@\w+|import \w|from [\w.]+ import )"
    r"|\s*(?:async def|def|class|for|while|if|elif|switch|with|try|except|else|finally|case)\b.*[:({)]\s*(#.*)?$"
    r"|\s*[\w.]+(?:\[[^\]]*\])*\s*(?:[-+*/%|&^]|<<|>>|:)?=(?!=)\s*\S"
    r"|\s*(?:(?:await|yield|return|throw|raise|new|print)\b\s*)?[\w.]+\(.*\)\s*$"
    r"|\s*(?:return|break|continue|pass|raise|yield)\b[^.]*$",
)
_COMMENT_LINE = re.compile(r"\s*(?:[*#%!@']|//|--|;|\(\*|<!--)|.*(?:\"{3}|'{3})")
_TELLS = (
    ("python", re.compile(r"^\s*(?:def \w+\(.*\).*:|from [\w.]+ import |elif .*:|class \w+.*:)\s*", re.MULTILINE)),
    ("java", re.compile(r"\b(?:public|private|protected) (?:static |final )*[\w<>\[\]]+ \w+\(|System\.out\.", 0)),
    ("csharp", re.compile(r"^\s*using System|Console\.Write|\bnamespace \w+", re.MULTILINE)),
    ("cc", re.compile(r"\bstd::|^\s*#include <\w+>\s*$|\bcout\s*<<|\btemplate\s*<", re.MULTILINE)),
    ("c", re.compile(r"^\s*#include\s*[<\"]\w+\.h[>\"]|\bprintf\(|\bmalloc\(", re.MULTILINE)),
    ("javascript", re.compile(r"\bfunction\b.*\{|=>|\bconsole\.log\(|\b(?:const|let) \w+ =", 0)),
)


class ParagraphKind(StrEnum):
    """Where in a document a paragraph stands; the value is the word for it in its label."""

    BODY = "paragraph"
    TABLE = "table paragraph"
    BOX = "text box"
    NOTE = "footnote"
    COMMENT = "comment"
    DELETED = "deleted text"
    MARGIN = "header or footer"
    HIDDEN = "invisible text"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; one line of it is one line of the text that is compared and shown."""

    text: str
    kind: ParagraphKind = ParagraphKind.BODY
    page: int = 0  # 0 if the file does not say
    line: int = 0  # of the source in which it begins, if that is text
    monospaced: bool = False
    language: str = PROSE  # `code`, or the name of a language, for a program


@dataclass(frozen=True, slots=True)
class Extracted:
    """A document's text, with its paragraphs as cells, and what a reader of the report has to know of it."""

    text: str
    cells: tuple[Cell, ...] = ()
    findings: tuple[str, ...] = field(default=())


def put_together(paragraphs: Iterable[Paragraph], findings: Sequence[str] = (), division: str = "page") -> Extracted:
    """The paragraphs as one text, a blank line between two of them, and programs among them recognised. Pages may be
    divisions of another name."""
    pieces: list[str] = []
    cells: list[Cell] = []
    hidden: list[str] = []
    start = 0
    for label, paragraph in _labelled(division, map(_laid_out, mark_listings(_cleaned(paragraphs)))):
        end = start + len(paragraph.text)
        if len(cells) <= MOST_CELLS:
            cells.append(Cell(label, paragraph.language, start, end))
        else:
            cells[-1] = Cell(f"{cells[-1].label.partition(' to ')[0]} to {label}", PROSE, cells[-1].start, end)
        pieces.append(f"{paragraph.text}\n\n")
        hidden += [paragraph.text] * (paragraph.kind is ParagraphKind.HIDDEN)
        start = end + 2
    text = "".join(pieces)[:-1]
    return Extracted(text, tuple(cells), (*findings, *_findings_in(text, "\n".join(hidden))))


def _cleaned(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """The paragraphs that say something, without characters that are none."""
    for paragraph in paragraphs:
        text = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", paragraph.text.replace("\r", "\n").replace("\0", ""))
        if not text.isspace() and text:
            yield replace(paragraph, text=text.strip("\n").rstrip())


def _laid_out(paragraph: Paragraph) -> Paragraph:
    """The paragraph, if it is prose, without the blanks that only lay it out."""
    if paragraph.language != PROSE:
        return paragraph
    return replace(paragraph, text="\n".join(_BLANKS.sub(" ", line).strip() for line in paragraph.text.split("\n")))


def _labelled(division: str, paragraphs: Iterable[Paragraph]) -> Iterator[tuple[str, Paragraph]]:
    """Each paragraph with its place: its page, where that is known, and its number among those of its kind there."""
    count: Counter[tuple[int, ParagraphKind]] = Counter()
    for paragraph in paragraphs:
        count[paragraph.page, paragraph.kind] += 1
        place = f"{paragraph.kind} {count[paragraph.page, paragraph.kind]}"
        place += f" (line {paragraph.line})" if paragraph.line else ""
        yield (f"{division} {paragraph.page}, {place}" if paragraph.page else place), paragraph


def _findings_in(visible: str, hidden: str) -> Iterator[str]:
    """Sentences for the report about text in a document that its reader does not see, or sees otherwise."""
    if count := len(hidden.split()):
        yield _("it has %(n)s words of invisible text, which were compared too", n=number(count))
    if visible.isascii():
        return
    if (count := sum(map(_mixes_alphabets, _WORD.findall(visible)))) >= _FEWEST_WORDS:
        yield _(
            "it has %(n)s words that mix Latin letters with look-alikes from other alphabets; compared as they look",
            n=number(count),
        )
    if (count := len(_SPLIT_WORD.findall(visible))) >= _FEWEST_WORDS:
        yield _("it has %(n)s invisible characters inside words, which were ignored", n=number(count))


def _mixes_alphabets(word: str) -> bool:
    return not word.isascii() and any(char < "\x7f" for char in word) and any(map(_is_foreign_lookalike, word))


@cache
def _is_foreign_lookalike(char: str) -> bool:
    """Whether a letter that is not Latin looks like one that is."""
    from frontends.normalise.lookalikes import LOOKALIKES

    return char in LOOKALIKES and not unicodedata.name(char, "LATIN").startswith("LATIN")


def mark_listings(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """The paragraphs, each run of code lines among them as one paragraph in its language."""
    found = list(paragraphs)
    language = _language_of_all(found)
    for (*__, likely), some in groupby(found, key=_place_in_program if language else _neighbourhood):
        run = list(some)
        if likely and language:
            yield replace(_listing(run), language=language)
        else:
            yield from [_listing(run)] if likely and _is_listing(run) else run


def _language_of_all(paragraphs: Sequence[Paragraph]) -> str:
    """The language of a document that is a program as a whole; empty if it is none."""
    from frontends.selection import looks_like_program

    text = "\n".join(paragraph.text for paragraph in paragraphs)
    sentences = sum(len(paragraph.text) for paragraph in paragraphs if _is_sentence(paragraph))
    if text.count("\n") + 1 < _FEWEST_LINES or sentences > _SENTENCES * len(text) or not looks_like_program(text):
        return ""
    return language_of_listing(text)


def _place_in_program(paragraph: Paragraph) -> tuple[ParagraphKind, int, bool]:
    """Equal for neighbours that are in one listing, or in none, of a document that is a program as a whole."""
    return paragraph.kind, paragraph.page, not _is_sentence(paragraph)


def _is_sentence(paragraph: Paragraph) -> bool:
    """Whether a paragraph says something in words that are neither code nor a comment."""
    from frontends.selection import has_code_words

    lines = [line for line in paragraph.text.split("\n") if not _COMMENT_LINE.match(line)]
    said = (line for line in lines if len(line.split()) >= _SENTENCE or _SHORT_SENTENCE.fullmatch(line))
    return any(not has_code_words(line) for line in said)


def _neighbourhood(paragraph: Paragraph) -> tuple[str, int, bool, bool]:
    """Equal for paragraphs that may be lines of one listing."""
    likely = paragraph.monospaced or _code_share([paragraph]) >= _SHARE
    return paragraph.kind, paragraph.page, paragraph.monospaced, likely


def _is_listing(run: Sequence[Paragraph]) -> bool:
    if run[0].language == CODE:
        return True
    share = _code_share(run)
    if run[0].monospaced:
        return share >= _MONOSPACED_SHARE
    from frontends.selection import looks_like_program

    text = "\n".join(paragraph.text for paragraph in run)
    return (
        text.count("\n") + 1 >= _FEWEST_LINES
        and share >= _SHARE
        and (language_of_listing(text) != CODE or looks_like_program(text))
    )


def _code_share(run: Sequence[Paragraph]) -> float:
    lines = [line for paragraph in run for line in paragraph.text.split("\n") if line.strip()]
    return sum(bool(_CODE_LINE.match(line)) for line in lines) / max(1, len(lines))


def _listing(run: Sequence[Paragraph]) -> Paragraph:
    text = "\n".join(paragraph.text for paragraph in run)
    return replace(run[0], text=text, language=language_of_listing(text))


def language_of_listing(text: str) -> str:
    """The language whose marks the program bears, or just that it is code."""
    return next((language for language, tell in _TELLS if tell.search(text)), CODE)
