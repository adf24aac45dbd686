"""Limits: what may be done only so often, counted over all processes of the server."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from flask import request
from werkzeug.exceptions import TooManyRequests

from moss.store.accounts.attempts import TooOftenError, count_attempt, pace_attempt
from moss.store.accounts.tokens import digest
from moss.store.courses.audit import known_addresses
from moss.web.request.context import parts
from moss.web.request.transactions import let_go

QUARTER = timedelta(minutes=15)
_LOCKED = (
    "There were too many failed log-ins from your address. "
    "Wait {wait} and try again, or ask an administrator for a link to choose a new password."
)
_SLOWED = (
    "Many log-ins for this account have failed, from several addresses. Wait {wait} and try again, or log in from a "
    "network from which you have done so before."
)
_ACCOUNT = 3  # times as many failures as one address may have: no single address slows somebody else's account


def limit(keys: dict[str, str], most: int, within: timedelta, sentence: str) -> list[int]:
    """Count an attempt at something for each of those concerned, whatever becomes of the request; or answer 429.

    `keys` says what is counted for whom, as `{"upload": "17"}`; `sentence` has `{wait}` where the time belongs. Call it
    before the request's transaction has changed anything: it ends that transaction.
    """
    let_go()
    with _answering(sentence), parts().store.session() as session:
        return [count_attempt(session, f"{what}:{digest(whom)}", most, within) for what, whom in keys.items()]


@contextmanager
def _answering(sentence: str) -> Iterator[None]:
    """Answer 429 with a sentence, if something is tried too often inside."""
    try:
        yield
    except TooOftenError as error:
        wait = sentence.replace("{wait}", in_words(error.wait))
        raise TooManyRequests(wait, retry_after=error.wait) from None


def limit_log_in(email: str) -> list[int]:
    """Count a log-in that may fail. The address from which it comes is locked after a while. The account is only slowed
    down, and not for a network that its user has come from: else whoever fails often enough would lock the user out."""
    most, here = parts().config.logins_per_quarter, network(request.remote_addr or "")
    let_go()
    with parts().store.session() as session:
        with _answering(_LOCKED):
            counted = [count_attempt(session, f"log-in-from:{digest(here)}", most, QUARTER)]
        if here not in map(network, known_addresses(session, email)):
            with _answering(_SLOWED):
                account = f"log-in:{digest(email.strip().lower())}"
                counted.append(pace_attempt(session, account, _ACCOUNT * most, QUARTER))
        return counted


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
