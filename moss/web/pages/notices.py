"""Notices to a user: a page, and the data for the script that looks for new ones."""

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
    """All notices of the visitor, newest first."""
    return render_template("web/run_notices.html", notices=latest_notices(db(), me().id), leads_to=leads_to)


@blueprint.get("/notices/new")
@access(Right.USER)
def new() -> ResponseReturnValue:
    """The notices that the visitor has not seen, for scripts."""
    unseen = unseen_notices(db(), me().id)
    return [{"id": notice.id, "text": notice.text, "url": leads_to(notice)} for notice in unseen]


@blueprint.post("/notices/seen")
@access(Right.USER)
def seen() -> ResponseReturnValue:
    """Mark the visitor's notices as seen, up to the one that is named."""
    mark_seen(db(), me().id, request.form.get("last", None, number))
    return redirect(url_for("notices.show"), 303)


def leads_to(notice: NoticeRow) -> str:
    """The address that a notice links to, below the server's root."""
    return f"{request.script_root}{notice.path}"


@blueprint.app_context_processor
def _helpers() -> dict[str, Any]:
    return {"count_notices": lambda: count_unseen(db(), me().id)}
