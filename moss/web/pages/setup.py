"""Set-up: until there is an administrator, every page leads here. Afterwards this page is gone."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from flask import Blueprint, abort, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from moss.config import Config
from moss.messages import gettext as _
from moss.store.accounts.credentials import check_password
from moss.store.accounts.first_admin import (
    FoundedError,
    add_first_course,
    asks_for_course,
    create_first_admin,
    finish,
    is_code,
    is_founded,
    mark_set_up,
    setup_code,
)
from moss.store.tables import CourseRow
from moss.store.validation import RefusedError
from moss.web.request.access import Right, access
from moss.web.request.addresses import say
from moss.web.request.context import audit, db, me, server
from moss.web.request.cookies import log_in
from moss.web.request.limits import limit_codes

__all__ = ["blueprint", "needs_code", "setup_code"]

blueprint = Blueprint("setup", __name__)

_OPEN = ("assets.show", "home.health", "setup.show", "setup.create")
_FOR_SCRIPTS = ("classic", "shares")  # results of submit scripts, which need no account


@blueprint.before_app_request
def lead_here() -> Response | None:
    """Redirect to the set-up while there is no user."""
    if request.endpoint in _OPEN or request.blueprint in _FOR_SCRIPTS or is_done():
        return None
    return redirect(url_for("setup.show"))


def is_done() -> bool:
    """Whether the server has been set up; once it has, that is remembered."""
    known = current_app.extensions
    if not known.get("moss-founded"):
        with server().store.reading() as session:
            known["moss-founded"] = is_founded(session)
        if known["moss-founded"]:
            mark_set_up(server().config.data)  # or anybody could become administrator if the database vanished
    return bool(known["moss-founded"])


def needs_code(config: Config) -> bool:
    """Whether strangers can reach the server, so that the set-up must ask for the code from its console."""
    named = urlsplit(config.public_url).hostname if config.public_url else "localhost"
    return config.proxies > 0 or not (_is_loopback(config.host) and _is_loopback(named or ""))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@blueprint.get("/setup")
@access(Right.ANYONE)
def show() -> ResponseReturnValue:
    """Ask who is to be the administrator."""
    return _page() if not is_done() else abort(404)


@blueprint.post("/setup")
@access(Right.ANYONE)
def create() -> ResponseReturnValue:
    """Make the administrator, and log them in."""
    if is_done():
        abort(404)
    try:
        _check_code()
        _make_administrator()
    except RefusedError as wrong:
        return _page(wrong), 422
    except FoundedError:
        abort(404)
    return redirect(url_for("setup.ask_for_course"), 303)


def _check_code() -> None:
    if needs_code(server().config):
        limit_codes()
        if not is_code(server().store, request.form.get("code", "")):
            raise RefusedError("code", _("That is not the code that the server printed when it started."))


def _make_administrator() -> None:
    form = request.form
    name, email = form.get("name", ""), form.get("email", "")
    password = check_password(form.get("password", ""), form.get("again", ""), name, email)
    user = create_first_admin(db(), name=name, email=email, password=password)
    log_in(user)
    audit("set up the server")


def _page(wrong: RefusedError | None = None) -> str:
    typed = {name: request.values.get(name, "") for name in ("name", "email", "code")}
    return render_template("web/setup.html", wrong=wrong, typed=typed, needs_code=needs_code(server().config))


@blueprint.get("/setup/course")
@access(Right.ADMINISTER)
def ask_for_course() -> ResponseReturnValue:
    """Ask for the first course."""
    return _course_page() if asks_for_course(db()) else abort(404)


@blueprint.post("/setup/course")
@access(Right.ADMINISTER)
def create_course() -> ResponseReturnValue:
    """Make the first course, or none."""
    if not asks_for_course(db()):
        abort(404)
    if "skip" in request.form:
        finish(db())
        return redirect(url_for("home.show"), 303)
    try:
        course = _make_course()
    except RefusedError as wrong:
        return _course_page(wrong), 422
    return redirect(url_for("courses.show", course=course.id), 303)


def _make_course() -> CourseRow:
    form, days = request.form, server().config.retention_days
    course = add_first_course(db(), me(), form.get("course", ""), form.get("term", ""), days or None)
    audit("created a course", course_id=course.id, course=course.title)
    say(_("%(course)s is ready.", course=course.title))
    return course


def _course_page(wrong: RefusedError | None = None) -> str:
    typed = {name: request.form.get(name, "") for name in ("course", "term")}
    return render_template("web/setup_course.html", wrong=wrong, typed=typed)
