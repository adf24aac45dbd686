"""The report of a run as it is exported: the rows, with places instead of ids."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from moss.model import Match, Pair, Report, SubmissionRecord
from moss.store.results.reports import stored_fields, unpack_ranking
from moss.store.tables import PairRow, ResultRow, RunEntryRow, RunRow
from moss.store.transfer.archive_reports import ArchivedEntry, ArchivedPair, ArchivedReport
from moss.store.transfer.archive_scope import ArchiveScope

RANKING = np.dtype([("a", "<u4"), ("b", "<u4"), ("score", "<f8")])


def report_of(session: Session, scope: ArchiveScope, run: RunRow, texts: Collection[str]) -> ArchivedReport:
    """The report of a finished run; it names only these texts, which are in the archive."""
    result = session.get_one(ResultRow, run.id)
    entries = session.scalars(select(RunEntryRow).filter_by(run_id=run.id).order_by(RunEntryRow.number)).all()
    query = select(PairRow).filter_by(run_id=run.id).options(selectinload(PairRow.matches)).order_by(PairRow.rank)
    found: dict[str, Any] = {
        "entries": [_entry(scope, entry, texts) for entry in entries],
        "pairs": [_pair(scope, row) for row in session.scalars(query)],
    }
    return ArchivedReport(**stored_fields(Report, result), **found)


def ranking_bytes(session: Session, run: RunRow) -> bytes:
    """The ranking of a finished run, in the columns of `RANKING`."""
    ranking = unpack_ranking(session.get_one(ResultRow, run.id).ranking)
    table = np.empty(len(ranking), RANKING)
    table["a"], table["b"], table["score"] = ranking.a, ranking.b, ranking.score
    return table.tobytes()


def _entry(scope: ArchiveScope, entry: RunEntryRow, texts: Collection[str]) -> ArchivedEntry:
    files = [file | {"text": file["text"] if file["text"] in texts else ""} for file in entry.files]
    about = {
        "submission": scope.submission(entry.submission_id), "person": scope.person(entry.person_id),
        "corpus": entry.corpus, "files": files,
    }  # fmt: skip
    return ArchivedEntry(**(stored_fields(SubmissionRecord, entry) | about))


def _pair(scope: ArchiveScope, row: PairRow) -> ArchivedPair:
    about = {
        "a": row.a - 1, "b": row.b - 1, "a_person": scope.person(row.a_person_id),
        "b_person": scope.person(row.b_person_id), "matches": [stored_fields(Match, match) for match in row.matches],
    }  # fmt: skip
    return ArchivedPair(**(stored_fields(Pair, row) | about))
