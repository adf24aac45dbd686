"""Spelling: a text as it is written, for what renaming and restructuring leave alone.

Nothing is left out here but case and layout: comments, strings and signs are all there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate

import numpy as np

from frontends.lexing.batching import together
from frontends.lexing.char_classes import SIGN, SPACE, kinds
from frontends.lexing.codes import Chars, characters, hash_signs, in_vocabulary
from frontends.normalise.folding import Folded, fold
from frontends.normalise.words import lower
from moss.model import Codes, Offsets, TokenStream

_BYTES = np.arange(256, dtype=np.uint8)
_BLANK = ord(" ")
_ONE_BLANK = bytes(_BLANK if kind == SPACE else point for point, kind in enumerate(kinds(_BYTES)))


def spelled(passages: Sequence[tuple[str, TokenStream]]) -> list[Codes]:
    """The code of each word and of each sign, in order, of texts that are given with their text channels."""
    result: list[Codes] = []
    for some in together([text for text, _ in passages]):
        result += _spelled([passages[number] for number in some])
    return result


def _spelled(passages: Sequence[tuple[str, TokenStream]]) -> list[Codes]:
    folded = [fold(text) for text, _ in passages]  # what nobody sees is no sign
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
    """The code of each word and of each sign of one text, with their places in it."""
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
    """Where these characters of folded texts, joined with one between each and the next, stand in the originals that
    begin at `firsts`."""
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
    """Each character in lower case; of blanks in a row there is one."""
    chars = lower(fold(text).text)
    if chars.dtype == np.uint8:
        chars = np.frombuffer(chars.tobytes().translate(_ONE_BLANK), np.uint8)
    else:
        chars = np.where(kinds(chars) == SPACE, np.uint32(_BLANK), chars)
    blank = chars == _BLANK
    wanted = np.ones(len(chars), np.bool_)
    np.logical_and(blank[1:], blank[:-1], out=wanted[1:])
    np.logical_not(wanted[1:], out=wanted[1:])
    return chars[wanted].astype(np.uint64)
