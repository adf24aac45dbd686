"""A file as markup: numbered lines with marked passages, and folds where nothing is shared.

Consecutive lines of one passage, of starter code, or of neither are one list, so that most of the text is copied as
it is from the file's sheet. What a list says of all its lines, they need not say each:

    <ol class="in h1 q1" data-m="1" start="12" data-c="0k3 5n1" data-t="0t9"><li><mark>int n = 1;</mark>
    <li>…</ol>

Colours (`data-c`), and what is alike in words (`data-t`) and to the character (`data-x`), are data, as `file_sheet`
says. All text goes through `visible`; nothing else of the markup comes from a submission.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from markupsafe import Markup

from frontends.language_titles import language_title
from moss.messages import gettext, ngettext, number
from moss.model import Cell, Region
from moss.report.character_layers import Marking
from moss.report.file_sheet import FileSheet, Overlay
from moss.report.visible_text import escape, visible

HUES, PATTERNS = 6, 5
CONTEXT, SHORTEST_FOLD = 3, 12
LONGEST_FOLD = 5_000  # lines; browsers cannot open pages with more, and nothing in them is shared
LABELLED = 2  # starter code is labelled if it has so many lines after the first, else only greyed

_PLAIN, _STARTER = 0, -1  # kinds of lines that are in no passage; a passage gives its lines its number


def look(number: int) -> str:
    """The classes of a passage: six hues and five patterns give thirty looks before the first returns."""
    return f"h{number % HUES} q{number % PATTERNS}"


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """A passage on one side: its number and the region that it takes up."""

    number: int
    region: Region


LineMark = tuple[int, int, int]
"""A marked span of a line: its start, its end, and the number of its passage or that of starter code."""


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
    def marks(self) -> Mapping[int, Sequence[LineMark]]:
        """The marked spans of each line that has any; starter code inside a passage is shown as the passage."""
        numbers = np.zeros(len(self.sheet.text) + 1, np.int32)
        for region in self.base:
            numbers[region.start : region.end] = _STARTER
        for marking in self.markings:
            for start, end in marking.runs:
                numbers[start:end] = marking.number
        numbers[-1] = _PLAIN
        edges = np.flatnonzero(np.diff(numbers, prepend=_PLAIN))
        found: dict[int, list[LineMark]] = {}
        for (start, end), value in zip(pairwise(edges.tolist()), numbers[edges].tolist(), strict=False):
            for line in range(self.sheet.line(start), self.sheet.line(end - 1) + 1) if value else ():
                span = max(start, self.sheet.starts[line]), min(end, self.sheet.starts[line + 1])
                found.setdefault(line, []).append((*span, value))
        return found

    @cached_property
    def matched(self) -> int:
        """How many lines have a marked character."""
        return len(self.marks) - sum(all(value < 0 for _, _, value in self.marks[line]) for line in self.starter)

    @cached_property
    def starter(self) -> frozenset[int]:
        """The lines with starter code."""
        if not self.base:
            return frozenset()
        return frozenset(line for line, marks in self.marks.items() for _, _, value in marks if value < 0)

    @cached_property
    def kinds(self) -> list[int]:
        """The kind of each line; of several passages it is in the largest."""
        kinds = np.zeros(len(self.sheet.lines), np.int32)
        kinds[[*self.starter]] = _STARTER
        for place in sorted(self.places, key=lambda place: -place.number):
            kinds[place.region.start_line - 1 : place.region.end_line] = place.number
        found: list[int] = kinds.tolist()
        return found

    def overlay(self, name: str, level: str) -> Overlay:
        """The spans of all passages that are alike on a level, `words` or `exact`."""
        spans = sorted(span for marking in self.markings for span in getattr(marking, level))
        return self.sheet.overlay([start for start, _ in spans], [end for _, end in spans], name * len(spans))


def code(shown: MarkedFile) -> Markup:
    """The file's lines, those far from any passage folded."""
    lists = _Lists(shown)
    markup: list[str] = []
    done = 0
    for first, last in [*folds_of(len(lists.lines), shown.places), (len(lists.lines) + 1, 0)]:
        markup += lists.between(done, first - 1)
        markup += [_fold(shown, first, last, lists)] if last else []
        done = last
    return Markup("".join(markup))


