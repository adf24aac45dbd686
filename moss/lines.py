"""Lines: from character offsets to line numbers, as editors count them.

>>> starts = line_starts("a\\nbc\\n")
>>> starts.tolist(), lines_of(starts, np.array([0, 1, 2, 4])).tolist(), count_lines("a\\nbc\\n")
([0, 2, 5], [1, 1, 2, 2], 2)
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_LINE_END = re.compile(r"\r\n|\r|\n")


@lru_cache(maxsize=64)  # a pair's files are asked about again for each of its passages
def line_starts(text: str) -> NDArray[np.int64]:
    """Where each line begins. Lines end with LF, CRLF or a lone CR; a form feed or a NUL ends none."""
    if "\r" not in text:  # the usual case, in one pass over the bytes
        is_narrow = text.isascii()
        encoded = text.encode("ascii" if is_narrow else "utf-32-le", "surrogatepass")
        characters = np.frombuffer(encoded, np.uint8 if is_narrow else np.uint32)
        return np.concatenate([[0], np.flatnonzero(characters == ord("\n")) + 1])
    return np.array([0, *(match.end() for match in _LINE_END.finditer(text))])


def line_of(starts: NDArray[np.int64], offset: int) -> int:
    """The number, from 1, of the line in which a character stands."""
    return int(starts.searchsorted(offset, side="right"))


def lines_of(starts: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The line of each of many characters, counted from 1."""
    return starts.searchsorted(offsets, side="right")


def count_lines(text: str) -> int:
    """How many lines there are; a last one without an end counts, the nothing after a final one does not."""
    ends = text.count("\n") + (text.count("\r") - text.count("\r\n") if "\r" in text else 0)
    return ends + (bool(text) and not text.endswith(("\n", "\r")))
