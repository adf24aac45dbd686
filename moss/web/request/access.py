"""Access: every route says who may use it, and the rows that its numbers stand for are looked up and checked here.

A route's variables name rows: `/runs/<int:run>/` gives its view a `RunRow`, and only if the visitor may see the course
to which it belongs. To others the row does not exist. An app with a route that says nothing does not start.

In anonymous mode, a switch of the session, reports are shown without names. Most other pages name students, so while
the mode is on they are closed, and a page says how to end it. A new page is closed until it is listed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, cast

from flask import Flask, abort, flash, g, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import Select, bindparam, exists, select
from sqlalchemy.orm import joinedload
from werkzeug.routing import Rule
from werkzeug.wrappers import Response

from moss.messages import gettext as _
from moss.store.tables import (
    AssignmentRow,
    CaseRow,
    CourseRole,
    CourseRow,
    DropRow,
    JobRow,
    MembershipRow,
    PersonRow,
    RunRow,
    SenderRow,
    ShareLinkRow,
    SubmissionRow,
    UploadRow,
    UserRow,
)
from moss.web.request.answers import wants_json, way_back
from moss.web.request.context import SAFE_METHODS, db, visitor

_ROLE = select(MembershipRow.role).where(
    MembershipRow.course_id == bindparam("course"), MembershipRow.user_id == bindparam("user")
)

View = TypeVar("View", bound=Callable[..., Any])

_ANONYMOUS = "anonymous"
_REPORT_PAGES = ("overview", "pair_list", "pair", "submission_page", "cluster_page", "asset")
_SESSION_PAGES = ("begin_anonymous", "end_anonymous", "log_out")
_OPEN_PAGES = frozenset(
    {*(f"reports.{page}" for page in _REPORT_PAGES), *(f"session.{page}" for page in _SESSION_PAGES)}
)


class Right(StrEnum):
    """Who may use a route."""

    ANYONE = "anyone"  # every visitor
    USER = "user"  # visitors who have logged in
    READ = "read"  # members of the course, including assistants
    PROPOSE = "propose"  # members of the course: instructors decide, assistants propose
    TEACH = "teach"  # instructors of the course
    ADMINISTER = "administer"  # administrators


def access(right: Right) -> Callable[[View], View]:
    """A decorator that says who may use a view."""

    def mark(view: View) -> View:
        view.right = right  # type: ignore[attr-defined]
        return view

    return mark


def _course_of_run(run: RunRow) -> CourseRow | None:
    return run.assignment.course


THINGS: dict[str, tuple[type[Any], Callable[[Any], CourseRow | None]]] = {
    "course": (CourseRow, lambda course: course),
    "assignment": (AssignmentRow, lambda assignment: assignment.course),
    "person": (PersonRow, lambda person: person.course),
    "submission": (SubmissionRow, lambda submission: submission.assignment.course),
    "upload": (UploadRow, lambda upload: upload.assignment.course),
    "run": (RunRow, _course_of_run),
    "case": (CaseRow, lambda case: case.assignment.course),
    "drop": (DropRow, lambda drop: drop.run.assignment.course),
    "link": (ShareLinkRow, lambda link: _course_of_run(db().get_one(RunRow, link.run_id))),
    "job": (JobRow, lambda job: db().get(CourseRow, job.course_id) if job.course_id else None),
    "user": (UserRow, lambda user: None),
}
"""For each name of a route's variable: the table of its rows, and the course that a row belongs to."""


_WITH_COURSE: dict[str, Select[Any]] = {
    "run": select(RunRow)
    .options(joinedload(RunRow.assignment).joinedload(AssignmentRow.course))
    .where(RunRow.id == bindparam("id")),
    "assignment": select(AssignmentRow)
    .options(joinedload(AssignmentRow.course))
    .where(AssignmentRow.id == bindparam("id")),
}
"""The queries for the rows that most pages are about, which bring their course along."""


def check_routes(app: Flask) -> None:
    """Raise RuntimeError if a route does not say who may use it."""
    for rule in app.url_map.iter_rules():
        right = right_of(app, rule.endpoint)
        if right is None:
            raise RuntimeError(f"the route {rule} does not say who may use it")
        if right in (Right.READ, Right.PROPOSE, Right.TEACH) and not course_variables(rule):
            raise RuntimeError(f"the route {rule} asks for a member, but does not say of which course")


def right_of(app: Flask, endpoint: str) -> Right | None:
    """The right that an endpoint asks for; None if it does not say."""
    return getattr(app.view_functions[endpoint], "right", None)


def course_variables(rule: Rule) -> list[str]:
    """The variables of a route whose rows belong to a course."""
    return [name for name in rule.arguments if name in THINGS and name != "user"]


