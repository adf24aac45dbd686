"""Transactions other than the usual one for each request (`context.db`)."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import Any

from flask import g
from sqlalchemy import update
from sqlalchemy.orm import InstrumentedAttribute

from moss.store.tables import now
from moss.web.request.context import parts

_USED_EVERY = timedelta(minutes=5)


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


def note_use(column: InstrumentedAttribute[Any], row: Any) -> None:
    """Write down, in a column of its row, that something is used: every few minutes, for to write may mean to wait for
    others who do, and most requests only read."""
    last = getattr(row, column.key)
    if last is None or last < now() - _USED_EVERY:
        with parts().store.session() as session:
            session.execute(update(column.class_).where(column.class_.id == row.id).values({column.key: now()}))
