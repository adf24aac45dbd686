"""How alike a passage is: by structure, by words, by characters.

The tokens of a run are equal pair by pair, as the engine compared them. Here each pair is looked at again as it is
written. A stretch is alike **in words** where its tokens, and the words in what lies between them, are the same in
any case; it begins and ends with a word. It is **exact** where every character is the same, blanks and line breaks
too, over at least a few tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from moss.model import EqualRun, TokenStream

EXACT_TOKENS = 4
"""An exact stretch has at least so many tokens: brackets and semicolons are the same in any two programs."""

Span = tuple[int, int]


class TokenPair(NamedTuple):
    """Two tokens that the engine took for equal, as they are written and where they stand."""

    a: str
    b: str
    a_start: int
    b_start: int

    @property
    def a_end(self) -> int:
        """Where the first ends."""
        return self.a_start + len(self.a)

    @property
    def b_end(self) -> int:
        """Where the second ends."""
        return self.b_start + len(self.b)


@dataclass(frozen=True, slots=True)
class PassageTexts:
    """Two files that share a passage, with the tokens that were compared, where they are known."""

    a: str
    b: str
    a_tokens: TokenStream | None = None
    b_tokens: TokenStream | None = None


PairedSpan = list[TokenPair]


def token_pairs(texts: PassageTexts, run: EqualRun) -> list[TokenPair]:
    """The equal tokens of a run in order; the whole run as one pair if its tokens cannot be told."""
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
    """The stretches of a run that have the same words."""
    found = _stretches(texts, pairs, lambda a, b: a == b or a.casefold() == b.casefold(), _same_words)
    return [trimmed for stretch in found if (trimmed := _from_word_to_word(stretch))]


def exact(texts: PassageTexts, pairs: list[TokenPair]) -> list[PairedSpan]:
    """The stretches of a run that are the same to the character."""
    found = _stretches(texts, pairs, str.__eq__, str.__eq__)
    return [stretch for stretch in found if len(stretch) >= EXACT_TOKENS or len(stretch) == len(pairs)]


def _stretches(
    texts: PassageTexts,
    pairs: list[TokenPair],
    same: Callable[[str, str], bool],
    joined: Callable[[str, str], bool],
) -> Iterator[PairedSpan]:
    """Maximal stretches of tokens that are the same, with the same between them."""
    stretch: PairedSpan = []
    for pair in pairs:
        last = stretch[-1] if stretch else None
        between = last and (texts.a[last.a_end : pair.a_start], texts.b[last.b_end : pair.b_start])
        alike = same(pair.a, pair.b)
        if stretch and not (alike and between and joined(*between)):
            yield stretch
            stretch = []
        if alike:
            stretch.append(pair)
    if stretch:
        yield stretch


_WORDS = re.compile(r"\w+")


def _same_words(a: str, b: str) -> bool:
    return a == b or _WORDS.findall(a.casefold()) == _WORDS.findall(b.casefold())


def _from_word_to_word(stretch: PairedSpan) -> PairedSpan:
    worded = [number for number, pair in enumerate(stretch) if _WORDS.search(pair.a)]
    return stretch[worded[0] : worded[-1] + 1] if worded else []
