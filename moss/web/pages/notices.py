"""Notices: what a user is told, as a page and for the script that looks for new ones."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.store.accounts.notices import count_unseen, latest_notices, mark_seen, unseen_notices
from moss.store.tables import NoticeRow
from moss.web.request.access import Right, access
from moss.web.request.context import db, me
from moss.web.request.numbers import number

blueprint = Blueprint("notices", __name__)


@blueprint.get("/notices")
@access(Right.USER)
def show() -> ResponseReturnValue:
    """All of them, newest first."""
    return render_template("web/run_notices.html", notices=latest_notices(db(), me().id), leads_to=leads_to)


@blueprint.get("/notices/new")
@access(Right.USER)
def new() -> ResponseReturnValue:
    """Those that nobody has looked at, for scripts."""
    unseen = unseen_notices(db(), me().id)
    return [{"id": notice.id, "text": notice.text, "url": leads_to(notice)} for notice in unseen]


@blueprint.post("/notices/seen")
@access(Right.USER)
def seen() -> ResponseReturnValue:
    """The user has looked at them, up to the one that is named."""
    mark_seen(db(), me().id, request.form.get("last", None, number))
    return redirect(url_for("notices.show"), 303)


def leads_to(notice: NoticeRow) -> str:
    """Where a notice leads, wherever the server's root is."""
    return f"{request.script_root}{notice.path}"


@blueprint.app_context_processor
def _helpers() -> dict[str, Any]:
    return {"count_notices": lambda: count_unseen(db(), me().id)}
