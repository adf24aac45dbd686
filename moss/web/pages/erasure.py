"""Erasing people: one person of a course by its instructors, or everybody of a name by an administrator."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.jobs.handlers.deletion import erase
from moss.messages import counted
from moss.messages import gettext as _
from moss.store.deletion.erasure import people_named, traces_of
from moss.store.tables import PersonRow
from moss.store.validation import RefusedError
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db

blueprint = Blueprint("erasure", __name__)


@blueprint.get("/people/<int:person>/erase")
@access(Right.TEACH)
def erase_person(person: PersonRow) -> ResponseReturnValue:
    """Everything that is stored about a person, before it is erased."""
    return _erase_page(person)


@blueprint.post("/people/<int:person>/erase")
@access(Right.TEACH)
def carry_out(person: PersonRow) -> ResponseReturnValue:
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
    return redirect(url_for("erasure.find_people"), 303)


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
