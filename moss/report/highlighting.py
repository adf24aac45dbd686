"""What each character of a program is, for the eye: keyword, string, number, comment, name.

Languages with a scanner of their own are read by it: it takes linear time on any text. The others are read by
Pygments, some of whose lexers can hang on a hostile text; so only up to a size, and not at all when asked to be
`careful`, which is how a page is made again after its first attempt overran.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontends import (
    assembly,
    by_name,
    c,
    csharp,
    fortran,
    go,
    java,
    javascript,
    kotlin,
    php,
    python,
    ruby,
    rust,
    scala,
    swift,
)
from frontends.codes import characters
from frontends.folding import fold
from frontends.generic import GENERIC
from frontends.pygmented import ROWS
from frontends.scanner import Kind, Lexicon, lexemes
from frontends.words import kinds, lower
from moss.hashing import SpanHasher
from moss.model import Channel, TokenStream

Kinds = NDArray[np.int8]

PYGMENTS_LIMIT = 100_000
"""Characters beyond which a text that only Pygments can read is shown plain: a second's work at worst, usually."""

_LEXICONS: dict[str, Lexicon] = {
    "a8086": assembly.X86,
    "c": c.LEXICON,
    "cc": c.LEXICON,
    "csharp": csharp.LEXICON,
    "fortran": fortran.FREE,
    "fortran77": fortran.FIXED,
    "go": go.LEXICON,
    "java": java.LEXICON,
    "javascript": javascript.LEXICON,
    "kotlin": kotlin.LEXICON,
    "mips": assembly.MIPS,
    "php": php.LEXICON,
    "python": python.LEXICON,
    "ruby": ruby.LEXICON,
    "rust": rust.LEXICON,
    "scala": scala.LEXICON,
    "swift": swift.LEXICON,
    "typescript": javascript.LEXICON,
}
_LEXERS = {row.name: row.lexer for row in ROWS} | {"html": "html"}


@lru_cache(maxsize=64)  # the same file is on the pages of many pairs
def kinds_of(language: str, text: str, careful: bool = False) -> Kinds:
    """The kind of each character; what is nothing else is a sign."""
    result = np.full(len(text), Kind.SIGN, np.int8)
    if language in _LEXICONS:
        _paint_own(_LEXICONS[language], text, result)
    elif language in _LEXERS and not careful and len(text) <= PYGMENTS_LIMIT:
        for start, end, kind in _pygments(_LEXERS[language], text):
            result[start:end] = kind
    result.flags.writeable = False
    return result


@lru_cache(maxsize=64)
def tokens_of(language: str, text: str, channel: Channel, careful: bool = False) -> TokenStream | None:
    """The tokens that were compared, or None if the text cannot be scanned (again) here."""
    frontend = by_name(language)
    if frontend.isolated and (careful or len(text) > PYGMENTS_LIMIT):
        frontend = GENERIC
    try:
        return frontend.scan(text).get(channel)
    except Exception:  # it failed in the comparison too, and the generic scanner took over
        return GENERIC.scan(text).get(channel)


def _paint_own(lexicon: Lexicon, text: str, result: Kinds) -> None:
    folded = fold(text)
    found = lexemes(lexicon, folded.text, SpanHasher(lower(folded.text)), kinds(characters(folded.text)))
    shown = found.kind != Kind.SIGN
    if not shown.any():
        return
    start, end = folded.original(found.start[shown], found.end[shown])
    for first, last, kind in zip(start.tolist(), end.tolist(), found.kind[shown].tolist(), strict=True):
        result[first:last] = kind


def _pygments(alias: str, text: str) -> Iterator[tuple[int, int, Kind]]:
    """`get_tokens` would change the text, so its inner half is used."""
    for start, token, value in _lexer(alias).get_tokens_unprocessed(text):
        kind = _kind(token)
        if kind is not Kind.SIGN:
            yield start, start + len(value), kind


@cache
def _lexer(alias: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(alias)


@cache
def _kind(token: Any) -> Kind:
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    wanted = (
        (Comment.Preproc, Kind.SIGN),
        (Comment, Kind.COMMENT),
        (String.Doc, Kind.COMMENT),
        (String, Kind.STRING),
        (Number, Kind.NUMBER),
        (Name.Tag, Kind.KEYWORD),
        (Keyword, Kind.KEYWORD),
        (Operator.Word, Kind.KEYWORD),
        (Name, Kind.NAME),
    )
    return next((kind for parent, kind in wanted if token in parent), Kind.SIGN)
