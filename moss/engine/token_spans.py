"""Spans of tokens: some tokens of a document, as start and end of each group of neighbours.

There are few spans even in a long document, so questions about them take no time for its length.

    >>> some = token_spans([(2, 4), (3, 6), (8, 9)])
    >>> some.start.tolist(), some.end.tolist()
    ([2, 8], [6, 9])
    >>> some.contain(np.array([1, 2, 6, 8])).tolist(), some.free_from(np.array([0, 6])).tolist()
    ([False, True, False, True], [2, 2])
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
    """Spans of tokens, in order and apart from each other."""

    start: Positions
    end: Positions  # behind the last of each

    def contain(self, tokens: Positions) -> Mask:
        """Whether each of these tokens is in a span."""
        found: Mask = self.free_from(tokens) == 0 if len(self.start) else np.zeros(len(tokens), np.bool_)
        return found

    def free_from(self, tokens: Positions) -> Positions:
        """How many tokens from each of these on are in no span."""
        ahead = self.end.searchsorted(tokens, side="right")  # the first span that does not end before
        return np.maximum(0, np.concatenate((self.start, _FAR)).take(ahead) - tokens)

    def free_before(self, tokens: Positions) -> Positions:
        """How many tokens right before each of these are in no span."""
        behind = self.start.searchsorted(tokens)  # the spans that begin before
        free: Positions = np.maximum(0, tokens - np.concatenate((_NEAR, self.end)).take(behind))
        return free

    def sum(self, until: Positions) -> int:
        """The sum of some quantity over all tokens in spans; `until` is its sum before each token, and before the
        end."""
        return int((until.take(self.end) - until.take(self.start)).sum())


def token_spans(found: Iterable[tuple[int, int]]) -> TokenSpans:
    """Spans of tokens from (start, end) in any order; some may touch, overlap or be empty."""
    joined: list[list[int]] = []
    for start, end in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        elif start < end:
            joined.append([start, end])
    starts, ends = np.array(joined, np.int64).reshape(-1, 2).T
    return TokenSpans(starts, ends)


FREE = token_spans(())
"""No spans: all tokens are free."""
