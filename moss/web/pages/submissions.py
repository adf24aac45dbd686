"""A submission: corrections by the instructor, and previews of its files."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.jobs.checks import start_anew
from moss.messages import gettext as _
from moss.report.visible_text import visible
from moss.store.submissions.corrections import Correction, correct, role_of
from moss.store.submissions.lists import PREVIEW_LINES, preview_of
from moss.store.tables import AssignmentRow, SubmissionRow
from moss.store.validation import RefusedError
from moss.web.actions.runs import usual_choice
from moss.web.request.access import Right, access
from moss.web.request.answers import refusals, wants_json
from moss.web.request.context import audit, db, me
from moss.web.request.links import say
from moss.web.request.list_filters import address_of, filter_of

blueprint = Blueprint("submissions", __name__)


@blueprint.post("/submissions/<int:submission>")
@access(Right.TEACH)
def change(submission: SubmissionRow) -> ResponseReturnValue:
    """Correct a submission's owner, role or language."""
    form = request.form
    with refusals():
        correct(db(), submission, Correction(form.get("owner"), form.get("role"), form.get("language")))
    if submission.confirmed:
        course = submission.assignment.course_id
        audit("changed a submission", course_id=course, submission=submission.id, now=_now(submission))
    again = submission.confirmed and form.get("then") == "compare"
    if again:
        _compare_again(submission.assignment)
    if wants_json():
        return _now(submission)
    say(_("The changes to %(name)s have been saved.", name=submission.owner))
    return redirect(url_for("checks.show", assignment=submission.assignment_id) if again else _home(submission), 303)


def _compare_again(assignment: AssignmentRow) -> None:
    """Start another run, as the last one, for the page on which submissions are corrected while they are compared."""
    db().flush()
    with suppress(RefusedError):  # nothing to compare is left, which the page says
        run = start_anew(db(), assignment, me().id, usual_choice(assignment))
        audit("started a run", course_id=assignment.course_id, assignment=assignment.name, run=run.number)


@blueprint.get("/submissions/<int:submission>/files/<int:number>")
@access(Right.READ)
def preview(submission: SubmissionRow, number: int) -> ResponseReturnValue:
    """The beginning of a file's text."""
    file, text, more = preview_of(db(), submission, number) or abort(404)
    if wants_json():
        return {"html": visible(text), "more": more}
    return render_template(
        "web/upload_file.html", submission=submission, file=file, text=text, more=more, back=_home(submission),
        most=PREVIEW_LINES,
    )  # fmt: skip


def _now(submission: SubmissionRow) -> dict[str, str]:
    return {"owner": submission.owner, "role": str(role_of(submission)), "language": submission.language}


def _home(submission: SubmissionRow) -> str:
    """The page on which the submission is listed."""
    back = address_of(filter_of(request.args))
    if submission.confirmed or submission.upload_id is None:
        return url_for("assignments.show", assignment=submission.assignment_id, **back) + "#submissions"
    return url_for("uploads.show", upload=submission.upload_id, **back)
