"""Character classes: from the kind of each character to where tokens begin and end, for a whole text at once.

To a token, a character is outside, a part of it together with its neighbours, or a token alone. There are few kinds, so
nearly all texts, whose characters fit into bytes, are classified by a table of 256 entries.

    >>> code = Roles(sign=WHOLE, word=PART, unspaced=PART)
    >>> start, end = cut(code.of(between_blanks("a1 += 你好")))
    >>> list(zip(start.tolist(), end.tolist()))
    [(0, 2), (3, 4), (4, 5), (6, 8)]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.codes import Chars, characters
from moss.hashing import distinct
from moss.model import Offsets

SIGN, SPACE, WORD, UNSPACED = range(4)
"""The kinds of characters: signs, blanks, characters of words, and words of one character each. They are plain numbers
because they index arrays."""

BLANK, PART, WHOLE = range(3)
"""The roles of characters: outside all tokens, a part of one together with its neighbours, or a token alone."""

Kinds = NDArray[np.uint8]

_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def _kind(point: int) -> int:
    if any(first <= point <= last for first, last in _UNSPACED):
        return UNSPACED
    char = chr(point)
    return WORD if char.isalnum() or char == "_" else SPACE if char.isspace() else SIGN


_NARROW = bytes(map(_kind, range(256)))
_NARROW_KINDS = np.frombuffer(_NARROW, np.uint8)


def kinds(chars: Chars) -> Kinds:
    """The kind of each character."""
    if chars.dtype == np.uint8:
        return np.frombuffer(chars.tobytes().translate(_NARROW), np.uint8)
    result: Kinds = _NARROW_KINDS[np.minimum(chars, 255)]
    foreign = np.flatnonzero(chars > 255)
    points = distinct(chars[foreign])
    result[foreign] = np.array([*map(_kind, points.tolist())], np.uint8)[points.searchsorted(chars[foreign])]
    return result


@dataclass(frozen=True)
class Roles:
    """The role that each kind of character has in a language; `letters` are signs that are parts of words, `blanks`
    signs that say no more than a blank does."""

    sign: int
    word: int
    unspaced: int
    letters: str = ""
    blanks: str = ""

    @cached_property
    def _by_kind(self) -> NDArray[np.uint8]:
        return np.array([self.sign, BLANK, self.word, self.unspaced], np.uint8)

    @cached_property
    def _by_byte(self) -> bytes:
        table = self._by_kind[_NARROW_KINDS]
        table[[*map(ord, self.letters)]] = PART
        table[[*map(ord, self.blanks)]] = BLANK
        return table.tobytes()

    def of(self, chars: Chars) -> NDArray[np.uint8]:
        """The role of each character."""
        if chars.dtype == np.uint8:
            return np.frombuffer(chars.tobytes().translate(self._by_byte), np.uint8)
        result: NDArray[np.uint8] = self._by_kind[kinds(chars)]
        for letter in self.letters:
            result[chars == ord(letter)] = PART
        for blank in self.blanks:
            result[chars == ord(blank)] = BLANK
        return result


def cut(roles: NDArray[np.uint8]) -> tuple[Offsets, Offsets]:
    """Start and end of each token, in order. The roles have one more, blank, before the first character and one behind
    the last, so that every token has neighbours."""
    joined = roles & PART  # a character that is a token alone joins nothing
    return np.flatnonzero(roles[1:] > joined[:-1]), np.flatnonzero(roles[:-1] > joined[1:])


def cut_words(in_word: NDArray[np.bool_]) -> tuple[Offsets, Offsets]:
    """Start and end of each word, in order, from which characters are in one; the first and last value are false."""
    edges = np.flatnonzero(in_word[1:] != in_word[:-1])
    return edges[::2].copy(), edges[1::2].copy()


def runs(mask: NDArray[np.bool_]) -> tuple[Offsets, Offsets]:
    """Start and end of each run of true values."""
    return cut_words(np.concatenate([[False], mask, [False]]))


def between_blanks(text: str) -> Chars:
    """The characters of a text, with the blank before it and the one behind it that `cut` wants."""
    return characters(f" {text} ")
