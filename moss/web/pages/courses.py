"""The courses that a user may see, and the assignments of each."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.messages import gettext as _
from moss.store.courses.assignments import add_assignment, add_course, assignment_states
from moss.store.tables import CourseRow
from moss.store.validation import RefusedError
from moss.web.actions.uploads import most_bytes
from moss.web.request.access import Right, access, my_courses
from moss.web.request.context import audit, db, me, server
from moss.web.request.links import say

blueprint = Blueprint("courses", __name__)


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
