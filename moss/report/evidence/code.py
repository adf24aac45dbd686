"""Code in evidence: a file in full, and a passage with both sides' corresponding lines beside each other.

All text goes through `unseen`; nothing else in this markup comes from a submission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from markupsafe import Markup

from frontends.lexing.scanner import TokenKind
from moss.lines import line_of, line_starts
from moss.messages import gettext
from moss.model import Channel, FileRecord, Match
from moss.report.code.character_layers import Marking, StyledSpan, spans_by_line
from moss.report.code.code_view import (
    LONGEST_FOLD,
    PassagePlace,
    lines_to_fold,
    look,
    starter_label,
    starts_of_starter_code,
)
from moss.report.code.likeness import TokenPair
from moss.report.code.syntax_classes import kinds_of
from moss.report.code.visible_text import escape, writer
from moss.report.evidence.redaction import Redaction

_CLASSES = {TokenKind.COMMENT: "c", TokenKind.KEYWORD: "k"}

LinePair = tuple[int | None, int | None]
"""The numbers of two lines that stand beside each other; None where a side has none."""


@dataclass(frozen=True, slots=True)
class EvidenceSheet:
    """A file as it is shown."""

    name: str  # on the page: a1, a2, b1
    path: str
    file: FileRecord
    places: tuple[PassagePlace, ...]
    lines: Sequence[Sequence[StyledSpan]]
    characters: Sequence[str]
    write: Callable[[str], str]

    @property
    def base(self) -> int:
        """The number of lines with starter code."""
        return sum(any(span.look.base for span in line) for line in self.lines)


def sheet_of(
    name: str,
    file: FileRecord,
    markings: Sequence[Marking],
    places: Iterable[PassagePlace],
    redaction: Redaction,
    careful: bool,
) -> EvidenceSheet:
    """A file with its passages; here a marking's `words` are the tokens that the other side writes differently."""
    base = [(region.start, region.end) for region in file.base]
    lines = spans_by_line(file.text, kinds_of(file.language, file.text, careful), markings, base)
    characters = redaction.characters(file.text)
    return EvidenceSheet(
        name, redaction.path(file.path), file, tuple(places), lines, characters, writer("".join(characters))
    )


def aligned(match: Match, pairs: Iterable[TokenPair], a: str, b: str) -> list[LinePair]:
    """The lines of a passage in rows: lines with equal tokens side by side, the lines between them in order."""
    a_starts, b_starts = line_starts(a), line_starts(b)
    rows: list[LinePair] = []
    left, right = match.a.start_line, match.b.start_line
    for pair in pairs:
        ours, theirs = line_of(a_starts, pair.a_start), line_of(b_starts, pair.b_start)
        if ours >= left and theirs >= right:
            rows += [*zip_longest(range(left, ours), range(right, theirs)), (ours, theirs)]
            left, right = ours + 1, theirs + 1
    return [*rows, *zip_longest(range(left, match.a.end_line + 1), range(right, match.b.end_line + 1))]


def excerpt(number: int, rows: Iterable[LinePair], a: EvidenceSheet, b: EvidenceSheet) -> Markup:
    """Rows of a table with two columns: the lines of one passage, and only its marks."""
    return Markup("".join(f"<tr>{_cell(a, ours, number)}{_cell(b, theirs, number)}</tr>" for ours, theirs in rows))


def shared_excerpt(match: Match, number: int, rows: Iterable[LinePair], a: EvidenceSheet, b: EvidenceSheet) -> Markup:
    """Rows of a table with two columns: the lines of one passage, and of the second side only what is equal."""
    with_comments = match.channel is Channel.TEXT  # elsewhere comments were not compared
    return Markup(
        "".join(
            f"<tr>{_cell(a, ours, number)}{_shared_cell(b, theirs, number, with_comments)}</tr>"
            for ours, theirs in rows
            if ours is not None or (theirs is not None and _shared_part(b, theirs, number, with_comments))
        )
    )


def _shared_cell(sheet: EvidenceSheet, line: int | None, passage: int, with_comments: bool) -> str:
    part = _shared_part(sheet, line, passage, with_comments) if line is not None else ""
    return f'<td class="l">{part}</td>' if part else '<td class="l none"></td>'


