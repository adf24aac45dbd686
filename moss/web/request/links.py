"""Links: addresses for people outside, paths given by visitors, and messages that the next page shows once."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import flask
from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from moss.report.visible_text import visible_plain
from moss.web.request.context import server


def outside(endpoint: str, **values: Any) -> str:
    """The whole address of a page, to be sent to somebody."""
    base = server().config.public_url or request.url_root
    return base.rstrip("/") + url_for(endpoint, **values).removeprefix(request.script_root)


def local_path(path: str) -> str:
    """The given path if it is one on this server, to which a visitor can return; else the home page."""
    plain = path.isprintable() and "\\" not in path and path.startswith("/") and not path.startswith("//")
    return path if plain and not urlsplit(path).netloc else "/"


def go_to(path: str) -> Response:
    """Send the browser to a path on this server."""
    return redirect(request.script_root + local_path(path), 303)


def show_once(what: str, text: str) -> None:
    """Hand a secret to the next page that this browser opens."""
    flask.session[f"once-{what}"] = text


def shown_once(what: str) -> str:
    """The secret that the previous page handed on; later pages do not get it."""
    text: str = flask.session.pop(f"once-{what}", "")
    return text


def say(sentence: str, undo: str = "") -> None:
    """Show a sentence on the next page, saying that something is done; `undo` is an address that takes it back."""
    flask.flash(visible_plain(sentence), f"undo {undo}" if undo else "done")
