"""Logging in and out, with a password or by an identity provider, and the session's switch for anonymous mode.

A provider speaks OpenID Connect: the authorization code flow, with PKCE, state and nonce. Users are recognised by the
provider's name for them (the subject), else by an address that the provider has verified. Somebody who is neither known
nor invited is refused, unless the operator wants accounts to be made.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import flask
from flask import Blueprint, abort, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import delete

from moss.config import Config
from moss.messages import gettext as _
from moss.messages import marked
from moss.store.accounts.credentials import delete_attempts
from moss.store.accounts.users import Identity, authenticate, user_by_email, user_of
from moss.store.courses.audit import LOGGED_IN, add_audit_entry
from moss.store.tables import LoginRow, UserRow, now
from moss.store.validation import RefusedError
from moss.web.request.access import Right, access, hide_names, show_names
from moss.web.request.addresses import go_to, local_path, number, outside
from moss.web.request.context import audit, begin_writing, db, let_go, server, visitor
from moss.web.request.cookies import log_in as remember
from moss.web.request.cookies import log_out as forget
from moss.web.request.limits import limit_log_in

blueprint = Blueprint("session", __name__)

_WRONG = marked("The email address or password is wrong, or the account is disabled.")
_PATIENCE = 10  # seconds that a provider has to answer
_THEN = "oidc-then"


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


@blueprint.get("/login/provider")
@access(Right.ANYONE)
def ask_provider() -> ResponseReturnValue:
    """Send the browser to the provider."""
    client = provider()
    flask.session[_THEN] = local_path(request.args.get("then", "/"))
    try:
        check_issuer(client.load_server_metadata(), server().config)
        answer: ResponseReturnValue = client.authorize_redirect(outside("session.return_from_provider"))
    except Exception:
        return _provider_failed(
            _(
                "Logging in with %(provider)s failed: it can’t be reached, or gives a wrong answer. Try again.",
                provider=_provider_name(),
            )
        )
    return answer


@blueprint.get("/login/provider/back")
@access(Right.ANYONE)
def return_from_provider() -> ResponseReturnValue:
    """Log in the user whom the provider has sent back."""
    from authlib.integrations.flask_client import OAuthError

    client = provider()
    let_go()  # no transaction stays open while the provider is asked
    try:
        identity = identity_from(client)
    except OAuthError as error:
        return _provider_failed(_provider_refused() if error.error == "access_denied" else _provider_invalid())
    except Exception:
        return _provider_failed(_provider_invalid())
    return _enter_as(identity)


def _enter_as(identity: Identity) -> ResponseReturnValue:
    begin_writing()
    try:
        user, made = user_of(db(), identity, create=server().config.oidc_create)
    except RefusedError as wrong:
        return login_page(wrong, flask.session.pop(_THEN, "/")), 403
    if made:
        audit("got an account", user=user, how=server().config.oidc_name)
    enter(user, f"by {server().config.oidc_name}")
    return go_to(flask.session.pop(_THEN, "/"))


def _provider_name() -> str:
    return server().config.oidc_name


def _provider_refused() -> str:
    return _("Logging in with %(provider)s failed: it did not let you in. Try again.", provider=_provider_name())


def _provider_invalid() -> str:
    return _("Logging in with %(provider)s failed: its answer is not valid. Try again.", provider=_provider_name())


def _provider_failed(sentence: str) -> ResponseReturnValue:
    """Answer 502 and log why: the provider failed, not this server, but the operator must be able to find out."""
    logging.getLogger("moss.web").warning("logging in by OpenID Connect failed", exc_info=True)
    return login_page(RefusedError("", sentence), flask.session.pop(_THEN, "/")), 502


def provider() -> Any:
    """The authlib client of the provider; made once, because it remembers the provider's addresses and keys."""
    if not server().config.oidc_issuer:
        abort(404)
    from authlib.integrations.flask_client import OAuth  # imported here because it takes long

    known = current_app.extensions
    if "moss-oidc" not in known:
        known["moss-oidc"] = OAuth(current_app).register("moss_oidc", **_registration(server().config))
    return known["moss-oidc"]


def _registration(config: Config) -> dict[str, Any]:
    return {
        "client_id": config.oidc_client_id,
        "client_secret": config.oidc_client_secret or None,
        "server_metadata_url": f"{config.oidc_issuer.rstrip('/')}/.well-known/openid-configuration",
        "client_kwargs": {
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": _PATIENCE,
        },
    }


def check_issuer(metadata: Mapping[str, Any], config: Config) -> None:
    """Refuse a provider with another issuer name: it could hand out the identities of a different provider."""
    if metadata["issuer"].rstrip("/") != config.oidc_issuer.rstrip("/"):
        raise ValueError(f"the provider calls itself {metadata['issuer']}, not {config.oidc_issuer}")


def identity_from(client: Any) -> Identity:
    """The identity that the provider vouches for, after every check that the standard asks for."""
    metadata = client.load_server_metadata()
    check_issuer(metadata, server().config)
    options = {"iss": {"values": [metadata["issuer"]]}, "aud": {"values": [client.client_id]}}
    token = client.authorize_access_token(claims_options=options)
    claims = dict(token["userinfo"])
    if "email" not in claims and "userinfo_endpoint" in metadata:
        claims |= _told_apart(client.userinfo(token=token), claims["sub"])
    verified = claims.get("email_verified") in (True, "true")
    return Identity(claims["iss"], claims["sub"], claims.get("email") or "", verified, claims.get("name") or "")


def _told_apart(told: Mapping[str, Any], subject: str) -> dict[str, Any]:
    """The claims from the provider's userinfo endpoint; ValueError if they are about another subject."""
    if told["sub"] != subject:
        raise ValueError("the provider tells about another person")
    return {name: told[name] for name in ("email", "email_verified", "name") if name in told}


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
