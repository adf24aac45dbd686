"""Transactions other than the usual one for each request (`context.db`)."""

from __future__ import annotations

from contextlib import ExitStack

from flask import g

from moss.web.context import parts


def let_go() -> None:
    """End the request's transaction before its time; `db()` begins another, which knows nothing of the first's objects.

    For what must stay although the answer is an error, as an attempt that is counted. SQLite has one writer at a time,
    so a second transaction would wait for the first for ever.
    """
    if "db" in g:
        g.pop("stack").close()
        g.pop("db")


def begin_writing() -> None:
    """Let `db()` write, in a request by GET too: one that comes back from an identity provider logs somebody in."""
    let_go()
    g.stack = ExitStack()
    g.db = g.stack.enter_context(parts().store.session())
