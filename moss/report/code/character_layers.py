"""How each character of a file is shown: one number holds its passage, its likeness and its kind.

Passages, equal words, starter code and highlighting overlap in every way. As one array of numbers they need no tree:
wherever the number changes, a new span begins. Here characters 4 to 9 are passage 1:

>>> text = "int total;"
>>> kinds = np.full(len(text), TokenKind.SIGN, np.int8)
>>> [line] = spans_by_line(text, kinds, [Marking(1, [(4, 9)])], [])
>>> [(text[span.start : span.end], span.look.match) for span in line]
[('int ', 0), ('total', 1), (';', 0)]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.char_classes import SPACE
from frontends.lexing.char_classes import kinds as kinds_of_characters
from frontends.lexing.codes import characters
from frontends.lexing.scanner import TokenKind
from moss.lines import line_starts
from moss.report.code.likeness import Span
from moss.report.code.syntax_classes import Kinds

WORDS, EXACT, BASE = 8, 16, 32
_KIND, _MATCH = 7, 6  # the bits below WORDS; how far a passage's number is shifted to be above BASE


class Marking(NamedTuple):
    """The spans of one passage in a file: its equal tokens, and those of them alike in words and to the character."""

    number: int
    runs: Sequence[Span]
    words: Sequence[Span] = ()
    exact: Sequence[Span] = ()


class CharacterLook(NamedTuple):
    """How a character is shown."""

    match: int  # the passage's number, from 1; 0 if it is in none
    words: bool
    exact: bool
    base: bool
    kind: TokenKind


class StyledSpan(NamedTuple):
    """A span of one line in which every character looks the same."""

    start: int
    end: int
    look: CharacterLook


def spans_by_line(
    text: str,
    kinds: Kinds,
    markings: Iterable[Marking],
    base: Iterable[Span],
) -> list[list[StyledSpan]]:
    """The spans of each line in order; joined they are the text.

    A line's indentation belongs to no passage, and starter code inside a passage is shown as the passage. No span ends
    within a line end."""
    shown = np.where(kinds == TokenKind.NAME, TokenKind.SIGN, kinds).astype(
        np.int32
    )  # names look like signs: fewer spans
    for start, end in base:
        shown[start:end] |= BASE
    for marking in markings:
        _mark(shown, marking)
    starts = line_starts(text)
    starts = starts[starts < len(text)]
    _clear_indentation(text, shown, starts)
    if "\r\n" in text:
        _join_line_ends(text, shown)
    return _cut(shown, starts)


def _mark(shown: NDArray[np.int32], marking: Marking) -> None:
    for start, end in marking.runs:
        shown[start:end] = (shown[start:end] & _KIND) | marking.number << _MATCH
    for bit, spans in ((WORDS, marking.words), (EXACT, marking.exact)):
        for start, end in spans:
            shown[start:end] |= bit


def _clear_indentation(text: str, shown: NDArray[np.int32], starts: NDArray[np.int64]) -> None:
    """Take the indentation of each line out of its passage: it only lies between tokens that are equal."""
    written = np.append(np.flatnonzero(kinds_of_characters(characters(text)) != SPACE), len(text))
    first = np.minimum(written[np.searchsorted(written, starts)], np.append(starts[1:], len(text)))
    margin = np.zeros(len(text) + 1, np.int8)
    margin[starts] += 1
    np.add.at(margin, first, -1)
    shown[np.cumsum(margin[:-1], dtype=np.int8) > 0] &= _KIND | BASE


def _join_line_ends(text: str, shown: NDArray[np.int32]) -> None:
    """Take line ends of two characters that look different out of everything: markup between the two would make two
    line ends of them."""
    codes = characters(text)
    first = np.flatnonzero((codes[:-1] == ord("\r")) & (codes[1:] == ord("\n")))
    apart = first[shown[first] != shown[first + 1]]
    shown[apart + 1] = shown[apart] = shown[apart] & _KIND


def _cut(shown: NDArray[np.int32], starts: NDArray[np.int64]) -> list[list[StyledSpan]]:
    edge = np.zeros(len(shown), np.bool_)
    edge[1:] = shown[1:] != shown[:-1]
    edge[starts] = True
    at = np.flatnonzero(edge)
    ends = np.append(at[1:], len(shown))
    pieces = [*map(StyledSpan, at.tolist(), ends.tolist(), map(_look, shown[at].tolist()))]
    firsts = [*np.searchsorted(at, starts).tolist(), len(pieces)]
    return [pieces[first:last] for first, last in pairwise(firsts)]


@cache
def _look(shown: int) -> CharacterLook:
    return CharacterLook(
        shown >> _MATCH, bool(shown & WORDS), bool(shown & EXACT), bool(shown & BASE), TokenKind(shown & _KIND)
    )
