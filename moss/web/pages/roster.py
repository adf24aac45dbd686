"""The roster of a course: uploaded as a file, with what it joined and what it could not; and merging by hand."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.messages import counted
from moss.messages import gettext as _
from moss.store.courses.roster import fit_of, partners_of, remove_roster
from moss.store.courses.roster_file import COLUMNS
from moss.store.tables import CourseRow, PersonRow
from moss.store.validation import RefusedError
from moss.web.actions.roster import merge_into, part_from_student, replace_roster
from moss.web.request.access import Right, access
from moss.web.request.answers import refusals
from moss.web.request.context import audit, db
from moss.web.request.links import say
from moss.web.request.numbers import number

blueprint = Blueprint("roster", __name__)


@blueprint.get("/courses/<int:course>/roster")
@access(Right.TEACH)
def show(course: CourseRow) -> ResponseReturnValue:
    """The roster, the names that it joined, and those that it could not."""
    return _page(course)


@blueprint.post("/courses/<int:course>/roster")
@access(Right.TEACH)
def send(course: CourseRow) -> ResponseReturnValue:
    """Replace the roster by an uploaded file, or by lines that were pasted."""
    sent = request.files.get("roster")
    content = sent.read() if sent and sent.filename else request.form.get("lines", "").encode()
    try:
        problems = replace_roster(course, content)
    except RefusedError as wrong:
        return _page(course, wrong), 422
    students = counted(len(_students(course)), "student")
    say(" ".join([_("The roster has %(students)s.", students=students), *problems]))
    return redirect(url_for("roster.show", course=course.id), 303)


@blueprint.post("/courses/<int:course>/roster/remove")
@access(Right.TEACH)
def remove(course: CourseRow) -> ResponseReturnValue:
    """Delete the roster."""
    remove_roster(db(), course.id)
    audit("removed a roster", course_id=course.id)
    say(_("The roster was deleted. Names that it merged stay merged until you part them."))
    return redirect(url_for("roster.show", course=course.id), 303)


@blueprint.post("/people/<int:person>/merge")
@access(Right.TEACH)
def merge(person: PersonRow) -> ResponseReturnValue:
    """Merge a student into another, by hand."""
    name = person.student.name
    with refusals():
        into = merge_into(person, request.form.get("into", 0, type=number))
    say(_("%(name)s and %(other)s are one student now. To undo that, part them below.", name=name, other=into.name))
    return redirect(url_for("people.show", person=into.id), 303)


@blueprint.post("/people/<int:person>/part")
@access(Right.TEACH)
def part(person: PersonRow) -> ResponseReturnValue:
    """Make a merged name a student of its own again."""
    with refusals():
        before = part_from_student(person)
    say(_("%(name)s and %(other)s are two students again.", name=person.name, other=before))
    return redirect(url_for("people.show", person=person.id), 303)


def _page(course: CourseRow, wrong: RefusedError | None = None) -> str:
    merged = select(PersonRow).filter_by(course_id=course.id).where(PersonRow.same_as_id.is_not(None))
    return render_template(
        "web/roster.html", course=course, students=_students(course), fit=fit_of(db(), course.id), wrong=wrong,
        merged=db().scalars(merged.order_by(PersonRow.name)).all(), partners=partners_of(db(), course.id),
        columns=COLUMNS, lines=request.form.get("lines", ""),
    )  # fmt: skip


def _students(course: CourseRow) -> list[PersonRow]:
    query = select(PersonRow).filter_by(course_id=course.id, on_roster=True)
    return list(db().scalars(query.order_by(PersonRow.section, PersonRow.name)))
