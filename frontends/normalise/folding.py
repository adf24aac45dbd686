"""Fold away what the eye does not see, so that it hides nothing.

A copied program with a zero-width space in every name, Cyrillic look-alikes for Latin letters, NULs, accents or
`\\u0061` for `a` reads the same to a person (or to the compiler) and must read the same to us. `fold` gives the text
that is scanned, with each of its characters' place in the original, so that offsets stay exact.

    >>> folded = fold("p\u0430th\u200b = 1")  # with a Cyrillic a and a zero-width space
    >>> folded.text, folded.original(np.array([0]), np.array([4]))
    ('path = 1', (array([0]), array([4])))
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from frontends.normalise.lookalikes import LOOKALIKES
from moss.hashing import distinct
from moss.model import Offsets

_LAYOUT = "\t\n\v\f\r"
_SEEN = bytes(point for point in range(128) if point not in (*range(32), 127) or chr(point) in _LAYOUT)
_ESCAPE = re.compile(r"\\(?:u+([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8}))")
_PLAIN = range(ord(" "), ord("~") + 1)
_UNSPACED_FROM = "\u0e00"  # the first character that may be a word by itself
_ALIKE = {
    **LOOKALIKES,
    **dict(zip("кмԚӏκχԼȷꞬ", "kmQlkxLjG", strict=True)),  # not in Unicode's table, or there as another letter
}


class Folded(NamedTuple):
    """A text to scan; `start` and `end` give each character's span in the original, and are None if the texts are
    equal."""

    text: str
    start: Offsets | None = None
    end: Offsets | None = None

    def in_place(self, size: int) -> str:
        """The folded text with each character where it begins in the original of this size, and NULs between them."""
        if self.start is None:
            return self.text
        points = np.zeros(size, np.uint32)
        points[self.start] = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        return points.tobytes().decode("utf-32-le", "surrogatepass")

    def original(self, start: Offsets, end: Offsets) -> tuple[Offsets, Offsets]:
        """Start and end in the original of non-empty spans of the folded text."""
        if self.start is None or self.end is None:
            return start, end
        return self.start[start], self.end[end - 1]


class TextRewrite(NamedTuple):
    """A replacement that some compilers make before they cut a text into tokens: each match of a pattern becomes one
    character or none; where `becomes` gives None, the match stays."""

    pattern: re.Pattern[str]
    becomes: Callable[[re.Match[str]], str | None]
    hints: tuple[re.Pattern[str], ...] = ()  # without one of these there is no match; each is found by its first
    # character, several times as fast as a pattern that may begin with any of several

    def may_change(self, text: str) -> bool:
        """Whether there is a match."""
        hinted = not self.hints or any(hint.search(text) for hint in self.hints)
        return hinted and self.pattern.search(text) is not None

    def __call__(self, folded: Folded) -> Folded:
        """The text rewritten once more."""
        text = folded.text
        if not self.may_change(text):
            return folded
        pieces: list[str] = []
        shrunk: list[tuple[int, int, int]] = []
        done = 0
        for match in self.pattern.finditer(text):
            new = self.becomes(match)
            if new is not None:
                first, last = match.span()
                pieces += text[done:first], new
                shrunk.append((first, last, len(new)))
                done = last
        return _with_places(folded, "".join([*pieces, text[done:]]), shrunk) if shrunk else folded


def _with_places(folded: Folded, text: str, shrunk: Sequence[tuple[int, int, int]]) -> Folded:
    """The new text, in which spans (first, last) of the folded one have shrunk to `left` characters (0 or 1), with the
    places of its characters in the original."""
    first, last, left = np.array(shrunk).T
    depth = np.zeros(len(folded.text) + 1, np.int64)
    np.add.at(depth, first + left, 1)
    np.add.at(depth, last, -1)
    start = np.flatnonzero(depth[:-1].cumsum() == 0)
    end = start + 1
    whole = left == 1
    end[np.searchsorted(start, first[whole])] = last[whole]
    return Folded(text, *folded.original(start, end))


def fold(text: str, first: Sequence[TextRewrite] = ()) -> Folded:
    """The text without invisible characters, with look-alikes, accents and escaped letters made plain; `first` are the
    replacements that its language makes before anything else."""
    if not needs_folding(text, first):
        return Folded(text)
    folded = rewritten(text, (*first, _ESCAPED_LETTERS))
    plain = folded.text.isascii() and not _has_unseen(folded.text)
    return folded if plain else _fold_characters(folded)


def needs_folding(text: str, first: Sequence[TextRewrite] = ()) -> bool:
    """Whether folding may change a text."""
    return not text.isascii() or _has_unseen(text) or any(step.may_change(text) for step in (*first, _ESCAPED_LETTERS))


def rewritten(text: str, steps: Sequence[TextRewrite]) -> Folded:
    """The text after these steps."""
    folded = Folded(text)
    for step in steps:
        folded = step(folded)
    return folded


def _has_unseen(text: str) -> bool:
    return bool(text.encode("ascii").translate(None, _SEEN))


def _letter(match: re.Match[str]) -> str | None:
    """The letter or digit that an escape stands for; None for others, which could end a string or a comment."""
    point = int(match[1] or match[2] or match[3], 16)
    letter = chr(point) if point < 0x110000 else ""
    return letter if letter.isalnum() else None


_LINE_ENDS = "\x85\u2028\u2029"
LINE_ENDS = TextRewrite(re.compile(f"[{_LINE_ENDS}]"), lambda match: "\n", tuple(map(re.compile, _LINE_ENDS)))
"""For languages in which these end a line, and with it a comment; in all others they are blanks."""

_ESCAPED_LETTERS = TextRewrite(_ESCAPE, _letter)


def _fold_characters(folded: Folded) -> Folded:
    text = folded.text
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    peculiar = distinct(points[(points < _PLAIN.start) | (points >= _PLAIN.stop)]).tolist()
    table = {point: plain for point in peculiar if (plain := _plain(chr(point))) != chr(point)}
    if not table:
        return folded
    start = np.arange(len(text)) if folded.start is None else folded.start
    end = np.arange(1, len(text) + 1) if folded.end is None else folded.end
    if all(len(plain) == 1 for plain in table.values()):
        return Folded(_replaced(text, table), start, end)
    width = np.ones(len(text), np.int64)
    changed = np.array(sorted(table), np.uint32)
    widths = np.array([len(table[int(point)]) for point in changed])
    at = np.minimum(np.searchsorted(changed, points), len(changed) - 1)
    hit = changed[at] == points
    width[hit] = widths[at[hit]]
    return Folded(_replaced(text, table), np.repeat(start, width), np.repeat(end, width))


def _replaced(text: str, table: dict[int, str]) -> str:
    if len(table) > 32:
        return text.translate(table)
    for point, plain in table.items():  # several times faster; plain characters are in no table
        text = text.replace(chr(point), plain)
    return text


@lru_cache(maxsize=1 << 14)
def _plain(char: str) -> str:
    """The characters that a character is read as: itself, a plainer one, several, or none."""
    if char.isascii():
        return "" if unicodedata.category(char) == "Cc" and char not in _LAYOUT else char
    if char in _ALIKE:
        return _ALIKE[char]
    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp") or char == "\x85":
        return " "
    if category in ("Cc", "Cf", "Mn", "Me"):
        return ""
    if not char.isalnum():
        return char
    decomposed = unicodedata.normalize("NFKD", char)
    base = "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Me"))
    plain = "".join(_ALIKE.get(c, c) for c in base)
    is_one_word = plain.isalnum() and (len(plain) == 1 or max(plain) < _UNSPACED_FROM)
    return plain if is_one_word else char
