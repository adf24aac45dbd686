"""The likeness of a passage: by structure, by words, by characters.

The engine found the tokens of a passage equal pair by pair. Here each pair is looked at again as it is written. A span
is alike **in words** where its tokens, and the words between them, are equal apart from case; it begins and ends with
a word. It is **exact** where every character is equal, blanks and line breaks included, over at least a few tokens.

>>> tokens = TokenStream(np.arange(4), np.array([0, 3, 4, 7]), np.array([3, 4, 5, 8]))
>>> texts = PassageTexts("Sum(a, b)", "sum(a, c)", tokens, tokens)
>>> [found] = likeness_of(paired_tokens(texts, [[EqualRun(0, 8, 0, 8)]]))
>>> [texts.a[start:end] for start, end in found.words.a]
['Sum(a']

Passages of the same two files are looked at together, which takes a fraction of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
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


class SpanPairs(NamedTuple):
    """Spans of the first text, and the spans of the second that correspond to them."""

    a: list[Span]
    b: list[Span]


@dataclass(frozen=True)
class PairedTokens:
    """The token pairs of some passages in order, as columns: where each token begins and ends on either side."""

    texts: PassageTexts
    a_start: Offsets
    a_end: Offsets
    b_start: Offsets
    b_end: Offsets
    runs: Offsets  # the number of the equal run that each pair is in, from 0
    passages: Offsets  # the number of the passage that each run is in, from 0
    count: int  # of passages

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Which pairs are equal to the character."""
        return _equal(self.texts, self.a_start, self.a_end, self.b_start, self.b_end)

    def written(self, places: Offsets) -> tuple[list[str], list[str]]:
        """The tokens in some places as they are written on either side."""
        return self.written_on_a(places), _slices(self.texts.b, self.b_start[places], self.b_end[places])

    def written_on_a(self, places: Offsets) -> list[str]:
        """The tokens in some places as the first side writes them."""
        return _slices(self.texts.a, self.a_start[places], self.a_end[places])

    def gaps(self, places: Offsets) -> tuple[list[str], list[str]]:
        """The texts between the tokens in some places and the next ones, on either side."""
        a = _slices(self.texts.a, self.a_end[places], self.a_start[places + 1])
        return a, _slices(self.texts.b, self.b_end[places], self.b_start[places + 1])

    def spans(self, first: Offsets, last: Offsets) -> list[SpanPairs]:
        """The stretches of pairs from some places to before others as spans, by passages."""
        a = [*zip(self.a_start[first].tolist(), self.a_end[last - 1].tolist(), strict=True)]
        b = [*zip(self.b_start[first].tolist(), self.b_end[last - 1].tolist(), strict=True)]
        return [SpanPairs(a[low:high], b[low:high]) for low, high in self.by_passage(first)]

    def by_passage(self, places: Offsets) -> Iterator[Span]:
        """For each passage the first and last of some places, in their order, that are in it."""
        limits: list[int] = self.passages[self.runs[places]].searchsorted(np.arange(self.count + 1)).tolist()
        return pairwise(limits)


def _slices(text: str, start: Offsets, end: Offsets) -> list[str]:
    return [text[low:high] for low, high in zip(start.tolist(), end.tolist(), strict=True)]


def paired_tokens(texts: PassageTexts, passages: Sequence[Sequence[EqualRun]]) -> PairedTokens:
    """The token pairs of the equal runs of some passages; one pair for a whole run if its tokens are not known."""
    runs = [*chain.from_iterable(passages)]
    columns: list[tuple[Offsets, ...]] = [(_NOTHING,) * 4]
    tokens_a = _tokens_in(texts.a_tokens, [(run.a_start, run.a_end) for run in runs])
    tokens_b = _tokens_in(texts.b_tokens, [(run.b_start, run.b_end) for run in runs])
    for run, a, b in zip(runs, tokens_a, tokens_b, strict=True):
        if not len(a[0]) or len(a[0]) != len(b[0]):
            a = np.array([run.a_start]), np.array([run.a_end])
            b = np.array([run.b_start]), np.array([run.b_end])
        columns.append((*a, *b))
    a_start, a_end, b_start, b_end = map(np.concatenate, zip(*columns, strict=True))
    numbers = np.repeat(np.arange(len(runs)), [len(column[0]) for column in columns[1:]])
    owners = np.repeat(np.arange(len(passages)), [len(passage) for passage in passages])
    return PairedTokens(texts, a_start, a_end, b_start, b_end, numbers, owners, len(passages))


