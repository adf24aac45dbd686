"""What a run found, as it goes into the archive of its course: the rows, with places instead of ids."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from moss.store.archive_reports import (
    ArchivedBaseline,
    ArchivedEntry,
    ArchivedMatch,
    ArchivedPair,
    ArchivedRecord,
    ArchivedRegion,
    ArchivedReport,
)
from moss.store.reports import unpack_ranking
from moss.store.scope import Scope
from moss.store.tables import Entry, MatchRow, PairRow, Result, Run

RANKING = np.dtype([("a", "<u4"), ("b", "<u4"), ("score", "<f8")])
FIGURES = ("score", "similarity", "share_a", "share_b", "tokens", "longest", "rarity")


def report_of(session: Session, scope: Scope, run: Run, texts: Collection[str]) -> ArchivedReport:
    """What a finished run found; it names only these texts, which are in the archive."""
    result = session.get_one(Result, run.id)
    entries = session.scalars(select(Entry).filter_by(run_id=run.id).order_by(Entry.number)).all()
    query = select(PairRow).filter_by(run_id=run.id).options(selectinload(PairRow.matches)).order_by(PairRow.rank)
    return ArchivedReport(
        version=result.version, parameters=result.parameters, clusters=result.clusters,
        problems=[(path, reason) for path, reason in result.problems], baseline=ArchivedBaseline(**result.baseline),
        entries=[_entry(scope, entry, texts) for entry in entries],
        pairs=[_pair(scope, row) for row in session.scalars(query)],
    )  # fmt: skip


def ranking_bytes(session: Session, run: Run) -> bytes:
    """The ranking of a finished run, in the columns of `RANKING`."""
    ranking = unpack_ranking(session.get_one(Result, run.id).ranking)
    table = np.empty(len(ranking), RANKING)
    table["a"], table["b"], table["score"] = ranking.a, ranking.b, ranking.score
    return table.tobytes()


def _entry(scope: Scope, entry: Entry, texts: Collection[str]) -> ArchivedEntry:
    files = [file | {"text": file["text"] if file["text"] in texts else ""} for file in entry.files]
    return ArchivedEntry(
        submission=scope.submission(entry.submission_id), person=scope.person(entry.person_id), label=entry.label,
        owner=entry.owner, role=entry.role, language=entry.language, tokens=entry.tokens,
        fingerprints=entry.fingerprints, files=[ArchivedRecord(**file) for file in files], corpus=entry.corpus,
    )  # fmt: skip


def _pair(scope: Scope, row: PairRow) -> ArchivedPair:
    return ArchivedPair(
        a=row.a - 1, b=row.b - 1, a_person=scope.person(row.a_person_id), b_person=scope.person(row.b_person_id),
        matches=[_match(match) for match in row.matches], **{name: getattr(row, name) for name in FIGURES},
    )  # fmt: skip


def _match(row: MatchRow) -> ArchivedMatch:
    return ArchivedMatch(
        channel=row.channel, tokens=row.tokens, rarity=row.rarity, a=ArchivedRegion(**row.a),
        b=ArchivedRegion(**row.b), others=row.others, stretches=[(a, b, c, d) for a, b, c, d in row.stretches],
    )  # fmt: skip
