"""People: the pairs of a whole course, and everything about one person."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.store.courses.merges import names_of_student
from moss.store.courses.people import CourseView, PeoplePair, cases_of, course_view, handed_in_by, strongest
from moss.store.courses.roster import partners_of
from moss.store.tables import CourseRow, PersonRow
from moss.web.request.access import Right, access
from moss.web.request.context import db
from moss.web.request.numbers import number

blueprint = Blueprint("people", __name__)

PAGE = 100  # pairs of people on a page
COLOURS = 6  # by which sections are told apart
STRONGEST = 5  # pairs of one person that are listed for each assignment


@blueprint.get("/courses/<int:course>/people")
@access(Right.READ)
def index(course: CourseRow) -> ResponseReturnValue:
    """The pairs of people that stand out, over all assignments of a course."""
    view = course_view(db(), course)
    name, least = request.args.get("name", "").strip(), request.args.get("least", 1, type=number)
    section = request.args.get("section", "")
    rows = select_rows(view, name, least, section)
    page = max(1, min(request.args.get("page", 1, type=number), -(-len(rows) // PAGE)))
    students = select(PersonRow).filter_by(course_id=course.id).where(PersonRow.same_as_id.is_(None))
    everyone = db().scalars(students.order_by(PersonRow.name)).all()
    return render_template(
        "web/people.html", course=course, view=view, rows=rows[(page - 1) * PAGE : page * PAGE], total=len(rows),
        page=page, pages=-(-len(rows) // PAGE), name=name, least=least, section=section, times=view.times_of(),
        everyone=[person for person in everyone if section in ("", person.section)],
        sections=sections_of(everyone), partners=partners_of(db(), course.id),
    )  # fmt: skip


@blueprint.get("/people/<int:person>/")
@access(Right.READ)
def show(person: PersonRow) -> ResponseReturnValue:
    """One student: their names, their submissions, the people they resemble most, and their cases."""
    if person.same_as is not None:
        return redirect(url_for("people.show", person=person.same_as.id))
    others = select(PersonRow).filter_by(course_id=person.course_id, same_as_id=None).where(PersonRow.id != person.id)
    return render_template(
        "web/person.html",
        person=person,
        names=names_of_student(db(), person),
        others=db().scalars(others.order_by(PersonRow.name)).all(),
        partners=[pair for pair in partners_of(db(), person.course_id) if person.id in (pair.a_id, pair.b_id)],
        submissions=handed_in_by(db(), person),
        strongest=strongest(db(), person, STRONGEST),
        cases=cases_of(db(), person),
    )


def sections_of(people: Sequence[PersonRow]) -> dict[str, int]:
    """The sections of these people in order, each with the number of its colour."""
    names = sorted({person.section for person in people if person.section})
    return {name: place % COLOURS for place, name in enumerate(names)}


def select_rows(view: CourseView, name: str, least: int, section: str = "") -> Sequence[PeoplePair]:
    """The pairs of people who stand out at least so often, one of whom has this text in their name, and one of whom is
    in this section."""
    part = " ".join(name.split()).casefold()
    return [
        row
        for row in view.rows
        if row.times >= least
        and (not part or any(part in person.name.casefold() for person in row.people))
        and (not section or any(person.section == section for person in row.people))
    ]
