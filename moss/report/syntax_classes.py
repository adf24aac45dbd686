"""The kind of each character of a program, for highlighting: keyword, string, number, comment, name.

Our own scanners take linear time on any text. Languages without one are read by Pygments, some of whose lexers can
hang on a hostile text; so only up to a size, and not at all when asked to be `careful`, which is how a page is rendered
again after its first attempt took too long.

>>> [TokenKind(kind).name for kind in kinds_of("c", "int x")]
['KEYWORD', 'KEYWORD', 'KEYWORD', 'SIGN', 'NAME']
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontends import GENERIC, Frontend, UnknownLanguageError, by_name
from frontends.lexing.scanner import Lexicon, LexiconScanner, TokenKind, lexemes
from moss.model import Channel, TokenStream

Kinds = NDArray[np.int8]

PYGMENTS_LIMIT = 100_000
"""Longer texts, in characters, that only Pygments can read are shown plain: up to here it takes about a second."""


@lru_cache(maxsize=64)  # the same file is on the pages of many pairs
def kinds_of(language: str, text: str, careful: bool = False) -> Kinds:
    """The kind of each character; characters of no other kind are signs."""
    result = np.full(len(text), TokenKind.SIGN, np.int8)
    frontend = _frontend(language)
    if isinstance(frontend.scan, LexiconScanner):
        _paint_own(frontend.scan.lexicon, text, result)
    elif frontend.colours and not careful and len(text) <= PYGMENTS_LIMIT:
        for start, end, kind in _pygments(frontend.colours, text):
            result[start:end] = kind
    result.flags.writeable = False
    return result


@lru_cache(maxsize=64)
def tokens_of(language: str, text: str, channel: Channel, careful: bool = False) -> TokenStream | None:
    """The tokens that were compared; None if this channel has none."""
    frontend = _frontend(language)
    if frontend.isolated and (careful or len(text) > PYGMENTS_LIMIT):
        frontend = GENERIC
    try:
        return frontend.scan(text).get(channel)
    except Exception:  # it failed in the comparison, too, where the generic scanner took over
        return GENERIC.scan(text).get(channel)


def _frontend(language: str) -> Frontend:
    """The front end of a language; the generic one if a report of another version names an unknown language."""
    try:
        return by_name(language)
    except UnknownLanguageError:
        return GENERIC


def _paint_own(lexicon: Lexicon, text: str, result: Kinds) -> None:
    folded = lexicon.fold(text)
    found = lexemes(lexicon, folded.text)
    shown = found.kind != TokenKind.SIGN
    if not shown.any():
        return
    start, end = folded.original(found.start[shown], found.end[shown])
    for first, last, kind in zip(start.tolist(), end.tolist(), found.kind[shown].tolist(), strict=True):
        result[first:last] = kind


def _pygments(alias: str, text: str) -> Iterator[tuple[int, int, TokenKind]]:
    """The spans and kinds that Pygments finds. Its `get_tokens` would change the text, so the inner method is used."""
    for start, token, value in _lexer(alias).get_tokens_unprocessed(text):
        kind = _kind(token)
        if kind is not TokenKind.SIGN:
            yield start, start + len(value), kind


@cache
def _lexer(alias: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(alias)


@cache
def _kind(token: Any) -> TokenKind:
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    wanted = (
        (Comment.Preproc, TokenKind.SIGN),
        (Comment, TokenKind.COMMENT),
        (String.Doc, TokenKind.COMMENT),
        (String, TokenKind.STRING),
        (Number, TokenKind.NUMBER),
        (Name.Tag, TokenKind.KEYWORD),
        (Keyword, TokenKind.KEYWORD),
        (Operator.Word, TokenKind.KEYWORD),
        (Name, TokenKind.NAME),
    )
    return next((kind for parent, kind in wanted if token in parent), TokenKind.SIGN)
