"""Accounts for tests: a password that is good enough, and people who have it."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache
from html import unescape

from sqlalchemy import select

from moss.config import Config
from moss.store import Store
from moss.store.accounts.credentials import hash_password
from moss.store.tables import AuditEntryRow, UserRow
from support.compiled import app_on
from support.schema import open_migrated
from support.server import PEOPLE, Server

PASSWORD = "marble otter seventeen"


@cache
def hashed() -> str:
    """The password as it is stored; hashing is slow, so it is done once."""
    return hash_password(PASSWORD)


def give_password(server: Server, person: str) -> None:
    """Let one of the people log in with the password."""
    with server.store.session() as session:
        session.get_one(UserRow, server.id_of(person)).password = hashed()


def user_with(store: Store, email: str) -> UserRow | None:
    """The account with this address."""
    with store.reading() as session:
        return session.scalar(select(UserRow).filter_by(email=email))


def audited(store: Store) -> list[tuple[str, str]]:
    """Who did what, in order."""
    with store.reading() as session:
        return [
            (entry.actor, entry.action) for entry in session.scalars(select(AuditEntryRow).order_by(AuditEntryRow.id))
        ]


def link_on(page: str) -> str:
    """The path of the link that a page shows once; nothing, if it shows none."""
    found = re.search(r'<input id="once"[^>]*value="([^"]*)"', page)
    return re.sub(r"^https?://[^/]+", "", unescape(found[1])) if found else ""


def log_in_as(server: Server, person: str, **form: str):
    """The log-in page's answer to one of the people, and the browser that asked."""
    browser = server.client("nobody")
    return browser, browser.post("/login", {"email": PEOPLE[person], "password": PASSWORD} | form)


@contextmanager
def new_server(folder, database_url="", **settings):
    """A server that nobody has set up."""
    config = Config(data=folder, database_url=database_url, **settings)
    store = open_migrated(config.database)
    yield Server(config, store, app_on(config, store))
    store.close()
