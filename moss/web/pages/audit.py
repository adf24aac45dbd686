"""The audit: who did what and when. Administrators see all of it, instructors the entries of their course."""

from __future__ import annotations

from datetime import date
from typing import Any

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.store.courses.audit import AuditFilter, actions, entries
from moss.store.tables import CourseRow
from moss.web.pages.audit_words import AuditNames, action_in_words, sentence
from moss.web.request.access import Right, access
from moss.web.request.addresses import number
from moss.web.request.context import db

blueprint = Blueprint("audit", __name__)

_ON_A_PAGE = 100


@blueprint.get("/audit")
@access(Right.ADMINISTER)
def show() -> ResponseReturnValue:
    """All entries."""
    return _page(None)


@blueprint.get("/courses/<int:course>/audit")
@access(Right.TEACH)
def show_course(course: CourseRow) -> ResponseReturnValue:
    """The entries of one course."""
    return _page(course)


def _page(course: CourseRow | None) -> str:
    choice = _choice(course)
    found = entries(db(), choice, _ON_A_PAGE + 1)
    shown = found[:_ON_A_PAGE]
    return render_template(
        "web/audit.html",
        course=course,
        choice=choice,
        actions=sorted(((each, action_in_words(each)) for each in actions(db(), choice)), key=lambda pair: pair[1]),
        entries=shown,
        titles=_titles(shown),
        older=_address(course, before=shown[-1].id) if len(found) > _ON_A_PAGE else "",
        newest=_address(course) if choice.before else "",
        sentence=sentence,
        described=AuditNames(db(), shown).details,
    )


def _choice(course: CourseRow | None) -> AuditFilter:
    asked = request.args
    return AuditFilter(
        who=asked.get("who", "").strip(),
        action=asked.get("action", ""),
        since=_day("since"),
        until=_day("until"),
        course_id=course.id if course else None,
        before=asked.get("before", None, number),
    )


def _day(name: str) -> date | None:
    try:
        return date.fromisoformat(request.args.get(name, ""))
    except ValueError:
        return None


def _address(course: CourseRow | None, **values: Any) -> str:
    """The address of this page with the current choice, starting at another entry."""
    for name in ("who", "action", "since", "until"):
        values[name] = request.args.get(name) or None
    if course is None:
        return url_for("audit.show", **values)
    return url_for("audit.show_course", course=course.id, **values)


def _titles(shown: Any) -> dict[int, str]:
    ids = {entry.course_id for entry in shown if entry.course_id is not None}
    return {course.id: course.title for course in db().scalars(select(CourseRow).where(CourseRow.id.in_(ids)))}
