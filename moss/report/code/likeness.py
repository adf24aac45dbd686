"""The likeness of a passage: by structure, by words, by characters.

The engine found the tokens of a passage equal pair by pair. Here each pair is looked at again as it is written. A span
is alike **in words** where its tokens, and the words between them, are equal apart from case; it begins and ends with
a word. It is **exact** where every character is equal, blanks and line breaks included, over at least a few tokens.

>>> tokens = TokenStream(np.arange(4), np.array([0, 3, 4, 7]), np.array([3, 4, 5, 8]))
>>> texts = PassageTexts("Sum(a, b)", "sum(a, c)", tokens, tokens)
>>> [found] = likeness_of(paired_tokens([ComparedPassages(texts, [[EqualRun(0, 8, 0, 8)]])]))
>>> [texts.a[start:end] for start, end in found.words.a]
['Sum(a']

Passages of many pairs are looked at together, as if all texts were one, which takes a fraction of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.codes import Chars, characters
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


class ComparedPassages(NamedTuple):
    """The equal runs of each passage that two texts share."""

    texts: PassageTexts
    passages: Sequence[Sequence[EqualRun]]


@dataclass(frozen=True)
class PairedTokens:
    """The token pairs of some passages in order, as columns: where each token begins and ends on either side. The texts
    of all passages stand one after the other, as one text for each side."""

    a: str
    b: str
    a_start: Offsets
    a_end: Offsets
    b_start: Offsets
    b_end: Offsets
    runs: Offsets  # the number of the equal run that each pair is in, from 0
    passages: Offsets  # the number of the passage that each run is in, from 0
    origins: Offsets  # where the two texts of each passage begin, in two columns

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Which pairs are equal to the character."""
        return self._equal(self.a_start, self.a_end, self.b_start, self.b_end)

    @cached_property
    def same_gaps(self) -> NDArray[np.bool_]:
        """Behind which pairs, without the last, stands the same until the next one."""
        return self._equal(self.a_end[:-1], self.a_start[1:], self.b_end[:-1], self.b_start[1:])

    def _equal(self, a_start: Offsets, a_end: Offsets, b_start: Offsets, b_end: Offsets) -> NDArray[np.bool_]:
        """Whether each of many spans of one text is equal to one of the other, character by character."""
        lengths = a_end - a_start
        equal: NDArray[np.bool_] = lengths == b_end - b_start
        asked = np.flatnonzero(equal & (lengths > 0))
        if not len(asked):
            return equal
        sizes = lengths[asked]
        ends = sizes.cumsum()
        firsts, steps = ends - sizes, np.arange(ends[-1])
        ours = self.a_characters[(a_start[asked] - firsts).repeat(sizes) + steps]
        theirs = self._b_characters[(b_start[asked] - firsts).repeat(sizes) + steps]
        equal[asked] = np.logical_and.reduceat(ours == theirs, firsts)
        return equal

    @cached_property
    def a_characters(self) -> Chars:
        """The characters of the first side as numbers."""
        return characters(self.a)

    @cached_property
    def _b_characters(self) -> Chars:
        return characters(self.b)

    def written(self, places: Offsets) -> tuple[list[str], list[str]]:
        """The tokens in some places as they are written on either side."""
        return self.written_on_a(places), _slices(self.b, self.b_start[places], self.b_end[places])

    def written_on_a(self, places: Offsets) -> list[str]:
        """The tokens in some places as the first side writes them."""
        return _slices(self.a, self.a_start[places], self.a_end[places])

    def gaps(self, places: Offsets) -> tuple[list[str], list[str]]:
        """The texts between the tokens in some places and the next ones, on either side."""
        a = _slices(self.a, self.a_end[places], self.a_start[places + 1])
        return a, _slices(self.b, self.b_end[places], self.b_start[places + 1])

    def spans(self, first: Offsets, last: Offsets) -> list[SpanPairs]:
        """The stretches of pairs from some places to before others as spans of their texts, by passages."""
        origin_a, origin_b = self.origins[self.passages[self.runs[first]]].T
        columns = (self.a_start[first], self.a_end[last - 1]), (self.b_start[first], self.b_end[last - 1])
        a, b = (
            [*zip((start - origin).tolist(), (end - origin).tolist(), strict=True)]
            for (start, end), origin in zip(columns, (origin_a, origin_b), strict=True)
        )
        return [SpanPairs(a[low:high], b[low:high]) for low, high in self.by_passage(first)]

    def by_passage(self, places: Offsets) -> Iterator[Span]:
        """For each passage the first and last of some places, in their order, that are in it."""
        return pairwise(self.passages[self.runs[places]].searchsorted(np.arange(len(self.origins) + 1)).tolist())


