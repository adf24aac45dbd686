"""A file as markup: its text as it is, with marked passages, and everything else about it as data.

    <div class="code" data-p="1 12 14"><pre data-c="0k3 5n1" data-t="0t9">
    <mark class="h1 q1" data-m="1" id="a-m1">int n = 1;
    …</mark></pre></div>

The script `pair_code.js` makes numbered lines of it, the numbers of passages beside them, and folds where nothing is
shared. `data-p` has the number, first and last line of each passage, `data-b` the lines where starter code is labelled.
Colours (`data-c`), and what is alike in words (`data-t`) and to the character (`data-x`), are laid over the text, as
`file_sheet` says. All text goes through `visible`; nothing else of the markup comes from a submission.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from frontends.language_titles import language_title
from moss.messages import gettext, ngettext, number
from moss.model import Cell, Region
from moss.report.code.character_layers import Marking
from moss.report.code.file_sheet import FileSheet, Overlay
from moss.report.code.visible_text import escape, visible

HUES, PATTERNS = 6, 5
CONTEXT, SHORTEST_FOLD = 3, 12
LONGEST_FOLD = 5_000  # lines; browsers cannot open pages with more, and nothing in them is shared
LABELLED = 2  # starter code is labelled if it has so many lines after the first, else only greyed

_PLAIN, _STARTER = 0, -1  # kinds of lines that are in no passage; a passage gives its lines its number


def look(number: int) -> str:
    """The classes of a passage: six hues and five patterns give thirty looks before the first returns."""
    return f"h{number % HUES} q{number % PATTERNS}"


class PassagePlace(NamedTuple):
    """A passage on one side: its number and the region that it takes up."""

    number: int
    region: Region


Segment = tuple[int, int, int]
"""A span of the text: its start, its end, and the number of its passage, that of starter code, or that of neither."""


@dataclass(frozen=True)
class MarkedFile:
    """A file with everything that is marked in it; lines are counted from 0."""

    name: str  # of the file on this page: a1, a2, b1
    sheet: FileSheet
    markings: Sequence[Marking]
    places: Sequence[PassagePlace]
    base: Sequence[Region] = ()
    cells: Sequence[Cell] = ()

    @cached_property
    def segments(self) -> list[Segment]:
        """The whole text in spans; starter code inside a passage is shown as the passage."""
        size = len(self.sheet.text)
        if not size:
            return []
        numbers = np.zeros(size, np.int32)
        for region in self.base:
            numbers[region.start : region.end] = _STARTER
        for marking in self.markings:
            for start, end in marking.runs:
                numbers[start:end] = marking.number
        edges = [0, *(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1).tolist()]
        if self.cells:
            edges = sorted({*edges, *(self.sheet.starts[line] for line in _cells_by_line(self))})
        values = numbers[edges].tolist()
        if "\r" in self.sheet.text:  # a browser would take both halves of a line end for line ends
            edges = [edge + (self.sheet.text[edge - 1 : edge + 1] == "\r\n" and edge > 0) for edge in edges]
        return [*zip(edges, [*edges[1:], size], values, strict=True)]

    @cached_property
    def matched(self) -> int:
        """How many lines have a marked character."""
        starts, count, last = self.sheet.starts, 0, 0
        for start, end, value in self.segments:
            if value > 0:
                first, before, last = bisect_right(starts, start), last, bisect_right(starts, end - 1)
                count += last - max(first, before + 1) + 1
        return count

    @cached_property
    def starter(self) -> frozenset[int]:
        """The lines with starter code."""
        line = self.sheet.line
        found = [segment for segment in self.segments if segment[2] == _STARTER] if self.base else []
        return frozenset(n for start, end, _ in found for n in range(line(start), line(end - 1) + 1))

    def overlay(self, name: str, level: str) -> Overlay:
        """The spans of all passages that are alike on a level, `words` or `exact`."""
        spans = sorted(span for marking in self.markings for span in getattr(marking, level))
        return self.sheet.overlay([start for start, _ in spans], [end for _, end in spans], name * len(spans))


def code(shown: MarkedFile) -> Markup:
    """The file's text. What is folded has no colours, because on most pages that is most of the text, and few open it;
    a very long fold is left out."""
    count = len(shown.sheet.starts) - 1
    folds = folds_of(count, shown.places)
    numbers = sorted((place.number, place.region.start_line, place.region.end_line) for place in shown.places)
    data = {"p": " ".join(f"{n} {first} {last}" for n, first, last in numbers)}
    data |= {"b": " ".join(map(str, sorted(starts_of_starter_code(shown.base))))}
    texts, parts, done = _Texts(shown, folds), [], 0
    for first, last in folds:
        if last - first >= LONGEST_FOLD:
            parts += [texts.between(done, first - 1), _omitted(first, last)]
            done = last
    parts.append(texts.between(done, count))
    return Markup(f'<div class="code" translate="no"{_attributes(data)}>{"".join(parts)}</div>') if count else Markup()


class _Texts:
    """Stretches of a file's text as markup."""

    def __init__(self, shown: MarkedFile, folds: Sequence[tuple[int, int]]) -> None:
        self.shown, self.sheet = shown, shown.sheet
        self.side = shown.name[0]
        self.cells = {shown.sheet.starts[line]: label for line, label in _cells_by_line(shown).items()}
        edges = [0, *(edge for first, last in folds for edge in (first - 1, last)), len(shown.sheet.starts) - 1]
        self.unfolded = [*zip(edges[::2], edges[1::2], strict=True)]
        self.levels = {"t": shown.overlay("t", "words"), "x": shown.overlay("x", "exact")}
        self.named: set[int] = set()  # passages that have been given their address

    def between(self, first: int, last: int) -> str:
        """The lines from one to before another."""
        if first >= last:
            return ""
        starts = self.sheet.starts
        open_lines = ((max(low, first), min(high, last)) for low, high in self.unfolded)
        stretches = [self._counted(low, high) for low, high in open_lines if low < high]
        whole = self._counted(first, last)
        data = {"c": self.sheet.colours.within(whole[0], stretches)}
        data |= {name: overlay.within(whole[0], [whole]) for name, overlay in self.levels.items()}
        line = f' data-l="{first + 1}"' if first else ""
        return f"<pre{line}{_attributes(data)}>\n{self._marked(starts[first], starts[last])}</pre>"

    def _counted(self, first: int, last: int) -> tuple[int, int]:
        """The characters of some lines, as browsers count them."""
        low, high = self.sheet.as_counted([self.sheet.starts[first], self.sheet.starts[last]])
        return low, high

    def _marked(self, low: int, high: int) -> str:
        write, text = self.sheet.write, self.sheet.text
        parts = []
        for start, end, value in self.shown.segments:
            start, end = max(start, low), min(end, high)
            if start < end:
                parts += [self.cells.get(start, ""), self._mark(value, write(text[start:end]))]
        markup = "".join(parts)
        return markup.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else markup

    def _mark(self, value: int, markup: str) -> str:
        """A text as the passage with this number, as starter code, or as neither."""
        if value == _PLAIN:
            return markup
        if value == _STARTER:
            return f'<span class="base">{markup}</span>'
        address = "" if value in self.named else f' id="{self.side}-m{value}"'
        self.named.add(value)
        return f'<mark class="{look(value)}" data-m="{value}"{address}>{markup}</mark>'


