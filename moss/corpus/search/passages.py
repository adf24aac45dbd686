"""The passages that two documents share, exact to the character."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frontends.frontend import CODE, WORDS
from moss.corpus.ingest.documents import CorpusDocument, is_program, scan
from moss.engine.alignment import Passage as Tiles
from moss.engine.alignment import align
from moss.engine.documents import make_document
from moss.hashing import Hashes
from moss.lines import line_of, line_starts
from moss.model import Channel, Tokens, TokenStream

_NOTHING: Hashes = np.zeros(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Span:
    """A span of a text: character offsets, half-open, and lines, inclusive."""

    start: int
    end: int
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """Equal words (or structure) in two documents, small gaps bridged."""

    here: Span
    there: Span
    tokens: int  # equal ones


def shared_passages(
    here: CorpusDocument, there: CorpusDocument, scanned: Tokens | None = None
) -> tuple[list[CorpusPassage], float]:
    """The passages of one document that are in another, in their order, and the part of its tokens they make up."""
    by_structure = is_program(here.language) and is_program(there.language)
    channel, thresholds = (Channel.STRUCTURE, CODE) if by_structure else (Channel.TEXT, WORDS)
    a, b = (scanned or scan(here))[channel], scan(there)[channel]
    A, B = (make_document([stream], thresholds.noise, thresholds.window) for stream in (a, b))
    found = [
        tiles
        for tiles in align(A, B, _NOTHING, thresholds.noise, thresholds.passage, thresholds.promised)
        if _equal(tiles) >= thresholds.passage
    ]
    covered = sum(map(_equal, found)) / len(a) if len(a) else 0.0
    return [_located(tiles, (a, here.text), (b, there.text)) for tiles in found], covered


def _equal(tiles: Tiles) -> int:
    return sum(tile.length for tile in tiles)


def _located(tiles: Tiles, here: tuple[TokenStream, str], there: tuple[TokenStream, str]) -> CorpusPassage:
    return CorpusPassage(
        _span(*here, tiles[0].a, tiles[-1].a_end), _span(*there, tiles[0].b, tiles[-1].b_end), _equal(tiles)
    )


def _span(stream: TokenStream, text: str, first: int, end: int) -> Span:
    lines = line_starts(text)
    start, stop = int(stream.start[first]), int(stream.end[end - 1])
    return Span(start, stop, line_of(lines, start), line_of(lines, stop - 1))


def excerpt(text: str, span: Span, most: int = 160) -> str:
    """The beginning of a passage in one line."""
    words = " ".join(text[span.start : span.end].split())
    return words if len(words) <= most else f"{words[: most - 1]}…"
