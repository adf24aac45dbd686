"""A text as it is written: words and signs, or letters, for what renaming and restructuring leave alone.

Only case and layout are left out here: comments, strings and signs are all there.

    >>> "".join(map(chr, letters("Total  =\t1;")))
    'total = 1;'
    >>> from frontends.normalise.words import word_stream
    >>> text = "a+b;"
    >>> stream = spelled_in_place(text, word_stream(fold(text)))
    >>> [text[i:j] for i, j in zip(stream.start, stream.end)]
    ['a', '+', 'b', ';']
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate

import numpy as np

from frontends.lexing.batching import batches
from frontends.lexing.char_classes import SIGN, SPACE, kinds
from frontends.lexing.codes import Chars, characters, hash_signs, in_vocabulary
from frontends.normalise.folding import Folded, fold
from frontends.normalise.words import lower
from moss.model import Codes, Offsets, TokenStream

_BYTES = np.arange(256, dtype=np.uint8)
_BLANK = ord(" ")
_LETTERS = bytes(
    _BLANK if kind == SPACE else ord(chr(point).lower()) for point, kind in enumerate(kinds(_BYTES).tolist())
)
"""For each character that fits into a byte: its lower case, or a blank."""


def spelled(passages: Sequence[tuple[str, TokenStream]], folded: Sequence[Folded] | None = None) -> list[Codes]:
    """The codes of the words and signs of each text, in order; texts are given with their text channels, and folded if
    they are folded already."""
    folded = [fold(text) for text, _ in passages] if folded is None else folded  # an invisible character is no sign
    result: list[Codes] = []
    for some in batches([text for text, _ in passages]):
        result += _spelled([passages[number] for number in some], [folded[number] for number in some])
    return result


def _spelled(passages: Sequence[tuple[str, TokenStream]], folded: Sequence[Folded]) -> list[Codes]:
    chars = characters(" ".join([each.text for each in folded]))
    sign = np.flatnonzero(kinds(chars) == SIGN)
    firsts = list(accumulate([len(text) + 1 for text, _ in passages], initial=0))
    words = [stream.start + first for first, (_, stream) in zip(firsts, passages, strict=False)]
    place = np.concatenate([*words, *_places(folded, sign, firsts)])
    order = place.argsort(kind="stable")  # words and signs are each in order, so this is quick
    codes = np.concatenate([*(stream.codes for _, stream in passages), _sign_codes(chars.take(sign))])
    behind = place.take(order).searchsorted(firsts[1:-1])
    return np.split(codes.take(order), behind)


def spelled_in_place(text: str, words: TokenStream) -> TokenStream:
    """The words and signs of one text, in order, with their places in it; `words` is its text channel."""
    folded = fold(text)
    chars = characters(folded.text)
    sign = np.flatnonzero(kinds(chars) == SIGN)
    start, end = folded.original(sign, sign + 1)
    order = np.concatenate([words.start, start]).argsort(kind="stable")
    return TokenStream(
        np.concatenate([words.codes, _sign_codes(chars.take(sign))]).take(order),
        np.concatenate([words.start, start]).take(order),
        np.concatenate([words.end, end]).take(order),
    )


def _places(folded: Sequence[Folded], signs: Offsets, firsts: Sequence[int]) -> list[Offsets]:
    """The places of characters in the original texts, which begin at `firsts`; they are given by their places in the
    folded texts, joined with one character between each and the next."""
    if all(each.start is None for each in folded):
        return [signs]
    begins = np.cumsum([0, *(len(each.text) + 1 for each in folded)])
    found = np.split(signs, signs.searchsorted(begins[1:-1]))
    return [
        each.original(some - begin, some - begin + 1)[0] + first
        for each, some, begin, first in zip(folded, found, begins, firsts, strict=False)
    ]


def _sign_codes(signs: Chars) -> Codes:
    return _narrow_codes().take(signs) if signs.dtype == np.uint8 else in_vocabulary("signs", hash_signs(signs))


@cache
def _narrow_codes() -> Codes:
    return in_vocabulary("signs", hash_signs(_BYTES))


def letters(text: str) -> Codes:
    """Each character in lower case; several blanks in a row become one."""
    return folded_letters(fold(text)).astype(np.uint64)


def folded_letters(folded: Folded) -> Chars:
    """Each character of a folded text in lower case; several blanks in a row become one."""
    chars = characters(folded.text)
    if chars.dtype == np.uint8:
        chars = np.frombuffer(chars.tobytes().translate(_LETTERS), np.uint8)
    else:
        chars = lower(folded.text)
        chars = np.where(kinds(chars) == SPACE, np.uint32(_BLANK), chars)
    blank = chars == _BLANK
    wanted = np.ones(len(chars), np.bool_)
    np.logical_and(blank[1:], blank[:-1], out=wanted[1:])
    np.logical_not(wanted[1:], out=wanted[1:])
    return chars.compress(wanted)