def _shared_part(sheet: EvidenceSheet, line: int, passage: int, with_comments: bool) -> str:
    """The markup of what a line shares, with dots for what it does not; nothing if it shares nothing."""
    if line > len(sheet.lines):
        return ""

    def is_shared(span: StyledSpan) -> bool:
        return span.look.match == passage and (with_comments or span.look.kind is not TokenKind.COMMENT)

    groups = [(shared, list(spans)) for shared, spans in groupby(sheet.lines[line - 1], key=is_shared)]
    if not any(shared for shared, _ in groups):
        return ""
    written = [
        _marked(passage, False, passage, _inner(sheet, spans)) if shared else _left_out(sheet, spans)
        for shared, spans in groups
    ]
    return "".join(written).replace("\r\n", "\n").replace("\r", "\n")


def _left_out(sheet: EvidenceSheet, spans: Iterable[StyledSpan]) -> str:
    """Blanks as they are, and dots for anything else."""
    text = "".join(sheet.file.text[start:end] for start, end, _ in spans)
    return text if text.isspace() else "…\n" if text.endswith(("\r", "\n")) else "…"


def _cell(sheet: EvidenceSheet, line: int | None, passage: int) -> str:
    if line is None or line > len(sheet.lines):
        return '<td class="l none"></td>'
    return f'<td class="l" data-n="{line}">{_content(sheet, line, passage)}</td>'


def listing(sheet: EvidenceSheet) -> Markup:
    """The whole file, line by line; only thousands of lines in which nothing is shared are left out."""
    rows = list(_rows(sheet))
    markup: list[str] = []
    done = 0
    for first, last in lines_to_fold(len(rows), [(p.region.start_line, p.region.end_line) for p in sheet.places]):
        if last - first >= LONGEST_FOLD:
            markup += rows[done : first - 1]
            words = gettext(
                "Lines %(first)s to %(last)s are left out: nothing in them is shared.", first=first, last=last
            )
            markup.append(f'<p class="omitted">{escape(words)}</p>')
            done = last
    return Markup("".join([*markup, *rows[done:]]))


def _rows(sheet: EvidenceSheet) -> Iterator[str]:
    inside: dict[int, int] = {}
    for place in sorted(sheet.places, key=lambda place: -place.number):
        inside |= dict.fromkeys(range(place.region.start_line, place.region.end_line + 1), place.number)
    tags = _tags(sheet)
    labels = dict.fromkeys(starts_of_starter_code(sheet.file.base), starter_label())
    for n in range(1, len(sheet.lines) + 1):
        classes = f" in {look(inside[n])}" if n in inside else ""
        yield f'<div class="l{classes}" data-n="{n}">{tags.get(n, "")}{labels.get(n, "")}{_content(sheet, n)}</div>'


def _tags(sheet: EvidenceSheet) -> dict[int, str]:
    """For each line, the numbers of the passages that begin in it, linked to their exhibits."""
    tags: dict[int, str] = {}
    for place in sorted(sheet.places, key=lambda place: place.number):
        line, number = place.region.start_line, place.number
        label = escape(gettext("Passage %(number)s begins", number=number))
        tags[line] = tags.get(line, "") + (
            f'<a class="tag {look(number)}" id="{sheet.name[0]}-m{number}" href="#passage-{number}" '
            f'aria-label="{label}">{number}</a>'
        )
    return {line: f'<span class="tags">{found}</span>' for line, found in tags.items()}


def _content(sheet: EvidenceSheet, line: int, passage: int | None = None) -> str:
    """The markup of a line with the marks of one passage, or of all passages, ended by one line feed."""
    groups = groupby(sheet.lines[line - 1], key=lambda span: (span.look.match, span.look.base))
    marked = "".join(_marked(match, base, passage, _inner(sheet, spans)) for (match, base), spans in groups)
    return marked.replace("\r\n", "\n").replace("\r", "\n") if "\r" in marked else marked


def _marked(match: int, base: bool, passage: int | None, inner: str) -> str:
    if match and passage in (None, match):
        return f'<mark class="{look(match)}" data-m="{match}">{inner}</mark>'
    return f'<span class="base">{inner}</span>' if base else inner


def _inner(sheet: EvidenceSheet, spans: Iterable[StyledSpan]) -> str:
    """The markup of some spans: comments and keywords by their look, differences from the other side underlined."""
    written = ""
    for classes, group in groupby(spans, key=_classes):
        inner = "".join(sheet.write("".join(sheet.characters[start:end])) for start, end, _ in group)
        written += f'<span class="{classes}">{inner}</span>' if classes and inner else inner
    return written


def _classes(span: StyledSpan) -> str:
    different = ["d"] if span.look.match and span.look.words else []
    return " ".join([*different, _CLASSES.get(span.look.kind, "")]).strip()
