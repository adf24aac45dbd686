"""Masked texts: every comment, string and number is one character, so that all tokens can be cut at once.

Comments, strings and numbers are often half of a program. Once each is masked by a single character, the rest is short,
has no special rules anywhere, and is cut by a few array operations; then tokens are put back where they were.

    >>> masked = mask(["x='it' # y", "z"], re.compile(r"('[^']*')|(#.*)"), "S ")
    >>> masked.text, masked.places.tolist(), masked.lost.tolist()
    ('x=S   z', [2, 4], [0, 3, 5])
    >>> masked.original(np.array([2, 6]), np.array([3, 7]))  # the string, and z
    (array([ 2, 11]), array([ 6, 12]))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from moss.model import Offsets


class MaskedText(NamedTuple):
    """Texts joined by blanks, in which comments, strings and numbers are masked by one character each."""

    text: str
    places: Offsets  # where masks are in the text
    lost: Offsets  # how many characters masking has removed before each mask; one more entry for the end

    def original(self, start: Offsets, end: Offsets) -> tuple[Offsets, Offsets]:
        """Start and end in the original texts of spans that are in order; a mask gets the span of what it masks."""
        if not len(self.places):
            return start, end
        return start + self._lost_before(start), end + self._lost_before(end)

    def _lost_before(self, positions: Offsets) -> Offsets:
        """How many characters masking has removed before each position."""
        behind = np.searchsorted(positions, self.places, side="right")  # the first position behind each mask
        counts = np.empty(len(behind) + 1, np.int64)
        counts[0] = behind[0]
        np.subtract(behind[1:], behind[:-1], out=counts[1:-1])
        counts[-1] = len(positions) - behind[-1]
        return np.repeat(self.lost, counts)


def mask(texts: Sequence[str], pattern: re.Pattern[str], becomes: Sequence[str]) -> MaskedText:
    """The texts, joined, with each match of a pattern replaced by the character that `becomes` has for its group."""
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
