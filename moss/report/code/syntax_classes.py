"""The kind of each character of a program, for highlighting: keyword, string, number, comment, name.

Our own scanners take linear time on any text. Languages without one are read by Pygments, some of whose lexers can
hang on a hostile text; so only up to a size, and not at all when asked to be `careful`, which is how a page is rendered
again after its first attempt took too long.

>>> [TokenKind(kind).name for kind in kinds_of("c", "int x")]
['KEYWORD', 'KEYWORD', 'KEYWORD', 'SIGN', 'NAME']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache, wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontends import GENERIC, Frontend, UnknownLanguageError, by_name
from frontends.lexing.scanner import Lexemes, LexiconScanner, TokenKind, lexemes
from frontends.normalise.words import word_spans
from moss.model import Channel, Offsets, Tokens, TokenStream

Kinds = NDArray[np.int8]

PYGMENTS_LIMIT = 100_000
"""Longer texts, in characters, that only Pygments can read are shown plain: up to here it takes about a second."""


_SMALL, _FEW, _MANY = 50_000, 8, 512  # characters; how many long and how many short texts are remembered

Found = TypeVar("Found")


def once_for_a_text(find: Callable[[str, str, bool], Found]) -> Callable[[str, str, bool], Found]:
    """The function, remembering what it found out about texts: a file is on the pages of many pairs."""
    few, many = lru_cache(maxsize=_FEW)(find), lru_cache(maxsize=_MANY)(find)

    @wraps(find)
    def remembered(language: str, text: str, careful: bool = False) -> Found:
        return (many if len(text) <= _SMALL else few)(language, text, careful)

    return remembered


@once_for_a_text
def kinds_of(language: str, text: str, careful: bool = False) -> Kinds:
    """The kind of each character; characters of no other kind are signs."""
    result = np.full(len(text), TokenKind.SIGN, np.int8)
    frontend = _frontend(language)
    if isinstance(frontend.scan, LexiconScanner):
        _paint(_own_lexemes(language, text, careful), result)
    elif frontend.colours and not careful and len(text) <= PYGMENTS_LIMIT:
        for start, end, kind in _pygments(frontend.colours, text):
            result[start:end] = kind
    result.flags.writeable = False
    return result


def kinds_at(language: str, text: str, places: Offsets, careful: bool = False) -> Kinds:
    """The kinds of the characters in some places."""
    if not isinstance(_frontend(language).scan, LexiconScanner):
        return kinds_of(language, text, careful)[places]
    found = _own_lexemes(language, text, careful)
    if not len(found.start):
        return np.full(len(places), TokenKind.SIGN, np.int8)
    token = np.maximum(found.start.searchsorted(places, side="right") - 1, 0)
    inside = (found.start[token] <= places) & (places < found.end[token])
    return np.where(inside, found.kind[token], np.int8(TokenKind.SIGN))


def kind_spans(language: str, text: str, careful: bool = False) -> Lexemes:
    """Spans of the text in their order, each of one kind; characters that are in none are signs."""
    if isinstance(_frontend(language).scan, LexiconScanner):
        return _own_lexemes(language, text, careful)
    kinds = kinds_of(language, text, careful)
    edges = np.append(np.flatnonzero(kinds[1:] != kinds[:-1]) + 1, len(kinds))
    starts = np.append(0, edges[:-1])[: len(kinds)]
    return Lexemes(kinds[starts], starts, edges[: len(starts)])


def tokens_of(language: str, text: str, channel: Channel, careful: bool = False) -> TokenStream | None:
    """The tokens that were compared; None if this channel has none. Of their codes, which pages do not need, nothing is
    known if the scanner is one of ours."""
    if channel is Channel.STRUCTURE and isinstance(_frontend(language).scan, LexiconScanner):
        return _own_structure(language, text, careful)
    return _scan(language, text, careful).get(channel)


@once_for_a_text
def _own_structure(language: str, text: str, careful: bool = False) -> TokenStream:
    """The tokens of a text in a language with a scanner of our own, without comments."""
    found = _own_lexemes(language, text, careful)
    compared = np.flatnonzero(found.kind != TokenKind.COMMENT)
    return TokenStream(np.zeros(len(compared), np.uint64), found.start[compared], found.end[compared])


@once_for_a_text
def _own_lexemes(language: str, text: str, careful: bool = False) -> Lexemes:
    """The tokens of a text in a language with a scanner of our own, comments included: one look at a text gives both
    its colours and the tokens that were compared."""
    scanner = _frontend(language).scan
    if not isinstance(scanner, LexiconScanner):
        raise TypeError(f"no scanner of our own reads {language}")
    folded = scanner.lexicon.fold(text)
    found = lexemes(scanner.lexicon, folded.text)
    return Lexemes(found.kind, *folded.original(found.start, found.end))


@once_for_a_text
def _scan(language: str, text: str, careful: bool = False) -> Tokens:
    """The tokens of all channels."""
    frontend = _frontend(language)
    if frontend.isolated and (careful or len(text) > PYGMENTS_LIMIT):
        frontend = GENERIC
    if isinstance(frontend.scan, LexiconScanner):  # whose structure `tokens_of` has already
        start, end = word_spans(frontend.scan.lexicon.fold(text))
        return {Channel.TEXT: TokenStream(np.zeros(len(start), np.uint64), start, end)}
    try:
        return frontend.scan(text)
    except Exception:  # it failed in the comparison, too, where the generic scanner took over
        return GENERIC.scan(text)


def _frontend(language: str) -> Frontend:
    """The front end of a language; the generic one if a report of another version names an unknown language."""
    try:
        return by_name(language)
    except UnknownLanguageError:
        return GENERIC


def _paint(found: Lexemes, result: Kinds) -> None:
    shown = found.kind != TokenKind.SIGN
    if not shown.any():
        return
    start, end = found.start[shown], found.end[shown]
    lengths = end - start
    before = np.cumsum(lengths) - lengths  # characters of earlier tokens
    result[np.arange(lengths.sum()) + np.repeat(start - before, lengths)] = np.repeat(found.kind[shown], lengths)


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
