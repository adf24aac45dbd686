"""Cases: the decision about each pair with its history, and evidence to hand on."""

from __future__ import annotations

import csv
import io

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from moss.report.csv_tables import cell
from moss.report.evidence.document import EvidenceRequest as Exhibit
from moss.report.evidence.redaction import names_table
from moss.store.results.cases import (
    Decision,
    DecisionError,
    appearances,
    assignees,
    decide,
    open_case,
    pair_at,
    people_meant,
)
from moss.store.tables import CaseRow, CaseState, PairRow, RunRow
from moss.web.actions.evidence import evidence_of, exhibit_of
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, me
from moss.web.request.heavy_work import heavy_work
from moss.web.request.numbers import number

blueprint = Blueprint("cases", __name__)


@blueprint.get("/cases/<int:case>/")
@access(Right.READ)
def show(case: CaseRow) -> ResponseReturnValue:
    """One case: its history, and the runs that show its pair."""
    course = case.assignment.course
    return render_template(
        "web/case.html", case=case, runs=appearances(db(), case), states=CaseState, assignees=assignees(db(), course)
    )


@blueprint.post("/cases/<int:case>/")
@access(Right.TEACH)
def change(case: CaseRow) -> ResponseReturnValue:
    """Decide on the case's own page."""
    return _carry_out(case, url_for("cases.show", case=case.id))


@blueprint.post("/runs/<int:run>/pairs/<int:rank>/case")
@access(Right.TEACH)
def change_pair(run: RunRow, rank: int) -> ResponseReturnValue:
    """Decide on the page of the pair."""
    people = people_meant(db(), run, _pair(run, rank))
    if people is None:
        abort(404)
    back = url_for("reports.pair", run=run.id, rank=rank) + "#case"
    return _carry_out(open_case(db(), run.assignment_id, people), back)


@blueprint.get("/runs/<int:run>/pairs/<int:rank>/evidence")
@access(Right.READ)
def evidence(run: RunRow, rank: int) -> ResponseReturnValue:
    """The evidence of a pair as one file, anonymous if asked for."""
    with heavy_work():
        exhibit = _exhibit(run, rank)
        text = evidence_of(exhibit)
    audit_name = "anonymous evidence" if exhibit.anonymous else "evidence"
    return _download(text, f"{audit_name.replace(' ', '-')}-run-{run.id}-pair-{rank}.html", "text/html")


@blueprint.get("/runs/<int:run>/pairs/<int:rank>/evidence/names")
@access(Right.TEACH)
def evidence_names(run: RunRow, rank: int) -> ResponseReturnValue:
    """The names behind the pseudonyms of anonymous evidence."""
    with heavy_work():
        exhibit = _exhibit(run, rank)
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(["pseudonym", "submission", "owner"])
    rows.writerows([cell(value) for value in row] for row in names_table(exhibit.report, rank))
    return _download(file.getvalue(), f"names-run-{run.id}-pair-{rank}.csv", "text/csv")


def _carry_out(case: CaseRow, back: str) -> ResponseReturnValue:
    try:
        decision = decision_from(request.form, {user.id for user in assignees(db(), case.assignment.course)})
        decide(db(), case, me(), decision)
    except DecisionError as error:
        abort(422, f"That cannot be: {error}.")
    audit("decided a case", course_id=case.assignment.course_id, case=case.id, state=case.state.value)
    flash("Saved.", "done")
    return redirect(back)


def decision_from(form: MultiDict[str, str], allowed: set[int]) -> Decision:
    """The decision that a form holds."""
    state, assignee = form.get("state", ""), form.get("assignee", "unchanged")
    if state and state not in list(CaseState):
        raise DecisionError(f"there is no state {state!r}")
    if assignee in ("", "unchanged"):
        return Decision(CaseState(state) if state else None, unassign=assignee == "", note=form.get("note", ""))
    member = form.get("assignee", type=number)
    if member not in allowed:
        raise DecisionError("a case can only be given to a member of the course")
    return Decision(CaseState(state) if state else None, member, note=form.get("note", ""))


def _pair(run: RunRow, rank: int) -> PairRow:
    return pair_at(db(), run, rank) or abort(404)


def _exhibit(run: RunRow, rank: int) -> Exhibit:
    anonymous = request.args.get("anonymous") == "yes" or request.endpoint == "cases.evidence_names"
    return exhibit_of(run, rank, anonymous=anonymous, note=request.args.get("note", "")[:10_000])


def _download(text: str, name: str, kind: str) -> Response:
    response = Response(text.encode("utf-8", "replace"), content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
