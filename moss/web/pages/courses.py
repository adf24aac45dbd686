"""Courses: those that a user may see, the assignments and settings of each, and the corpora that each may use.

The settings are a course's name, how long its work is kept, and whom to notify. Administrators say which courses may
search each corpus of the server, or add to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select
from werkzeug.datastructures import MultiDict

from moss.jobs.handlers.deletion import remove
from moss.jobs.webhooks import WebhookError, check_webhook
from moss.messages import gettext as _
from moss.store.courses.assignments import add_assignment, add_course, assignment_states, clean_term
from moss.store.courses.rights import CorpusUse, all_rights, set_right
from moss.store.courses.webhooks import webhook_secret, webhook_secret_name
from moss.store.deletion.retention import check_name, clean_retention, expiring
from moss.store.tables import AssignmentRow, CorpusRightRow, CourseRow, ServerValueRow, now
from moss.store.validation import RefusedError, clean_name
from moss.web.actions.runs import all_corpora, most_bytes
from moss.web.request.access import Right, access, my_courses
from moss.web.request.addresses import number, say
from moss.web.request.context import audit, db, me, server, start_job

blueprint = Blueprint("courses", __name__)

SOON = timedelta(days=14)
"""A change that deletes work within this time needs the visitor's agreement."""


@blueprint.get("/courses/")
@access(Right.USER)
def index() -> ResponseReturnValue:
    """All courses that the visitor may see."""
    return _list()


@blueprint.post("/courses/")
@access(Right.USER)
def create() -> ResponseReturnValue:
    """Make a course, with the visitor as its instructor."""
    name, term = request.form.get("name", ""), request.form.get("term", "")
    try:
        course = add_course(db(), name, term, me(), server().config.retention_days or None)
    except RefusedError as wrong:
        return _list(wrong), 422
    audit("made a course", course_id=course.id, name=course.title)
    say(_("%(course)s is ready. Next, create its first assignment.", course=course.title))
    return redirect(url_for("courses.show", course=course.id), 303)


@blueprint.get("/courses/<int:course>/")
@access(Right.READ)
def show(course: CourseRow) -> ResponseReturnValue:
    """A course's assignments and the state of each."""
    return _page(course)


@blueprint.post("/courses/<int:course>/assignments")
@access(Right.TEACH)
def create_assignment(course: CourseRow) -> ResponseReturnValue:
    """Make an assignment."""
    try:
        assignment = add_assignment(db(), course, request.form.get("name", ""))
    except RefusedError as wrong:
        return _page(course, wrong), 422
    audit("made an assignment", course_id=course.id, assignment=assignment.id, name=assignment.name)
    return redirect(url_for("assignments.show", assignment=assignment.id), 303)


def _list(wrong: RefusedError | None = None) -> str:
    return render_template("web/courses.html", courses=my_courses(me()), wrong=wrong, typed=request.form)


def _page(course: CourseRow, wrong: RefusedError | None = None) -> str:
    return render_template(
        "web/course.html", course=course, standings=assignment_states(db(), course), most_bytes=most_bytes(),
        wrong=wrong, typed=request.form,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class CourseSettings:
    """The settings of a course as a form gives them, checked."""

    name: str
    term: str
    retention_days: int | None
    webhook: str


@blueprint.get("/courses/<int:course>/settings")
@access(Right.TEACH)
def show_settings(course: CourseRow) -> ResponseReturnValue:
    """A course's settings, with what they mean."""
    return _settings_page(course)


@blueprint.post("/courses/<int:course>/settings")
@access(Right.TEACH)
def change_settings(course: CourseRow) -> ResponseReturnValue:
    """Change the settings; if work would be deleted at once or soon, only after the visitor has agreed to that."""
    try:
        chosen = _chosen(request.form)
    except RefusedError as wrong:
        return _settings_page(course, wrong), 422
    going = _going(course, chosen)
    if going and request.form.get("agreed") != _numbers_of(going):
        return _sure_page(course, chosen, going)
    _change_course(course, chosen)
    expired = expiring(course, chosen.retention_days, now())
    flash(_("Saved. What has expired is being deleted.") if expired else _("Saved."), "done")
    return redirect(url_for("courses.show_settings", course=course.id), 303)


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


def _change_course(course: CourseRow, chosen: CourseSettings) -> None:
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


def _numbers_of(assignments: list[AssignmentRow]) -> str:
    """The assignments that somebody agrees to lose, as the form sends them back."""
    return ",".join(str(assignment.id) for assignment in assignments)


def _settings_page(course: CourseRow, wrong: RefusedError | None = None) -> str:
    secret = db().get(ServerValueRow, webhook_secret_name(course.id)) if course.webhook else None
    return render_template("web/course_settings.html", course=course, wrong=wrong, typed=request.form, secret=secret)


def _sure_page(course: CourseRow, chosen: CourseSettings, going: list[AssignmentRow]) -> str:
    kept = timedelta(days=chosen.retention_days or 0)
    return render_template(
        "web/course_settings_sure.html", course=course, chosen=chosen, agreed=_numbers_of(going), now=now(),
        going=[(assignment, assignment.created + kept) for assignment in going],
    )  # fmt: skip


@blueprint.get("/corpora")
@access(Right.ADMINISTER)
def show_corpora() -> ResponseReturnValue:
    """All corpora, with the rights of courses."""
    courses = {course.id: course for course in db().scalars(select(CourseRow).order_by(CourseRow.id.desc()))}
    rights = all_rights(db())
    default = [CorpusRightRow(course_id=None, search=CorpusUse().search, add=CorpusUse().add)]
    found = [(corpus, rights.get(corpus.name, default)) for corpus in all_corpora()]
    return render_template("web/corpora.html", found=found, courses=courses)


@blueprint.post("/corpora/<name>")
@access(Right.ADMINISTER)
def change_corpus(name: str) -> ResponseReturnValue:
    """Set whether a course, or all courses, may search a corpus and add to it."""
    form = request.form
    course = None if form.get("course") == "all" else db().get(CourseRow, form.get("course", 0, number)) or abort(404)
    if name not in {corpus.name for corpus in all_corpora()}:
        abort(404)
    use = CorpusUse(form.get("search") == "yes", form.get("add") == "yes")
    set_right(db(), name, course.id if course else None, use)
    audit("changed who may use a corpus", course_id=course.id if course else None, corpus=name,
          search="yes" if use.search else "no", add="yes" if use.add else "no")  # fmt: skip
    say(_("Saved for the corpus %(corpus)s.", corpus=name))
    return redirect(url_for("courses.show_corpora"), 303)
