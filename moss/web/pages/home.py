"""Home: what needs somebody in all courses of the visitor, and what goes on there."""

from __future__ import annotations

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from moss.jobs.disk_room import has_room
from moss.store.courses.assignments import activity_in, last_course_of
from moss.store.results.case_lists import count_cases
from moss.store.results.review_queue import review_queue
from moss.store.tables import CaseState, CourseRow
from moss.web.actions.uploads import most_bytes
from moss.web.request.access import Right, access, my_courses, taught_courses
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
        counts=count_cases(db(), [course.id for course in courses]),
        states=(CaseState.SUSPICIOUS, CaseState.CONFIRMED, CaseState.DISMISSED, CaseState.PARTNERS),
        activity=activity_in(db(), courses, _RECENT),
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
