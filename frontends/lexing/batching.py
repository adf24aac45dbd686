"""Batches: several texts are joined and read at once, because every array operation has a fixed cost.

A program of a class has a few thousand characters, for which an operation takes hardly longer than calling it does.

    >>> list(batches(["abc", "de", "日本", "f"]))
    [[0, 1], [2], [3]]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.codes import is_narrow
from frontends.normalise.folding import Folded
from moss.model import Codes, Offsets, TokenStream

Value = TypeVar("Value", bound=np.generic)

_BATCH = 100_000  # characters: with more, arrays no longer fit into the processor's cache


def batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """The numbers of texts to be read at once, in order; a text with characters that do not fit into bytes is read
    alone, as it would make all others slow."""
    numbers: list[int] = []
    size = 0
    for number, text in enumerate(texts):
        alone = not is_narrow(text)
        if numbers and (alone or size + len(text) > _BATCH):
            yield numbers
            numbers, size = [], 0
        numbers.append(number)
        size += _BATCH if alone else len(text)
    if numbers:
        yield numbers


def split_streams(texts: Sequence[Folded], codes: Codes, start: Offsets, end: Offsets) -> list[TokenStream]:
    """The stream of each text, from the tokens of all texts joined with one character between each and the next."""
    return [TokenStream(*columns) for columns in split_tokens(texts, codes, start, end)]


def split_tokens(
    texts: Sequence[Folded], values: NDArray[Value], start: Offsets, end: Offsets
) -> Iterator[tuple[NDArray[Value], Offsets, Offsets]]:
    """The values of each text's tokens, and their places in it as it was before it was folded, from the tokens of all
    texts joined with one character between each and the next."""
    if len(texts) == 1:
        yield values, *texts[0].original(start, end)
        return
    firsts = [0, *accumulate(len(folded.text) + 1 for folded in texts)]
    limits = start.searchsorted(firsts).tolist()
    for folded, first, (i, j) in zip(texts, firsts, pairwise(limits), strict=False):
        yield values[i:j], *folded.original(start[i:j] - first, end[i:j] - first)
