"""The cases of a course by state: all that needs review, decided or allowed, and several dismissed at once."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.messages import gettext as _
from moss.messages import ngettext
from moss.messages import number as in_words
from moss.store.results.case_lists import (
    cases_by_state,
    count_cases,
    dismiss_pairs,
    pairs_of_course,
    undo_all,
)
from moss.store.results.review_queue import PairToReview, pairs_to_review
from moss.store.tables import CaseState, CourseRow
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, me
from moss.web.request.links import say
from moss.web.request.numbers import number, numbers

blueprint = Blueprint("course_cases", __name__)

MOST = 200  # pairs that are listed and can be dismissed together
_QUEUE = (CaseState.UNREVIEWED, CaseState.SUSPICIOUS)


@blueprint.get("/courses/<int:course>/cases")
@access(Right.READ)
def show(course: CourseRow) -> ResponseReturnValue:
    """The cases of one state; those that need review are pairs that are unusual and that nobody has judged."""
    state = _state()
    waiting = {each: pairs_to_review(db(), course.id, suspicious=each is CaseState.SUSPICIOUS) for each in _QUEUE}
    decided = count_cases(db(), [course.id]).get(course.id, Counter())
    counts = Counter({**decided, **{each: len(pairs) for each, pairs in waiting.items()}})
    pairs = [pair for pair in waiting.get(state, ()) if _is_wanted(pair)]
    cases = cases_by_state(db(), course.id, state) if state not in _QUEUE else ()
    return render_template(
        "web/course_cases.html", course=course, state=state, states=CaseState, counts=counts, pairs=pairs[:MOST],
        total=len(pairs), cases=cases, assignment=request.args.get("assignment", 0, type=number),
    )  # fmt: skip


@blueprint.post("/courses/<int:course>/cases/dismiss")
@access(Right.TEACH)
def dismiss(course: CourseRow) -> ResponseReturnValue:
    """Dismiss the chosen pairs, after asking once with their number."""
    ids = set(numbers(request.form.getlist("shown" if request.form.get("which") == "shown" else "pair")))
    pairs = pairs_of_course(db(), course.id, ids) or abort(422, _("Select at least one pair."))
    if request.form.get("sure") != "yes":
        state = _state()
        waiting = pairs_to_review(db(), course.id, suspicious=state is CaseState.SUSPICIOUS)
        chosen = [pair for pair in waiting if pair.pair_id in ids]
        return render_template("web/course_cases_sure.html", course=course, state=state, pairs=chosen)
    dismissed, moment = dismiss_pairs(db(), pairs, me())
    audit("dismissed several cases", course_id=course.id, cases=dismissed)
    done = ngettext("%(n)s pair was dismissed.", "%(n)s pairs were dismissed.", dismissed, n=in_words(dismissed))
    say(done, url_for("course_cases.undo", course=course.id, at=moment.isoformat()))
    return redirect(url_for("course_cases.show", course=course.id, state=_state().value), 303)


@blueprint.post("/courses/<int:course>/cases/undo")
@access(Right.TEACH)
def undo(course: CourseRow) -> ResponseReturnValue:
    """Take back what was dismissed together."""
    try:
        moment = datetime.fromisoformat(request.args.get("at", ""))
    except ValueError:
        abort(422, _("There is no decision to take back."))
    undone = undo_all(db(), course.id, me(), moment) or abort(422, _("There is no decision to take back."))
    audit("took back decisions", course_id=course.id, cases=undone)
    say(ngettext("%(n)s decision was taken back.", "%(n)s decisions were taken back.", undone, n=in_words(undone)))
    return redirect(url_for("course_cases.show", course=course.id), 303)


def _state() -> CaseState:
    asked = request.values.get("state", CaseState.UNREVIEWED)
    return CaseState(asked) if asked in list(CaseState) else abort(404)


def _is_wanted(pair: PairToReview) -> bool:
    """Whether a pair is of the assignment that the address names, if it names one."""
    return request.args.get("assignment", 0, type=number) in (0, pair.assignment.id)
