"""Cases: the decision about each pair with its history, and all cases of a course by state.

A decision is made on the page of its pair, on its own page, or for several pairs at once, which are then dismissed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from moss.messages import gettext as _
from moss.messages import marked, ngettext
from moss.messages import number as in_words
from moss.report.evidence.pdf import find_browser
from moss.store.results.case_lists import (
    appearances,
    cases_by_state,
    count_cases,
    dismiss_pairs,
    next_to_review,
    pairs_of_course,
    undo_all,
)
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
from moss.store.results.reference_kinds import references_in_cases
from moss.store.results.reports import pair_at
from moss.store.results.review_queue import PairToReview, pairs_to_review
from moss.store.submissions.corrections import treat_as_starter_code
from moss.store.tables import CaseRow, CaseState, CourseRow, PairRow, RunRow
from moss.web.actions.reports import fairness_in
from moss.web.request.access import Right, access, may_teach
from moss.web.request.addresses import go_to, number, numbers, say
from moss.web.request.context import audit, db, me

blueprint = Blueprint("cases", __name__)

MOST = 200  # pairs that are listed and can be dismissed together
_QUEUE = (CaseState.UNREVIEWED, CaseState.SUSPICIOUS)


@blueprint.get("/cases/<int:case>/")
@access(Right.READ)
def show(case: CaseRow) -> ResponseReturnValue:
    """One case: its history, and the runs that show its pair."""
    course, runs = case.assignment.course, appearances(db(), case)
    fairness = fairness_in(runs[0].run, runs[0].rank) if runs else []
    return render_template(
        "web/case.html", case=case, runs=runs, fairness=fairness, times=handed_in(db(), case), states=CaseState,
        reference=references_in_cases(db(), [case]).get(case.id),
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
        if request.args.get("shown", case.state) != case.state:
            raise DecisionError(_(_CHANGED))
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


def _carry_out(case: CaseRow) -> None:
    """Carry out the decision of the form, or write it down as the proposal of an assistant."""
    db().refresh(case, with_for_update=True)  # so that of two decisions at once the later sees the earlier
    course, before = case.assignment.course, case.state
    with _refusing():
        allowed = {user.id for user in assignees(db(), course)}
        decision = decision_from(chosen_in(request.form, case), allowed)
        if may_teach(course):
            must_be_checked(case, decision)
            decide(db(), case, me(), decision)
        else:
            propose(db(), case, me(), decision)
    done = "decided a case" if may_teach(course) else "proposed a decision"
    audit(done, course_id=course.id, case=case.id, state=case.state.value)
    undo = url_for("cases.undo", case=case.id, shown=case.state.value) if case.state is not before else ""
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


_CHANGED = marked("Somebody changed this case while you had it open. Look at it again, then decide.")


def chosen_in(form: MultiDict[str, str], case: CaseRow) -> MultiDict[str, str]:
    """The form without what its reader left as the page showed it: a colleague may have changed that since then, and it
    stays as it is now. What both changed is refused."""
    now = {"state": str(case.state), "assignee": str(case.assignee_id or "")}
    chosen = form.copy()
    for name, value in now.items():
        wanted, shown = form.get(name), form.get(f"shown-{name}")
        if shown is None or wanted is None:
            continue
        if wanted == shown:
            del chosen[name]
        elif value not in (shown, wanted):
            raise DecisionError(_(_CHANGED))
    return chosen


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


@blueprint.get("/courses/<int:course>/cases")
@access(Right.READ)
def list_cases(course: CourseRow) -> ResponseReturnValue:
    """The cases of one state; those that need review are pairs that are unusual and that nobody has judged."""
    state = _chosen_state()
    waiting = {each: pairs_to_review(db(), course.id, suspicious=each is CaseState.SUSPICIOUS) for each in _QUEUE}
    decided = count_cases(db(), [course.id]).get(course.id, Counter())
    counts = Counter({**decided, **{each: len(pairs) for each, pairs in waiting.items()}})
    pairs = [pair for pair in waiting.get(state, ()) if _is_wanted(pair)]
    cases = cases_by_state(db(), course.id, state) if state not in _QUEUE else ()
    return render_template(
        "web/course_cases.html", course=course, state=state, states=CaseState, counts=counts, pairs=pairs[:MOST],
        total=len(pairs), cases=cases, references=references_in_cases(db(), cases),
        assignment=request.args.get("assignment", 0, type=number),
    )  # fmt: skip


@blueprint.post("/courses/<int:course>/cases/dismiss")
@access(Right.TEACH)
def dismiss(course: CourseRow) -> ResponseReturnValue:
    """Dismiss the chosen pairs, after asking once with their number."""
    ids = set(numbers(request.form.getlist("shown" if request.form.get("which") == "shown" else "pair")))
    pairs = pairs_of_course(db(), course.id, ids) or abort(422, _("Select at least one pair."))
    if request.form.get("sure") != "yes":
        state = _chosen_state()
        waiting = pairs_to_review(db(), course.id, suspicious=state is CaseState.SUSPICIOUS)
        chosen = [pair for pair in waiting if pair.pair_id in ids]
        return render_template("web/course_cases_sure.html", course=course, state=state, pairs=chosen)
    dismissed, moment = dismiss_pairs(db(), pairs, me())
    audit("dismissed several cases", course_id=course.id, cases=dismissed)
    done = ngettext("%(n)s pair was dismissed.", "%(n)s pairs were dismissed.", dismissed, n=in_words(dismissed))
    say(done, url_for("cases.undo_dismissal", course=course.id, at=moment.isoformat()))
    return redirect(url_for("cases.list_cases", course=course.id, state=_chosen_state().value), 303)


@blueprint.post("/courses/<int:course>/cases/undo")
@access(Right.TEACH)
def undo_dismissal(course: CourseRow) -> ResponseReturnValue:
    """Take back what was dismissed together."""
    try:
        moment = datetime.fromisoformat(request.args.get("at", ""))
    except ValueError:
        abort(422, _("There is no decision to take back."))
    undone = undo_all(db(), course.id, me(), moment) or abort(422, _("There is no decision to take back."))
    audit("took back decisions", course_id=course.id, cases=undone)
    say(ngettext("%(n)s decision was taken back.", "%(n)s decisions were taken back.", undone, n=in_words(undone)))
    return redirect(url_for("cases.list_cases", course=course.id), 303)


def _chosen_state() -> CaseState:
    asked = request.values.get("state", CaseState.UNREVIEWED)
    return CaseState(asked) if asked in list(CaseState) else abort(404)


def _is_wanted(pair: PairToReview) -> bool:
    """Whether a pair is of the assignment that the address names, if it names one."""
    return request.args.get("assignment", 0, type=number) in (0, pair.assignment_id)
