"""The page of one submission: everybody it shares passages with, and how many others have each of its lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from moss.lines import count_lines, line_starts
from moss.messages import gettext, percent
from moss.model import FileRecord, Pair, ReferenceKind, Report, Standing, SubmissionRecord
from moss.report.hand_in_times import hand_in_time
from moss.report.page_templates import Links, environment, numbers, once, paged
from moss.report.visible_text import escape, visible, visible_plain, writer

FEW = 2  # others: lines that so few share are telling
_LEFT_OUT = 8  # lines: more in a row that nobody shares are left out
_MOST_TEXT = 1_000_000  # characters of one file that a page shows
_MOST_PARTNERS = 20  # that are listed without a page of the pair
_NAMED, _MORE_NAMED = 3, 20  # sharers of lines that are named, and that are named on pointing at the others' number


@dataclass(frozen=True, slots=True)
class Partner:
    """A submission that shares something with this one; `number` is that of the pair's page, if it has one."""

    id: str
    kind: ReferenceKind | None  # if it is a reference
    score: float
    standing: Standing
    number: int | None
    pair: Pair | None
    mine: float
    theirs: float


@dataclass(frozen=True, slots=True)
class SharedLines:
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


def render_submission(report: Report, number: int, links: Links) -> str:
    """The page of the submission with this number, counted from 1."""
    record = report.submissions[number - 1]
    shown = _pairs_of_submissions(report)[record.id]
    partners, unlisted = _partners(report, number - 1, shown)
    pages = {partner.id: partner.number for partner in partners if partner.number}
    return environment().get_template("report/submission.html").render(
        report=report,
        links=links,
        record=record,
        time=hand_in_time(record),
        cluster=next((number for number, ids in enumerate(report.clusters, 1) if record.id in ids), None),
        shown=[partner for partner in partners if partner.number],
        others=_others(report, [partner for partner in partners if not partner.number], links),
        unlisted=unlisted,
        unshown=len(partners) - len(pages) + unlisted,
        sheets=[shared_sheet(record, file, [pair for _, pair in shown]) for file in record.files if file.text],
        stretches=lambda sheet: _stretches(sheet, {id: links.pair(number) for id, number in pages.items()}),
        problems=[p for p in report.problems if p.path == record.id or p.path.startswith(f"{record.id}/")],
    )  # fmt: skip


def _partners(report: Report, place: int, shown: Sequence[tuple[int, Pair]]) -> tuple[list[Partner], int]:
    """The submissions that share something with one, highest score first, and the number of those not listed."""
    ranking, me = report.ranking, report.submissions[place].id
    found = {pair.b if pair.a == me else pair.a: (number, pair) for number, pair in shown}
    here = _rows_of_submissions(report).get(place, np.zeros(0, np.int64))
    places, scores = (ranking.a[here] + ranking.b[here] - place).tolist(), ranking.score[here].tolist()
    partners: list[Partner] = []
    room = _MOST_PARTNERS
    for other, score in zip((report.submissions[i] for i in places), scores, strict=True):
        number, pair = found.pop(other.id, (None, None))
        if number is None and not room:
            if not found:  # nobody is left who is listed anyway
                break
            continue
        room -= number is None
        mine, theirs = _shares(pair, me)
        standing = report.baseline.standing(score)
        partners.append(Partner(other.id, other.kind, score, standing, number, pair, mine, theirs))
    return partners, len(places) - len(partners)


def _others(report: Report, partners: Sequence[Partner], links: Links) -> Markup:
    """The names and scores of submissions without a page of the pair."""
    pages = {
        partner.id: links.submission(numbers(report)[partner.id]) for partner in partners if partner.id in paged(report)
    }
    named = (f"{_named(partner.id, pages)} <small>{percent(partner.score)}</small>" for partner in partners)
    return Markup(", ".join(named))


@once
def _rows_of_submissions(report: Report) -> dict[int, NDArray[np.int64]]:
    """The rows of the ranking in which each submission with a page is, by its place."""
    number = numbers(report)
    wanted = np.zeros(len(report.submissions), np.bool_)
    wanted[[number[id] - 1 for id in paged(report)]] = True
    places = np.concatenate([report.ranking.a, report.ranking.b])
    found = np.flatnonzero(wanted[places])
    rows = found % max(1, len(report.ranking.a))
    order = np.lexsort((rows, places[found]))
    bounds = np.searchsorted(places[found][order], np.arange(len(wanted) + 1))
    return {place: rows[order[bounds[place] : bounds[place + 1]]] for place in np.flatnonzero(wanted).tolist()}


