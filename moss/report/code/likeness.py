"""The likeness of a passage: by structure, by words, by characters.

The engine found the tokens of a passage equal pair by pair. Here each pair is looked at again as it is written. A span
is alike **in words** where its tokens, and the words between them, are equal apart from case; it begins and ends with
a word. It is **exact** where every character is equal, blanks and line breaks included, over at least a few tokens.

>>> tokens = TokenStream(np.arange(4), np.array([0, 3, 4, 7]), np.array([3, 4, 5, 8]))
>>> texts = PassageTexts("Sum(a, b)", "sum(a, c)", tokens, tokens)
>>> [found] = likeness_of(paired_tokens(texts, [[EqualRun(0, 8, 0, 8)]]))
>>> [texts.a[span.a_start : span.a_end] for span in found.words]
['Sum(a']

Passages of the same two files are looked at together, which takes a fraction of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.codes import characters
from moss.model import EqualRun, TokenStream

EXACT_TOKENS = 4
"""An exact span has at least so many tokens: brackets and semicolons are equal in any two programs."""

Span = tuple[int, int]
Offsets = NDArray[np.int64]


class TokenPair(NamedTuple):
    """Two tokens that the engine found equal, as they are written, and where each begins."""

    a: str
    b: str
    a_start: int
    b_start: int

    @property
    def a_end(self) -> int:
        """The end of the first token."""
        return self.a_start + len(self.a)

    @property
    def b_end(self) -> int:
        """The end of the second token."""
        return self.b_start + len(self.b)


@dataclass(frozen=True, slots=True)
class PassageTexts:
    """Two texts that share a passage, with the tokens that were compared, if they are known."""

    a: str
    b: str
    a_tokens: TokenStream | None = None
    b_tokens: TokenStream | None = None


def token_pairs(texts: PassageTexts, run: EqualRun) -> list[TokenPair]:
    """The token pairs of an equal run in order; one pair for the whole run if its tokens are not known."""
    a = _spans(texts.a_tokens, run.a_start, run.a_end)
    b = _spans(texts.b_tokens, run.b_start, run.b_end)
    if not a or len(a) != len(b):
        a, b = [(run.a_start, run.a_end)], [(run.b_start, run.b_end)]
    ours, theirs = [texts.a[start:end] for start, end in a], [texts.b[start:end] for start, end in b]
    return [*map(TokenPair, ours, theirs, (start for start, _ in a), (start for start, _ in b))]


def _spans(tokens: TokenStream | None, start: int, end: int) -> list[Span]:
    if tokens is None:
        return []
    first, last = tokens.start.searchsorted((start, end))
    return [*zip(tokens.start[first:last].tolist(), tokens.end[first:last].tolist(), strict=True)]


@dataclass(frozen=True)
class PairedTokens:
    """The token pairs of some passages in order, as columns: where each token begins and ends on either side."""

    texts: PassageTexts
    a_start: Offsets
    a_end: Offsets
    b_start: Offsets
    b_end: Offsets
    runs: Offsets  # the number of the equal run that each pair is in, from 0
    passages: Sequence[int]  # the number of the passage that each run is in, from 0

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Which pairs are equal to the character."""
        return _equal(self.texts, self.a_start, self.a_end, self.b_start, self.b_end)

    @cached_property
    def bounds(self) -> list[tuple[int, int, int, int]]:
        """The start and the end of each pair on both sides; single places of arrays would be slow to look up."""
        columns = self.a_start, self.a_end, self.b_start, self.b_end
        return [*zip(*(column.tolist() for column in columns), strict=True)]

    def pair(self, place: int) -> tuple[str, str]:
        """The pair in a place, as it is written."""
        a_start, a_end, b_start, b_end = self.bounds[place]
        return self.texts.a[a_start:a_end], self.texts.b[b_start:b_end]

    def written(self, places: Sequence[int]) -> Iterator[tuple[str, str]]:
        """The pairs in some places, as they are written."""
        a, b = self.texts.a, self.texts.b
        bounds = (self.bounds[place] for place in places)
        return ((a[a_start:a_end], b[b_start:b_end]) for a_start, a_end, b_start, b_end in bounds)

    def gap(self, place: int) -> tuple[str, str]:
        """The texts between the pair in a place and the next one."""
        (_, a_end, _, b_end), (a_next, _, b_next, _) = self.bounds[place : place + 2]
        return self.texts.a[a_end:a_next], self.texts.b[b_end:b_next]

    def span(self, first: int, last: int) -> EqualRun:
        """The pairs from one place to before another, as a span on each side."""
        (a_start, _, b_start, _), (_, a_end, _, b_end) = self.bounds[first], self.bounds[last - 1]
        return EqualRun(a_start, a_end, b_start, b_end)


