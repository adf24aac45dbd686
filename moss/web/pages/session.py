"""The session: log in, log out."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import delete

from moss.store.accounts.attempts import forget_attempts
from moss.store.accounts.users import authenticate, user_by_email
from moss.store.courses.audit import LOGGED_IN, write_down
from moss.store.tables import LoginRow, UserRow, now
from moss.store.validation import RefusedError
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, parts, visitor
from moss.web.request.cookies import log_in as remember
from moss.web.request.cookies import log_out as forget
from moss.web.request.limits import limit_log_in
from moss.web.request.links import go_to, local_path

blueprint = Blueprint("session", __name__)

_WRONG = RefusedError("password", "The address or the password is wrong, or the account is disabled.")


@blueprint.get("/login")
@access(Right.ANYONE)
def log_in() -> ResponseReturnValue:
    """Ask for address and password."""
    return login_page() if visitor() is None else go_to(request.args.get("then", "/"))


@blueprint.post("/login")
@access(Right.ANYONE)
def check() -> ResponseReturnValue:
    """Log somebody in whose password is right."""
    email = request.form.get("email", "")
    counted = limit_log_in(email)
    with parts().store.reading() as session:  # checking takes its time, in which nobody else should have to wait
        user = authenticate(session, email, request.form.get("password", ""))
    if user is None:
        _write_down_failure(email)
        return login_page(_WRONG), 422
    forget_attempts(db(), counted)
    enter(db().get_one(UserRow, user.id), "with a password")
    return go_to(request.form.get("then", "/"))


@blueprint.post("/logout")
@access(Right.ANYONE)
def log_out() -> ResponseReturnValue:
    """Forget this browser."""
    if visitor() is not None:
        audit("logged out")
        forget()
    return redirect(url_for("session.log_in"), 303)


def enter(user: UserRow, how: str) -> None:
    """Log a user in: a new cookie for this browser, and no trace of who used it before."""
    forget()
    oldest = now() - timedelta(days=parts().config.session_days)
    db().execute(delete(LoginRow).where(LoginRow.seen < oldest))
    remember(user)
    audit(LOGGED_IN, how=how)


def _write_down_failure(email: str) -> None:
    """That somebody tried; not what was typed, if there is no such account: it might be a password."""
    with parts().store.session() as session:
        user = user_by_email(session, email)
        actor, user_id = (user.email, user.id) if user else ("", None)
        write_down(session, actor, "failed to log in", user_id=user_id, address=request.remote_addr or "")


def login_page(wrong: RefusedError | None = None, then: str = "") -> str:
    """The page that asks who somebody is."""
    config = parts().config
    return render_template(
        "web/login.html",
        wrong=wrong,
        then=local_path(then or request.values.get("then", "/")),
        email=request.form.get("email", ""),
        provider=config.oidc_name if config.oidc_issuer else "",
    )
