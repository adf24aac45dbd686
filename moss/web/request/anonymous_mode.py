"""Anonymous mode: a switch of the session under which reports are shown without names, and nothing else is shown.

Most pages of the app name students. So while the mode is on, only the pages of reports are open, which have a form
without names, and whatever else is asked for is answered by a page that says how to end the mode. A page that is new is
closed until it is listed here.
"""

from __future__ import annotations

from flask import g, render_template, request, session
from flask.typing import ResponseReturnValue

from moss.web.request.context import visitor

_KEY = "anonymous"
_REPORT = ("overview", "pair_list", "pair", "submission_page", "cluster_page", "asset")
_SESSION = ("begin_anonymous", "end_anonymous", "log_out")
_OPEN = frozenset({*(f"reports.{page}" for page in _REPORT), *(f"session.{page}" for page in _SESSION)})


def is_anonymous() -> bool:
    """Whether the mode is on for this visitor; programs with a token have no session, nor has who is not logged in."""
    return _KEY in session and not g.get("by_token") and visitor() is not None


def hide_names(run: int) -> None:
    """Turn the mode on, for showing the report of the run with this number."""
    session[_KEY] = run


def show_names() -> int | None:
    """Turn the mode off; returns the run whose report was shown."""
    run: int | None = session.pop(_KEY, None)
    return run


def close_other_pages() -> ResponseReturnValue | None:
    """Answer in place of a page that would name somebody."""
    open_page = request.endpoint in _OPEN or request.blueprint == "assets" or request.endpoint is None
    if open_page or not is_anonymous():
        return None
    return render_template("web/anonymous.html", run=session[_KEY]), 403
