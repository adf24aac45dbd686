r"""HTML: the markup is its structure, the words that a reader sees are its text.

Structure: tags and attributes by their names, one code for any attribute's value and one for any text between tags;
style sheets word by word; scripts as JavaScript, in that language's vocabulary, so that a program is found again
when it moves from a file into a page. The text channel has no tags, comments, scripts and styles. Tags that do not part
words for the reader do not here, and `caf&eacute;` is `café`.

    >>> page = "<p class='x'>A <b>ca</b>f&eacute;<!-- no --><script>var y;</script>"
    >>> sections = [*_SECTIONS.finditer(page)]
    >>> [next(name for name in found.groupdict() if found[name] is not None) for found in sections]
    ['tag', 'text', 'tag', 'text', 'tag', 'text', 'comment', 'script', 'tag']
    >>> _seen(page, sections).text
    '\nA café\n\n'
    >>> [found[0] for found in _IN_TAG.finditer("<p class='x'")]
    ['p', 'class', "='x'"]
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
_SECTIONS = re.compile(
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

Sections = list[re.Match[str]]
PaintedSpan = tuple[int, int, Paint]


def scan(text: str) -> Tokens:
    """The structure and text channels of a page."""
    folded = fold(text)
    sections = [*_SECTIONS.finditer(folded.text)]
    return {Channel.STRUCTURE: _structure(folded, sections), Channel.TEXT: _text(folded, sections)}


def _structure(folded: Folded, sections: Sections) -> TokenStream:
    text = folded.text
    hasher, kind = TokenHasher(lower(text)), kinds(characters(text))
    spans = (span for section in sections for span in _painted_spans(section))
    hashes, start, end = structure(text, hasher, kind, colours(len(text), spans))
    scripts = _scripts(text, [section.span("script") for section in sections if section["script"]])
    codes = np.concatenate([in_vocabulary("html", hashes), scripts.codes])
    start, end = np.concatenate([start, scripts.start]), np.concatenate([end, scripts.end])
    order = np.argsort(start, kind="stable")
    return TokenStream(codes[order], *folded.original(start[order], end[order]))


def _painted_spans(section: re.Match[str]) -> Iterator[PaintedSpan]:
    """The paints of one section of a page; scripts are left out here, as comments are."""
    if section["comment"] is not None:
        yield *section.span(), Paint.COMMENT
    elif section["text"] is not None:
        yield *section.span(), Paint.COMMENT if section[0].isspace() else Paint.STRING
    elif section["tag"] is not None:
        yield from _painted_spans_of_tag(section.string, *section.span())
    else:
        body = "script" if section["style"] is None else "style"
        yield from _painted_spans_of_tag(section.string, section.start(), section.start(body))
        yield *section.span(body), Paint.COMMENT if body == "script" else Paint.KEYWORD


def _painted_spans_of_tag(text: str, start: int, end: int) -> Iterator[PaintedSpan]:
    for piece in _IN_TAG.finditer(text, start, end):
        if piece[1] is not None:
            yield *piece.span(1), Paint.STRING
        else:
            yield *piece.span(), Paint.KEYWORD


def _scripts(text: str, spans: list[tuple[int, int]]) -> TokenStream:
    """The JavaScript in these spans of a page, scanned at once with blanks for everything else; no token leaves its
    span."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += " " * (start - done), text[start:end]
        done = end
    codes, first, last = program(javascript.LEXICON, ["".join(pieces)])
    limits = np.array([end for _, end in spans], np.int64)
    inside = limits[np.searchsorted(limits, first, side="right")] if len(first) else last
    return TokenStream(codes, first, np.minimum(last, inside))


def _text(folded: Folded, sections: Sections) -> TokenStream:
    seen = _seen(folded.text, sections)
    plain = fold(seen.text)
    stream = word_stream(plain)
    return TokenStream(stream.codes, *folded.original(*seen.original(stream.start, stream.end)))


def _seen(text: str, sections: Sections) -> Folded:
    """The text that a reader sees of a page, with each character's place in the page."""
    rows: list[tuple[int, int, int]] = []  # start and end in the page, and how many characters it gives
    pieces: list[str] = []
    for section in sections:
        for start, end, piece in _visible(text, section):
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


def _visible(text: str, section: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Spans of a section with the text that a reader sees there; a tag that separates words shows a line break."""
    if section["text"] is None:
        if section["comment"] is None and (section["name"] or "").lower() not in _WITHIN_WORDS:
            yield *section.span(), "\n"
        return
    done, last = section.span()
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
