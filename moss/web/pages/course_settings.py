"""A course's settings: its name, how long its work is kept, whom to notify, and deleting it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from moss.jobs.handlers.deletion import remove
from moss.jobs.webhooks import WebhookError, check_webhook
from moss.messages import gettext as _
from moss.store.accounts.notices import webhook_secret, webhook_secret_name
from moss.store.courses.assignments import clean_term
from moss.store.deletion.retention import check_name, clean_retention, expiring
from moss.store.tables import AssignmentRow, CourseRow, ServerValueRow, now
from moss.store.validation import RefusedError, clean_name
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, start_job

blueprint = Blueprint("course_settings", __name__)

SOON = timedelta(days=14)
"""A change that deletes work within this time needs the visitor's agreement."""


@dataclass(frozen=True, slots=True)
class CourseSettings:
    """The settings of a course as a form gives them, checked."""

    name: str
    term: str
    retention_days: int | None
    webhook: str


@blueprint.get("/courses/<int:course>/settings")
@access(Right.TEACH)
def show(course: CourseRow) -> ResponseReturnValue:
    """A course's settings, with what they mean."""
    return _settings_page(course)


@blueprint.post("/courses/<int:course>/settings")
@access(Right.TEACH)
def change(course: CourseRow) -> ResponseReturnValue:
    """Change the settings; if work would be deleted at once or soon, only after the visitor has agreed to that."""
    try:
        chosen = _chosen(request.form)
    except RefusedError as wrong:
        return _settings_page(course, wrong), 422
    going = _going(course, chosen)
    if going and request.form.get("agreed") != _named(going):
        return _sure_page(course, chosen, going)
    _change(course, chosen)
    expired = expiring(course, chosen.retention_days, now())
    flash(_("Saved. What has expired is being deleted.") if expired else _("Saved."), "done")
    return redirect(url_for("course_settings.show", course=course.id), 303)


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
    flash(_("The course has been deleted, with everything in it."), "done")
    return redirect(url_for("home.show"), 303)


def _chosen(form: MultiDict[str, str]) -> CourseSettings:
    webhook = form.get("webhook", "").strip()
    if webhook:
        try:
            check_webhook(webhook)
        except WebhookError as error:
            raise RefusedError("webhook", str(error)) from None
    days = clean_retention(form.get("kept", ""), form.get("days", ""))
    return CourseSettings(clean_name(form.get("name", "")), clean_term(form.get("term", "")), days, webhook)


def _change(course: CourseRow, chosen: CourseSettings) -> None:
    if chosen.retention_days != course.retention_days:
        audit("changed how long a course is kept", course_id=course.id, before=course.retention_days or "always",
              after=chosen.retention_days or "always")  # fmt: skip
    audit("changed a course's settings", course_id=course.id, name=chosen.name, term=chosen.term)
    course.name, course.term = chosen.name, chosen.term
    course.retention_days, course.webhook = chosen.retention_days, chosen.webhook
    if chosen.webhook:
        webhook_secret(db(), course.id)  # which the page shows from now on
    if expiring(course, chosen.retention_days, now()):
        start_job("forget", {})


def _going(course: CourseRow, chosen: CourseSettings) -> list[AssignmentRow]:
    """The assignments that another retention would delete at once or soon."""
    changed = chosen.retention_days != course.retention_days
    return expiring(course, chosen.retention_days, now() + SOON if changed else now())


def _named(assignments: list[AssignmentRow]) -> str:
    """The assignments that somebody agrees to lose, as the form sends them back."""
    return ",".join(str(assignment.id) for assignment in assignments)


def _settings_page(course: CourseRow, wrong: RefusedError | None = None) -> str:
    secret = db().get(ServerValueRow, webhook_secret_name(course.id)) if course.webhook else None
    return render_template("web/course_settings.html", course=course, wrong=wrong, typed=request.form, secret=secret)


def _sure_page(course: CourseRow, chosen: CourseSettings, going: list[AssignmentRow]) -> str:
    kept = timedelta(days=chosen.retention_days or 0)
    return render_template(
        "web/course_settings_sure.html", course=course, chosen=chosen, agreed=_named(going), now=now(),
        going=[(assignment, assignment.created + kept) for assignment in going],
    )  # fmt: skip
