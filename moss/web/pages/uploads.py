"""Uploads: the drafts recognised in the files are reviewed, corrected and confirmed."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.intake.platforms import LAYOUT_TITLES
from moss.jobs.handlers.recognition import FINISHING, READING, STORING, UNPACKING
from moss.jobs.ledger import cancel
from moss.messages import counted, marked, number
from moss.messages import gettext as _
from moss.model import Reading
from moss.store.queue_lanes import ahead_of, waiting_in_words
from moss.store.results.runs import COMPARE
from moss.store.submissions.confirmation import confirm as confirm_drafts
from moss.store.submissions.corrections import ROLES, Correction, correct, correct_all, merge, role_of
from moss.store.submissions.lists import (
    chosen_drafts,
    drafts_of,
    languages_of,
    matching_drafts,
    people_of,
    summary_of,
)
from moss.store.submissions.uploads import discard as discard_parts
from moss.store.submissions.uploads import job_of, parts_of, upload_state
from moss.store.tables import JobState, UploadRow, UploadState
from moss.store.validation import RefusedError
from moss.web.actions.runs import most_bytes
from moss.web.request.access import Right, access
from moss.web.request.addresses import address_of, filter_of, language_choices, numbers, say
from moss.web.request.answers import refusals, wants_json
from moss.web.request.context import audit, db

blueprint = Blueprint("uploads", __name__)

READINGS = {
    Reading.CLASSES: marked("Each folder or file inside it is a submission"),
    Reading.ITEMS: marked("Each file, zip or folder that I sent is a submission"),
    Reading.WHOLE: marked("Everything together is one submission"),
}


STEPS = {
    UNPACKING: marked("Unpacking"),
    READING: marked("Reading files"),
    STORING: marked("Saving files"),
    FINISHING: marked("Sorting by student"),
}
"""The steps of recognition in order, as readers know them."""


@blueprint.get("/uploads/<int:upload>/")
@access(Right.READ)
def show(upload: UploadRow) -> ResponseReturnValue:
    """The progress of an upload; once it is recognised, its drafts."""
    state, reason = upload_state(db(), upload)
    if state is UploadState.RECOGNISING and _is_check(upload):
        return redirect(url_for("checks.show", assignment=upload.assignment_id))
    if state is UploadState.CONFIRMED:
        return redirect(url_for("assignments.show", assignment=upload.assignment_id))
    if state is UploadState.READY:
        return _review(upload)
    return render_template(
        f"web/upload_{state.value}.html", **_common(upload), parts_of_upload=parts_of(db(), upload), reason=reason,
        progress=upload_progress(upload), steps=STEPS, most_bytes=most_bytes(),
    )  # fmt: skip


@blueprint.get("/uploads/<int:upload>/status")
@access(Right.READ)
def status(upload: UploadRow) -> ResponseReturnValue:
    """The progress of an upload, for the script of the waiting page."""
    return upload_progress(upload)


@blueprint.post("/uploads/<int:upload>/cancel")
@access(Right.TEACH)
def stop(upload: UploadRow) -> ResponseReturnValue:
    """Stop recognising an upload; its files stay."""
    if upload.job_id is not None:
        cancel(db(), upload.job_id)
    return redirect(url_for("uploads.show", upload=upload.id), 303)


@blueprint.post("/uploads/<int:upload>/submissions")
@access(Right.TEACH)
def change(upload: UploadRow) -> ResponseReturnValue:
    """Save a page of corrections, or change several drafts at once."""
    try:
        sentence = _ACTIONS.get(request.form.get("do", ""), _save)(upload)
    except RefusedError as wrong:
        return _review(upload, wrong), 422
    db().flush()
    say(sentence)
    return redirect(url_for("uploads.show", upload=upload.id, **address_of(filter_of(request.args))), 303)


@blueprint.post("/uploads/<int:upload>/confirm")
@access(Right.TEACH)
def confirm(upload: UploadRow) -> ResponseReturnValue:
    """Confirm an upload: its drafts become submissions of the assignment."""
    with refusals():
        outcome = confirm_drafts(db(), upload)
    course, assignment = upload.assignment.course_id, upload.assignment_id
    audit("confirmed an upload", course_id=course, assignment=assignment, added=outcome.added)
    say(_("%(outcome)s You can compare them now.", outcome=outcome.sentence()))
    return redirect(url_for("assignments.show", assignment=assignment), 303)


@blueprint.post("/uploads/<int:upload>/discard")
@access(Right.TEACH)
def discard(upload: UploadRow) -> ResponseReturnValue:
    """Discard an upload with all its files."""
    assignment, course = upload.assignment_id, upload.assignment.course_id
    if upload.job_id is not None:
        cancel(db(), upload.job_id)
    with refusals():
        discard_parts(db(), upload)
    audit("discarded an upload", course_id=course, assignment=assignment)
    page = url_for("assignments.show", assignment=assignment)
    if wants_json():
        return {"page": page}
    say(_("The upload has been discarded, and nothing of it was kept."))
    return redirect(page, 303)


def _is_check(upload: UploadRow) -> bool:
    """Whether it is compared as soon as it is read."""
    job = job_of(db(), upload)
    return job is not None and COMPARE in job.payload


def _save(upload: UploadRow) -> str:
    """Save the fields of all drafts on the page."""
    form = request.form
    ids = numbers(form.getlist("row"))
    for draft in chosen_drafts(db(), upload, ids):
        fields = [form.get(f"{name}-{draft.id}") for name in ("owner", "role", "language")]
        try:
            correct(db(), draft, Correction(*fields))
        except RefusedError as wrong:
            said = _("%(name)s: %(wrong)s", name=draft.name, wrong=str(wrong))
            raise RefusedError(f"{wrong.field}-{draft.id}", said) from None
    return _("Saved.")


def _set_chosen(upload: UploadRow) -> str:
    chosen = _chosen(upload)
    role = request.form.get("bulk", "")
    return _told(correct_all(db(), chosen, Correction(role=role)), role)


def _set_all(upload: UploadRow) -> str:
    role = request.form.get("bulk", "")
    return _told(correct_all(db(), matching_drafts(db(), upload, filter_of(request.args)), Correction(role=role)), role)


def _merge(upload: UploadRow) -> str:
    merged = merge(db(), _chosen(upload))
    return _(
        "Merged into one submission by %(name)s with %(files)s.", name=merged.owner, files=counted(merged.files, "file")
    )


_ACTIONS = {"save": _save, "chosen": _set_chosen, "all": _set_all, "merge": _merge}


def _chosen(upload: UploadRow) -> Any:
    drafts = chosen_drafts(db(), upload, numbers(request.form.getlist("chosen")))
    if not drafts:
        raise RefusedError("", _("Select at least one submission first."))
    return drafts


def _told(count: int, role: str) -> str:
    return _("%(submissions)s: %(role)s.", submissions=counted(count, "submission"), role=_(ROLES[role]))


def _review(upload: UploadRow, wrong: RefusedError | None = None) -> str:
    return render_template(
        "web/upload_ready.html",
        **_common(upload),
        summary=summary_of(db(), upload),
        listing=drafts_of(db(), upload, filter_of(request.args)),
        people=people_of(db(), upload.assignment.course_id),
        languages=language_choices(),
        languages_of=languages_of,
        role_of=role_of,
        roles=ROLES,
        readings=READINGS,
        layouts=LAYOUT_TITLES,
        address_of=address_of,
        wrong=wrong,
        typed=request.form,
    )


def _common(upload: UploadRow) -> dict[str, Any]:
    return {"upload": upload, "assignment": upload.assignment, "course": upload.assignment.course}


def upload_progress(upload: UploadRow) -> dict[str, Any]:
    """How far the recognition of an upload is, in figures and in a sentence."""
    state, reason = upload_state(db(), upload)
    job = job_of(db(), upload)
    stage, done, total = (job.stage, job.done, job.total) if job else ("", 0, 0)
    if job is not None and job.state is JobState.QUEUED:
        sentence = waiting_in_words(ahead_of(db(), job))
    else:
        sentence = _step(stage, done, total)
    return {"state": state, "reason": reason, "stage": stage, "done": done, "total": total, "sentence": sentence}


def _step(stage: str, done: int, total: int) -> str:
    """The step at which recognition is, in words."""
    title = _(STEPS[stage]) if stage in STEPS else _("Starting")
    if total:
        return _("%(step)s: %(done)s of %(total)s", step=title, done=number(done), total=number(total))
    return _("%(step)s: %(files)s", step=title, files=counted(done, "file")) if done else title
