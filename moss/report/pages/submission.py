"""The page of one submission: everybody it shares passages with, and how many others have each of its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moss.lines import count_lines, line_starts
from moss.model import FileRecord, Pair, Report, Role, Standing, SubmissionRecord
from moss.report.hand_in_times import hand_in_time
from moss.report.page_templates import Links, environment, numbers, paged

FEW = 2  # others: lines that so few share are telling
_FOLDED = 8  # lines: more in a row that nobody shares are folded
_MOST_TEXT = 1_000_000  # characters of one file that a page shows
_MOST_PARTNERS = 60  # that are listed without a page of the pair


@dataclass(frozen=True, slots=True)
class Partner:
    """A submission that shares something with this one; `number` is that of the pair's page, if it has one."""

    id: str
    archived: bool
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
    def folded(self) -> bool:
        """Whether the lines are folded until somebody opens them."""
        return not self.sharers and self.last - self.first >= _FOLDED

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
    shown = [(i, pair) for i, pair in enumerate(report.pairs, 1) if record.id in (pair.a, pair.b)]
    partners, unlisted = _partners(report, number - 1, shown)
    pages = {partner.id: partner.number for partner in partners if partner.number}
    return environment().get_template("report/submission.html").render(
        report=report,
        links=links,
        record=record,
        time=hand_in_time(record),
        cluster=next((number for number, ids in enumerate(report.clusters, 1) if record.id in ids), None),
        shown=[partner for partner in partners if partner.number],
        others=[partner for partner in partners if not partner.number],
        unlisted=unlisted,
        sheets=[sheet_of(record, file, [pair for _, pair in shown]) for file in record.files if file.text],
        pages=pages,
        numbers=numbers(report),
        paged=paged(report),
        problems=[p for p in report.problems if p.path == record.id or p.path.startswith(f"{record.id}/")],
    )  # fmt: skip


def _partners(report: Report, place: int, shown: Sequence[tuple[int, Pair]]) -> tuple[list[Partner], int]:
    """The submissions that share something with one, highest score first, and the number of those not listed."""
    ranking, me = report.ranking, report.submissions[place].id
    found = {pair.b if pair.a == me else pair.a: (number, pair) for number, pair in shown}
    here = np.flatnonzero((ranking.a == place) | (ranking.b == place))
    places, scores = (ranking.a[here] + ranking.b[here] - place).tolist(), ranking.score[here].tolist()
    partners: list[Partner] = []
    room, unlisted = _MOST_PARTNERS, 0
    for other, score in zip((report.submissions[i] for i in places), scores, strict=True):
        number, pair = found.get(other.id, (None, None))
        if number is None and not room:
            unlisted += 1
            continue
        room -= number is None
        mine, theirs = _shares(pair, me)
        archived, standing = other.role is Role.ARCHIVE, report.baseline.standing(score)
        partners.append(Partner(other.id, archived, score, standing, number, pair, mine, theirs))
    return partners, unlisted


def _shares(pair: Pair | None, me: str) -> tuple[float, float]:
    if pair is None:
        return 0.0, 0.0
    return (pair.share_a, pair.share_b) if pair.a == me else (pair.share_b, pair.share_a)


def sheet_of(
    record: SubmissionRecord, file: FileRecord, pairs: Sequence[Pair], among: frozenset[str] | None = None
) -> SubmissionSheet:
    """A file's text, cut where its sharers change, as far as these pairs tell; if given, only those `among` these ids
    count as sharers."""
    text = file.text[:_MOST_TEXT]
    starts, count = line_starts(text), count_lines(text)
    sharers: list[set[str]] = [set() for _ in range(count)]
    for pair in pairs:
        for first, last, others in _shared_spans(pair, record.id, file.path):
            for found in sharers[first - 1 : last]:
                found |= others if among is None else others & among
    base = np.zeros(count, np.bool_)
    for region in file.base:
        base[region.start_line - 1 : region.end_line] = True
    keys = [(tuple(sorted(found)), bool(base[line]) and not found) for line, found in enumerate(sharers)]
    return SubmissionSheet(file, tuple(_line_groups(text, starts.tolist(), keys)), len(text) < len(file.text))


def _shared_spans(pair: Pair, me: str, path: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    """The first and last line of each passage of a pair in one file, and everybody else who has it."""
    other = pair.b if pair.a == me else pair.a
    for match in pair.matches:
        mine = match.a if pair.a == me else match.b
        if mine.file == path:
            yield mine.start_line, mine.end_line, frozenset((other, *match.others))


def _line_groups(text: str, starts: list[int], keys: list[tuple[tuple[str, ...], bool]]) -> Iterator[SharedLines]:
    first = 0
    for line in range(1, len(keys) + 1):
        if line == len(keys) or keys[line] != keys[first]:
            end = starts[line] if line < len(starts) else len(text)
            yield SharedLines(first + 1, line, text[starts[first] : end], *keys[first])
            first = line
