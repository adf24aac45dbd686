"""Limits on visitors: how often something may be tried, and how much heavy work one person may have under way.

Attempts are counted in the database, over all processes of the server. Heavy work (evidence, previews, and pages that
are opened for the first time) takes seconds and a process of its own: each person has few of them under way, and all
of them together leave threads for other requests.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock

from flask import request
from werkzeug.exceptions import TooManyRequests

from moss.messages import counted, marked
from moss.messages import gettext as _
from moss.store.accounts.credentials import TooOftenError, count_attempt, digest, pace_attempt
from moss.store.courses.audit import known_addresses
from moss.web.request.context import let_go, server, visitor

QUARTER = timedelta(minutes=15)
_LOCKED = marked(
    "There were too many failed log-ins from your network. "
    "Wait %(wait)s and try again, or ask an administrator for a link to choose a new password."
)
_SLOWED = marked(
    "Many log-ins to this account have failed, from several networks. Wait %(wait)s and try again, or log in from a "
    "network that you have used before."
)
_PASSWORD = marked("The old password was wrong too often. Wait %(wait)s and try again.")
_CODE = marked("The set-up code was wrong too often. Wait %(wait)s and try again.")
_ACCOUNT = 3  # times the failures that one address may have, so that no single address slows another's account
PER_PERSON = 2  # under way at a time
_AGAIN = 2  # seconds after which the browser asks again by itself


def limit(keys: dict[str, str], most: int, within: timedelta, sentence: str) -> list[int]:
    """Count an attempt under each of some keys, whatever becomes of the request; answer 429 after too many.

    `keys` says what is counted for whom, as `{"upload": "17"}`; `sentence` is a marked one with `%(wait)s` in place of
    the time. The request's transaction is committed, so call this before anything was changed.
    """
    let_go()
    with _answering(sentence), server().store.session() as session:
        return [count_attempt(session, f"{what}:{digest(whom)}", most, within) for what, whom in keys.items()]


@contextmanager
def _answering(sentence: str) -> Iterator[None]:
    """Answer 429 with a sentence if an attempt inside was one too many."""
    try:
        yield
    except TooOftenError as error:
        wait = _(sentence, wait=wait_in_words(error.wait))
        raise TooManyRequests(wait, retry_after=error.wait) from None


def limit_log_in(email: str) -> list[int]:
    """Count a log-in that may fail, and answer 429 after too many failures.

    The address is locked for a while. The account is only slowed down, and not for networks that its user has logged in
    from before: otherwise anybody could lock a user out by failing often enough."""
    most, here = server().config.logins_per_quarter, network(request.remote_addr or "")
    let_go()
    with server().store.session() as session:
        with _answering(_LOCKED):
            counted = [count_attempt(session, f"log-in-from:{digest(here)}", most, QUARTER)]
        if here not in map(network, known_addresses(session, email)):
            with _answering(_SLOWED):
                account = f"log-in:{digest(email.strip().lower())}"
                counted.append(pace_attempt(session, account, _ACCOUNT * most, QUARTER))
        return counted


def limit_password(user_id: int) -> list[int]:
    """Count a change of password that may fail: somebody at an unattended computer could guess the old one."""
    return limit({"password": str(user_id)}, server().config.logins_per_quarter, QUARTER, _PASSWORD)


def limit_codes() -> list[int]:
    """Count an attempt at the set-up code."""
    keys = {"setup-from": network(request.remote_addr or "")}
    return limit(keys, server().config.logins_per_quarter, QUARTER, _CODE)


def network(address: str) -> str:
    """The network that an address is counted under: with IPv6, one household has 2^64 addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address


def wait_in_words(seconds: int) -> str:
    """A time to wait in words, as `2 minutes`."""
    if seconds < 60:
        return counted(seconds, "second")
    return counted(-(-seconds // 60), "minute")


@dataclass
class Turns:
    """Counts the heavy work under way in one server process, by person."""

    _lock: Lock = field(default_factory=Lock)
    _under_way: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def turn(self, whom: str, most: int) -> Iterator[None]:
        """Count work for a person while it is done; answer 429 if they, or all together, have too much under way."""
        with self._lock:
            if self._under_way[whom] >= PER_PERSON:
                raise TooManyRequests(
                    _("Your last request is still being worked on. This page tries again in a moment."), None, _AGAIN
                )
            if self._under_way.total() >= most:
                raise TooManyRequests(_("The server is busy. This page tries again in a moment."), None, _AGAIN)
            self._under_way[whom] += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= Counter([whom])

    def __len__(self) -> int:
        return self._under_way.total()


TURNS = Turns()


@contextmanager
def heavy_work() -> Iterator[None]:
    """Do heavy work for the visitor inside; half of the threads stay free for quick requests."""
    user = visitor()
    whom = f"user {user.id}" if user else f"guest at {network(request.remote_addr or '')}"
    with TURNS.turn(whom, max(1, server().config.threads // 2)):
        yield
