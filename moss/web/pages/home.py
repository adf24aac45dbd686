"""Home: the open cases of all courses."""

from __future__ import annotations

from itertools import groupby

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from moss.jobs.disk_room import has_room
from moss.store.results.cases import PairToReview, waiting
from moss.store.tables import CaseState
from moss.web.request.access import Right, access, my_courses
from moss.web.request.context import db, me, server

blueprint = Blueprint("home", __name__)

AT_FIRST = 10  # unreviewed pairs of an assignment that are listed; the report has the others


@blueprint.get("/")
@access(Right.USER)
def show() -> ResponseReturnValue:
    """The open cases: suspicious ones first, then pairs that nobody has looked at."""
    courses = my_courses(me())
    mine = request.args.get("whose") == "mine"
    found = [w for w in waiting(db(), courses) if not mine or (w.case and w.case.assignee_id == me().id)]
    return render_template(
        "web/home.html",
        courses=courses,
        mine=mine,
        suspicious=[w for w in found if w.state is CaseState.SUSPICIOUS],
        unreviewed=_by_assignment([w for w in found if w.state is CaseState.UNREVIEWED]),
        at_first=AT_FIRST,
    )


def _by_assignment(found: list[PairToReview]) -> list[list[PairToReview]]:
    return [list(group) for _, group in groupby(found, key=lambda w: w.assignment.id)]


@blueprint.get("/health")
@access(Right.ANYONE)
def health() -> ResponseReturnValue:
    """Whether the server answers and has room to store something, for monitoring."""
    return {"status": "ok"} if has_room(server().config) else ({"status": "no room on the disk"}, 507)
