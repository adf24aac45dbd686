"""The text channel: the words as written, case-folded, wherever they stand.

A word is a run of letters, digits and underscores. Writing systems that put no blanks between words count each
character as one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frontends.codes import Chars, characters, in_vocabulary
from frontends.folding import Folded, fold
from moss.hashing import SpanHasher
from moss.model import Channel, Offsets, Tokens, TokenStream

SIGN, SPACE, WORD, UNSPACED = range(4)
"""What a character is: part of a word, a word by itself, blank, or none of these."""

_ASCII = np.array(
    [WORD if chr(i).isalnum() or chr(i) == "_" else SPACE if chr(i).isspace() else SIGN for i in range(128)], np.uint8
)
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def kinds(chars: Chars) -> NDArray[np.uint8]:
    """What each character is."""
    if chars.dtype == np.uint8:
        return _ASCII[chars]
    result = _ASCII[np.minimum(chars, 127)]
    foreign = np.flatnonzero(chars > 127)
    unique, inverse = np.unique(chars[foreign], return_inverse=True)
    result[foreign] = np.array([_foreign_kind(int(point)) for point in unique], np.uint8)[inverse]
    return result


def _foreign_kind(point: int) -> int:
    if any(first <= point <= last for first, last in _UNSPACED):
        return UNSPACED
    char = chr(point)
    return WORD if char.isalnum() else SPACE if char.isspace() else SIGN


def runs(mask: NDArray[np.bool_]) -> tuple[Offsets, Offsets]:
    """Start and end of each run of true values."""
    padded = np.zeros(len(mask) + 2, np.bool_)
    padded[1:-1] = mask
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return edges[::2], edges[1::2]


def lower(text: str) -> Chars:
    """The characters in lower case, one for one."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters grow: those stay as they are
        lowered = "".join(small if len(small := c.lower()) == 1 else c for c in text)
    return characters(lowered)


def word_spans(kind: NDArray[np.uint8]) -> tuple[Offsets, Offsets]:
    """Start and end of each word, in order."""
    start, end = runs(kind == WORD)
    single = np.flatnonzero(kind == UNSPACED)
    if not len(single):
        return start, end
    order = np.argsort(np.concatenate([start, single]), kind="stable")
    return np.concatenate([start, single])[order], np.concatenate([end, single + 1])[order]


def word_stream(folded: Folded, hasher: SpanHasher, kind: NDArray[np.uint8]) -> TokenStream:
    """The text channel of a text: `hasher` has its characters in lower case, `kind` says what each is."""
    start, end = word_spans(kind)
    return TokenStream(in_vocabulary("words", hasher(start, end)), *folded.original(start, end))


def scan_words(text: str) -> Tokens:
    """The text channel alone, as for prose."""
    folded = fold(text)
    hasher = SpanHasher(lower(folded.text))
    return {Channel.TEXT: word_stream(folded, hasher, kinds(characters(folded.text)))}
