"""Runs by the API: started, polled, cancelled, deleted, and read pair by pair."""

from __future__ import annotations

import io

from flask import Response, abort, url_for
from sqlalchemy import or_, select

from moss import model
from moss.codec import Form, plain
from moss.jobs.ledger import cancel
from moss.model import Baseline
from moss.report.json_report import write_json
from moss.store.results.case_lists import states_of
from moss.store.results.progress import progress_of
from moss.store.results.reports import baseline_of, load_report, match_of, pair_at, rules_of, stored_fields
from moss.store.results.runs import delete_run
from moss.store.tables import AssignmentRow, CaseState, PairRow, RunEntryRow, RunRow, SubmissionRow
from moss.web.actions.runs import checked_choice, earlier_assignments, my_corpora, start_run
from moss.web.api.bodies import CorpusBody, NewRunBody, PagingBody, ProgressBody, RunBody, RunRulesBody
from moss.web.api.operations import operation
from moss.web.api.result_bodies import MatchBody, PairBody, PairDetailBody, PairFilterBody, PairsBody, SideBody
from moss.web.request.access import Right
from moss.web.request.context import audit, db


@operation("GET", "/assignments/<int:assignment>/runs", Right.READ)
def list_runs(assignment: AssignmentRow) -> list[RunBody]:
    """An assignment's runs, oldest first."""
    return [_shown(run) for run in assignment.runs]


@operation("POST", "/assignments/<int:assignment>/runs", Right.TEACH, status=202)
def create_run(assignment: AssignmentRow, body: NewRunBody) -> RunBody:
    """Start a run; poll it until it is finished."""
    lists = {"archives", "corpora"}
    given = {name: value for name, value in body.model_dump(exclude=lists).items() if value is not None}
    chosen = checked_choice(given, body.archives, body.corpora, earlier_assignments(assignment))
    return _shown(start_run(assignment, chosen))


@operation("GET", "/corpora", Right.USER)
def list_corpora() -> list[CorpusBody]:
    """The server's corpora that you may search, with which runs can compare."""
    return [CorpusBody.model_validate(each) for each in my_corpora()]


@operation("GET", "/runs/<int:run>", Right.READ)
def read_run(run: RunRow) -> RunBody:
    """How far a run is."""
    return _shown(run)


@operation("POST", "/runs/<int:run>/cancel", Right.TEACH, status=202)
def cancel_run(run: RunRow) -> RunBody:
    """Stop a run; one that is over stays as it is."""
    if run.job_id is not None and cancel(db(), run.job_id):
        audit("cancelled a run", course_id=run.assignment.course_id, run=run.number)
    db().flush()
    db().expire_all()
    return _shown(run)


@operation("DELETE", "/runs/<int:run>", Right.TEACH, status=204)
def remove_run(run: RunRow) -> None:
    """Delete a run with its report; decisions about pairs stay."""
    if run.job_id is not None:
        cancel(db(), run.job_id)
    audit("deleted a run", course_id=run.assignment.course_id, run=run.number)
    delete_run(db(), run)


@operation("GET", "/runs/<int:run>/log", Right.READ, gives="text/plain")
def read_log(run: RunRow) -> Response:
    """The log of a run's job, line by line."""
    lines = run.job.lines if run.job is not None else []
    return Response("".join(f"{line.at.isoformat()} {line.text}\n" for line in lines), mimetype="text/plain")


@operation("GET", "/runs/<int:run>/pairs", Right.READ)
def list_pairs(run: RunRow, query: PairFilterBody) -> PairsBody:
    """The pairs that a finished run shows, best first."""
    describe = Describer(_finished(run))
    rows = db().scalars(select(PairRow).filter_by(run_id=run.id).order_by(PairRow.rank)).all()
    wanted = [row for row in rows if query.state is None or describe.states.get(row.rank) is query.state]
    return PairsBody(
        total=len(wanted), items=[describe(row) for row in wanted[query.offset : query.offset + query.limit]]
    )


@operation("GET", "/runs/<int:run>/pairs/<int:rank>", Right.READ)
def read_pair(run: RunRow, rank: int) -> PairDetailBody:
    """One pair with its passages."""
    row = pair_at(db(), _finished(run), rank) or abort(404)
    matches = [MatchBody(**plain(match_of(match), Form.ROW)) for match in row.matches]
    return PairDetailBody(**Describer(run)(row).model_dump(), matches=matches)


@operation("GET", "/runs/<int:run>/report", Right.READ, gives="application/json")
def read_report(run: RunRow) -> Response:
    """The whole report in the format `moss-report`, as `moss compare --json` writes it."""
    file = io.StringIO()
    write_json(load_report(db(), _finished(run), texts_of=()), file)
    return Response(file.getvalue().encode("utf-8", "replace"), mimetype="application/json")


def _finished(run: RunRow) -> RunRow:
    return run if run.finished is not None else abort(404, "This run has no report yet.")


def _shown(run: RunRow) -> RunBody:
    db().flush()
    return RunBody(
        id=run.id,
        assignment_id=run.assignment_id,
        number=run.number,
        created=run.created,
        finished=run.finished,
        settings=run.settings,
        archives=run.archives,
        corpora=run.corpora,
        progress=ProgressBody.model_validate(progress_of(db(), run)),
        rules=RunRulesBody.model_validate(rules_of(run.result)) if run.result else None,
        report=url_for("reports.overview", run=run.id, _external=True),
    )


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


def side_pairs(run: RunRow, submission: SubmissionRow, query: PagingBody) -> list[PairBody]:
    """The pairs of a run that one submission is part of, best first."""
    entry = db().scalar(select(RunEntryRow.number).filter_by(run_id=run.id, submission_id=submission.id))
    if entry is None:
        return []
    mine = select(PairRow).where(PairRow.run_id == run.id, or_(PairRow.a == entry, PairRow.b == entry))
    rows = db().scalars(mine.order_by(PairRow.rank).limit(query.limit).offset(query.offset)).all()
    describe = Describer(run)
    return [describe(row) for row in rows]
