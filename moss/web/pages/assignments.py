"""The page of an assignment: its submissions, uploads and runs."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.jobs.handlers.deletion import remove
from moss.messages import gettext as _
from moss.store.courses.assignments import (
    first_upload_id,
    open_uploads,
    rename_assignment,
    runs_of,
)
from moss.store.results.case_lists import case_counts
from moss.store.submissions.corrections import ROLES, role_of
from moss.store.submissions.lists import languages_of, people_of, submissions_of, version_counts
from moss.store.submissions.uploads import state_of
from moss.store.tables import AssignmentRow
from moss.store.validation import RefusedError
from moss.web.actions.corpora import keep_in_corpus, my_corpora
from moss.web.actions.uploads import most_bytes
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db
from moss.web.request.links import say
from moss.web.request.list_filters import address_of, filter_of, language_choices

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
        uploads=[(upload, *state_of(db(), upload)) for upload in open_uploads(db(), assignment)],
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