def paired_tokens(texts: PassageTexts, passages: Sequence[Sequence[EqualRun]]) -> PairedTokens:
    """The token pairs of the equal runs of some passages; one pair for a whole run if its tokens are not known."""
    columns: list[tuple[Offsets, ...]] = [_NOTHING]
    for run in chain.from_iterable(passages):
        a = _token_bounds(texts.a_tokens, run.a_start, run.a_end)
        b = _token_bounds(texts.b_tokens, run.b_start, run.b_end)
        if not len(a[0]) or len(a[0]) != len(b[0]):
            a = np.array([run.a_start]), np.array([run.a_end])
            b = np.array([run.b_start]), np.array([run.b_end])
        columns.append((*a, *b))
    a_start, a_end, b_start, b_end = map(np.concatenate, zip(*columns, strict=True))
    runs = np.repeat(np.arange(len(columns) - 1), [len(column[0]) for column in columns[1:]])
    owners = [number for number, of_passage in enumerate(passages) for _ in of_passage]
    return PairedTokens(texts, a_start, a_end, b_start, b_end, runs, owners)


_NOTHING = (np.zeros(0, np.int64),) * 4


def _token_bounds(tokens: TokenStream | None, start: int, end: int) -> tuple[Offsets, Offsets]:
    if tokens is None:
        return _NOTHING[:2]
    first, last = tokens.start.searchsorted((start, end))
    return tokens.start[first:last], tokens.end[first:last]


def _equal(
    texts: PassageTexts, a_start: Offsets, a_end: Offsets, b_start: Offsets, b_end: Offsets
) -> NDArray[np.bool_]:
    """Whether each of many spans of one text is equal to one of the other, character by character."""
    lengths = a_end - a_start
    equal: NDArray[np.bool_] = lengths == b_end - b_start
    asked = np.flatnonzero(equal & (lengths > 0))
    if not len(asked):
        return equal
    sizes = lengths[asked]
    firsts = np.cumsum(sizes) - sizes
    steps = np.arange(int(sizes.sum())) - np.repeat(firsts, sizes)
    ours = _codes(texts.a)[np.repeat(a_start[asked], sizes) + steps]
    theirs = _codes(texts.b)[np.repeat(b_start[asked], sizes) + steps]
    equal[asked] = np.logical_and.reduceat(ours == theirs, firsts)
    return equal


_codes = lru_cache(maxsize=64)(characters)  # a pair's texts are asked about again for each of its passages


@dataclass(frozen=True, slots=True)
class Likeness:
    """The spans of consecutive token pairs that are alike in words, and those that are equal to the character."""

    words: list[EqualRun]
    exact: list[EqualRun]


def likeness_of(tokens: PairedTokens) -> list[Likeness]:
    """The likeness of each passage with these token pairs."""
    same = tokens.same
    alike = same.copy()
    differing = np.flatnonzero(~same)
    alike[differing] = [a.casefold() == b.casefold() for a, b in tokens.written(differing.tolist())]
    within = tokens.runs[1:] == tokens.runs[:-1]
    gaps = _equal(tokens.texts, tokens.a_end[:-1], tokens.a_start[1:], tokens.b_end[:-1], tokens.b_start[1:]) & within
    joined = gaps.copy()
    for place in np.flatnonzero(within & ~gaps & alike[1:] & alike[:-1]).tolist():
        a, b = tokens.gap(place)
        joined[place] = _words_in(a) == _words_in(b)
    found = [Likeness([], []) for _ in range(1 + max(tokens.passages, default=-1))]
    runs = tokens.runs.tolist()
    for first, last in _stretches(alike, joined):
        first, last = _from_word_to_word(tokens, first, last)
        if first < last:
            found[tokens.passages[runs[first]]].words.append(tokens.span(first, last))
    least = np.minimum(EXACT_TOKENS, np.bincount(tokens.runs))[tokens.runs]
    for first, last in _stretches(same, gaps, least):
        found[tokens.passages[runs[first]]].exact.append(tokens.span(first, last))
    return found


def _stretches(
    alike: NDArray[np.bool_], joined: NDArray[np.bool_], least: NDArray[np.int64] | None = None
) -> list[Span]:
    """The longest stretches of places that are alike, each joined to the one before it; if given, of at least so many
    places, as said in the first of them.

    >>> _stretches(np.array([True, True, False, True, True]), np.array([True, True, True, False]))
    [(0, 2), (3, 4), (4, 5)]
    """
    goes_on = alike[:-1] & alike[1:] & joined
    first = np.flatnonzero(alike & ~np.append(False, goes_on))
    last = np.flatnonzero(alike & ~np.append(goes_on, False)) + 1
    if least is not None:
        long = last - first >= least[first]
        first, last = first[long], last[long]
    return [*zip(first.tolist(), last.tolist(), strict=True)]


_WORDS = re.compile(r"\w+")


def _words_in(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _from_word_to_word(tokens: PairedTokens, first: int, last: int) -> Span:
    """A stretch of token pairs without the signs at its ends."""
    text, bounds = tokens.texts.a, tokens.bounds
    while first < last and not _WORDS.search(text, *bounds[first][:2]):
        first += 1
    while first < last and not _WORDS.search(text, *bounds[last - 1][:2]):
        last -= 1
    return first, last
