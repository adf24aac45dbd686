"""The kind of each character of a program, for highlighting: keyword, string, number, comment, name.

Our own scanners take linear time on any text. Languages without one are read by Pygments, some of whose lexers can
hang on a hostile text; so only up to a size, and not at all when asked to be `careful`, which is how a page is rendered
again after its first attempt took too long.

>>> [TokenKind(kind).name for kind in kinds_of("c", "int x")]
['KEYWORD', 'KEYWORD', 'KEYWORD', 'SIGN', 'NAME']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, update_wrapper
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from frontends import GENERIC, Frontend, UnknownLanguageError, by_name
from frontends.lexing.idle_tokens import Flags
from frontends.lexing.scanner import (
    Lexemes,
    Lexicon,
    LexiconScanner,
    TokenKind,
    lexemes_with_structure,
    structure_among,
)
from frontends.normalise.folding import Folded
from frontends.normalise.words import word_spans
from moss.model import Channel, Offsets, Tokens, TokenStream

Kinds = NDArray[np.int8]

PYGMENTS_LIMIT = 100_000
"""Longer texts, in characters, that only Pygments can read are shown plain: up to here it takes about a second."""


_SMALL, _FEW, _MANY = 50_000, 8, 512  # characters; how many long and how many short texts are remembered

Found = TypeVar("Found")


class OnceForText(Generic[Found]):
    """A function of a text that remembers what it found out: a file is on the pages of many pairs. Threads of a server
    share it."""

    def __init__(self, find: Callable[[str, str, bool], Found]) -> None:
        update_wrapper(self, find)
        self._find = find
        self._changing = Lock()
        self._long: dict[tuple[str, str, bool], Found] = {}
        self._short: dict[tuple[str, str, bool], Found] = {}

    def __call__(self, language: str, text: str, careful: bool = False) -> Found:
        found = self.remembered(language, text, careful)
        found = self._find(language, text, careful) if found is None else found
        self.remember(found, language, text, careful)
        return found

    def remembered(self, language: str, text: str, careful: bool = False) -> Found | None:
        """The finding about a text, if it is remembered."""
        return (self._short if len(text) <= _SMALL else self._long).get((language, text, careful))

    def remember(self, found: Found, language: str, text: str, careful: bool = False) -> None:
        """Remember a finding about a text, and forget a text that was not asked about for long."""
        memory, most = (self._short, _MANY) if len(text) <= _SMALL else (self._long, _FEW)
        with self._changing:
            memory.pop((language, text, careful), None)
            memory[language, text, careful] = found  # the last now
            if len(memory) > most:
                del memory[next(iter(memory))]


@OnceForText
def kinds_of(language: str, text: str, careful: bool = False) -> Kinds:
    """The kind of each character; characters of no other kind are signs."""
    result = np.full(len(text), TokenKind.SIGN, np.int8)
    frontend = _frontend(language)
    if isinstance(frontend.scan, LexiconScanner):
        _paint(_own_reading(language, text).found, result)
    elif frontend.colours and not careful and len(text) <= PYGMENTS_LIMIT:
        for start, end, kind in _pygments(frontend.colours, text):
            result[start:end] = kind
    result.flags.writeable = False
    return result


def kinds_at(language: str, text: str, places: Offsets, careful: bool = False) -> Kinds:
    """The kinds of the characters in some places."""
    if not isinstance(_frontend(language).scan, LexiconScanner):
        return kinds_of(language, text, careful)[places]
    found = _own_reading(language, text).found
    if not len(found.start):
        return np.full(len(places), TokenKind.SIGN, np.int8)
    token = np.maximum(found.start.searchsorted(places, side="right") - 1, 0)
    inside = (found.start[token] <= places) & (places < found.end[token])
    return np.where(inside, found.kind[token], np.int8(TokenKind.SIGN))


def kind_spans(language: str, text: str, careful: bool = False) -> Lexemes:
    """Spans of the text in their order, each of one kind; characters that are in none are signs."""
    if isinstance(_frontend(language).scan, LexiconScanner):
        return _own_reading(language, text).found
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


@OnceForText
def _own_structure(language: str, text: str, careful: bool = False) -> TokenStream:
    """The tokens of a text in a language with a scanner of our own, without comments and what says nothing."""
    start, end = structure_among(_lexicon(language), *_own_reading(language, text))
    return TokenStream(np.zeros(len(start), np.uint64), start, end)


class _Reading(NamedTuple):
    """A text as it is scanned, all of its tokens, comments included, and which of these are its structure."""

    folded: Folded
    found: Lexemes
    compared: Flags


@OnceForText
def _own_reading(language: str, text: str, careful: bool = False) -> _Reading:
    """The reading of a text in a language with a scanner of our own: one look at a text gives both its colours and the
    tokens that were compared."""
    [reading] = _readings(language, [text])
    return reading


def _readings(language: str, texts: Sequence[str]) -> list[_Reading]:
    lexicon = _lexicon(language)
    folded = [*map(lexicon.fold, texts)]
    found = lexemes_with_structure(lexicon, folded)
    return [_Reading(each, *some) for each, some in zip(folded, found, strict=True)]


def runs_lexers_of_others(language: str) -> bool:
    """Whether the tokens or the colours of a text in this language are found by code that is not ours."""
    frontend = _frontend(language)
    return frontend.isolated or bool(frontend.colours)


def read_ahead(files: Iterable[tuple[str, str]]) -> None:
    """Scan the texts that some pages are going to show, each given with its language, in less time than one by one."""
    unread: dict[str, dict[str, None]] = {}
    for language, text in files:
        ours = isinstance(_frontend(language).scan, LexiconScanner)
        if ours and len(text) <= _SMALL and _own_reading.remembered(language, text) is None:
            unread.setdefault(language, {})[text] = None
    for language, texts in unread.items():
        for text, reading in zip(texts, _readings(language, [*texts]), strict=True):
            _own_reading.remember(reading, language, text)


def _lexicon(language: str) -> Lexicon:
    scanner = _frontend(language).scan
    if not isinstance(scanner, LexiconScanner):
        raise TypeError(f"no scanner of our own reads {language}")
    return scanner.lexicon


@OnceForText
def _scan(language: str, text: str, careful: bool = False) -> Tokens:
    """The tokens of all channels."""
    frontend = _frontend(language)
    if frontend.isolated and (careful or len(text) > PYGMENTS_LIMIT):
        frontend = GENERIC
    if isinstance(frontend.scan, LexiconScanner):  # whose structure `tokens_of` has already
        start, end = word_spans(_own_reading(language, text).folded)
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
