"""Cookies: recognising browsers, and refusing forms that other sites submit.

Each browser has one random cookie. Logging in gives it a new one, of which the store holds the digest. Every form of
this server carries a token made from the cookie, which another site can neither read nor guess.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import timedelta

from flask import Response, abort, g, request
from markupsafe import Markup
from sqlalchemy import delete, select
from sqlalchemy.orm import joinedload
from werkzeug.http import parse_cookie

from moss.config import Config
from moss.store import Store
from moss.store.accounts.tokens import digest
from moss.store.tables import ApiTokenRow, LoginRow, UserRow, now
from moss.web.request.context import SAFE_METHODS, db, note_use, server


def name_of_cookie(config: Config) -> str:
    """The cookie's name; over HTTPS its prefix makes browsers send it to this host only."""
    return "__Host-moss" if config.is_secure else "moss"


def cookie_name() -> str:
    """The name of the cookie in this request."""
    return name_of_cookie(server().config)


def recognise() -> None:
    """Find out who the visitor is, by a token of the API or by the browser's cookie."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    g.cookie = request.cookies.get(cookie_name(), "")
    g.by_token = kind.lower() == "bearer"
    g.user = _user_of_token(token.strip()) if g.by_token else _user_of_cookie()


def knows_sender(store: Store, config: Config, headers: Mapping[str, str]) -> bool:
    """Whether headers, under names in capitals, belong to somebody with an account.

    The HTTP server asks this before it receives a large body, outside of any request."""
    kind, _, token = headers.get("AUTHORIZATION", "").partition(" ")
    if kind.lower() == "bearer":
        return _token(store, token.strip()) is not None
    cookie = parse_cookie(headers.get("COOKIE", "")).get(name_of_cookie(config), "")
    return _login(store, config, cookie) is not None


def _login(store: Store, config: Config, cookie: str) -> LoginRow | None:
    """The log-in that a cookie stands for, if it is still valid."""
    if not cookie:
        return None
    query = select(LoginRow).options(joinedload(LoginRow.user)).filter_by(digest=digest(cookie))
    with store.reading() as session:
        login = session.scalar(query)
    oldest = now() - timedelta(days=config.session_days)
    return None if login is None or login.seen < oldest or login.user.disabled else login


def _token(store: Store, secret: str) -> ApiTokenRow | None:
    """The token with this secret, if it is still valid."""
    query = select(ApiTokenRow).options(joinedload(ApiTokenRow.user)).filter_by(digest=digest(secret), revoked=None)
    with store.reading() as session:
        token = session.scalar(query)
    is_over = token is None or (token.expires and token.expires < now()) or token.user.disabled
    return None if is_over else token


def _user_of_cookie() -> UserRow | None:
    login = _login(server().store, server().config, g.cookie)
    if login is None:
        return None
    note_use(LoginRow.seen, login)
    g.login_id = login.id
    return db().get(UserRow, login.user_id)


def _user_of_token(secret: str) -> UserRow | None:
    token = _token(server().store, secret)
    if token is None:
        return None
    note_use(ApiTokenRow.used, token)
    return db().get(UserRow, token.user_id)


def log_in(user: UserRow) -> None:
    """Log a user in with this browser, which gets a new cookie."""
    g.cookie = secrets.token_urlsafe(32)
    agent = request.headers.get("User-Agent", "")[:200]
    db().add(LoginRow(digest=digest(g.cookie), user_id=user.id, address=request.remote_addr or "", agent=agent))
    g.user = user
    g.new_cookie = True


def log_out() -> None:
    """Log this browser out."""
    db().execute(delete(LoginRow).where(LoginRow.digest == digest(g.cookie)))
    g.cookie = secrets.token_urlsafe(32)
    g.user = None
    g.new_cookie = True


def log_out_everywhere(user: UserRow) -> None:
    """Log a user out of all browsers but this one."""
    db().execute(delete(LoginRow).where(LoginRow.user_id == user.id, LoginRow.digest != digest(g.get("cookie", ""))))


def form_token() -> str:
    """The token that each form carries; a browser without a cookie gets one with the page."""
    if not g.get("cookie"):
        g.cookie = secrets.token_urlsafe(32)
        g.new_cookie = True
    return hmac.new(server().secret.encode(), g.cookie.encode(), hashlib.sha256).hexdigest()


def form_field() -> Markup:
    """The token as a hidden field."""
    return Markup('<input type="hidden" name="form_token" value="{}">').format(form_token())


def refuse_nul() -> None:
    """Refuse a form or an address with the character NUL, which PostgreSQL cannot store."""
    has_form = request.method == "POST" and not g.is_api  # else a view reads the body itself
    fields = (*request.args.items(multi=True), *(request.form.items(multi=True) if has_form else ()))
    if any("\0" in text for field in fields for text in field):
        abort(422, "The form holds a character that cannot be stored (NUL). Remove it and try again.")


def check_form() -> None:
    """Refuse a request that changes something and does not come from one of this server's pages."""
    if request.method in SAFE_METHODS or g.by_token:
        return
    given = request.headers.get("X-Form-Token") or request.form.get("form_token", "")
    if not g.cookie or not hmac.compare_digest(given.encode(errors="replace"), form_token().encode()):
        abort(400, "This form is too old, or not ours. Go back, reload the page and try again.")


def give_cookie(response: Response) -> Response:
    """Send the browser its new cookie, if it has one."""
    if g.get("new_cookie"):
        config = server().config
        path = "/" if config.is_secure else request.script_root or "/"
        age = timedelta(days=config.session_days)
        response.set_cookie(
            cookie_name(), g.cookie, max_age=age, path=path, secure=config.is_secure, httponly=True, samesite="Lax"
        )
    return response