class _Lists:
    """The lines of a file as lists."""

    def __init__(self, shown: MarkedFile) -> None:
        self.shown, self.sheet = shown, shown.sheet
        self.lines = [*shown.sheet.lines]
        for line, marks in shown.marks.items():
            self.lines[line] = _marked_line(shown.sheet, line, marks, shown.kinds[line])
        for line, margin in _margins(shown).items():
            self.lines[line] = margin + self.lines[line]
        self.cells = _cells_by_line(shown)
        self.levels = {"t": shown.overlay("t", "words"), "x": shown.overlay("x", "exact")}

    def between(self, first: int, last: int, folded: bool = False) -> Iterator[str]:
        """Lists of lines of the same kind, with the label of a cell before its first line."""
        kinds = self.shown.kinds
        begin = first
        for line in range(first + 1, last + 1):
            if line == last or kinds[line] != kinds[begin] or line in self.cells:
                yield self.cells.get(begin, "")
                yield self._list(begin, line, kinds[begin], folded)
                begin = line

    def _list(self, first: int, last: int, kind: int, folded: bool) -> str:
        """Lines of one kind. Folded ones have no colours: on most pages they are most of the text, and few are ever
        opened."""
        classes = f' class="in {look(kind)}" data-m="{kind}"' if kind > 0 else ' class="out"' if kind else ""
        start = f' start="{first + 1}"' if first else ""
        low, high = self.sheet.as_counted([self.sheet.starts[first], self.sheet.starts[last]])
        overlays = ({} if folded else {"c": self.sheet.colours}) | (self.levels if kind > 0 else {})
        data = ((name, overlay.between(low, high)) for name, overlay in overlays.items())
        attributes = "".join(f' data-{name}="{spans}"' for name, spans in data if spans)
        end = "" if self.sheet.end_of(last - 1) == self.sheet.starts[last] else "\n"
        lines = "\n<li>".join(self.lines[first:last])
        return f"<ol{classes}{start}{attributes}><li>{lines}{end}</ol>"


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


def _fold(shown: MarkedFile, first: int, last: int, lists: _Lists) -> str:
    base = len(shown.starter.intersection(range(first - 1, last))) if shown.starter else 0
    count = last - first + 1
    what = _fold_in_words(count, base)
    if count > LONGEST_FOLD:
        words = gettext("%(lines)s; too many to show here.", lines=what)
        return f'<p class="omitted"><span class="span">{first}–{last}</span> {words}</p>'
    return (
        f'<details class="fold" id="{shown.name}-fold-{first}"><summary>'
        f'<span class="span">{first}–{last}</span> {what}</summary>'
        f"{''.join(lists.between(first - 1, last, folded=True))}</details>"
    )


def _fold_in_words(lines: int, starter: int) -> str:
    """The number of lines of a fold, and how many of them are starter code."""
    if starter == lines:
        return ngettext("%(n)s line of starter code", "%(n)s lines of starter code", lines, n=number(lines))
    what = ngettext("%(n)s line with nothing shared", "%(n)s lines with nothing shared", lines, n=number(lines))
    if not starter:
        return what
    return gettext("%(lines)s, %(starter)s of them starter code", lines=what, starter=number(starter))


def starts_of_starter_code(base: Iterable[Region]) -> set[int]:
    """The lines that are labelled as starter code, the first of each long stretch."""
    return {region.start_line for region in base if region.end_line - region.start_line >= LABELLED}


def starter_label() -> str:
    """The markup of the label, which is no part of the text."""
    words = escape(gettext("starter code"))
    return f'<span class="tags label">{words}</span>'


def _marked_line(sheet: FileSheet, line: int, marks: Sequence[LineMark], kind: int) -> str:
    """The markup of a line with its marks, which its indentation and its end are no part of: they only lie between
    tokens that are equal."""
    written, done = sheet.lines[line], sheet.starts[line]
    body = written.lstrip(" \t")
    margin = len(written) - len(body)
    start, end = done + margin, sheet.starts[line + 1]
    if len(marks) == 1 and marks[0][0] <= start and end == marks[0][1]:  # the usual case: all of the line
        return f"{written[:margin]}{_mark(marks[0][2], kind, body)}"
    end = sheet.end_of(line)
    parts: list[str] = []
    for first, last, value in marks:
        first, last = max(first, start), min(last, end)
        if first < last:
            parts += sheet.write(sheet.text[done:first]), _mark(value, kind, sheet.write(sheet.text[first:last]))
            done = last
    return "".join([*parts, sheet.write(sheet.text[done:end])])


def _mark(value: int, kind: int, markup: str) -> str:
    """Some marked markup, if there is any; in a line of its own passage, the list says which passage it is."""
    if not markup:
        return ""
    if value == kind != _STARTER:
        return f"<mark>{markup}</mark>"
    if value == _STARTER:
        return f'<span class="base">{markup}</span>'
    return f'<mark class="{look(value)}" data-m="{value}">{markup}</mark>'


def _margins(shown: MarkedFile) -> dict[int, str]:
    """Before each line that needs it: the numbers of the passages that begin in it, each a link to the other side, and
    the label of starter code."""
    side, other = ("a", "b") if shown.name.startswith("a") else ("b", "a")
    tags: dict[int, str] = {}
    for place in sorted(shown.places, key=lambda place: place.number):
        line, n = place.region.start_line - 1, place.number
        label = escape(gettext("Passage %(number)s, to the other side", number=n))
        hue = "" if shown.kinds[line] == n else f" {look(n)}"
        tag = f'<a class="tag{hue}" id="{side}-m{n}" href="#{other}-m{n}" aria-label="{label}">{n}</a>'
        tags[line] = tags.get(line, "") + tag
    margins = {line: f'<span class="tags">{found}</span>' for line, found in tags.items()}
    for first in starts_of_starter_code(shown.base):
        margins[first - 1] = margins.get(first - 1, "") + starter_label()
    return margins


def _cells_by_line(shown: MarkedFile) -> dict[int, str]:
    return {
        shown.sheet.line(cell.start): (
            f'<div class="cell">{visible(cell.label)} · {visible(language_title(cell.language))}</div>'
        )
        for cell in shown.cells
    }
