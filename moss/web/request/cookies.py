"""Cookies: recognising browsers, and refusing forms that other sites submit.

Each browser has one random cookie. Logging in gives it a new one, of which the store holds the digest. Every form of
this server carries a token made from the cookie, which another site can neither read nor guess.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from flask import Response, abort, g, request
from markupsafe import Markup
from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session, joinedload
from werkzeug.http import parse_cookie

from moss.config import Config
from moss.messages import gettext as _
from moss.store import Store
from moss.store.accounts.credentials import digest
from moss.store.tables import ApiTokenRow, LoginRow, UserRow, now
from moss.web.request.context import SAFE_METHODS, db, note_use, server

_LOGIN = select(LoginRow).options(joinedload(LoginRow.user)).where(LoginRow.digest == bindparam("digest"))
_TOKEN = (
    select(ApiTokenRow)
    .options(joinedload(ApiTokenRow.user))
    .where(ApiTokenRow.digest == bindparam("digest"), ApiTokenRow.revoked.is_(None))
)


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
    with store.reading() as session:
        if kind.lower() == "bearer":
            return _token(session, token.strip()) is not None
        cookie = parse_cookie(headers.get("COOKIE", "")).get(name_of_cookie(config), "")
        return _login(session, config, cookie) is not None


def _login(session: Session, config: Config, cookie: str) -> LoginRow | None:
    """The log-in that a cookie stands for, if it is still valid."""
    login = session.scalar(_LOGIN, {"digest": digest(cookie)}) if cookie else None
    oldest = now() - timedelta(days=config.session_days)
    return None if login is None or login.seen < oldest or login.user.disabled else login


def _token(session: Session, secret: str) -> ApiTokenRow | None:
    """The token with this secret, if it is still valid."""
    token = session.scalar(_TOKEN, {"digest": digest(secret)})
    is_over = token is None or (token.expires and token.expires < now()) or token.user.disabled
    return None if is_over else token


def _user_of_cookie() -> UserRow | None:
    if not g.cookie:
        return None
    with _looking_up() as session:
        login = _login(session, server().config, g.cookie)
    if login is None:
        return None
    g.new_cookie = note_use(LoginRow.seen, login)  # whose life the browser counts anew, as the store does
    g.login_id = login.id
    return _in_this_transaction(login.user)


def _user_of_token(secret: str) -> UserRow | None:
    with _looking_up() as session:
        token = _token(session, secret)
    if token is None:
        return None
    note_use(ApiTokenRow.used, token)
    return _in_this_transaction(token.user)


@contextmanager
def _looking_up() -> Iterator[Session]:
    """A transaction in which the visitor is looked up: that of the request, if it only reads. A writer's begins later,
    when it is known who asks: strangers would otherwise wait for other writers, and make them wait."""
    if request.method in SAFE_METHODS:
        yield db()
    else:
        with server().store.reading() as session:
            yield session


def _in_this_transaction(user: UserRow) -> UserRow | None:
    return user if user in db() else db().get(UserRow, user.id)


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
    """The token that each form carries; a browser without a cookie gets one with the page.

    It looks different each time: random bytes, and then the token's own, changed by them. A token that is always the
    same could be guessed letter by letter from the sizes of compressed pages that also show what an address says."""
    if not g.get("cookie"):
        g.cookie = secrets.token_urlsafe(32)
        g.new_cookie = True
    mask = secrets.token_bytes(hashlib.sha256().digest_size)
    return (mask + _masked(_bare_token(), mask)).hex()


def _bare_token() -> bytes:
    return hmac.new(server().secret.encode(), g.cookie.encode(), hashlib.sha256).digest()


def _masked(token: bytes, mask: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(token, mask, strict=True))


def _is_form_token(given: str) -> bool:
    """Whether a form carries the token of this browser; pages of earlier versions have it without a mask."""
    bare = _bare_token()
    try:
        content = bytes.fromhex(given)
    except ValueError:
        return False
    mask, token = content[: -len(bare)], content[-len(bare) :]
    return hmac.compare_digest(_masked(token, mask) if len(mask) == len(token) else content, bare)


def form_field() -> Markup:
    """The token as a hidden field."""
    return Markup('<input type="hidden" name="form_token" value="{}">').format(form_token())


def refuse_nul() -> None:
    """Refuse a form or an address with the character NUL, which PostgreSQL cannot store."""
    has_form = request.method == "POST" and not g.is_api  # else a view reads the body itself
    fields = (*request.args.items(multi=True), *(request.form.items(multi=True) if has_form else ()))
    if any("\0" in text for field in fields for text in field):
        abort(422, _("The form contains a character that can’t be stored (NUL). Remove it and try again."))


def check_form() -> None:
    """Refuse a request that changes something and does not come from one of this server's pages."""
    if request.method in SAFE_METHODS or g.by_token:
        return
    given = request.headers.get("X-Form-Token") or request.form.get("form_token", "")
    if not g.cookie or not _is_form_token(given):
        abort(400, _("This form is too old, or came from another site. Go back, reload the page and try again."))


def give_cookie(response: Response) -> Response:
    """Send the browser its cookie, if it is new or lives longer now."""
    if g.get("new_cookie"):
        config = server().config
        path = "/" if config.is_secure else request.script_root or "/"
        age = timedelta(days=config.session_days)
        response.set_cookie(
            cookie_name(), g.cookie, max_age=age, path=path, secure=config.is_secure, httponly=True, samesite="Lax"
        )
    return response
