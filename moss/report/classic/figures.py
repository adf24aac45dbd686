"""The figures of the historical result pages, counted as MOSS counts them.

Order: pairs by decreasing matched amount, ties by name, from the last to the first; within a pair, the program that was
sent first is file 1. Percent: the share that the full report shows, rounded down, never more than 99, because many
readers expect two digits. Starter code is no part of it: a program that is half starter code and otherwise copied would
have 50 percent, and readers that list only high ones would hide it. Lines: the larger of what the passages cover on
either side. The amount is in tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from moss.model import FINEST, Match, Pair, Region, Report, Status, SubmissionRecord

HIGHEST_PERCENT = 99

_NUMBERING = re.compile(r" \(\d+\)\Z")
_WHITESPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class ClassicPassage:
    """One side of a match: its lines, counted from 1 through the whole program, and its percentage of the program."""

    number: int
    start_line: int
    end_line: int
    percent: int


@dataclass(frozen=True, slots=True)
class ClassicSide:
    """One program of a pair."""

    name: str
    record: SubmissionRecord
    with_headers: bool  # whether its text names each file before its first line
    percent: int
    passages: tuple[ClassicPassage, ...]  # in the order of both sides, largest first

    @property
    def lines(self) -> int:
        """The number of lines in all passages together."""
        return sum(passage.end_line - passage.start_line + 1 for passage in self.passages)


@dataclass(frozen=True, slots=True)
class ClassicRow:
    """A pair as the index lists it."""

    number: int
    sides: tuple[ClassicSide, ClassicSide]

    @property
    def lines(self) -> int:
        """Lines matched."""
        return max(side.lines for side in self.sides)


def rows(report: Report) -> list[ClassicRow]:
    """Every pair, in order."""
    records, place = _records(report), _upload_order(report)
    ordered = enumerate(classic_order(report))
    return [_row(report, records, place, number, report.pairs[at]) for number, at in ordered]


def only_row(report: Report, number: int) -> ClassicRow:
    """The row of a report's only pair, whose number in the whole report is given."""
    (pair,) = report.pairs
    return _row(report, _records(report), _upload_order(report), number, pair)


def classic_order(report: Report) -> list[int]:
    """The places of the report's pairs in the classic order; needs no matches and no texts."""
    records, place = _records(report), _upload_order(report)

    def names(at: int) -> tuple[bytes, ...]:
        pair = report.pairs[at]
        ids = sorted((pair.a, pair.b), key=place.__getitem__)
        return tuple(name_of(report, records[id]).encode("utf-8", "replace") for id in ids)

    by_name = sorted(range(len(report.pairs)), key=names, reverse=True)
    return sorted(by_name, key=lambda at: -report.pairs[at].tokens)


def _records(report: Report) -> dict[str, SubmissionRecord]:
    return {record.id: record for record in report.submissions}


def name_of(report: Report, record: SubmissionRecord) -> str:
    """The name that a program was sent with, without blanks; two programs may have the same."""
    name = _WHITESPACE.sub("_", _NUMBERING.sub("", record.id))
    return f"{name}/" if report.parameters.get("directory") and not name.endswith("/") else name


def compared_files(record: SubmissionRecord) -> list[tuple[str, int, str]]:
    """Path, number of lines and text of each file that was compared, in the order in which they came."""
    return [(file.path, file.lines, file.text) for file in record.files if file.status is not Status.SKIPPED]


def has_headers(report: Report, record: SubmissionRecord) -> bool:
    """Whether a program's text has a line before each file that names it: for directories and several files."""
    return bool(report.parameters.get("directory")) or len(compared_files(record)) > 1


def _upload_order(report: Report) -> dict[str, int]:
    """For each submission its place in the order of sending; in the report's order, if that is not known."""
    known = {record.id for record in report.submissions}
    sent = [str(path) for path in report.parameters.get("paths") or () if str(path) in known]
    return {id: place for place, id in enumerate(dict.fromkeys([*sent, *(s.id for s in report.submissions)]))}


def _row(
    report: Report, records: Mapping[str, SubmissionRecord], place: Mapping[str, int], number: int, pair: Pair
) -> ClassicRow:
    a = _side(report, records[pair.a], pair.share_a, [(match, match.a) for match in pair.matches])
    b = _side(report, records[pair.b], pair.share_b, [(match, match.b) for match in pair.matches])
    return ClassicRow(number, (a, b) if place[pair.a] <= place[pair.b] else (b, a))


def _side(report: Report, record: SubmissionRecord, share: float, ends: list[tuple[Match, Region]]) -> ClassicSide:
    """One side, whose share each passage has its part of, by its tokens."""
    headers = has_headers(report, record)
    before = lines_before(record, headers)
    tokens = max(1, sum(match.tokens for match, _ in ends))
    passages = tuple(
        ClassicPassage(
            number,
            before[region.file] + region.start_line,
            before[region.file] + region.end_line,
            _percent(share * match.tokens / tokens),
        )
        for number, (match, region) in enumerate(ends)
    )
    return ClassicSide(name_of(report, record), record, headers, _percent(share), passages)


def lines_before(record: SubmissionRecord, headers: bool) -> dict[str, int]:
    """For each file, the number of lines before it in the program's text, including the line that names it."""
    result = {}
    before = 0
    for path, lines, _ in compared_files(record):
        before += headers
        result[path] = before
        before += lines
    return result


def _percent(share: float) -> int:
    return min(HIGHEST_PERCENT, int(100 * share + FINEST))
