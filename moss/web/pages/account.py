"""The account: a user's name and password, the browsers they are logged in with, and tokens for their programs."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import delete

from moss.messages import gettext as _
from moss.store.accounts.credentials import (
    TOKEN_LIFETIMES,
    add_token,
    check_password,
    delete_attempts,
    hash_password,
    is_password,
    revoke_all,
    revoke_token,
    tokens_of,
)
from moss.store.accounts.users import logins_of
from moss.store.courses.rights import courses_of
from moss.store.tables import LoginRow, UserRow, now
from moss.store.validation import RefusedError, clean_name
from moss.web.request.access import Right, access
from moss.web.request.addresses import say, show_once, shown_once
from moss.web.request.context import audit, db, me, server
from moss.web.request.cookies import log_out_everywhere
from moss.web.request.limits import limit_password

blueprint = Blueprint("account", __name__)

_BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "FxiOS": "Firefox", "Chrome/": "Chrome",
             "CriOS": "Chrome", "Chromium": "Chromium", "Safari/": "Safari", "curl": "curl"}  # fmt: skip
_SYSTEMS = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "CrOS": "ChromeOS",
            "Mac OS X": "macOS", "Linux": "Linux"}  # fmt: skip


@blueprint.before_request
def refuse_programs() -> None:
    """Refuse requests with a token: a program could use it to make itself another that never expires."""
    if g.by_token:
        abort(403, _("Programs can’t change accounts. Log in with a browser."))


@blueprint.get("/account")
@access(Right.USER)
def show() -> ResponseReturnValue:
    """The page of the visitor's account."""
    return _page()


@blueprint.post("/account/name")
@access(Right.USER)
def change_name() -> ResponseReturnValue:
    """Change the visitor's name."""
    try:
        me().name = clean_name(request.form.get("name", ""))
    except RefusedError as wrong:
        return _page(wrong), 422
    audit("changed their name", name=me().name)
    return _done(_("Your name has been changed."))


@blueprint.post("/account/password")
@access(Right.USER)
def change_password() -> ResponseReturnValue:
    """Change the password, if the old one is given; other browsers are logged out, and tokens revoked."""
    counted = limit_password(me().id)
    g.user = db().get_one(UserRow, me().id)
    try:
        _change_password(me())
    except RefusedError as wrong:
        return _page(wrong), 422
    delete_attempts(db(), counted)
    return _done(_("Your password has been changed. All other browsers are logged out, and your tokens are revoked."))


def _change_password(user: UserRow) -> None:
    form = request.form
    if not is_password(user.password, form.get("old", "")):
        raise RefusedError("old", _("That’s not your old password, so nothing was changed."))
    password = check_password(form.get("password", ""), form.get("again", ""), user.name, user.email)
    user.password = hash_password(password)
    log_out_everywhere(user)
    revoke_all(db(), user)
    audit("changed their password")


@blueprint.post("/account/browsers")
@access(Right.USER)
def log_out_others() -> ResponseReturnValue:
    """Log all other browsers out."""
    log_out_everywhere(me())
    audit("logged out all other browsers")
    return _done(_("All other browsers are logged out."))


@blueprint.post("/account/browsers/<int:login>")
@access(Right.USER)
def log_out_one(login: int) -> ResponseReturnValue:
    """Log another browser out."""
    mine = delete(LoginRow).where(LoginRow.id == login, LoginRow.user_id == me().id)
    if db().connection().execute(mine).rowcount != 1:
        abort(404)
    audit("logged out another browser")
    return _done(_("That browser is logged out."))


@blueprint.post("/account/tokens")
@access(Right.USER)
def create_token() -> ResponseReturnValue:
    """Make a token for a program, which is shown once."""
    try:
        token, secret = add_token(db(), me(), request.form.get("token_name", ""), _days())
    except RefusedError as wrong:
        return _page(wrong), 422
    audit("created a token", token=token.name)
    show_once("token", secret)
    return redirect(url_for("account.show", _anchor="tokens"), 303)


def _days() -> int | None:
    chosen = request.form.get("days", "")
    if chosen not in ("never", *map(str, TOKEN_LIFETIMES)):
        raise RefusedError("days", _("Choose how long the token is valid."))
    return None if chosen == "never" else int(chosen)


@blueprint.post("/account/tokens/<int:token>/revoke")
@access(Right.USER)
def revoke(token: int) -> ResponseReturnValue:
    """Revoke a token."""
    revoked = revoke_token(db(), me(), token) or abort(404)
    audit("revoked a token", token=revoked.name)
    return _done(_("The token %(name)s has been revoked.", name=revoked.name))


def _done(sentence: str) -> ResponseReturnValue:
    say(sentence)
    return redirect(url_for("account.show"), 303)


def _page(wrong: RefusedError | None = None) -> str:
    since = now() - timedelta(days=server().config.session_days)
    return render_template(
        "web/account.html",
        wrong=wrong,
        typed=request.form,
        user=me(),
        logins=logins_of(db(), me(), since),
        this_login=g.get("login_id"),
        describe=browser_in_words,
        tokens=tokens_of(db(), me()),
        lifetimes=TOKEN_LIFETIMES,
        new_token=shown_once("token"),
        memberships=courses_of(db(), me()),
        provider=server().config.oidc_name if server().config.oidc_issuer else "",
        moment_now=now(),
    )


def browser_in_words(agent: str) -> str:
    """A browser in words, as `Firefox on Linux`. Browsers also name the ones they imitate, so the order matters."""
    browser = next((name for sign, name in _BROWSERS.items() if sign in agent), "")
    system = next((name for sign, name in _SYSTEMS.items() if sign in agent), "")
    if browser and system:
        return _("%(browser)s on %(system)s", browser=browser, system=system)
    return browser or system or _("Unknown browser")