_NOTHING = np.zeros(0, np.int64)


def _tokens_in(tokens: TokenStream | None, spans: Sequence[Span]) -> Iterator[tuple[Offsets, Offsets]]:
    """The start and the end of each token that begins in a span, for each of some spans."""
    if tokens is None:
        return iter([(_NOTHING, _NOTHING)] * len(spans))
    limits = tokens.start.searchsorted(np.asarray(spans, np.int64).reshape(-1, 2)).tolist()
    return ((tokens.start[first:last], tokens.end[first:last]) for first, last in limits)


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
    ends = sizes.cumsum()
    firsts, steps = ends - sizes, np.arange(ends[-1])
    ours = _codes(texts.a)[(a_start[asked] - firsts).repeat(sizes) + steps]
    theirs = _codes(texts.b)[(b_start[asked] - firsts).repeat(sizes) + steps]
    equal[asked] = np.logical_and.reduceat(ours == theirs, firsts)
    return equal


_codes = lru_cache(maxsize=64)(characters)  # a pair's texts are asked about again for each of its passages


class Likeness(NamedTuple):
    """The spans of consecutive token pairs that are alike in words, and those that are equal to the character."""

    words: SpanPairs
    exact: SpanPairs


def likeness_of(tokens: PairedTokens) -> list[Likeness]:
    """The likeness of each passage with these token pairs."""
    same = tokens.same
    alike = same.copy()
    differing = np.flatnonzero(~same)
    alike[differing] = [a.casefold() == b.casefold() for a, b in zip(*tokens.written(differing), strict=True)]
    within = tokens.runs[1:] == tokens.runs[:-1]
    gaps = _equal(tokens.texts, tokens.a_end[:-1], tokens.a_start[1:], tokens.b_end[:-1], tokens.b_start[1:]) & within
    joined = gaps.copy()
    unlike = np.flatnonzero(within & ~gaps & alike[1:] & alike[:-1])
    joined[unlike] = [_words_in(a) == _words_in(b) for a, b in zip(*tokens.gaps(unlike), strict=True)]
    words = tokens.spans(*_from_word_to_word(tokens, *_stretches(alike, joined)))
    first, last = _stretches(same, gaps)
    long = last - first >= np.minimum(EXACT_TOKENS, np.bincount(tokens.runs))[tokens.runs[first]]
    return [*map(Likeness, words, tokens.spans(first[long], last[long]))]


def _stretches(alike: NDArray[np.bool_], joined: NDArray[np.bool_]) -> tuple[Offsets, Offsets]:
    """The longest stretches of places that are alike, each joined to the one before it: their first places, and those
    behind their last.

    >>> _stretches(np.array([True, True, False, True, True]), np.array([True, True, True, False]))
    (array([0, 3, 4]), array([2, 4, 5]))
    """
    goes_on = alike[:-1] & alike[1:] & joined
    first, last = alike.copy(), alike.copy()
    first[1:] &= ~goes_on
    last[:-1] &= ~goes_on
    return np.flatnonzero(first), np.flatnonzero(last) + 1


_WORDS = re.compile(r"\w+")
_IN_WORDS = np.array([*(bool(_WORDS.match(chr(code))) for code in range(256)), False])
"""Whether each character that fits into a byte is part of a word; the last entry is for all others."""


def _words_in(text: str) -> list[str]:
    return _WORDS.findall(text.casefold()) if text and not text.isspace() else []


def _from_word_to_word(tokens: PairedTokens, first: Offsets, last: Offsets) -> tuple[Offsets, Offsets]:
    """Stretches of token pairs without the signs at their ends; those that are nothing but signs are left out."""
    words = _with_words(tokens)
    low, high = words.searchsorted(first), words.searchsorted(last)
    some = low < high
    return words[low[some]], words[high[some] - 1] + 1


def _with_words(tokens: PairedTokens) -> Offsets:
    """The places of the pairs that are more than signs; of most, the first character shows it."""
    lengths = tokens.a_end - tokens.a_start
    some = np.flatnonzero(lengths)
    firsts = _codes(tokens.texts.a)[tokens.a_start[some]]
    found = np.zeros(len(lengths), np.bool_)
    found[some] = _IN_WORDS.take(firsts, mode="clip")
    unsure = some[~found[some] & ((lengths[some] > 1) | (firsts > 255))]
    found[unsure] = [_WORDS.search(token) is not None for token in tokens.written_on_a(unsure)]
    return np.flatnonzero(found)
