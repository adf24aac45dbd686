"""Stretches: some tokens of a document, as the first and last of each group of neighbours.

They are few where the document may be long, so what is asked of them costs no time for its length.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from moss.engine.documents import Mask
from moss.hashing import Positions

_FAR = np.array([np.iinfo(np.int64).max])
_NEAR = np.zeros(1, np.int64)


class TokenSpans(NamedTuple):
    """Stretches of tokens, in order and apart from each other."""

    start: Positions
    end: Positions  # behind the last of each

    def contain(self, tokens: Positions) -> Mask:
        """Whether each of these tokens is in a stretch."""
        found: Mask = self.free_from(tokens) == 0 if len(self.start) else np.zeros(len(tokens), np.bool_)
        return found

    def free_from(self, tokens: Positions) -> Positions:
        """How many tokens, from each of these on, are in no stretch."""
        ahead = self.end.searchsorted(tokens, side="right")  # the first stretch that does not end before
        return np.maximum(0, np.concatenate((self.start, _FAR)).take(ahead) - tokens)

    def free_before(self, tokens: Positions) -> Positions:
        """How many tokens, up to before each of these, are in no stretch."""
        behind = self.start.searchsorted(tokens)  # the stretches that begin before
        free: Positions = np.maximum(0, tokens - np.concatenate((_NEAR, self.end)).take(behind))
        return free

    def sum(self, until: Positions) -> int:
        """How much is in them, if so much (one entry more than tokens) is before each token."""
        return int((until.take(self.end) - until.take(self.start)).sum())


def token_spans(found: Iterable[tuple[int, int]]) -> TokenSpans:
    """The stretches from one token to before another; some may touch or overlap, and some may be empty."""
    joined: list[list[int]] = []
    for start, end in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        elif start < end:
            joined.append([start, end])
    starts, ends = np.array(joined, np.int64).reshape(-1, 2).T
    return TokenSpans(starts, ends)


FREE = token_spans(())
"""No tokens at all."""
