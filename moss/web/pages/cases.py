"""Cases: the decision about each pair with its history, and evidence to hand on."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Blueprint, Response, abort, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from moss.messages import gettext as _
from moss.messages import marked
from moss.report.csv_tables import cell
from moss.report.evidence.document import EvidenceRequest as Exhibit
from moss.report.evidence.pdf import find_browser
from moss.report.evidence.redaction import names_table, owners_of
from moss.store.results.case_lists import appearances, next_to_review
from moss.store.results.cases import (
    Decision,
    DecisionError,
    add_statement,
    assignees,
    decide,
    handed_in,
    hearing_of,
    open_case,
    open_proposal,
    people_meant,
    propose,
    set_hearing,
    set_outcome,
    undo_decision,
)
from moss.store.results.reports import pair_at
from moss.store.submissions.corrections import treat_as_starter_code
from moss.store.tables import CaseRow, CaseState, PairRow, RunRow
from moss.web.actions.evidence import evidence_of, exhibit_of, fairness_in, pdf_of
from moss.web.request.access import Right, access, may_teach
from moss.web.request.context import audit, db, me
from moss.web.request.heavy_work import heavy_work
from moss.web.request.links import go_to, say
from moss.web.request.numbers import number

blueprint = Blueprint("cases", __name__)

_LONGEST_WORD = 40  # characters of each name in a file's name


@blueprint.get("/cases/<int:case>/")
@access(Right.READ)
def show(case: CaseRow) -> ResponseReturnValue:
    """One case: its history, and the runs that show its pair."""
    course, runs = case.assignment.course, appearances(db(), case)
    fairness = fairness_in(runs[0].run, runs[0].rank) if runs else []
    return render_template(
        "web/case.html", case=case, runs=runs, fairness=fairness, times=handed_in(db(), case), states=CaseState,
        assignees=assignees(db(), course),
        proposal=open_proposal(case), hearing=hearing_of(case), checks=CHECKS, prints=find_browser() is not None,
    )  # fmt: skip


@blueprint.post("/cases/<int:case>/")
@access(Right.PROPOSE)
def change(case: CaseRow) -> ResponseReturnValue:
    """Decide on the case's own page, or as an assistant propose a decision."""
    _carry_out(case)
    return redirect(url_for("cases.show", case=case.id))


@blueprint.post("/runs/<int:run>/pairs/<int:rank>/case")
@access(Right.PROPOSE)
def change_pair(run: RunRow, rank: int) -> ResponseReturnValue:
    """Decide on the page of the pair, or as an assistant propose a decision; then stay, or go on to the next pair."""
    people = people_meant(db(), run, _pair(run, rank))
    if people is None:
        abort(404)
    _carry_out(open_case(db(), run.assignment_id, people))
    following = _following(run, rank)
    if following is None:
        say(_("No other pair of this run needs review."))
        return redirect(url_for("reports.overview", run=run.id))
    return redirect(_in_list(url_for("reports.pair", run=run.id, rank=following)) + "#case")


def _following(run: RunRow, rank: int) -> int | None:
    """The rank of the pair to go on to: this one, the next one to review, or the next one of the reader's list."""
    chosen = request.form.get("then", type=number)
    if chosen is not None:
        return _pair(run, chosen).rank
    return next_to_review(db(), run, rank) if request.form.get("then") == "next" else rank


def _in_list(address: str) -> str:
    """The address of a pair with the view of the list that the reader came from."""
    view = request.query_string.decode("ascii", "ignore")
    return f"{address}?{view}" if view else address


@blueprint.post("/cases/<int:case>/undo")
@access(Right.TEACH)
def undo(case: CaseRow) -> ResponseReturnValue:
    """Take back the last decision of a case."""
    with _refusing():
        state = undo_decision(db(), case, me())
    audit("took back a decision", course_id=case.assignment.course_id, case=case.id, state=state.value)
    say(_("The last decision was taken back."))
    return go_to(request.form.get("then", url_for("cases.show", case=case.id)))


@blueprint.post("/cases/<int:case>/hearing")
@access(Right.TEACH)
def hearing(case: CaseRow) -> ResponseReturnValue:
    """Write down a student's statement, the day of the hearing, or its outcome."""
    form = request.form
    with _refusing():
        if form.get("statement"):
            add_statement(db(), case, me(), form.get("student", ""), form["statement"])
        if "day" in form:
            set_hearing(db(), case, me(), form["day"])
        if form.get("outcome"):
            set_outcome(db(), case, me(), form["outcome"])
    audit("wrote down a hearing", course_id=case.assignment.course_id, case=case.id)
    say(_("Saved."))
    return redirect(url_for("cases.show", case=case.id))


