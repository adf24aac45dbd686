"""Runs by the API: started, polled, cancelled, and read."""

from __future__ import annotations

import io

from flask import Response, abort, url_for

from moss.jobs.ledger import cancel
from moss.report.json_report import write_json
from moss.store import tables
from moss.store.results.progress import progress_of
from moss.store.results.reports import load_report, rules_of
from moss.store.results.runs import delete_run
from moss.web.actions.corpora import my_corpora
from moss.web.actions.runs import checked_choice, earlier_assignments, start_run
from moss.web.api.bodies import CorpusBody, NewRunBody, ProgressBody, RunBody, RunRulesBody
from moss.web.api.operations import operation
from moss.web.api.result_bodies import PairDetailBody, PairFilterBody, PairsBody
from moss.web.api.results import pair_detail, pairs_of
from moss.web.request.access import Right
from moss.web.request.context import audit, db


@operation("GET", "/assignments/<int:assignment>/runs", Right.READ)
def list_runs(assignment: tables.AssignmentRow) -> list[RunBody]:
    """An assignment's runs, oldest first."""
    return [_shown(run) for run in assignment.runs]


@operation("POST", "/assignments/<int:assignment>/runs", Right.TEACH, status=202)
def create_run(assignment: tables.AssignmentRow, body: NewRunBody) -> RunBody:
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
def read_run(run: tables.RunRow) -> RunBody:
    """How far a run is."""
    return _shown(run)


@operation("POST", "/runs/<int:run>/cancel", Right.TEACH, status=202)
def cancel_run(run: tables.RunRow) -> RunBody:
    """Stop a run; one that is over stays as it is."""
    if run.job_id is not None and cancel(db(), run.job_id):
        audit("cancelled a run", course_id=run.assignment.course_id, run=run.number)
    db().flush()
    db().expire_all()
    return _shown(run)


@operation("DELETE", "/runs/<int:run>", Right.TEACH, status=204)
def remove_run(run: tables.RunRow) -> None:
    """Delete a run with its report; decisions about pairs stay."""
    if run.job_id is not None:
        cancel(db(), run.job_id)
    audit("deleted a run", course_id=run.assignment.course_id, run=run.number)
    delete_run(db(), run)


@operation("GET", "/runs/<int:run>/log", Right.READ, gives="text/plain")
def read_log(run: tables.RunRow) -> Response:
    """The log of a run's job, line by line."""
    lines = run.job.lines if run.job is not None else []
    return Response("".join(f"{line.at.isoformat()} {line.text}\n" for line in lines), mimetype="text/plain")


@operation("GET", "/runs/<int:run>/pairs", Right.READ)
def list_pairs(run: tables.RunRow, query: PairFilterBody) -> PairsBody:
    """The pairs that a finished run shows, best first."""
    return pairs_of(_finished(run), query)


@operation("GET", "/runs/<int:run>/pairs/<int:rank>", Right.READ)
def read_pair(run: tables.RunRow, rank: int) -> PairDetailBody:
    """One pair with its passages."""
    return pair_detail(_finished(run), rank)


@operation("GET", "/runs/<int:run>/report", Right.READ, gives="application/json")
def read_report(run: tables.RunRow) -> Response:
    """The whole report in the format `moss-report`, as `moss compare --json` writes it."""
    file = io.StringIO()
    write_json(load_report(db(), _finished(run), texts_of=()), file)
    return Response(file.getvalue().encode("utf-8", "replace"), mimetype="application/json")


def _finished(run: tables.RunRow) -> tables.RunRow:
    return run if run.finished is not None else abort(404, "This run has no report yet.")


def _shown(run: tables.RunRow) -> RunBody:
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
