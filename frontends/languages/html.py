"""HTML: the markup is its structure, the words that a reader sees are its text.

Structure: tags and attributes by their names, one code for any attribute's value and one for any text between tags;
style sheets word by word; scripts as JavaScript, in that language's vocabulary, so that a program is found again
when it moves from a file into a page. The text channel has no tags, comments, scripts and styles. Tags that do not part
words for the reader do not here, and `caf&eacute;` is `café`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from frontends.frontend import Frontend
from frontends.languages import javascript
from frontends.lexing.char_classes import kinds
from frontends.lexing.codes import TokenHasher, characters, in_vocabulary
from frontends.lexing.lexer_adapter import Paint, colours, structure
from frontends.lexing.scanner import program
from frontends.normalise.folding import Folded, fold
from frontends.normalise.words import lower, word_stream
from moss.model import Channel, Tokens, TokenStream

_TAG = r"(?:[^\"'>]++|\"[^\"]*+\"?+|'[^']*+'?+)*+>?+"
_PARTS = re.compile(
    r"(?P<comment><!--(?:[^-]++|-(?!->))*+(?:-->)?+)"
    rf"|<script\b{_TAG}(?P<script>(?:[^<]++|<(?!/script\b))*+)"
    rf"|<style\b{_TAG}(?P<style>(?:[^<]++|<(?!/style\b))*+)"
    rf"|(?P<tag></?+(?P<name>[a-z][^\s/>]*+){_TAG}|<[!?][^>]*+>?+)"
    r"|(?P<text>(?:[^<]++|<(?!/?+[a-z]|[!?]))++)",
    re.IGNORECASE,
)
_IN_TAG = re.compile(r"=\s*+(\"[^\"]*+\"?+|'[^']*+'?+|[^\s>\"']++)|([^\s=<>/\"']++)")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}+|#[xX][0-9a-fA-F]{1,6}+|[a-zA-Z][a-zA-Z0-9]{1,31}+);?+")
_INLINE = """
a abbr b bdi bdo big cite code dfn em font i ins kbd mark q s samp small span strong sub sup tt u var wbr
"""
_WITHIN_WORDS = frozenset(_INLINE.split())

Parts = list[re.Match[str]]
Stretch = tuple[int, int, Paint]


def scan(text: str) -> Tokens:
    """Both channels of a page."""
    folded = fold(text)
    parts = [*_PARTS.finditer(folded.text)]
    return {Channel.STRUCTURE: _structure(folded, parts), Channel.TEXT: _text(folded, parts)}


def _structure(folded: Folded, parts: Parts) -> TokenStream:
    text = folded.text
    hasher, kind = TokenHasher(lower(text)), kinds(characters(text))
    stretches = (stretch for part in parts for stretch in _stretches(part))
    hashes, start, end = structure(text, hasher, kind, colours(len(text), stretches))
    scripts = _scripts(text, [part.span("script") for part in parts if part["script"]])
    codes = np.concatenate([in_vocabulary("html", hashes), scripts.codes])
    start, end = np.concatenate([start, scripts.start]), np.concatenate([end, scripts.end])
    order = np.argsort(start, kind="stable")
    return TokenStream(codes[order], *folded.original(start[order], end[order]))


def _stretches(part: re.Match[str]) -> Iterator[Stretch]:
    """The paints of one part of a page; scripts are left out here, as comments are."""
    if part["comment"] is not None:
        yield *part.span(), Paint.COMMENT
    elif part["text"] is not None:
        yield *part.span(), Paint.COMMENT if part[0].isspace() else Paint.STRING
    elif part["tag"] is not None:
        yield from _stretches_of_tag(part.string, *part.span())
    else:
        body = "script" if part["style"] is None else "style"
        yield from _stretches_of_tag(part.string, part.start(), part.start(body))
        yield *part.span(body), Paint.COMMENT if body == "script" else Paint.KEYWORD


def _stretches_of_tag(text: str, start: int, end: int) -> Iterator[Stretch]:
    for piece in _IN_TAG.finditer(text, start, end):
        if piece[1] is not None:
            yield *piece.span(1), Paint.STRING
        else:
            yield *piece.span(), Paint.KEYWORD


def _scripts(text: str, spans: list[tuple[int, int]]) -> TokenStream:
    """The JavaScript in these spans of a page, scanned at once: all else is blank, and no token leaves its span."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += " " * (start - done), text[start:end]
        done = end
    codes, first, last = program(javascript.LEXICON, ["".join(pieces)])
    limits = np.array([end for _, end in spans], np.int64)
    inside = limits[np.searchsorted(limits, first, side="right")] if len(first) else last
    return TokenStream(codes, first, np.minimum(last, inside))


def _text(folded: Folded, parts: Parts) -> TokenStream:
    seen = _seen(folded.text, parts)
    plain = fold(seen.text)
    stream = word_stream(plain)
    return TokenStream(stream.codes, *folded.original(*seen.original(stream.start, stream.end)))


def _seen(text: str, parts: Parts) -> Folded:
    """What a reader sees of a page, with each character's place in it."""
    rows: list[tuple[int, int, int]] = []  # start and end in the page, and how many characters it gives
    pieces: list[str] = []
    for part in parts:
        for start, end, piece in _visible(text, part):
            rows.append((start, end, len(piece)))
            pieces.append(piece)
    begins, stops, width = np.array(rows, np.int64).reshape(-1, 3).T
    first = np.cumsum(width) - width
    within = np.arange(int(width.sum())) - np.repeat(first, width)
    literal = np.repeat(stops - begins == width, width)
    starts, ends = np.repeat(begins, width), np.repeat(stops, width)
    return Folded(
        "".join(pieces), np.where(literal, starts + within, starts), np.where(literal, starts + within + 1, ends)
    )


def _visible(text: str, part: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Pieces of the page with what they show; a tag that parts words shows a line break."""
    if part["text"] is None:
        if part["comment"] is None and (part["name"] or "").lower() not in _WITHIN_WORDS:
            yield *part.span(), "\n"
        return
    done, last = part.span()
    from html import unescape  # a comparison without pages does without its tables

    for entity in _ENTITY.finditer(text, done, last):
        yield done, entity.start(), text[done : entity.start()]
        yield *entity.span(), unescape(entity[0])
        done = entity.end()
    yield done, last, text[done:last]


HTML = Frontend(
    "html",
    scan,
    "own scanner",
    endings=(".html", ".htm", ".xhtml", ".vue", ".svelte"),
    aliases=("htm", "xhtml"),
    colours="html",
    markup=True,
)

FRONTENDS = (HTML,)
