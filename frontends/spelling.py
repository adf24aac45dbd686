"""Spelling: a text as it is written, for what renaming and restructuring leave alone.

Nothing is left out here but case and layout: comments, strings and signs are all there.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from frontends.codes import Chars, characters, hash_signs, in_vocabulary
from frontends.cutting import SIGN, SPACE, kinds
from frontends.folding import fold
from frontends.words import lower
from moss.model import Codes, TokenStream

_BYTES = np.arange(256, dtype=np.uint8)
_BLANK = ord(" ")
_ONE_BLANK = bytes(_BLANK if kind == SPACE else point for point, kind in enumerate(kinds(_BYTES)))


def spelled(text: str, first: int, words: TokenStream) -> Codes:
    """The code of each word and of each sign, in order, of a text that begins at `first` in the file whose text channel
    is `words`."""
    chars = characters(text)
    sign = np.flatnonzero(kinds(chars) == SIGN)
    inside = slice(*words.start.searchsorted((first, first + len(text))))
    place = np.concatenate([words.start[inside], sign])
    place[len(place) - len(sign) :] += first
    codes = np.concatenate([words.codes[inside], _sign_codes(chars.take(sign))])
    return codes.take(place.argsort(kind="stable"))


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
