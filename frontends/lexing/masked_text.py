"""The sea: texts in which every island is one character, so that all their tokens can be cut at once and in order.

Comments, strings and numbers are often half of a program. What is left when each has shrunk to a single character is
short, has no other rules anywhere, and is cut by a few array operations; then tokens are put back where they were.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from moss.model import Offsets


class MaskedText(NamedTuple):
    """Texts with shrunk islands, a blank between them: where islands are in it, and how many characters all have lost
    before each, and before the end."""

    text: str
    islands: Offsets
    lost: Offsets

    def original(self, start: Offsets, end: Offsets) -> tuple[Offsets, Offsets]:
        """Where spans, in order, stand in the texts before islands shrank; one that is an island gets its length."""
        if not len(self.islands):
            return start, end
        return start + self._lost_before(start), end + self._lost_before(end)

    def _lost_before(self, places: Offsets) -> Offsets:
        """How much the islands before each place have lost."""
        behind = np.searchsorted(places, self.islands, side="right")  # the first place behind each island
        counts = np.empty(len(behind) + 1, np.int64)
        counts[0] = behind[0]
        np.subtract(behind[1:], behind[:-1], out=counts[1:-1])
        counts[-1] = len(places) - behind[-1]
        return np.repeat(self.lost, counts)


def mask(texts: Sequence[str], pattern: re.Pattern[str], becomes: Sequence[str]) -> MaskedText:
    """The texts with each match of a pattern shrunk to the character that `becomes` has for the group that matched."""
    pieces: list[str] = []
    spans: list[int] = []
    first = 0
    for text in texts:
        done = 0
        for match in pattern.finditer(text):
            start, end = match.span()
            pieces += text[done:start], becomes[(match.lastindex or 1) - 1]
            spans += first + start, first + end
            done = end
        pieces += text[done:], " "
        first += len(text) + 1
    begins, ends = np.array(spans, np.int64).reshape(-1, 2).T
    lost = np.zeros(len(begins) + 1, np.int64)
    np.cumsum(ends - begins - 1, out=lost[1:])
    return MaskedText("".join(pieces[:-1]), begins - lost[:-1], lost)
