"""OpenID Connect: logging in by an identity provider, with the authorization code flow, PKCE, state and nonce.

Users are recognised by the provider's name for them (the subject), else by an address that the provider has verified.
Somebody who is neither known nor invited is refused, unless the operator wants accounts to be made.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import flask
from flask import Blueprint, abort, current_app, request
from flask.typing import ResponseReturnValue

from moss.config import Config
from moss.messages import gettext as _
from moss.store.accounts.users import Identity, user_of
from moss.store.validation import RefusedError
from moss.web.pages.session import enter, login_page
from moss.web.request.access import Right, access
from moss.web.request.context import audit, begin_writing, db, let_go, server
from moss.web.request.links import go_to, local_path, outside

blueprint = Blueprint("oidc", __name__)

_PATIENCE = 10  # seconds that a provider has to answer
_THEN = "oidc-then"


@blueprint.get("/login/provider")
@access(Right.ANYONE)
def start() -> ResponseReturnValue:
    """Send the browser to the provider."""
    client = provider()
    flask.session[_THEN] = local_path(request.args.get("then", "/"))
    try:
        check_issuer(client.load_server_metadata(), server().config)
        answer: ResponseReturnValue = client.authorize_redirect(outside("oidc.back"))
    except Exception:
        return _failed(
            _(
                "Logging in with %(provider)s failed: it can’t be reached, or gives a wrong answer. Try again.",
                provider=_name(),
            )
        )
    return answer


@blueprint.get("/login/provider/back")
@access(Right.ANYONE)
def back() -> ResponseReturnValue:
    """Log in the user whom the provider has sent back."""
    from authlib.integrations.flask_client import OAuthError

    client = provider()
    let_go()  # no transaction stays open while the provider is asked
    try:
        identity = identity_from(client)
    except OAuthError as error:
        return _failed(_refused() if error.error == "access_denied" else _invalid())
    except Exception:
        return _failed(_invalid())
    return _enter(identity)


def _enter(identity: Identity) -> ResponseReturnValue:
    begin_writing()
    try:
        user, made = user_of(db(), identity, create=server().config.oidc_create)
    except RefusedError as wrong:
        return login_page(wrong, flask.session.pop(_THEN, "/")), 403
    if made:
        audit("got an account", user=user, how=server().config.oidc_name)
    enter(user, f"by {server().config.oidc_name}")
    return go_to(flask.session.pop(_THEN, "/"))


def _name() -> str:
    return server().config.oidc_name


def _refused() -> str:
    return _("Logging in with %(provider)s failed: it did not let you in. Try again.", provider=_name())


def _invalid() -> str:
    return _("Logging in with %(provider)s failed: its answer is not valid. Try again.", provider=_name())


def _failed(sentence: str) -> ResponseReturnValue:
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
