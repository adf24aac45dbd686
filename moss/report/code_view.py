"""A file as markup: numbered lines with marked passages, and folds where nothing is shared.

The markup is made here and not in a template because there is much of it. All text goes through `visible`; nothing
else of it comes from a submission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from frontends.lexing.scanner import TokenKind
from moss.lines import line_of, line_starts
from moss.model import Cell, Region
from moss.report.character_layers import StyledSpan
from moss.report.visible_text import visible, writer

HUES, PATTERNS = 6, 5
CONTEXT, SHORTEST_FOLD = 3, 12
LONGEST_FOLD = 5_000  # lines; a browser would not open a page of more, and nothing in them is shared
LABELLED = 2  # lines after the first that handed-out code must have to be labelled: less is only greyed

_CLASSES = {TokenKind.COMMENT: "c", TokenKind.STRING: "s", TokenKind.NUMBER: "n", TokenKind.KEYWORD: "k"}
_COLOURS = [
    f'<span class="{_CLASSES[kind]}">' if kind in _CLASSES else "" for kind in TokenKind
]  # by number: it is quicker


def look(number: int) -> str:
    """The classes of a passage: six hues and five patterns give thirty looks before the first returns."""
    return f"h{number % HUES} q{number % PATTERNS}"


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """One side's end of a passage in a file."""

    number: int
    region: Region


@dataclass(frozen=True, slots=True)
class MarkedFile:
    """All that is shown of one file."""

    name: str  # of the file on this page: a1, a2, b1
    text: str
    lines: Sequence[Sequence[StyledSpan]]
    places: Sequence[PassagePlace]
    base: Sequence[Region] = ()
    cells: Sequence[Cell] = ()


def code(shown: MarkedFile) -> Markup:
    """The file's lines, those far from any passage folded."""
    rows = _rows(shown)
    pieces: list[str] = []
    done = 0
    for first, last in folds_of(len(rows), shown.places):
        pieces += rows[done : first - 1]
        pieces.append(_fold(shown, first, last, rows))
        done = last
    return Markup("".join([*pieces, *rows[done:]]))


def folds_of(lines: int, places: Sequence[PassagePlace]) -> list[tuple[int, int]]:
    """First and last line of each stretch of a file that is folded."""
    return lines_to_fold(lines, [(place.region.start_line, place.region.end_line) for place in places])


def lines_to_fold(lines: int, regions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """First and last line of each long stretch that is more than a few lines from every region."""
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
    handed_out = ", all handed out" if base == count else f", {base} of them handed out" if base else ""
    what = f"{count:,} lines with nothing shared{handed_out}"
    if count > LONGEST_FOLD:
        return f'<p class="omitted"><span class="span">{first}–{last}</span> {what}: too many to show here.</p>'
    return (
        f'<details class="fold" id="{shown.name}-fold-{first}"><summary>'
        f'<span class="span">{first}–{last}</span> {what}</summary>{"".join(rows[first - 1 : last])}</details>'
    )


def _rows(shown: MarkedFile) -> list[str]:
    """The markup of each line, with the label of a cell before its first."""
    inside = _classes_by_line(shown)
    tags = _tags(shown)
    notes = {r.start_line: ' data-note="handed out"' for r in shown.base if r.end_line - r.start_line >= LABELLED}
    cells = _cells_by_line(shown)
    contents = _contents(shown)
    return [
        f'{cells.get(n, "")}<div class="l{inside.get(n, "")}" id="{shown.name}-{n}" data-n="{n}"'
        f"{notes.get(n, '')}>{tags.get(n, '')}{content}</div>"
        for n, content in enumerate(contents, 1)
    ]


def _classes_by_line(shown: MarkedFile) -> dict[int, str]:
    """The classes of each line that is in a passage, or was handed out."""
    result = {n: " out" for n, line in enumerate(shown.lines, 1) if is_handed_out(line)} if shown.base else {}
    return result | {n: f" in {look(number)}" for n, number in _passages_by_line(shown.places).items()}


def is_handed_out(line: Sequence[StyledSpan]) -> bool:
    """Whether some of a line is base code."""
    return any(piece.look.base for piece in line)


def _contents(shown: MarkedFile) -> Iterator[str]:
    """The characters of each line; whatever ends it becomes one line feed."""
    text, write = shown.text, writer(shown.text)
    for line in shown.lines:
        marked = _line(text, line, write)
        yield marked.replace("\r\n", "\n").replace("\r", "\n") if "\r" in marked else marked


def _line(text: str, line: Sequence[StyledSpan], write: Callable[[str], str]) -> str:
    """One line; consecutive pieces on the same ground are in one element."""
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
    """What opens and what closes a stretch that looks so, whatever the kind of its tokens."""
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
        line, number = place.region.start_line, place.number
        result[line] = result.get(line, "") + (
            f'<a class="tag {look(number)}" id="{side}-m{number}" data-m="{number}" href="#{other}-m{number}" '
            f'aria-label="Passage {number}, to the other side">{number}</a>'
        )
    return {line: f'<span class="tags">{tags}</span>' for line, tags in result.items()}


def _cells_by_line(shown: MarkedFile) -> dict[int, str]:
    starts = line_starts(shown.text)
    return {
        line_of(starts, cell.start): f'<div class="cell">{visible(cell.label)} · {visible(cell.language)}</div>'
        for cell in shown.cells
    }
