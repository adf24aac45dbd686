"""Logging in and out, and the session's switch for anonymous mode."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import delete

from moss.messages import gettext as _
from moss.messages import marked
from moss.store.accounts.credentials import delete_attempts
from moss.store.accounts.users import authenticate, user_by_email
from moss.store.courses.audit import LOGGED_IN, add_audit_entry
from moss.store.tables import LoginRow, UserRow, now
from moss.store.validation import RefusedError
from moss.web.request.access import Right, access
from moss.web.request.anonymous_mode import hide_names, show_names
from moss.web.request.context import audit, db, server, visitor
from moss.web.request.cookies import log_in as remember
from moss.web.request.cookies import log_out as forget
from moss.web.request.limits import limit_log_in
from moss.web.request.links import go_to, local_path
from moss.web.request.numbers import number

blueprint = Blueprint("session", __name__)

_WRONG = marked("The email address or password is wrong, or the account is disabled.")


@blueprint.get("/login")
@access(Right.ANYONE)
def log_in() -> ResponseReturnValue:
    """Ask for address and password."""
    return login_page() if visitor() is None else go_to(request.args.get("then", "/"))


@blueprint.post("/login")
@access(Right.ANYONE)
def check() -> ResponseReturnValue:
    """Log in a user whose password is right."""
    email = request.form.get("email", "")
    counted = limit_log_in(email)
    with (
        server().store.reading() as session
    ):  # checking a password takes a while, during which no transaction should be open
        user = authenticate(session, email, request.form.get("password", ""))
    if user is None:
        _write_down_failure(email)
        return login_page(RefusedError("password", _(_WRONG))), 422
    delete_attempts(db(), counted)
    enter(db().get_one(UserRow, user.id), "with a password")
    return go_to(request.form.get("then", "/"))


@blueprint.post("/logout")
@access(Right.ANYONE)
def log_out() -> ResponseReturnValue:
    """Log this browser out."""
    if visitor() is not None:
        audit("logged out")
        forget()
        show_names()
    return redirect(url_for("session.log_in"), 303)


def enter(user: UserRow, how: str) -> None:
    """Log a user in: give the browser a new cookie, and clear what its last user left."""
    forget()
    oldest = now() - timedelta(days=server().config.session_days)
    db().execute(delete(LoginRow).where(LoginRow.seen < oldest))
    remember(user)
    audit(LOGGED_IN, how=how)


def _write_down_failure(email: str) -> None:
    """Audit a failed log-in. An address without an account is not written down: it might be a password."""
    with server().store.session() as session:
        user = user_by_email(session, email)
        actor, user_id = (user.email, user.id) if user else ("", None)
        add_audit_entry(session, actor, "failed to log in", user_id=user_id, address=request.remote_addr or "")


def login_page(wrong: RefusedError | None = None, then: str = "") -> str:
    """The page to log in."""
    config = server().config
    return render_template(
        "web/login.html",
        wrong=wrong,
        then=local_path(then or request.values.get("then", "/")),
        email=request.form.get("email", ""),
        provider=config.oidc_name if config.oidc_issuer else "",
    )


@blueprint.post("/anonymous")
@access(Right.USER)
def begin_anonymous() -> ResponseReturnValue:
    """Show reports without names from now on, beginning with the run's that was asked for."""
    run = request.form.get("run", type=number) or abort(422)
    hide_names(run)
    return redirect(url_for("reports.overview", run=run))


@blueprint.post("/anonymous/end")
@access(Right.USER)
def end_anonymous() -> ResponseReturnValue:
    """Show names again."""
    run = show_names()
    return redirect(url_for("reports.overview", run=run) if run else url_for("home.show"))
