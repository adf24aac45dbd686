"""Turning anonymous mode on and off."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from moss.web.request.access import Right, access
from moss.web.request.anonymous_mode import hide_names, show_names
from moss.web.request.numbers import number

blueprint = Blueprint("anonymous", __name__)


@blueprint.post("/anonymous")
@access(Right.USER)
def begin() -> ResponseReturnValue:
    """Show reports without names from now on, beginning with the run's that was asked for."""
    run = request.form.get("run", type=number) or abort(422)
    hide_names(run)
    return redirect(url_for("reports.overview", run=run))


@blueprint.post("/anonymous/end")
@access(Right.USER)
def end() -> ResponseReturnValue:
    """Show names again."""
    run = show_names()
    return redirect(url_for("reports.overview", run=run) if run else url_for("home.show"))
