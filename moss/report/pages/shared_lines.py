"""The lines of a file with everybody else who has them, as far as the pairs of a report tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from typing import NamedTuple

from moss.lines import count_lines, line_starts
from moss.messages import gettext
from moss.model import FileRecord, Pair, SubmissionRecord
from moss.report.code.visible_text import escape, isolated, writer

FEW = 2  # others: lines that so few share are telling
_LEFT_OUT = 8  # lines: more in a row that nobody shares are left out
_MOST_TEXT = 1_000_000  # characters of one file that a page shows
_NAMED = 3  # sharers of lines that are named


class SharedLines(NamedTuple):
    """Consecutive lines with the same sharers; `base` if they are starter code."""

    first: int
    last: int
    text: str
    sharers: tuple[str, ...]
    base: bool

    @property
    def left_out(self) -> bool:
        """Whether the lines are not shown here: each pair's page has the whole text."""
        return not self.sharers and self.last - self.first >= _LEFT_OUT

    @property
    def kind(self) -> str:
        """Who else has the lines: `few` or `many` others, `base` for starter code, `own` for nobody."""
        if self.sharers:
            return "few" if len(self.sharers) <= FEW else "many"
        return "base" if self.base else "own"


@dataclass(frozen=True, slots=True)
class SubmissionSheet:
    """A file in groups of lines with the same sharers; `cut` if its end is left out."""

    file: FileRecord
    groups: tuple[SharedLines, ...]
    cut: bool


def shared_sheet(
    record: SubmissionRecord, file: FileRecord, pairs: Sequence[Pair], among: frozenset[str] | None = None
) -> SubmissionSheet:
    """A file's text, cut where its sharers change, as far as these pairs tell; if given, only those `among` these ids
    count as sharers."""
    text = file.text[:_MOST_TEXT]
    starts, count = line_starts(text), count_lines(text)
    spans = [
        (first, last, others if among is None else tuple(id for id in others if id in among))
        for pair in pairs
        for first, last, others in _shared_spans(pair, record.id, file.path)
    ]
    base = [(region.start_line, region.end_line) for region in file.base]
    keyed = _stretches(count, spans, base)
    return SubmissionSheet(file, tuple(_line_groups(text, starts.tolist(), keyed)), len(text) < len(file.text))


_SharedSpan = tuple[int, int, tuple[str, ...]]
_Key = tuple[tuple[str, ...], bool]


def _stretches(
    count: int, spans: Sequence[_SharedSpan], base: Sequence[tuple[int, int]]
) -> list[tuple[int, int, _Key]]:
    """The lines of a file, counted from 0, cut wherever a span begins or ends: the first of each stretch and the one
    behind its last, everybody else who has it, and whether it is starter code that nobody else has.

    >>> _stretches(9, [(2, 5, ("ada",)), (4, 6, ("emeka",))], [(9, 9)])[2:]
    [(3, 5, (('ada', 'emeka'), False)), (5, 6, (('emeka',), False)), (6, 8, ((), False)), (8, 9, ((), True))]
    """
    cuts = [*((first, last) for first, last, _ in spans), *base]
    edges = sorted({0, count, *(edge for first, last in cuts for edge in (first - 1, last) if edge < count)})
    place = {edge: number for number, edge in enumerate(edges)}
    end = len(edges) - 1
    holders: list[list[tuple[str, ...]]] = [[] for _ in range(end)]
    for first, last, others in spans:
        for stretch in holders[place.get(first - 1, end) : place.get(last, end)]:
            stretch.append(others)
    starter = {number for first, last in base for number in range(place.get(first - 1, end), place.get(last, end))}
    keys = ((_merged(here), number in starter) for number, here in enumerate(holders))
    return [
        (first, last, (sharers, is_starter and not sharers))
        for (first, last), (sharers, is_starter) in zip(pairwise(edges), keys, strict=True)
    ]


def _merged(holders: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """All names of some sorted lists, once each, in order."""
    return holders[0] if len(holders) == 1 else tuple(dict.fromkeys(sorted(chain.from_iterable(holders))))


def _shared_spans(pair: Pair, me: str, path: str) -> Iterator[_SharedSpan]:
    """The first and last line of each passage of a pair in one file, and everybody else who has it, in order."""
    other = pair.b if pair.a == me else pair.a
    for match in pair.matches:
        mine = match.a if pair.a == me else match.b
        if mine.file == path:
            yield mine.start_line, mine.end_line, tuple(sorted((other, *match.others)))


def _line_groups(text: str, starts: list[int], keyed: Sequence[tuple[int, int, _Key]]) -> Iterator[SharedLines]:
    """Neighbouring stretches of lines with the same key, as one."""
    for (sharers, base), stretches in groupby(keyed, key=lambda stretch: stretch[2]):
        (first, *_), *_, (_, last, _) = [*stretches] * 2
        end = starts[last] if last < len(starts) else len(text)
        yield SharedLines(first + 1, last, text[starts[first] : end], sharers, base)


def shared_lines_markup(sheet: SubmissionSheet, pages: Mapping[str, str]) -> str:
    """A file's groups of lines as markup, each with its sharers; `pages` has the addresses of pairs with them."""
    write = writer(sheet.file.text)
    sharers = {each: _sharers_markup(each, pages) for each in {group.sharers for group in sheet.groups}}
    starter, nobody = escape(gettext("starter code")), escape(gettext("nobody else"))
    markup = []
    for group in sheet.groups:
        lines = f"{group.first}–{group.last}" if group.last > group.first else f"{group.first}"
        who = sharers[group.sharers] or (starter if group.base else nobody if group.left_out else "")
        text = "" if group.left_out else f"<pre>\n{write(group.text)}</pre>"
        markup.append(f'<div class="stretch {group.kind}"><p><b>{lines}</b> {who}</p>{text}</div>\n')
    return "".join(markup)


def _sharers_markup(sharers: Sequence[str], pages: Mapping[str, str]) -> str:
    """The names of the first sharers, and the number of the others."""
    named = [f'<a href="{pages[id]}">{isolated(id)}</a>' if id in pages else isolated(id) for id in sharers[:_NAMED]]
    more = " " + escape(gettext("and %(n)s more", n=len(sharers) - _NAMED)) if len(sharers) > _NAMED else ""
    return ", ".join(named) + more