def _attributes(data: Mapping[str, str]) -> str:
    return "".join(f' data-{name}="{value}"' for name, value in data.items() if value)


def folds_of(lines: int, places: Sequence[PassagePlace]) -> list[tuple[int, int]]:
    """The first and last line of each fold of a file with these passages."""
    return lines_to_fold(lines, [(place.region.start_line, place.region.end_line) for place in places])


def lines_to_fold(lines: int, regions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The first and last line of each fold: many lines in a row, all more than a few lines away from every region.

    >>> lines_to_fold(40, [(20, 22)])
    [(1, 16), (26, 40)]
    """
    folds = []
    free = 1
    for first, last in [*sorted(regions), (lines + CONTEXT + 1, 0)]:
        if first - CONTEXT - free >= SHORTEST_FOLD:
            folds.append((free, first - CONTEXT - 1))
        free = max(free, last + CONTEXT + 1)
    return folds


def _omitted(first: int, last: int) -> str:
    lines = last - first + 1
    what = ngettext("%(n)s line with nothing shared", "%(n)s lines with nothing shared", lines, n=number(lines))
    words = gettext("%(lines)s; too many to show here.", lines=what)
    return f'<p class="omitted"><span class="span">{first}–{last}</span> {words}</p>'


def starts_of_starter_code(base: Iterable[Region]) -> set[int]:
    """The lines that are labelled as starter code, the first of each long stretch."""
    return {region.start_line for region in base if region.end_line - region.start_line >= LABELLED}


def starter_label() -> str:
    """The markup of the label, which is no part of the text."""
    words = escape(gettext("starter code"))
    return f'<span class="tags label">{words}</span>'


def _cells_by_line(shown: MarkedFile) -> dict[int, str]:
    """The label of each cell of a notebook, by the line in which it begins."""
    return {
        shown.sheet.line(cell.start): (
            f'<span class="cell">{visible(cell.label)} · {visible(language_title(cell.language))}</span>'
        )
        for cell in shown.cells
    }
