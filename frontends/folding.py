"""Fold away what the eye does not see, so that it hides nothing.

A copied program with a zero-width space in every name, Cyrillic look-alikes for Latin letters, NULs, accents or
`\\u0061` for `a` reads the same to a person (or to the compiler) and must read the same to us. `fold` gives the text
that is scanned, with each of its characters' place in the original, so that offsets stay exact.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from moss.model import Offsets

_LAYOUT = "\t\n\v\f\r"
_IS_UNSEEN = bytes(ord("!") if point in (*range(32), 127) and chr(point) not in _LAYOUT else 0 for point in range(256))
_ESCAPE = re.compile(r"\\(?:u+([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8}))")
_NOT_PLAIN = re.compile(r"[^\t\n\v\f\r -~]++")
_UNSPACED_FROM = "\u0e00"  # the first character that may be a word by itself
_ALIKE = {
    **dict(zip("АВЕЅІЈКМНОРСТУХҮԌԚԜԁԛԝ", "ABESIJKMHOPCTYXYGQWdqw", strict=True)),  # Cyrillic capitals and a few small
    **dict(zip("авеѕіјкмнорстухүһӏ", "abesijkmhopctyxyhl", strict=True)),  # Cyrillic
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True)),  # Greek capitals
    **dict(zip("αγικνορτυχ", "ayiknoptux", strict=True)),  # Greek
    **dict(zip("ՕՍՏԼօսո", "OUSLoun", strict=True)),  # Armenian
    **dict(zip("ɑɡɩıȷʏꞬ", "agiijyG", strict=True)),  # Latin extensions
}


class Folded(NamedTuple):
    """A text to scan; `start` and `end` give each character's span in the original, or are None if it is the same."""

    text: str
    start: Offsets | None = None
    end: Offsets | None = None

    def original(self, start: Offsets, end: Offsets) -> tuple[Offsets, Offsets]:
        """Where non-empty spans of the folded text stand in the original."""
        if self.start is None or self.end is None:
            return start, end
        return self.start[start], self.end[end - 1]


def fold(text: str) -> Folded:
    """The text without invisible characters, with look-alikes, accents and escaped letters made plain."""
    if text.isascii() and not _has_unseen(text) and not ("\\" in text and _ESCAPE.search(text)):
        return Folded(text)
    return _fold_characters(_fold_escapes(text))


def _has_unseen(text: str) -> bool:
    return b"!" in text.encode("ascii").translate(_IS_UNSEEN)


def _fold_escapes(text: str) -> Folded:
    """Escapes of letters and digits become those; others stay, as they could end a string or a comment."""
    found = [match.span() for match in _ESCAPE.finditer(text) if _letter(match)]
    if not found:
        return Folded(text)
    keep = np.ones(len(text), np.bool_)
    for first, last in found:
        keep[first + 1 : last] = False
    start = np.flatnonzero(keep)
    end = start + 1
    escapes = np.array(found)
    end[np.searchsorted(start, escapes[:, 0])] = escapes[:, 1]
    return Folded(_ESCAPE.sub(lambda match: _letter(match) or match[0], text), start, end)


def _letter(match: re.Match[str]) -> str:
    """The letter or digit that an escape stands for, or nothing."""
    point = int(match[1] or match[2] or match[3], 16)
    letter = chr(point) if point < 0x110000 else ""
    return letter if letter.isalnum() else ""


def _fold_characters(folded: Folded) -> Folded:
    text = folded.text
    peculiar = set("".join(_NOT_PLAIN.findall(text)))
    table = {ord(c): plain for c in sorted(peculiar) if (plain := _plain(c)) != c}
    if not table:
        return folded
    start = np.arange(len(text)) if folded.start is None else folded.start
    end = np.arange(1, len(text) + 1) if folded.end is None else folded.end
    if all(len(plain) == 1 for plain in table.values()):
        return Folded(_replaced(text, table), start, end)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
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
    for point, plain in table.items():  # several times faster; what is plain already is in no table
        text = text.replace(chr(point), plain)
    return text


@lru_cache(maxsize=1 << 14)
def _plain(char: str) -> str:
    """What a character is read as: itself, a plainer one, several, or nothing."""
    if char.isascii():
        return "" if unicodedata.category(char) == "Cc" and char not in _LAYOUT else char
    if char in _ALIKE:
        return _ALIKE[char]
    category = unicodedata.category(char)
    if char in "\x85\u2028\u2029":
        return "\n"
    if category == "Zs":
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
