"""The people of a course: pairs over all assignments, everything about one person, the roster, and erasing people.

The roster is uploaded as a file, and joins names of one student; what it could not join is merged by hand. Instructors
erase one person of their course, administrators everybody of a name.
"""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.jobs.handlers.deletion import erase
from moss.messages import counted
from moss.messages import gettext as _
from moss.store.courses.merges import names_of_student
from moss.store.courses.people import (
    CourseView,
    PeoplePair,
    cases_of,
    course_view,
    handed_in_by,
    people_of_course,
    strongest,
)
from moss.store.courses.roster import fit_of, partners_of, remove_roster
from moss.store.courses.roster_file import COLUMNS
from moss.store.deletion.erasure import people_named, traces_of
from moss.store.results.reference_kinds import references_in_cases
from moss.store.tables import CourseRow, PersonRow
from moss.store.validation import RefusedError
from moss.web.actions.courses import merge_into, part_from_student, replace_roster
from moss.web.request.access import Right, access
from moss.web.request.addresses import number, say
from moss.web.request.answers import refusals
from moss.web.request.context import audit, db

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
    everyone, authors = people_of_course(db(), course)
    return render_template(
        "web/people.html", course=course, view=view, rows=rows[(page - 1) * PAGE : page * PAGE], total=len(rows),
        page=page, pages=-(-len(rows) // PAGE), name=name, least=least, section=section, times=view.times_of(),
        everyone=[person for person in everyone if section in ("", person.section)],
        authors=[] if section else authors, sections=sections_of(everyone), partners=partners_of(db(), course.id),
    )  # fmt: skip


@blueprint.get("/people/<int:person>/")
@access(Right.READ)
def show(person: PersonRow) -> ResponseReturnValue:
    """One student: their names, their submissions, the people they resemble most, and their cases."""
    if person.same_as is not None:
        return redirect(url_for("people.show", person=person.same_as.id))
    cases = cases_of(db(), person)
    others = select(PersonRow).filter_by(course_id=person.course_id, same_as_id=None).where(PersonRow.id != person.id)
    return render_template(
        "web/person.html",
        person=person,
        names=names_of_student(db(), person),
        others=db().scalars(others.order_by(PersonRow.name)).all(),
        partners=[pair for pair in partners_of(db(), person.course_id) if person.id in (pair.a_id, pair.b_id)],
        submissions=handed_in_by(db(), person),
        strongest=strongest(db(), person, STRONGEST),
        cases=cases,
        references=references_in_cases(db(), cases),
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


@blueprint.get("/courses/<int:course>/roster")
@access(Right.TEACH)
def show_roster(course: CourseRow) -> ResponseReturnValue:
    """The roster, the names that it joined, and those that it could not."""
    return _roster_page(course)


@blueprint.post("/courses/<int:course>/roster")
@access(Right.TEACH)
def send_roster(course: CourseRow) -> ResponseReturnValue:
    """Replace the roster by an uploaded file, or by lines that were pasted."""
    sent = request.files.get("roster")
    content = sent.read() if sent and sent.filename else request.form.get("lines", "").encode()
    try:
        problems = replace_roster(course, content)
    except RefusedError as wrong:
        return _roster_page(course, wrong), 422
    students = counted(len(_listed_students(course)), "student")
    say(" ".join([_("The roster has %(students)s.", students=students), *problems]))
    return redirect(url_for("people.show_roster", course=course.id), 303)


@blueprint.post("/courses/<int:course>/roster/remove")
@access(Right.TEACH)
def delete_roster(course: CourseRow) -> ResponseReturnValue:
    """Delete the roster."""
    remove_roster(db(), course.id)
    audit("removed a roster", course_id=course.id)
    say(_("The roster was deleted. Names that it merged stay merged until you part them."))
    return redirect(url_for("people.show_roster", course=course.id), 303)


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


def _roster_page(course: CourseRow, wrong: RefusedError | None = None) -> str:
    merged = select(PersonRow).filter_by(course_id=course.id).where(PersonRow.same_as_id.is_not(None))
    return render_template(
        "web/roster.html", course=course, students=_listed_students(course), fit=fit_of(db(), course.id), wrong=wrong,
        merged=db().scalars(merged.order_by(PersonRow.name)).all(), partners=partners_of(db(), course.id),
        columns=COLUMNS, lines=request.form.get("lines", ""),
    )  # fmt: skip


def _listed_students(course: CourseRow) -> list[PersonRow]:
    query = select(PersonRow).filter_by(course_id=course.id, on_roster=True)
    return list(db().scalars(query.order_by(PersonRow.section, PersonRow.name)))


@blueprint.get("/people/<int:person>/erase")
@access(Right.TEACH)
def show_traces(person: PersonRow) -> ResponseReturnValue:
    """Everything that is stored about a person, before it is erased."""
    return _erase_page(person)


@blueprint.post("/people/<int:person>/erase")
@access(Right.TEACH)
def erase_person(person: PersonRow) -> ResponseReturnValue:
    """Erase a person, if their name was typed."""
    if " ".join(request.form.get("confirm", "").split()) != " ".join(person.name.split()):
        return _erase_page(person, RefusedError("confirm", _("That’s not the name, so nothing was erased."))), 422
    course = person.course_id
    _erase(person)
    flash(_("Everything about this student has been erased."), "done")
    return redirect(url_for("courses.show", course=course), 303)


@blueprint.get("/erase")
@access(Right.ADMINISTER)
def find_people() -> ResponseReturnValue:
    """Find everybody with a name, in all courses."""
    return _search_page(request.args.get("name", ""))


@blueprint.post("/erase")
@access(Right.ADMINISTER)
def erase_people() -> ResponseReturnValue:
    """Erase the chosen people, if the word that confirms it was typed."""
    name, chosen = request.form.get("name", ""), set(request.form.getlist("people"))
    found = [person for person in people_named(db(), name) if str(person.id) in chosen]
    if not found or request.form.get("confirm", "").strip().lower() != "erase":
        sentence = _("Type the word erase. Nothing was erased.") if found else _("Select the students to erase.")
        return _search_page(name, RefusedError("confirm" if found else "people", sentence)), 422
    for person in found:
        _erase(person)
    flash(_("Erased: %(students)s.", students=counted(found, "student")), "done")
    return redirect(url_for("people.find_people"), 303)


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
