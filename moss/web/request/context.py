"""The context of a request: configuration and store, this request's transaction, and the visitor."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from flask import Response, abort, current_app, g, request
from sqlalchemy import update
from sqlalchemy.orm import InstrumentedAttribute, Session
from werkzeug.exceptions import HTTPException

from moss.config import Config
from moss.jobs.disk_room import NO_ROOM, has_room
from moss.jobs.ledger import add_job
from moss.store import Store
from moss.store.tables import AuditEntryRow, JobRow, UserRow, now

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_USED_EVERY = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class ServerContext:
    """The objects that all requests of a server share."""

    config: Config
    store: Store
    secret: str  # signs cookies, forms and share links


def server() -> ServerContext:
    """The configuration, store and secret of the server that answers this request."""
    return cast(ServerContext, current_app.extensions["moss"])


def db() -> Session:
    """This request's transaction: begun when first needed, committed unless the answer is an error."""
    if "db" not in g:
        g.stack = ExitStack()
        store = server().store
        g.db = g.stack.enter_context(store.reading() if request.method in SAFE_METHODS else store.session())
    return cast(Session, g.db)


def settle(response: Response) -> Response:
    """Commit the request's transaction, or roll it back if the answer is an error."""
    if "db" in g:
        session, stack = g.pop("db"), g.pop("stack")  # so that nothing ends it a second time
        if response.status_code >= 400:
            session.rollback()
        stack.close()
    return response


def undo(error: BaseException | None) -> None:
    """Roll back the transaction of a request that raised an exception."""
    if "db" in g:
        g.pop("db").rollback()
        g.pop("stack").close()


def let_go() -> None:
    """Commit the request's transaction early; `db()` then begins another, which does not know the first one's objects.

    Use it before writing something that must stay even if the answer is an error, such as a counted attempt. SQLite
    has one writer at a time, so a second transaction beside the first would wait for ever.
    """
    if "db" in g:
        g.pop("stack").close()
        g.pop("db")


def begin_writing() -> None:
    """Let `db()` write even in a GET request, such as the one by which an identity provider logs somebody in."""
    let_go()
    g.stack = ExitStack()
    g.db = g.stack.enter_context(server().store.session())


def note_use(column: InstrumentedAttribute[Any], row: Any) -> bool:
    """Store the time at which a row was used in one of its columns, at most every few minutes; returns whether it did.

    Most requests only read, and writing may mean waiting for other writers."""
    last = getattr(row, column.key)
    if last is not None and last >= now() - _USED_EVERY:
        return False
    with server().store.session() as session:
        session.execute(update(column.class_).where(column.class_.id == row.id).values({column.key: now()}))
    return True


def must_have_room() -> None:
    """Answer 507 if the disk has only the room left that deleting needs."""
    if not has_room(server().config):
        raise NoRoomError(NO_ROOM)


class NoRoomError(HTTPException):
    """The answer when there is no room on the disk."""

    code = 507


def me() -> UserRow:
    """The visitor; answers 401 if nobody is logged in."""
    user = visitor()
    return user if user is not None else abort(401)


def visitor() -> UserRow | None:
    """The visitor, or None if nobody is logged in."""
    return cast("UserRow | None", g.get("user"))


def start_job(kind: str, payload: dict[str, Any], course_id: int | None = None) -> JobRow:
    """Add a job, which a worker finds once this request's transaction is committed."""
    must_have_room()
    return add_job(db(), kind, payload, course_id=course_id, user_id=me().id)


def audit(action: str, *, course_id: int | None = None, user: UserRow | None = None, **detail: Any) -> None:
    """Write an entry of the audit about something that the visitor did."""
    user = user or visitor()
    db().add(
        AuditEntryRow(
            user_id=user.id if user else None,
            course_id=course_id,
            actor=user.email if user else "",
            action=action,
            detail=detail,
            address=request.remote_addr or "",
        )
    )
