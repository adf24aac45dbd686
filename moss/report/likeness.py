"""The likeness of a passage: by structure, by words, by characters.

The engine found the tokens of a passage equal pair by pair. Here each pair is looked at again as it is written. A span
is alike **in words** where its tokens, and the words between them, are equal apart from case; it begins and ends with
a word. It is **exact** where every character is equal, blanks and line breaks included, over at least a few tokens.

>>> texts = PassageTexts("Sum(a, b)", "sum(a, c)")
>>> tokens = [("Sum", "sum", 0), ("(", "(", 3), ("a", "a", 4), ("b", "c", 7)]
>>> pairs = [TokenPair(a, b, start, start) for a, b, start in tokens]
>>> [[pair.a for pair in span] for span in likeness_of(texts, pairs).words]
[['Sum', '(', 'a']]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from moss.model import EqualRun, TokenStream

EXACT_TOKENS = 4
"""An exact span has at least so many tokens: brackets and semicolons are equal in any two programs."""

Span = tuple[int, int]


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


PairedSpan = list[TokenPair]
"""Consecutive token pairs, a span on each side."""


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


@dataclass(frozen=True, slots=True)
class Likeness:
    """The spans of consecutive token pairs that are alike in words, and those that are equal to the character."""

    words: list[PairedSpan]
    exact: list[PairedSpan]


def likeness_of(texts: PassageTexts, pairs: list[TokenPair]) -> Likeness:
    """The likeness of an equal run with these token pairs."""
    same = [a == b for a, b, _, _ in pairs]
    alike = [equal or a.casefold() == b.casefold() for equal, (a, b, _, _) in zip(same, pairs, strict=True)]
    gaps = [
        (texts.a[a_start + len(a) : a_next], texts.b[b_start + len(b) : b_next])
        for (a, b, a_start, b_start), (_, _, a_next, b_next) in pairwise(pairs)
    ]
    words = _stretches(alike, [a == b or _words_in(a) == _words_in(b) for a, b in gaps])
    found = [pairs[first:last] for first, last in _stretches(same, [a == b for a, b in gaps])]
    return Likeness(
        [span for first, last in words if (span := _from_word_to_word(pairs[first:last]))],
        [span for span in found if len(span) >= EXACT_TOKENS or len(span) == len(pairs)],
    )


def _stretches(alike: Sequence[bool], joined: Sequence[bool]) -> list[Span]:
    """The longest stretches of places that are alike, each joined to the one before it.

    >>> _stretches([True, True, False, True, True], [True, True, True, False])
    [(0, 2), (3, 4), (4, 5)]
    """
    found = []
    first = 0
    for place, here in enumerate(alike):
        if not here or (place > first and not joined[place - 1]):
            if place > first:
                found.append((first, place))
            first = place if here else place + 1
    return [*found, (first, len(alike))] if first < len(alike) else found


_WORDS = re.compile(r"\w+")


def _words_in(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _from_word_to_word(span: PairedSpan) -> PairedSpan:
    first, last = 0, len(span)
    while first < last and not _WORDS.search(span[first].a):
        first += 1
    while first < last and not _WORDS.search(span[last - 1].a):
        last -= 1
    return span[first:last]
