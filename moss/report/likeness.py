"""The likeness of a passage: by structure, by words, by characters.

The engine found the tokens of a passage equal pair by pair. Here each pair is looked at again as it is written. A span
is alike **in words** where its tokens, and the words between them, are equal apart from case; it begins and ends with
a word. It is **exact** where every character is equal, blanks and line breaks included, over at least a few tokens.

>>> texts = PassageTexts("Sum(a, b)", "sum(a, c)")
>>> tokens = [("Sum", "sum", 0), ("(", "(", 3), ("a", "a", 4), ("b", "c", 7)]
>>> pairs = [TokenPair(a, b, start, start) for a, b, start in tokens]
>>> [[pair.a for pair in span] for span in alike_in_words(texts, pairs)]
[['Sum', '(', 'a']]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
    return [
        TokenPair(texts.a[start:end], texts.b[first:last], start, first)
        for (start, end), (first, last) in zip(a, b, strict=True)
    ]


def _spans(tokens: TokenStream | None, start: int, end: int) -> list[Span]:
    if tokens is None:
        return []
    first, last = tokens.start.searchsorted((start, end))
    return [*zip(tokens.start[first:last].tolist(), tokens.end[first:last].tolist(), strict=True)]


def alike_in_words(texts: PassageTexts, pairs: list[TokenPair]) -> list[PairedSpan]:
    """The spans of consecutive token pairs that are alike in words."""
    found = _spans_where(texts, pairs, lambda a, b: a == b or a.casefold() == b.casefold(), _same_words)
    return [trimmed for span in found if (trimmed := _from_word_to_word(span))]


def exact(texts: PassageTexts, pairs: list[TokenPair]) -> list[PairedSpan]:
    """The spans of consecutive token pairs that are equal to the character."""
    found = _spans_where(texts, pairs, str.__eq__, str.__eq__)
    return [span for span in found if len(span) >= EXACT_TOKENS or len(span) == len(pairs)]


def _spans_where(
    texts: PassageTexts,
    pairs: list[TokenPair],
    same: Callable[[str, str], bool],
    joined: Callable[[str, str], bool],
) -> Iterator[PairedSpan]:
    """The longest spans whose tokens satisfy `same` and whose texts between tokens satisfy `joined`."""
    span: PairedSpan = []
    for pair in pairs:
        last = span[-1] if span else None
        between = last and (texts.a[last.a_end : pair.a_start], texts.b[last.b_end : pair.b_start])
        alike = same(pair.a, pair.b)
        if span and not (alike and between and joined(*between)):
            yield span
            span = []
        if alike:
            span.append(pair)
    if span:
        yield span


_WORDS = re.compile(r"\w+")


def _same_words(a: str, b: str) -> bool:
    return a == b or _WORDS.findall(a.casefold()) == _WORDS.findall(b.casefold())


def _from_word_to_word(span: PairedSpan) -> PairedSpan:
    worded = [number for number, pair in enumerate(span) if _WORDS.search(pair.a)]
    return span[worded[0] : worded[-1] + 1] if worded else []