def _shares(pair: Pair | None, me: str) -> tuple[float, float]:
    if pair is None:
        return 0.0, 0.0
    return (pair.share_a, pair.share_b) if pair.a == me else (pair.share_b, pair.share_a)


def shared_sheet(
    record: SubmissionRecord, file: FileRecord, pairs: Sequence[Pair], among: frozenset[str] | None = None
) -> SubmissionSheet:
    """A file's text, cut where its sharers change, as far as these pairs tell; if given, only those `among` these ids
    count as sharers."""
    text = file.text[:_MOST_TEXT]
    starts, count = line_starts(text), count_lines(text)
    spans = [
        (first, last, others if among is None else others & among)
        for pair in pairs
        for first, last, others in _shared_spans(pair, record.id, file.path)
    ]
    base = [(region.start_line, region.end_line) for region in file.base]
    cuts = [*((first, last) for first, last, _ in spans), *base]
    edges = {0, count, *(edge for first, last in cuts for edge in (first - 1, last) if edge < count)}
    keyed = [(first, last, _key(first, spans, base)) for first, last in pairwise(sorted(edges))]
    return SubmissionSheet(file, tuple(_line_groups(text, starts.tolist(), keyed)), len(text) < len(file.text))


_SharedSpan = tuple[int, int, frozenset[str]]
_Key = tuple[tuple[str, ...], bool]


def _key(line: int, spans: Sequence[_SharedSpan], base: Sequence[tuple[int, int]]) -> _Key:
    """Everybody else who has a line, counted from 0, and whether it is starter code that nobody else has."""
    sharers = frozenset[str]().union(*(others for first, last, others in spans if first - 1 <= line < last))
    return tuple(sorted(sharers)), not sharers and any(first - 1 <= line < last for first, last in base)


@once
def _pairs_of_submissions(report: Report) -> dict[str, list[tuple[int, Pair]]]:
    """The shown pairs of each submission, with their numbers."""
    found: dict[str, list[tuple[int, Pair]]] = {record.id: [] for record in report.submissions}
    for number, pair in enumerate(report.pairs, 1):
        found[pair.a].append((number, pair))
        found[pair.b].append((number, pair))
    return found


def _shared_spans(pair: Pair, me: str, path: str) -> Iterator[_SharedSpan]:
    """The first and last line of each passage of a pair in one file, and everybody else who has it."""
    other = pair.b if pair.a == me else pair.a
    for match in pair.matches:
        mine = match.a if pair.a == me else match.b
        if mine.file == path:
            yield mine.start_line, mine.end_line, frozenset((other, *match.others))


def _line_groups(text: str, starts: list[int], keyed: Sequence[tuple[int, int, _Key]]) -> Iterator[SharedLines]:
    """Neighbouring stretches of lines with the same key, as one."""
    for (sharers, base), stretches in groupby(keyed, key=lambda stretch: stretch[2]):
        (first, *_), *_, (_, last, _) = [*stretches] * 2
        end = starts[last] if last < len(starts) else len(text)
        yield SharedLines(first + 1, last, text[starts[first] : end], sharers, base)


def _stretches(sheet: SubmissionSheet, pages: Mapping[str, str]) -> Markup:
    """A file's groups of lines as markup, each with its sharers; `pages` has the addresses of pairs with them."""
    write = writer(sheet.file.text)
    shown = {id: _named(id, pages) for group in sheet.groups for id in group.sharers[:_NAMED]}
    starter, nobody = gettext("starter code"), gettext("nobody else")
    markup = []
    for group in sheet.groups:
        lines = f"{group.first}–{group.last}" if group.last > group.first else f"{group.first}"
        others = starter if group.base else nobody if group.left_out else ""
        who = ", ".join(shown[id] for id in group.sharers[:_NAMED]) + _more(group.sharers) + others
        text = "" if group.left_out else f'<pre tabindex="0" translate="no">\n{write(group.text)}</pre>'
        beside = f'<div class="who"><span class="lines">{lines}</span> {who}</div>'
        markup.append(f'<div class="stretch {group.kind}">{beside}{text}</div>\n')
    return Markup("".join(markup))


def _named(id: str, pages: Mapping[str, str]) -> str:
    name = f"<bdi>{visible(id)}</bdi>"
    return f'<a href="{pages[id]}">{name}</a>' if id in pages else name


def _more(sharers: Sequence[str]) -> str:
    """The number of sharers that are not named, some of whom are named on pointing at it."""
    if len(sharers) <= _NAMED:
        return ""
    some = escape(", ".join(map(visible_plain, sharers[_NAMED:_MORE_NAMED])))
    words = escape(gettext("and %(n)s more", n=len(sharers) - _NAMED))
    return f' <span title="{some}">{words}</span>'
