"""Keeping and forgetting: a course's settings, how long it is kept, its archive, and how people are erased."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from moss.jobs.handlers.deletion import erase, remove
from moss.jobs.webhooks import WebhookError, check_webhook
from moss.store.accounts.notices import webhook_secret, webhook_secret_name
from moss.store.courses.assignments import clean_term
from moss.store.deletion.erasure import people_named, traces_of
from moss.store.deletion.retention import check_name, clean_retention, expiring
from moss.store.tables import AssignmentRow, CourseArchiveRow, CourseRow, JobState, PersonRow, ServerValueRow, now
from moss.store.transfer.archive_chunks import begin_export, can_be_fetched, chunks, exports_of, state_of, until
from moss.store.validation import RefusedError, clean_name
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, me, parts, start_job

blueprint = Blueprint("keeping", __name__)


@dataclass(frozen=True, slots=True)
class CourseSettings:
    """What a course's settings are to be."""

    name: str
    term: str
    retention_days: int | None
    webhook: str


@blueprint.get("/courses/<int:course>/settings")
@access(Right.TEACH)
def settings(course: CourseRow) -> ResponseReturnValue:
    """A course's settings, and what they mean."""
    return _settings_page(course)


@blueprint.post("/courses/<int:course>/settings")
@access(Right.TEACH)
def change_settings(course: CourseRow) -> ResponseReturnValue:
    """Change them; if something would be deleted at once, only after that was agreed to."""
    try:
        wish = _wish(request.form)
    except RefusedError as wrong:
        return _settings_page(course, wrong), 422
    going = expiring(course, wish.retention_days, now())
    if going and request.form.get("agreed") != _named(going):
        return _sure_page(course, wish, going)
    _change(course, wish)
    flash("Saved. What has expired is being deleted." if going else "Saved.", "done")
    return redirect(url_for("keeping.settings", course=course.id), 303)


@blueprint.post("/courses/<int:course>/delete")
@access(Right.TEACH)
def delete_course(course: CourseRow) -> ResponseReturnValue:
    """Delete a course with everything in it, if its name was typed."""
    try:
        check_name(course, request.form.get("confirm", ""))
    except RefusedError as wrong:
        return _settings_page(course, wrong), 422
    audit("deleted a course", course=course.title, number=course.id)
    remove(db(), course)
    flash("The course is deleted, with everything in it.", "done")
    return redirect(url_for("home.show"), 303)


@blueprint.get("/courses/<int:course>/export")
@access(Right.TEACH)
def exports(course: CourseRow) -> ResponseReturnValue:
    """The archives of a course that can be fetched, and one that is being made."""
    found = [(archive, *state_of(db(), archive), until(archive)) for archive in exports_of(db(), course.id)]
    waits = any(state in (JobState.QUEUED, JobState.RUNNING) for _, state, _, _ in found)
    return render_template("web/keeping_exports.html", course=course, found=found, waits=waits, now=now())


@blueprint.post("/courses/<int:course>/export")
@access(Right.TEACH)
def export(course: CourseRow) -> ResponseReturnValue:
    """Make an archive."""
    try:
        archive = begin_export(db(), course.id, me().id)
    except RefusedError as wrong:
        flash(str(wrong), "wrong")
        return redirect(url_for("keeping.exports", course=course.id), 303)
    archive.job_id = start_job("export", {"archive": archive.id}, course.id).id
    audit("exported a course", course_id=course.id, archive=archive.id)
    return redirect(url_for("keeping.exports", course=course.id), 303)


@blueprint.get("/courses/<int:course>/export/<int:number>")
@access(Right.TEACH)
def fetch(course: CourseRow, number: int) -> ResponseReturnValue:
    """An archive, as a file."""
    archive = db().get(CourseArchiveRow, number)
    if archive is None or archive.course_id != course.id or archive.incoming or not can_be_fetched(archive):
        abort(404, "This archive is gone. Make another one.")
    response = Response(chunks(parts().store, archive.id), mimetype="application/zip")
    response.content_length = archive.total
    response.headers["Content-Disposition"] = (
        f'attachment; filename="moss-course-{course.id}-{archive.created:%Y-%m-%d}.zip"'
    )
    return response


