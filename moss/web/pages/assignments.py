"""The page of an assignment: its uploads and runs, and its submissions, which instructors correct and look into."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.jobs.handlers.deletion import remove
from moss.jobs.handlers.recognition import start_anew
from moss.messages import gettext as _
from moss.report.code.visible_text import visible
from moss.store.courses.assignments import first_upload_id, open_uploads, rename_assignment, runs_of
from moss.store.results.case_lists import case_counts
from moss.store.submissions.corrections import ROLES, Correction, correct, role_of
from moss.store.submissions.lists import (
    PREVIEW_LINES,
    languages_of,
    people_of,
    preview_of,
    submissions_of,
    version_counts,
)
from moss.store.submissions.uploads import upload_state
from moss.store.tables import AssignmentRow, SubmissionRow
from moss.store.validation import RefusedError
from moss.web.actions.runs import keep_in_corpus, most_bytes, my_corpora, usual_choice
from moss.web.request.access import Right, access
from moss.web.request.addresses import address_of, filter_of, language_choices, say
from moss.web.request.answers import refusals, wants_json
from moss.web.request.context import audit, db, me

blueprint = Blueprint("assignments", __name__)


@blueprint.get("/assignments/<int:assignment>/")
@access(Right.READ)
def show(assignment: AssignmentRow) -> ResponseReturnValue:
    """An assignment's submissions, uploads and runs."""
    return page(assignment)


@blueprint.post("/assignments/<int:assignment>/rename")
@access(Right.TEACH)
def rename(assignment: AssignmentRow) -> ResponseReturnValue:
    """Rename an assignment."""
    before = assignment.name
    try:
        rename_assignment(db(), assignment, request.form.get("name", ""))
    except RefusedError as wrong:
        return page(assignment, wrong), 422
    audit("renamed an assignment", course_id=assignment.course_id, before=before, after=assignment.name)
    return redirect(url_for("assignments.show", assignment=assignment.id), 303)


@blueprint.post("/assignments/<int:assignment>/delete")
@access(Right.TEACH)
def delete(assignment: AssignmentRow) -> ResponseReturnValue:
    """Delete an assignment with everything that belongs to it, if its name was typed."""
    course, name = assignment.course_id, assignment.name
    if " ".join(request.form.get("confirmation", "").split()) != name:
        wrong = RefusedError("confirmation", _("That is not the assignment’s name, so nothing was deleted."))
        return page(assignment, wrong), 422
    remove(db(), assignment)
    audit("deleted an assignment", course_id=course, name=name)
    say(_("%(name)s and its submissions, runs and cases have been deleted.", name=name))
    return redirect(url_for("courses.show", course=course), 303)


@blueprint.post("/assignments/<int:assignment>/keep")
@access(Right.TEACH)
def keep(assignment: AssignmentRow) -> ResponseReturnValue:
    """Keep an assignment's submissions for later years, in a corpus of the server."""
    try:
        name = keep_in_corpus(assignment, request.form.get("corpus", ""))
    except RefusedError as wrong:
        return page(assignment, wrong), 422
    say(
        _(
            "The submissions are being added to the corpus %(name)s. A notice will tell you when that is done.",
            name=name,
        )
    )
    return redirect(url_for("assignments.show", assignment=assignment.id), 303)


def page(assignment: AssignmentRow, wrong: RefusedError | None = None) -> str:
    """The page of an assignment."""
    listing = submissions_of(db(), assignment.id, filter_of(request.args))
    runs = runs_of(db(), assignment)
    newest = next((run for run in runs if run.finished), None)
    return render_template(
        "web/assignment.html",
        assignment=assignment,
        course=assignment.course,
        listing=listing,
        versions=version_counts(db(), listing.rows),
        first_upload=first_upload_id(db(), assignment),
        uploads=[(upload, *upload_state(db(), upload)) for upload in open_uploads(db(), assignment)],
        runs=runs,
        newest=newest,
        cases=case_counts(db(), newest) if newest else {},
        people=people_of(db(), assignment.course_id),
        languages=language_choices(),
        corpora=my_corpora(to_add=True),
        languages_of=languages_of,
        role_of=role_of,
        roles=ROLES,
        address_of=address_of,
        most_bytes=most_bytes(),
        wrong=wrong,
        typed=request.form,
    )


@blueprint.post("/submissions/<int:submission>")
@access(Right.TEACH)
def change_submission(submission: SubmissionRow) -> ResponseReturnValue:
    """Correct a submission's owner, role or language."""
    form = request.form
    with refusals():
        correct(db(), submission, Correction(form.get("owner"), form.get("role"), form.get("language")))
    if submission.confirmed:
        course = submission.assignment.course_id
        audit("changed a submission", course_id=course, submission=submission.id, now=_values_of(submission))
    again = submission.confirmed and form.get("then") == "compare"
    if again:
        _compare_again(submission.assignment)
    if wants_json():
        return _values_of(submission)
    say(_("The changes to %(name)s have been saved.", name=submission.owner))
    return redirect(
        url_for("checks.show", assignment=submission.assignment_id) if again else _list_page(submission), 303
    )


def _compare_again(assignment: AssignmentRow) -> None:
    """Start another run, as the last one, for the page on which submissions are corrected while they are compared."""
    db().flush()
    with suppress(RefusedError):  # nothing to compare is left, which the page says
        run = start_anew(db(), assignment, me().id, usual_choice(assignment))
        audit("started a run", course_id=assignment.course_id, assignment=assignment.name, run=run.number)


@blueprint.get("/submissions/<int:submission>/files/<int:number>")
@access(Right.READ)
def preview_file(submission: SubmissionRow, number: int) -> ResponseReturnValue:
    """The beginning of a file's text."""
    file, text, more = preview_of(db(), submission, number) or abort(404)
    if wants_json():
        return {"html": visible(text), "more": more}
    return render_template(
        "web/upload_file.html", submission=submission, file=file, text=text, more=more, back=_list_page(submission),
        most=PREVIEW_LINES,
    )  # fmt: skip


def _values_of(submission: SubmissionRow) -> dict[str, str]:
    return {"owner": submission.owner, "role": str(role_of(submission)), "language": submission.language}


def _list_page(submission: SubmissionRow) -> str:
    """The page on which the submission is listed."""
    back = address_of(filter_of(request.args))
    if submission.confirmed or submission.upload_id is None:
        return url_for("assignments.show", assignment=submission.assignment_id, **back) + "#submissions"
    return url_for("uploads.show", upload=submission.upload_id, **back)