def _slices(text: str, start: Offsets, end: Offsets) -> list[str]:
    return [text[low:high] for low, high in zip(start.tolist(), end.tolist(), strict=True)]


def paired_tokens(compared: Sequence[ComparedPassages]) -> PairedTokens:
    """The token pairs of the equal runs of some passages; one pair for a whole run if its tokens are not known."""
    a = _side([(each.texts.a, each.texts.a_tokens) for each in compared])
    b = _side([(each.texts.b, each.texts.b_tokens) for each in compared])
    origins = np.stack([a.begins, b.begins], axis=1).repeat([len(each.passages) for each in compared], axis=0)
    passages = [*chain.from_iterable(each.passages for each in compared)]
    owner = np.repeat(np.arange(len(passages)), [len(runs) for runs in passages])
    runs = np.array([*chain.from_iterable(passages)], np.int64).reshape(-1, 4) + origins[owner].repeat(2, axis=1)
    (first_a, count_a), (first_b, count_b) = a.tokens_in(runs[:, :2]), b.tokens_in(runs[:, 2:])
    known = (count_a == count_b) & (count_a > 0)
    counts = np.where(known, count_a, 1)
    run = np.repeat(np.arange(len(runs)), counts)
    place = np.arange(len(run)) - np.repeat(counts.cumsum() - counts, counts)
    a_start, a_end = a.spans(first_a[run] + place, known[run], runs[run, :2])
    b_start, b_end = b.spans(first_b[run] + place, known[run], runs[run, 2:])
    return PairedTokens(a.text, b.text, a_start, a_end, b_start, b_end, run, owner, origins)


class _Side(NamedTuple):
    """The texts of one side, one after the other, with their tokens as far as these are known. The last token is none:
    it stands behind all texts, so that there is one in any case."""

    text: str
    begins: Offsets  # of each text
    token_starts: Offsets
    token_ends: Offsets

    def tokens_in(self, spans: Offsets) -> tuple[Offsets, Offsets]:
        """The first token that begins in each span, and how many do."""
        first, last = self.token_starts.searchsorted(spans).T
        return first, last - first

    def spans(self, tokens: Offsets, known: NDArray[np.bool_], whole: Offsets) -> tuple[Offsets, Offsets]:
        """Where tokens begin and end; of those that are not known, where the whole run does."""
        starts, ends = (column.take(tokens, mode="clip") for column in (self.token_starts, self.token_ends))
        return np.where(known, starts, whole[:, 0]), np.where(known, ends, whole[:, 1])


_BEHIND = np.array([np.iinfo(np.int64).max])


def _side(texts: Sequence[tuple[str, TokenStream | None]]) -> _Side:
    begins = np.array([*accumulate((len(text) for text, _ in texts), initial=0)][:-1], np.int64)
    known = [(tokens, begin) for (_, tokens), begin in zip(texts, begins, strict=True) if tokens is not None]
    starts = np.concatenate([*(tokens.start + begin for tokens, begin in known), _BEHIND])
    ends = np.concatenate([*(tokens.end + begin for tokens, begin in known), _BEHIND])
    return _Side("".join(text for text, _ in texts), begins, starts, ends)


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
    gaps = tokens.same_gaps & within
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
    firsts = tokens.a_characters[tokens.a_start[some]]
    found = np.zeros(len(lengths), np.bool_)
    found[some] = _IN_WORDS.take(firsts, mode="clip")
    unsure = some[~found[some] & ((lengths[some] > 1) | (firsts > 255))]
    found[unsure] = [_WORDS.search(token) is not None for token in tokens.written_on_a(unsure)]
    return np.flatnonzero(found)
