"""The report of a run as it is imported: checked, so that every page of it can be shown, and stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, TypeVar

import numpy as np
from sqlalchemy.orm import Session

from moss.codec import Form, from_plain
from moss.messages import gettext as _
from moss.model import Pair, Ranking, SubmissionRecord
from moss.report.checks import Lengths, WrongError, check_file, check_names, check_pair, check_ranking
from moss.store.results.reports import SubmissionSource, add_pairs, by_field, entry_row, result_row
from moss.store.tables import AssignmentRow, PersonRow, RunEntryRow
from moss.store.transfer.archive_reader import ArchiveError
from moss.store.transfer.archive_reports import ArchivedEntry, ArchivedReport
from moss.store.transfer.export_reports import RANKING

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """The rows that were imported so far, by their places in the archive."""

    people: Sequence[PersonRow]
    assignments: Sequence[AssignmentRow]
    users: dict[str, int]  # ids of all accounts, by address
    texts: dict[str, tuple[int, int]]  # the id and the length of each text, by its digest
    submissions: list[list[int]] = field(default_factory=list)  # ids of the submissions of each assignment

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
    """The value at a place that the archive names; raises ArchiveError if there is none."""
    if not 0 <= place < len(values):
        raise ArchiveError(_("something in it refers to what is not there"))
    return values[place]


def add_report(session: Session, run_id: int, given: ArchivedReport, ranking: bytes, arrivals: ImportedRows) -> None:
    """Store the report of a run."""
    values = given.model_dump(exclude_unset=True)
    entries, pairs = values.pop("entries"), values.pop("pairs")
    records = [from_plain(SubmissionRecord, Form.ROW, by_field(entry)) for entry in entries]
    ids = [record.id for record in records]
    try:
        check_names(ids, values["clusters"])
        columns = _ranking(ranking)
        check_ranking(columns, len(ids))
        lengths = {
            record.id: _lengths(record, entry, arrivals) for record, entry in zip(records, given.entries, strict=True)
        }
        found = [_pair(pair, ids) for pair in pairs]
        for pair in found:
            check_pair(pair, lengths)
    except WrongError as error:
        raise ArchiveError(_("a report in it is wrong: %(why)s", why=error)) from None
    session.add(result_row(run_id, values, columns))
    session.add_all(map(partial(_entry, run_id, arrivals), count(1), records, given.entries))
    number = {id: place for place, id in enumerate(ids, 1)}
    people = [(arrivals.person(told.a_person), arrivals.person(told.b_person)) for told in given.pairs]
    add_pairs(session, run_id, found, number, people)
    session.flush()


def _ranking(content: bytes) -> Ranking:
    if len(content) % RANKING.itemsize:
        raise ArchiveError(_("a ranking in it is damaged"))
    table = np.frombuffer(content, RANKING)
    return Ranking(table["a"].astype(np.int64), table["b"].astype(np.int64), table["score"].astype(np.float64))


def _lengths(record: SubmissionRecord, given: ArchivedEntry, arrivals: ImportedRows) -> Lengths:
    """The lengths of a submission's files, within which its passages and cells must be."""
    lengths: dict[str, int | None] = {}
    for file, told in zip(record.files, given.files, strict=True):
        if told.text and told.text not in arrivals.texts:
            raise ArchiveError(_("a text of a report is missing"))
        lengths[file.path] = arrivals.texts[told.text][1] if told.text else None
        check_file(file, lengths[file.path])
    return lengths


def _entry(
    run_id: int, arrivals: ImportedRows, number: int, record: SubmissionRecord, given: ArchivedEntry
) -> RunEntryRow:
    source = SubmissionSource(arrivals.submission(given.submission), arrivals.person(given.person), given.corpus)
    return entry_row(run_id, number, record, source, [file.text for file in given.files])


def _pair(values: dict[str, Any], ids: Sequence[str]) -> Pair:
    """A pair, with the names of its submissions instead of their places."""
    sides = {"a": at(ids, values["a"]), "b": at(ids, values["b"])}
    matches = [by_field(match) for match in values["matches"]]
    return from_plain(Pair, Form.ROW, values | sides | {"matches": matches})
