"""Results: the pairs of a run as bodies of the API."""

from __future__ import annotations

from collections.abc import Sequence

from flask import abort, url_for
from sqlalchemy import or_, select

from moss import model
from moss.codec import Form, plain
from moss.model import Baseline
from moss.store.results.case_lists import states_of
from moss.store.results.reports import baseline_of, match_of, pair_at, stored_fields
from moss.store.tables import CaseState, PairRow, RunEntryRow, RunRow, SubmissionRow
from moss.web.api.bodies import PagingBody
from moss.web.api.result_bodies import MatchBody, PairBody, PairDetailBody, PairFilterBody, PairsBody, SideBody
from moss.web.request.context import db


class Describer:
    """Makes bodies of the pairs of one run."""

    def __init__(self, run: RunRow) -> None:
        self.run = run
        self.baseline: Baseline = baseline_of(db(), run)
        self.entries = {entry.number: entry for entry in db().scalars(select(RunEntryRow).filter_by(run_id=run.id))}
        self.states = states_of(db(), run)

    def __call__(self, row: PairRow) -> PairBody:
        """The body of one pair, with its figures."""
        about = {
            "rank": row.rank,
            "a": self._side(row.a, row.share_a),
            "b": self._side(row.b, row.share_b),
            "standing": self.baseline.standing(row.score).value,
            "state": self.states.get(row.rank, CaseState.UNREVIEWED),
            "report": url_for("reports.pair", run=self.run.id, rank=row.rank, _external=True),
        }
        return PairBody(**(stored_fields(model.Pair, row) | about))

    def _side(self, number: int, share: float) -> SideBody:
        entry = self.entries[number]
        return SideBody(
            number=number, submission_id=entry.submission_id, corpus=entry.corpus, label=entry.label,
            owner=entry.owner, role=entry.role, share=share,
        )  # fmt: skip


def pairs_of(run: RunRow, query: PairFilterBody) -> PairsBody:
    """A page of a run's pairs."""
    describe = Describer(run)
    rows: Sequence[PairRow] = db().scalars(select(PairRow).filter_by(run_id=run.id).order_by(PairRow.rank)).all()
    wanted = [row for row in rows if query.state is None or describe.states.get(row.rank) is query.state]
    return PairsBody(
        total=len(wanted), items=[describe(row) for row in wanted[query.offset : query.offset + query.limit]]
    )


def pair_detail(run: RunRow, rank: int) -> PairDetailBody:
    """One pair with its passages."""
    row = pair_at(db(), run, rank) or abort(404)
    matches = [MatchBody(**plain(match_of(match), Form.ROW)) for match in row.matches]
    return PairDetailBody(**Describer(run)(row).model_dump(), matches=matches)


def side_pairs(run: RunRow, submission: SubmissionRow, query: PagingBody) -> list[PairBody]:
    """The pairs of a run that one submission is part of, best first."""
    entry = db().scalar(select(RunEntryRow.number).filter_by(run_id=run.id, submission_id=submission.id))
    if entry is None:
        return []
    mine = select(PairRow).where(PairRow.run_id == run.id, or_(PairRow.a == entry, PairRow.b == entry))
    rows = db().scalars(mine.order_by(PairRow.rank).limit(query.limit).offset(query.offset)).all()
    describe = Describer(run)
    return [describe(row) for row in rows]
