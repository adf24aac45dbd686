"""The adapter for other lexers: they say what each character belongs to (its paint), and arrays make the tokens.

Lexers differ in what they call one token: `begin ` with its blank, `$x` in one piece or two, `>=` or `>` and `=`. So
only the kind of each character is taken from them, and tokens are cut here, by the rules of the scanners: signs are
single characters, keywords stand for themselves in any case, and there is one code for all names, for all numbers and
for all strings. Nothing that is not a comment can vanish.

    >>> paint = colours(9, [(0, 2, Paint.KEYWORD), (7, 9, Paint.STRING)])  # of: if x1 < ""
    >>> paint.tolist()
    [1, 1, 0, 0, 0, 0, 0, 4, 4]
    >>> text = 'if x1 <""'
    >>> hashes, start, end = structure(text, TokenHasher(characters(text)), kinds(characters(text)), paint)
    >>> [text[i:j] for i, j in zip(start, end)], bool(hashes[1] == code("any name"))
    (['if', 'x1', '<', '""'], True)
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.char_classes import SIGN, SPACE, WORD, kinds
from frontends.lexing.codes import Chars, TokenHasher, characters, code, hash_signs, in_vocabulary
from frontends.normalise.folding import Folded
from frontends.normalise.words import lower, word_stream
from moss.model import Channel, Codes, Offsets, Tokens, TokenStream


class Paint(IntEnum):
    """The token that a character belongs to, as a lexer says it."""

    PLAIN = 0  # words here are names, and signs stand for themselves
    KEYWORD = 1  # words here stand for themselves, and so do signs
    NAME = 2  # neighbouring characters of this paint are one name, with the signs among them
    NUMBER = 3
    STRING = 4
    COMMENT = 5


_STANDS_FOR = {Paint.NAME: "any name", Paint.NUMBER: "any number", Paint.STRING: "any string"}
_WORD, _SIGN, _NOTHING = 100, 101, 102  # labels beside the paints

Colours = NDArray[np.uint8]


def colours(length: int, spans: Iterable[tuple[int, int, Paint]]) -> Colours:
    """The paint of each character, from spans (start, end, paint) in order; characters in no span are plain."""
    table = np.array([*spans], np.int64).reshape(-1, 3)
    start, end, paint = table.T
    if len(table) and (start[0] < 0 or end[-1] > length or np.any(start[1:] < end[:-1]) or np.any(end < start)):
        raise ValueError("the lexer lost its place in the text")
    widths = np.empty(2 * len(table) + 1, np.int64)
    widths[0::2] = np.append(start, length) - np.append(0, end)
    widths[1::2] = end - start
    values = np.zeros(2 * len(table) + 1, np.uint8)
    values[1::2] = paint
    return np.repeat(values, widths)


def painted_tokens(vocabulary: str, folded: Folded, colour: Colours) -> Tokens:
    """The structure and text channels of a text whose characters have been painted."""
    hasher = TokenHasher(lower(folded.text))
    kind = kinds(characters(folded.text))
    hashes, start, end = structure(folded.text, hasher, kind, colour)
    start, end = folded.original(start, end)
    apart = np.append(True, start[1:] >= end[:-1])[: len(start)]  # a ligature may be in two tokens: the first has it
    stream = TokenStream(in_vocabulary(vocabulary, hashes[apart]), start[apart], end[apart])
    return {Channel.STRUCTURE: stream, Channel.TEXT: word_stream(folded)}


def structure(
    text: str, hasher: TokenHasher, kind: NDArray[np.uint8], colour: Colours
) -> tuple[Codes, Offsets, Offsets]:
    """Hash, start and end of each token of a painted text; `hasher` has it in lower case."""
    chars = characters(text)
    label = _labels(kind, _with_points(chars, colour))
    edge = np.flatnonzero((np.diff(label, prepend=np.uint8(_NOTHING)) != 0) | (label == _SIGN))
    start, end = edge, np.append(edge[1:], len(label))
    kept = label[start] != Paint.COMMENT
    start, end = start[kept], end[kept]
    what = label[start]
    hashes = hasher(start, end)
    hashes[what == _SIGN] = hash_signs(chars[start[what == _SIGN]])
    for paint in _STANDS_FOR:
        hashes[_is(paint, what, chars[start])] = _stand_in(paint)
    return hashes, start, end


def _with_points(chars: Chars, colour: Colours) -> Colours:
    """The paints, with each point between two digits of numbers painted as a number."""
    digit = (colour == Paint.NUMBER) & (chars >= ord("0")) & (chars <= ord("9"))
    point = np.flatnonzero(chars == ord("."))
    point = point[(point > 0) & (point < len(chars) - 1)]
    result = colour.copy()
    result[point[digit[point - 1] & digit[point + 1]]] = Paint.NUMBER
    return result


def _labels(kind: NDArray[np.uint8], colour: Colours) -> NDArray[np.uint8]:
    """The kind of token that each character is in; blanks count as comments, words and signs have labels of their
    own."""
    label = colour.copy()
    loose = colour <= Paint.KEYWORD
    label[loose & (kind == SPACE)] = Paint.COMMENT
    label[loose & (kind == SIGN)] = _SIGN
    label[(colour == Paint.KEYWORD) & (kind >= WORD)] = _WORD
    return label


def _is(paint: Paint, what: NDArray[np.uint8], first: Chars) -> NDArray[np.bool_]:
    """Which tokens the placeholder of a paint stands for; a plain word is a number if it begins with a digit, else a
    name."""
    digit = (first >= ord("0")) & (first <= ord("9"))
    result: NDArray[np.bool_] = what == paint
    if paint is Paint.NAME:
        result |= (what == Paint.PLAIN) & ~digit
    elif paint is Paint.NUMBER:
        result |= (what == Paint.PLAIN) & digit
    return result


@cache
def _stand_in(paint: Paint) -> int:
    return code(_STANDS_FOR[paint])
