"""Spelling: a text as it is written, for what renaming and restructuring leave alone.

Nothing is left out here but case and layout: comments, strings and signs are all there.
"""

from __future__ import annotations

import numpy as np

from frontends.codes import characters, hash_signs, in_vocabulary
from frontends.cutting import SIGN, SPACE, kinds
from frontends.folding import fold
from frontends.words import lower
from moss.model import Codes, TokenStream

_BLANK = ord(" ")


def spelled(text: str, first: int, words: TokenStream) -> Codes:
    """The code of each word and of each sign, in order, of a text that begins at `first` in the file whose text channel
    is `words`."""
    chars = characters(text)
    sign = np.flatnonzero(kinds(chars) == SIGN)
    inside = slice(*np.searchsorted(words.start, (first, first + len(text))))
    place = np.concatenate([words.start[inside] - first, sign])
    codes = np.concatenate([words.codes[inside], in_vocabulary("signs", hash_signs(chars[sign]))])
    result: Codes = codes[np.argsort(place, kind="stable")]
    return result


def letters(text: str) -> Codes:
    """Each character in lower case; of blanks in a row there is one."""
    chars = lower(fold(text).text)
    blank = kinds(chars) == SPACE
    again = np.zeros(len(chars), np.bool_)
    again[1:] = blank[1:] & blank[:-1]
    return np.where(blank, _BLANK, chars)[~again].astype(np.uint64)
