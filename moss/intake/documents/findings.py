"""Findings: ways in which a document shows its reader something else than what it holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

_FEWEST = 5  # words: fewer are slips of a keyboard, or letters of a formula
_WORD = re.compile(r"[^\W\d_]+")
_SPLIT_WORD = re.compile("\\w[\u200b-\u200d\u2060\ufeff]+\\w")


def findings_in(visible: str, hidden: str) -> Iterator[str]:
    """Sentences for the report about text in a document that its reader does not see, or sees otherwise."""
    if count := len(hidden.split()):
        yield f"{count:,} words of invisible text in it, which were compared as well"
    if visible.isascii():
        return
    if (count := sum(map(_mixes_alphabets, _WORD.findall(visible)))) >= _FEWEST:
        yield f"{count:,} words in it mix Latin letters with look-alikes of other alphabets; compared as they look"
    if (count := len(_SPLIT_WORD.findall(visible))) >= _FEWEST:
        yield f"{count:,} times a character without width stands inside a word; compared as if it did not"


def _mixes_alphabets(word: str) -> bool:
    return not word.isascii() and any(char < "\x7f" for char in word) and any(map(_is_foreign_lookalike, word))


@cache
def _is_foreign_lookalike(char: str) -> bool:
    """Whether a letter that is not Latin looks like one that is."""
    from frontends.normalise.lookalikes import LOOKALIKES

    return char in LOOKALIKES and not unicodedata.name(char, "LATIN").startswith("LATIN")
