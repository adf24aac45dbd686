"""Corpora of the server, and which courses may search each or add to it; for administrators."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.messages import gettext as _
from moss.store.courses.rights import CorpusUse, all_rights, set_right
from moss.store.tables import CorpusRightRow, CourseRow
from moss.web.actions.corpora import all_corpora
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db
from moss.web.request.links import say
from moss.web.request.numbers import number

blueprint = Blueprint("corpora", __name__)


@blueprint.get("/corpora")
@access(Right.ADMINISTER)
def show() -> ResponseReturnValue:
    """All corpora, with the rights of courses."""
    courses = {course.id: course for course in db().scalars(select(CourseRow).order_by(CourseRow.id.desc()))}
    rights = all_rights(db())
    default = [CorpusRightRow(course_id=None, search=CorpusUse().search, add=CorpusUse().add)]
    found = [(corpus, rights.get(corpus.name, default)) for corpus in all_corpora()]
    return render_template("web/corpora.html", found=found, courses=courses)


@blueprint.post("/corpora/<name>")
@access(Right.ADMINISTER)
def change(name: str) -> ResponseReturnValue:
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
    return redirect(url_for("corpora.show"), 303)
