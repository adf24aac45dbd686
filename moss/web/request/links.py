"""Links: addresses that are given to people, paths that come from them, and what the next page shows once."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import flask
from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from moss.report.visible_text import visible_plain
from moss.web.request.context import parts


def outside(endpoint: str, **values: Any) -> str:
    """The whole address of a page, to be sent to somebody."""
    base = parts().config.public_url or request.url_root
    return base.rstrip("/") + url_for(endpoint, **values).removeprefix(request.script_root)


def local_path(path: str) -> str:
    """A path on this server, to which somebody wants to return; home, if it leads anywhere else."""
    plain = path.isprintable() and "\\" not in path and path.startswith("/") and not path.startswith("//")
    return path if plain and not urlsplit(path).netloc else "/"


def go_to(path: str) -> Response:
    """Send the browser to a path on this server."""
    return redirect(request.script_root + local_path(path), 303)


def show_once(what: str, text: str) -> None:
    """Keep a secret for the next page of this browser, and for no other."""
    flask.session[f"once-{what}"] = text


def shown_once(what: str) -> str:
    """The secret that this page is to show, and none after it."""
    text: str = flask.session.pop(f"once-{what}", "")
    return text


def say(sentence: str) -> None:
    """Tell on the next page that something is done."""
    flask.flash(visible_plain(sentence), "done")
