"""What a run found, from the archive of its course: checked, so that every page of it can be shown, and stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from sqlalchemy.orm import Session

from moss.model import Ranking
from moss.report.checks import WrongError
from moss.report.loading import checked_parameters
from moss.store.archive_reading import ArchiveError
from moss.store.archive_reports import ArchivedEntry, ArchivedMatch, ArchivedPair, ArchivedRegion, ArchivedReport
from moss.store.exporting_reports import FIGURES, RANKING
from moss.store.reports import pack_ranking
from moss.store.tables import Assignment, Entry, MatchRow, PairRow, Person, Result

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What of an archive is in the database already, by its place there."""

    people: Sequence[Person]
    assignments: Sequence[Assignment]
    users: dict[str, int]  # ids of all accounts, by address
    texts: dict[str, tuple[int, int]]  # the id and the length of each text, by its digest
    submissions: list[list[int]] = field(default_factory=list)  # ids, of each assignment

    def user(self, email: str | None) -> int | None:
        """The account with this address, if there is one here."""
        return self.users.get(email) if email is not None else None

    def person(self, place: int | None) -> int | None:
        """The id of a person."""
        return at(self.people, place).id if place is not None else None

    def assignments_at(self, places: Iterable[int]) -> list[int]:
        """The ids of assignments."""
        return [at(self.assignments, place).id for place in places]

    def submission(self, place: tuple[int, int] | None) -> int | None:
        """The id of a submission."""
        return at(at(self.submissions, place[0]), place[1]) if place is not None else None


def at(values: Sequence[Value], place: int) -> Value:
    """The value at a place that somebody else names."""
    if not 0 <= place < len(values):
        raise ArchiveError("something refers to what is not there")
    return values[place]


def add_report(session: Session, run_id: int, given: ArchivedReport, ranking: bytes, arrivals: Arrivals) -> None:
    """Store what a run found."""
    labels = [entry.label for entry in given.entries]
    if len(set(labels)) != len(labels):
        raise ArchiveError("a report has two submissions of one name")
    if not {label for cluster in given.clusters for label in cluster} <= set(labels):
        raise ArchiveError("a report has a cluster of what is not in it")
    packed = _ranking(ranking, len(labels))
    session.add(_result(run_id, given, packed))
    session.add_all(_entry(run_id, n, entry, arrivals) for n, entry in enumerate(given.entries, 1))
    session.add_all(_pair(run_id, rank, pair, given, arrivals) for rank, pair in enumerate(given.pairs, 1))
    session.flush()


def _result(run_id: int, given: ArchivedReport, ranking: Ranking) -> Result:
    try:
        checked_parameters(given.parameters)
    except (WrongError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ArchiveError(f"the parameters of a report are not as they should be: {error}") from None
    return Result(
        run_id=run_id, version=given.version, parameters=given.parameters, clusters=given.clusters,
        problems=[list(problem) for problem in given.problems], baseline=given.baseline.model_dump(),
        sharing=len(ranking), ranking=pack_ranking(ranking),
    )  # fmt: skip


def _ranking(content: bytes, entries: int) -> Ranking:
    if len(content) % RANKING.itemsize:
        raise ArchiveError("a ranking is damaged")
    table = np.frombuffer(content, RANKING)
    if len(table) and max(table["a"].max(), table["b"].max()) >= entries:
        raise ArchiveError("a ranking has a submission that is not there")
    if not np.all((table["score"] >= 0) & (table["score"] <= 1)):
        raise ArchiveError("a ranking has a score that cannot be")
    return Ranking(table["a"].astype(np.int64), table["b"].astype(np.int64), table["score"].astype(np.float64))


def _entry(run_id: int, number: int, given: ArchivedEntry, arrivals: Arrivals) -> Entry:
    for record in given.files:
        if record.text and record.text not in arrivals.texts:
            raise ArchiveError("a report has a text that is not in the archive")
        length = arrivals.texts[record.text][1] if record.text else None
        spans = [(each.start, each.end) for each in record.base] + [(each.start, each.end) for each in record.cells]
        for start, end in spans:
            _check_inside(start, end, length)
    return Entry(
        run_id=run_id, number=number, submission_id=arrivals.submission(given.submission),
        person_id=arrivals.person(given.person), label=given.label, owner=given.owner, role=given.role,
        language=given.language, tokens=given.tokens, fingerprints=given.fingerprints,
        files=[record.model_dump(mode="json") for record in given.files], corpus=given.corpus,
    )  # fmt: skip


def _pair(run_id: int, rank: int, given: ArchivedPair, report: ArchivedReport, arrivals: Arrivals) -> PairRow:
    sides = at(report.entries, given.a), at(report.entries, given.b)
    if given.a == given.b:
        raise ArchiveError("a pair is not of two")
    for match in given.matches:
        _check_match(match, sides, arrivals)
    return PairRow(
        run_id=run_id, rank=rank, a=given.a + 1, b=given.b + 1, a_person_id=arrivals.person(given.a_person),
        b_person_id=arrivals.person(given.b_person), **{name: getattr(given, name) for name in FIGURES},
        matches=[_match(number, match) for number, match in enumerate(given.matches, 1)],
    )  # fmt: skip


def _match(number: int, given: ArchivedMatch) -> MatchRow:
    return MatchRow(
        number=number, channel=given.channel, tokens=given.tokens, rarity=given.rarity, a=given.a.model_dump(),
        b=given.b.model_dump(), others=given.others, stretches=[list(stretch) for stretch in given.stretches],
    )  # fmt: skip


def _check_match(match: ArchivedMatch, sides: tuple[ArchivedEntry, ArchivedEntry], arrivals: Arrivals) -> None:
    for region, entry in zip((match.a, match.b), sides, strict=True):
        _check_region(region, entry, arrivals)
    for a_start, a_end, b_start, b_end in match.stretches:
        if not (match.a.start <= a_start <= a_end <= match.a.end and match.b.start <= b_start <= b_end <= match.b.end):
            raise ArchiveError("a run lies outside of its passage")


def _check_region(region: ArchivedRegion, entry: ArchivedEntry, arrivals: Arrivals) -> None:
    texts = {record.path: record.text for record in entry.files}
    if region.file not in texts or region.start_line > region.end_line:
        raise ArchiveError("a passage lies in a file that is not there")
    text = texts[region.file]
    _check_inside(region.start, region.end, arrivals.texts[text][1] if text else None)


def _check_inside(start: int, end: int, length: int | None) -> None:
    """Refuse what lies outside of a text; of one that is gone, the length is not known."""
    if start > end or (length is not None and end > length):
        raise ArchiveError("a passage lies outside of its text")
