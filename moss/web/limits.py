"""Limits: what may be done only so often, counted over all processes of the server."""

from __future__ import annotations

import ipaddress
from datetime import timedelta

from flask import request
from werkzeug.exceptions import TooManyRequests

from moss.store.attempts import TooOftenError, count_attempt
from moss.store.tokens import digest
from moss.web.context import parts
from moss.web.transactions import let_go

QUARTER = timedelta(minutes=15)
_LOG_IN = (
    "There were too many failed log-ins for this account or from your address. "
    "Wait {wait} and try again, or ask an administrator for a link to choose a new password."
)


def limit(keys: dict[str, str], most: int, within: timedelta, sentence: str) -> list[int]:
    """Count an attempt at something for each of those concerned, whatever becomes of the request; or answer 429.

    `keys` says what is counted for whom, as `{"upload": "17"}`; `sentence` has `{wait}` where the time belongs. Call it
    before the request's transaction has changed anything: it ends that transaction.
    """
    let_go()
    try:
        with parts().store.session() as session:
            return [count_attempt(session, f"{what}:{digest(whom)}", most, within) for what, whom in keys.items()]
    except TooOftenError as error:
        wait = sentence.replace("{wait}", in_words(error.wait))
        raise TooManyRequests(wait, retry_after=error.wait) from None


def limit_log_in(email: str) -> list[int]:
    """Count a log-in that may fail, for the account and for the address from which it comes."""
    keys = {"log-in": email.strip().lower(), "log-in-from": network(request.remote_addr or "")}
    return limit(keys, parts().config.logins_per_quarter, QUARTER, _LOG_IN)


def limit_password(user_id: int) -> list[int]:
    """Count a change of password that may fail, as somebody may guess at a computer left alone."""
    sentence = "The old password was wrong too often. Wait {wait} and try again."
    return limit({"password": str(user_id)}, parts().config.logins_per_quarter, QUARTER, sentence)


def limit_codes() -> list[int]:
    """Count a try at the set-up code."""
    keys = {"setup-from": network(request.remote_addr or "")}
    sentence = "The set-up code was wrong too often. Wait {wait} and try again."
    return limit(keys, parts().config.logins_per_quarter, QUARTER, sentence)


def network(address: str) -> str:
    """Whose address it is: with IPv6, one household has 2^64 of them."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address


def in_words(seconds: int) -> str:
    """A time to wait, as people say it."""
    if seconds < 60:
        return f"{seconds} second{'s' * (seconds != 1)}"
    minutes = -(-seconds // 60)
    return f"{minutes} minute{'s' * (minutes != 1)}"
