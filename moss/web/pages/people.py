"""People: the pairs of a whole course, and everything about one person."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.store.courses.people import CourseView, PeoplePair, cases_of, course_view, handed_in_by, strongest
from moss.store.tables import CourseRow, PersonRow
from moss.web.request.access import Right, access
from moss.web.request.context import db
from moss.web.request.numbers import number

blueprint = Blueprint("people", __name__)

PAGE = 100  # pairs of people on a page
STRONGEST = 5  # pairs of one person that are listed for each assignment


@blueprint.get("/courses/<int:course>/people")
@access(Right.READ)
def index(course: CourseRow) -> ResponseReturnValue:
    """The pairs of people that stand out, over all assignments of a course."""
    view = course_view(db(), course)
    name, least = request.args.get("name", "").strip(), request.args.get("least", 1, type=number)
    rows = select_rows(view, name, least)
    page = max(1, min(request.args.get("page", 1, type=number), -(-len(rows) // PAGE)))
    everyone = db().scalars(select(PersonRow).filter_by(course_id=course.id).order_by(PersonRow.name)).all()
    return render_template(
        "web/people.html", course=course, view=view, rows=rows[(page - 1) * PAGE : page * PAGE], total=len(rows),
        page=page, pages=-(-len(rows) // PAGE), name=name, least=least, everyone=everyone, times=view.times_of(),
    )  # fmt: skip


@blueprint.get("/people/<int:person>/")
@access(Right.READ)
def show(person: PersonRow) -> ResponseReturnValue:
    """One person: their submissions, the people they resemble most, and their cases."""
    return render_template(
        "web/person.html",
        person=person,
        submissions=handed_in_by(db(), person),
        strongest=strongest(db(), person, STRONGEST),
        cases=cases_of(db(), person),
    )


def select_rows(view: CourseView, name: str, least: int) -> Sequence[PeoplePair]:
    """The pairs of people who stand out at least so often and one of whom has this text in their name."""
    part = " ".join(name.split()).casefold()
    return [
        row
        for row in view.rows
        if row.times >= least and (not part or any(part in person.name.casefold() for person in row.people))
    ]
