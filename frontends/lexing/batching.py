"""Joining: several texts are read in one go, because every array operation costs something before it does anything.

A program of a class has some thousand characters, for which the operations take hardly longer than calling them does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from frontends.lexing.codes import is_narrow
from frontends.normalise.folding import Folded
from moss.model import Codes, Offsets, TokenStream

_TOGETHER = 100_000  # characters: with more, arrays no longer stay where the processor reaches them at once


def together(texts: Sequence[str]) -> Iterator[list[int]]:
    """The numbers of texts to be read in one go, in order; one with characters that do not fit into bytes is read by
    itself, as it would make all others slow."""
    numbers: list[int] = []
    size = 0
    for number, text in enumerate(texts):
        alone = not is_narrow(text)
        if numbers and (alone or size + len(text) > _TOGETHER):
            yield numbers
            numbers, size = [], 0
        numbers.append(number)
        size += _TOGETHER if alone else len(text)
    if numbers:
        yield numbers


def part(texts: Sequence[Folded], codes: Codes, start: Offsets, end: Offsets) -> list[TokenStream]:
    """The stream of each text, from that of all of them, joined with one character between each and the next."""
    if len(texts) == 1:
        return [TokenStream(codes, *texts[0].original(start, end))]
    firsts = [0, *accumulate(len(folded.text) + 1 for folded in texts)]
    limits = start.searchsorted(firsts).tolist()
    return [
        TokenStream(codes[i:j], *folded.original(start[i:j] - first, end[i:j] - first))
        for folded, first, (i, j) in zip(texts, firsts, pairwise(limits), strict=False)
    ]
