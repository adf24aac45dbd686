"""Home: what needs somebody in all courses of the visitor, what goes on there, and the notices to the visitor."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.jobs.disk_room import has_room
from moss.store.accounts.notices import count_unseen, latest_notices, mark_seen, unseen_notices
from moss.store.courses.assignments import activity_in, last_course_of
from moss.store.results.case_lists import count_cases
from moss.store.results.review_queue import review_queue
from moss.store.tables import CaseState, CourseRow, NoticeRow
from moss.web.actions.runs import most_bytes
from moss.web.request.access import Right, access, my_courses, taught_courses
from moss.web.request.addresses import number
from moss.web.request.context import db, me, server

blueprint = Blueprint("home", __name__)

AT_FIRST = 5  # pairs of an assignment that are listed, or fewer beside many others; the report has them all
_RECENT = 5  # uploads, runs and reports that are listed


@blueprint.get("/")
@access(Right.USER)
def show() -> ResponseReturnValue:
    """Pairs to review by assignment, the longest waiting first, and beside them what else goes on."""
    courses = my_courses(me())
    queue = review_queue(db(), [course.id for course in courses], AT_FIRST, me().id)
    return render_template(
        "web/home.html",
        courses=courses,
        taught=_last_used_first(taught_courses(me(), courses)),
        most_bytes=most_bytes(),
        mine=queue.mine,
        suspicious=queue.suspicious,
        unreviewed=queue.unreviewed,
        number_waiting=queue.waiting,
        left_out=queue.left_out,
        counts=count_cases(db(), [course.id for course in courses]),
        states=(CaseState.SUSPICIOUS, CaseState.CONFIRMED, CaseState.DISMISSED, CaseState.PARTNERS),
        activity=activity_in(db(), courses, _RECENT + 1),
        recent=_RECENT,
        at_first=queue.at_first,
    )


def _last_used_first(courses: list[CourseRow]) -> list[CourseRow]:
    """The courses, the one for which the visitor last uploaded something before all others."""
    last = last_course_of(db(), me().id) if len(courses) > 1 else None
    return sorted(courses, key=lambda course: course.id != last)


@blueprint.get("/health")
@access(Right.ANYONE)
def health() -> ResponseReturnValue:
    """Whether the server answers and has room to store something, for monitoring."""
    return {"status": "ok"} if has_room(server().config) else ({"status": "no room on the disk"}, 507)


@blueprint.get("/notices")
@access(Right.USER)
def show_notices() -> ResponseReturnValue:
    """All notices of the visitor, newest first."""
    return render_template("web/run_notices.html", notices=latest_notices(db(), me().id), leads_to=leads_to)


@blueprint.get("/notices/new")
@access(Right.USER)
def new_notices() -> ResponseReturnValue:
    """The notices that the visitor has not seen, for scripts."""
    unseen = unseen_notices(db(), me().id)
    return [{"id": notice.id, "text": notice.text, "url": leads_to(notice)} for notice in unseen]


@blueprint.post("/notices/seen")
@access(Right.USER)
def mark_notices() -> ResponseReturnValue:
    """Mark the visitor's notices as seen, up to the one that is named."""
    mark_seen(db(), me().id, request.form.get("last", None, number))
    return redirect(url_for("home.show_notices"), 303)


def leads_to(notice: NoticeRow) -> str:
    """The address that a notice links to, below the server's root."""
    return f"{request.script_root}{notice.path}"


@blueprint.app_context_processor
def _notice_helpers() -> dict[str, Any]:
    return {"count_notices": lambda: count_unseen(db(), me().id)}
