r"""A file as the pages of all its pairs show it: its text as markup, and its colours as data.

A file is escaped and highlighted once, whatever pairs it is in. Colours are no markup but an overlay, which the script
`pair_code.js` lays over the text: a keyword of three characters that begins four characters further on is `4k3`.

>>> sheet_of("c", "if (x)\n  return 1;\n").colours.within(0, [(0, 19)])
'0k2 7k6 1n1'
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends.lexing.codes import characters
from frontends.lexing.scanner import TokenKind
from moss.lines import line_starts
from moss.report.code.syntax_classes import OnceForText, kind_spans
from moss.report.code.visible_text import writer

_COLOURS = {TokenKind.COMMENT: "c", TokenKind.STRING: "s", TokenKind.NUMBER: "n", TokenKind.KEYWORD: "k"}
_LETTERS = np.array([ord(_COLOURS.get(kind, "-")) for kind in TokenKind], np.uint8)  # the letter of each kind
_COLOURED = np.array([kind in _COLOURS for kind in TokenKind])


class Overlay(NamedTuple):
    """Disjoint spans of a text in their order; places are as browsers count them."""

    starts: Sequence[int]
    ends: Sequence[int]
    classes: Sequence[str]

    def within(self, origin: int, stretches: Sequence[tuple[int, int]]) -> str:
        """The spans that begin or end in some stretches of the text, each with the gap before it, its class and its
        length; the first gap begins at the origin."""
        at, words = origin, []
        for low, high in stretches:
            first, last = bisect_right(self.ends, max(low, at)), bisect_left(self.starts, high)
            if first < last:
                ends = self.ends[first:last]
                starts = [max(self.starts[first], low, at), *self.starts[first + 1 : last]]
                spans = zip(starts, [at, *ends], ends, self.classes[first:last], strict=False)
                words += [f"{start - before}{name}{end - start}" for start, before, end, name in spans]
                at = ends[-1]
        return " ".join(words)


@dataclass(frozen=True)
class FileSheet:
    """A text with everything that is the same on the page of every pair."""

    text: str
    language: str
    careful: bool  # without third-party lexers

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins, and the end of the text."""
        starts = line_starts(self.text)
        return [*starts[starts < len(self.text)].tolist(), len(self.text)]

    @cached_property
    def write(self) -> Callable[[str], str]:
        """Makes markup of a slice of the text."""
        return writer(self.text)

    @cached_property
    def colours(self) -> Overlay:
        """Everything that is highlighted."""
        found = kind_spans(self.language, self.text, self.careful)
        shown = np.flatnonzero(_COLOURED[found.kind])
        classes = _LETTERS[found.kind[shown]].tobytes().decode()
        return self.overlay(found.start[shown].tolist(), found.end[shown].tolist(), classes)

    def overlay(self, starts: Sequence[int], ends: Sequence[int], classes: Sequence[str]) -> Overlay:
        """Disjoint spans of the text in their order, each with its class."""
        return Overlay(self.as_counted(starts), self.as_counted(ends), classes)

    def as_counted(self, offsets: Sequence[int]) -> Sequence[int]:
        """The places of characters as browsers count them."""
        if self._units is None:
            return offsets
        places: list[int] = self._units[np.asarray(offsets, np.int64)].tolist()
        return places

    @cached_property
    def _units(self) -> NDArray[np.int64] | None:
        """The place of each character for a browser, which counts halves of surrogate pairs, and every line end as one
        character; None if it counts as we do."""
        if self.text.isascii() and "\r\n" not in self.text:
            return None
        codes = characters(self.text)
        wide, halved = codes > 0xFFFF, (codes[:-1] == ord("\r")) & (codes[1:] == ord("\n"))
        if not wide.any() and not halved.any():
            return None
        widths = 1 + wide.astype(np.int64)
        widths[:-1][halved] = 0
        return np.append(0, np.cumsum(widths))

    def line(self, offset: int) -> int:
        """The line, counted from 0, in which a character stands."""
        return bisect_right(self.starts, offset, hi=len(self.starts) - 1) - 1


@OnceForText
def sheet_of(language: str, text: str, careful: bool = False) -> FileSheet:
    """The sheet of a file, which is made once for all pairs that it is in."""
    return FileSheet(text, language, careful)