@blueprint.post("/runs/<int:run>/pairs/<int:rank>/passages/<int:number>/starter")
@access(Right.TEACH)
def starter(run: RunRow, rank: int, number: int) -> ResponseReturnValue:
    """Treat a passage as starter code from the next run on."""
    pair = _pair(run, rank)
    match = next((match for match in pair.matches if match.number == number), None) or abort(404)
    made = treat_as_starter_code(db(), run, pair, match)
    audit("treated a passage as starter code", course_id=run.assignment.course_id, submission=made.id)
    say(_("Ignored as starter code from the next run on. The assignment's page lists it; exclude it to undo."))
    return redirect(_in_list(url_for("reports.pair", run=run.id, rank=rank)) + f"#m{number}")


@blueprint.get("/runs/<int:run>/pairs/<int:rank>/evidence")
@access(Right.READ)
def evidence(run: RunRow, rank: int) -> ResponseReturnValue:
    """The evidence of a pair as one file, anonymous or for one of the students if asked for, as a page or printed."""
    printed = request.args.get("format") == "pdf"
    with heavy_work():
        exhibit = _exhibit(run, rank)
        text = evidence_of(exhibit)
        content = pdf_of(text) if printed else text.encode("utf-8", "replace")
    kind = "text/html; charset=utf-8" if not printed else "application/pdf"
    return _download(content, _file_name(run, exhibit, "pdf" if printed else "html"), kind)


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
    content = file.getvalue().encode("utf-8", "replace")
    return _download(content, f"names-run-{run.id}-pair-{rank}.csv", "text/csv; charset=utf-8")


def _carry_out(case: CaseRow) -> None:
    """Carry out the decision of the form, or write it down as the proposal of an assistant."""
    course, before = case.assignment.course, case.state
    with _refusing():
        decision = decision_from(request.form, {user.id for user in assignees(db(), course)})
        if may_teach(course):
            must_be_checked(case, decision)
            decide(db(), case, me(), decision)
        else:
            propose(db(), case, me(), decision)
    done = "decided a case" if may_teach(course) else "proposed a decision"
    audit(done, course_id=course.id, case=case.id, state=case.state.value)
    undo = url_for("cases.undo", case=case.id) if case.state is not before else ""
    say(_("Saved.") if may_teach(course) else _("Your proposal was saved. An instructor decides."), undo)


CHECKS = {
    "read": marked("Both texts were read in full, not only the marked passages."),
    "starter": marked("All starter code was ignored in this run."),
    "asked": marked("Both students were asked whether they worked together."),
    "first": marked("It is open who had it first: the texts do not say."),
}
"""What has to be ticked before a case is confirmed."""


def must_be_checked(case: CaseRow, decision: Decision) -> None:
    """Refuse to confirm a case before everything on the list is ticked."""
    confirms = decision.state is CaseState.CONFIRMED and case.state is not CaseState.CONFIRMED
    if confirms and not set(CHECKS) <= set(request.form.getlist("checked")):
        raise DecisionError(_("Tick every point of the list before you confirm a case."))


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn a decision that is not possible into an error page with its reason."""
    try:
        yield
    except DecisionError as error:
        abort(422, str(error))


def decision_from(form: MultiDict[str, str], allowed: set[int]) -> Decision:
    """The decision that a form holds."""
    state, assignee = form.get("state", ""), form.get("assignee", "unchanged")
    if state and state not in list(CaseState):
        raise DecisionError(_("There is no state “%(name)s”.", name=state))
    if assignee in ("", "unchanged"):
        return Decision(CaseState(state) if state else None, unassign=assignee == "", note=form.get("note", ""))
    member = form.get("assignee", type=number)
    if member not in allowed:
        raise DecisionError(_("A case can only be assigned to a member of the course."))
    return Decision(CaseState(state) if state else None, member, note=form.get("note", ""))


def _pair(run: RunRow, rank: int) -> PairRow:
    return pair_at(db(), run, rank) or abort(404)


def _exhibit(run: RunRow, rank: int) -> Exhibit:
    anonymous = request.args.get("anonymous") == "yes" or request.endpoint == "cases.evidence_names"
    note, student = request.args.get("note", "")[:10_000], request.args.get("student", type=number)
    return exhibit_of(run, rank, anonymous=anonymous, note=note, student=student)


def _file_name(run: RunRow, exhibit: Exhibit, ending: str) -> str:
    """The name of a file of evidence: the course, the assignment and, if it names them, the students."""
    pair = exhibit.report.pairs[exhibit.number - 1]
    owners = dict(zip((pair.a, pair.b), owners_of(exhibit.report, pair), strict=True))
    students = [owner for id, owner in owners.items() if exhibit.student in ("", id) and not exhibit.anonymous]
    words = [_("evidence"), run.assignment.course.title, run.assignment.name, *students]
    return "-".join(re.sub(r"[^\w.]+", "_", word)[:_LONGEST_WORD].strip("_.") for word in words) + f".{ending}"


def _download(content: bytes, name: str, kind: str) -> Response:
    response = send_file(io.BytesIO(content), kind, as_attachment=True, download_name=name)
    response.headers["Content-Type"] = kind
    return response
