"""A file as markup: numbered lines with marked passages, and folds where nothing is shared.

The markup is made here and not in a template because there is much of it. All text goes through `visible`; nothing
else of it comes from a submission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from frontends.language_titles import language_title
from frontends.lexing.scanner import TokenKind
from moss.lines import line_of, line_starts
from moss.messages import gettext, ngettext, number
from moss.model import Cell, Region
from moss.report.character_layers import StyledSpan
from moss.report.visible_text import escape, visible, writer

HUES, PATTERNS = 6, 5
CONTEXT, SHORTEST_FOLD = 3, 12
LONGEST_FOLD = 5_000  # lines; browsers cannot open pages with more, and nothing in them is shared
LABELLED = 2  # starter code is labelled if it has so many lines after the first, else only greyed

_CLASSES = {TokenKind.COMMENT: "c", TokenKind.STRING: "s", TokenKind.NUMBER: "n", TokenKind.KEYWORD: "k"}
_COLOURS = [
    f'<span class="{_CLASSES[kind]}">' if kind in _CLASSES else "" for kind in TokenKind
]  # by number: it is quicker


def look(number: int) -> str:
    """The classes of a passage: six hues and five patterns give thirty looks before the first returns."""
    return f"h{number % HUES} q{number % PATTERNS}"


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """A passage on one side: its number and the region that it takes up."""

    number: int
    region: Region


@dataclass(frozen=True, slots=True)
class MarkedFile:
    """A file with everything that is marked in it."""

    name: str  # of the file on this page: a1, a2, b1
    text: str
    lines: Sequence[Sequence[StyledSpan]]
    places: Sequence[PassagePlace]
    base: Sequence[Region] = ()
    cells: Sequence[Cell] = ()


def code(shown: MarkedFile) -> Markup:
    """The file's lines, those far from any passage folded."""
    rows = _rows(shown)
    markup: list[str] = []
    done = 0
    for first, last in folds_of(len(rows), shown.places):
        markup += rows[done : first - 1]
        markup.append(_fold(shown, first, last, rows))
        done = last
    return Markup("".join([*markup, *rows[done:]]))


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


def _fold(shown: MarkedFile, first: int, last: int, rows: Sequence[str]) -> str:
    base = sum(is_handed_out(line) for line in shown.lines[first - 1 : last])
    count = last - first + 1
    what = _fold_in_words(count, base)
    if count > LONGEST_FOLD:
        words = gettext("%(lines)s; too many to show here.", lines=what)
        return f'<p class="omitted"><span class="span">{first}–{last}</span> {words}</p>'
    return (
        f'<details class="fold" id="{shown.name}-fold-{first}"><summary>'
        f'<span class="span">{first}–{last}</span> {what}</summary>{"".join(rows[first - 1 : last])}</details>'
    )


def _fold_in_words(lines: int, starter: int) -> str:
    """The number of lines of a fold, and how many of them are starter code."""
    if starter == lines:
        return ngettext("%(n)s line of starter code", "%(n)s lines of starter code", lines, n=number(lines))
    what = ngettext("%(n)s line with nothing shared", "%(n)s lines with nothing shared", lines, n=number(lines))
    if not starter:
        return what
    return gettext("%(lines)s, %(starter)s of them starter code", lines=what, starter=number(starter))


def _rows(shown: MarkedFile) -> list[str]:
    """The markup of each line, with the label of a cell before its first."""
    inside = _classes_by_line(shown)
    tags = _tags(shown)
    labels = dict.fromkeys(starts_of_starter_code(shown.base), starter_label())
    cells = _cells_by_line(shown)
    contents = _contents(shown)
    return [
        f'{cells.get(n, "")}<div class="l{inside.get(n, "")}" id="{shown.name}-{n}" data-n="{n}">'
        f"{tags.get(n, '')}{labels.get(n, '')}{content}</div>"
        for n, content in enumerate(contents, 1)
    ]


def starts_of_starter_code(base: Iterable[Region]) -> set[int]:
    """The lines that are labelled as starter code, the first of each long stretch."""
    return {region.start_line for region in base if region.end_line - region.start_line >= LABELLED}


def starter_label() -> str:
    """The markup of the label, which is no part of the text."""
    words = escape(gettext("starter code"))
    return f'<span class="tags label">{words}</span>'


def _classes_by_line(shown: MarkedFile) -> dict[int, str]:
    """The classes of each line that is in a passage, or is starter code."""
    result = {n: " out" for n, line in enumerate(shown.lines, 1) if is_handed_out(line)} if shown.base else {}
    return result | {n: f" in {look(passage)}" for n, passage in _passages_by_line(shown.places).items()}


def is_handed_out(line: Sequence[StyledSpan]) -> bool:
    """Whether a line has starter code."""
    return any(span.look.base for span in line)


def _contents(shown: MarkedFile) -> Iterator[str]:
    """The markup of each line, ended by one line feed whatever ended it in the file."""
    text, write = shown.text, writer(shown.text)
    for line in shown.lines:
        marked = _line(text, line, write)
        yield marked.replace("\r\n", "\n").replace("\r", "\n") if "\r" in marked else marked


def _line(text: str, line: Sequence[StyledSpan], write: Callable[[str], str]) -> str:
    """The markup of a line; consecutive spans with the same background share an element."""
    written: list[str] = []
    opening = closing = ""
    for start, end, here in line:
        marks = _marks(*here[:4])
        if marks[0] != opening:
            written += closing, marks[0]
            opening, closing = marks
        colour = _COLOURS[here.kind]
        written.append(f"{colour}{write(text[start:end])}</span>" if colour else write(text[start:end]))
    written.append(closing)
    return "".join(written)


@cache
def _marks(match: int, words: bool, exact: bool, base: bool) -> tuple[str, str]:
    """The opening and closing markup of spans with this passage, likeness and starter code."""
    if match:
        alike = " t" * words + " x" * exact
        return f'<mark class="{look(match)}{alike}" data-m="{match}">', "</mark>"
    return ('<span class="base">', "</span>") if base else ("", "")


def _passages_by_line(places: Sequence[PassagePlace]) -> dict[int, int]:
    """For each line the passage it is in; the largest, if there are several."""
    result: dict[int, int] = {}
    for place in sorted(places, key=lambda place: -place.number):
        result |= dict.fromkeys(range(place.region.start_line, place.region.end_line + 1), place.number)
    return result


def _tags(shown: MarkedFile) -> dict[int, str]:
    """For each line the numbers of the passages that begin in it, each a link to the other side."""
    result: dict[int, str] = {}
    side, other = ("a", "b") if shown.name.startswith("a") else ("b", "a")
    for place in sorted(shown.places, key=lambda place: place.number):
        line, n = place.region.start_line, place.number
        label = escape(gettext("Passage %(number)s, to the other side", number=n))
        result[line] = result.get(line, "") + (
            f'<a class="tag {look(n)}" id="{side}-m{n}" data-m="{n}" href="#{other}-m{n}" aria-label="{label}">{n}</a>'
        )
    return {line: f'<span class="tags">{tags}</span>' for line, tags in result.items()}


def _cells_by_line(shown: MarkedFile) -> dict[int, str]:
    starts = line_starts(shown.text)
    return {
        line_of(
            starts, cell.start
        ): f'<div class="cell">{visible(cell.label)} · {visible(language_title(cell.language))}</div>'
        for cell in shown.cells
    }