@blueprint.get("/people/<int:person>/erase")
@access(Right.TEACH)
def erase_person(person: PersonRow) -> ResponseReturnValue:
    """What there is of a person, before it goes."""
    return _erase_page(person)


@blueprint.post("/people/<int:person>/erase")
@access(Right.TEACH)
def carry_out(person: PersonRow) -> ResponseReturnValue:
    """Erase a person, if the name was typed."""
    if " ".join(request.form.get("confirm", "").split()) != " ".join(person.name.split()):
        return _erase_page(person, RefusedError("confirm", "That is not the name, so nothing was erased.")), 422
    course = person.course_id
    _erase(person)
    flash("Everything about this person has been erased.", "done")
    return redirect(url_for("courses.show", course=course), 303)


@blueprint.get("/erase")
@access(Right.ADMINISTER)
def find_people() -> ResponseReturnValue:
    """Everybody of one name, in all courses."""
    return _search_page(request.args.get("name", ""))


@blueprint.post("/erase")
@access(Right.ADMINISTER)
def erase_people() -> ResponseReturnValue:
    """Erase those who were chosen, if that was meant."""
    name, chosen = request.form.get("name", ""), set(request.form.getlist("people"))
    found = [person for person in people_named(db(), name) if str(person.id) in chosen]
    if not found or request.form.get("confirm", "").strip().lower() != "erase":
        sentence = "Type the word erase to erase them." if found else "Choose whom to erase."
        return _search_page(name, RefusedError("confirm" if found else "people", sentence)), 422
    for person in found:
        _erase(person)
    flash(f"Erased: {len(found)}.", "done")
    return redirect(url_for("keeping.find_people"), 303)


def _wish(form: MultiDict[str, str]) -> CourseSettings:
    webhook = form.get("webhook", "").strip()
    if webhook:
        try:
            check_webhook(webhook)
        except WebhookError as error:
            words = str(error)
            raise RefusedError("webhook", f"{words[0].upper()}{words[1:]}.") from None
    days = clean_retention(form.get("kept", ""), form.get("days", ""))
    return CourseSettings(clean_name(form.get("name", "")), clean_term(form.get("term", "")), days, webhook)


def _change(course: CourseRow, wish: CourseSettings) -> None:
    if wish.retention_days != course.retention_days:
        audit("changed how long a course is kept", course_id=course.id, before=course.retention_days or "always",
              after=wish.retention_days or "always")  # fmt: skip
    audit("changed a course's settings", course_id=course.id, name=wish.name, term=wish.term)
    course.name, course.term = wish.name, wish.term
    course.retention_days, course.webhook = wish.retention_days, wish.webhook
    if wish.webhook:
        webhook_secret(db(), course.id)  # which the page shows from now on
    if expiring(course, wish.retention_days, now()):
        start_job("forget", {})


def _named(assignments: list[AssignmentRow]) -> str:
    """Which assignments somebody agrees to lose."""
    return ",".join(str(assignment.id) for assignment in assignments)


def _settings_page(course: CourseRow, wrong: RefusedError | None = None) -> str:
    secret = db().get(ServerValueRow, webhook_secret_name(course.id)) if course.webhook else None
    return render_template("web/course_settings.html", course=course, wrong=wrong, typed=request.form, secret=secret)


def _sure_page(course: CourseRow, wish: CourseSettings, going: list[AssignmentRow]) -> str:
    agreed = _named(going)
    return render_template("web/course_settings_sure.html", course=course, wish=wish, going=going, agreed=agreed)


def _erase(person: PersonRow) -> None:
    course, number = person.course_id, person.id
    erased = erase(db(), person)
    audit("erased a person", course_id=course, person=number, submissions=erased.submissions, cases=erased.cases,
          runs=len(erased.runs))  # fmt: skip


def _erase_page(person: PersonRow, wrong: RefusedError | None = None) -> str:
    return render_template("web/erase_person.html", traces=traces_of(db(), person), person=person, wrong=wrong)


def _search_page(name: str, wrong: RefusedError | None = None) -> str:
    found = [traces_of(db(), person) for person in people_named(db(), name)[:200]] if name.strip() else []
    chosen = request.form.getlist("people")
    return render_template("web/erase_people.html", name=name, found=found, wrong=wrong, chosen=chosen)