def authorise(app: Flask) -> Response | None:
    """Let the request through, with rows in place of the numbers in its arguments, or send it away."""
    if request.endpoint is None:
        return None  # Flask answers 404 itself
    right = right_of(app, request.endpoint)
    if right is Right.ANYONE:
        return None
    user = visitor()
    if user is None:
        return _ask_to_log_in()
    if right is Right.ADMINISTER and not user.administrator:
        abort(403)
    courses = list(_look_up(request.view_args or {}))
    for course in courses:
        _check(user, course, right)
    return None


def _ask_to_log_in() -> Response | None:
    if g.get("is_api"):
        abort(401)
    if request.method == "GET":
        return redirect(url_for("session.log_in", then=request.full_path.rstrip("?")))
    sentence = _("You were no longer logged in, so nothing was changed. Log in, and do it again.")
    if wants_json():
        abort(401, sentence)
    flash(sentence, "wrong")
    then = way_back().removeprefix(request.script_root) or None
    return redirect(url_for("session.log_in", then=then), 303)


def _look_up(arguments: dict[str, Any]) -> Iterator[CourseRow | None]:
    """Replace numbers in the arguments by their rows, and yield the courses that these belong to."""
    for name, value in list(arguments.items()):
        if name in THINGS:
            table, course_of = THINGS[name]
            query = _WITH_COURSE.get(name)
            thing = db().get(table, value) if query is None else db().scalar(query, {"id": value})
            if thing is None:
                abort(404)
            arguments[name] = thing
            if name != "user":
                yield course_of(thing)


def _check(user: UserRow, course: CourseRow | None, right: Right | None) -> None:
    if user.administrator:
        return
    role = course_role(user, course)
    if role is None:
        abort(404)
    if right is Right.TEACH and role is not CourseRole.INSTRUCTOR:
        abort(403)


def course_role(user: UserRow, course: CourseRow | None) -> CourseRole | None:
    """The role of a user in a course, None if they have none; administrators are instructors everywhere."""
    if user.administrator:
        return CourseRole.INSTRUCTOR
    if course is None:
        return None
    who = {"course": course.id, "user": user.id}
    if request.method not in SAFE_METHODS:  # it may change what it asks for
        return db().scalar(_ROLE, who)
    known = g.setdefault("roles", {})
    if (key := (course.id, user.id)) not in known:
        known[key] = db().scalar(_ROLE, who)
    return cast("CourseRole | None", known[key])


def may_teach(course: CourseRow) -> bool:
    """Whether the visitor may change things in a course."""
    user = visitor()
    return user is not None and course_role(user, course) is CourseRole.INSTRUCTOR


def my_courses(user: UserRow) -> list[CourseRow]:
    """The courses that a user may see, newest first."""
    return list(db().scalars(_courses_seen(user.administrator), {"user": user.id}))


@cache
def _courses_seen(by_administrator: bool) -> Select[CourseRow]:
    """The courses of which `user` is a member; administrators also see all others but those of submit scripts."""
    mine = exists().where(MembershipRow.course_id == CourseRow.id, MembershipRow.user_id == bindparam("user"))
    seen = mine | ~exists().where(SenderRow.course_id == CourseRow.id) if by_administrator else mine
    return select(CourseRow).where(seen).order_by(CourseRow.id.desc())


def taught_courses(user: UserRow, courses: Sequence[CourseRow]) -> list[CourseRow]:
    """The courses among these in which a user may change things."""
    if user.administrator:
        return list(courses)
    mine = select(MembershipRow.course_id).filter_by(user_id=user.id, role=CourseRole.INSTRUCTOR)
    taught = set(db().scalars(mine))
    return [course for course in courses if course.id in taught]


def is_anonymous() -> bool:
    """Whether the mode is on for this visitor; programs with a token have no session, nor has who is not logged in."""
    return _ANONYMOUS in session and not g.get("by_token") and visitor() is not None


def hide_names(run: int) -> None:
    """Turn the mode on, for showing the report of the run with this number."""
    session[_ANONYMOUS] = run


def show_names() -> int | None:
    """Turn the mode off; returns the run whose report was shown."""
    run: int | None = session.pop(_ANONYMOUS, None)
    return run


def close_other_pages() -> ResponseReturnValue | None:
    """Answer in place of a page that would name somebody."""
    open_page = request.endpoint in _OPEN_PAGES or request.blueprint == "assets" or request.endpoint is None
    if open_page or not is_anonymous():
        return None
    return render_template("web/anonymous.html", run=session[_ANONYMOUS], anonymous=True), 403
