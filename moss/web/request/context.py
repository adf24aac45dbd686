"""What a view can reach: the server's parts, this request's transaction, and who asks."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, cast

from flask import Response, abort, current_app, g, request
from sqlalchemy.orm import Session
from werkzeug.exceptions import HTTPException

from moss.config import Config
from moss.jobs.disk_room import NO_ROOM, has_room
from moss.jobs.ledger import add_job
from moss.store import Store
from moss.store.tables import AuditEntryRow, JobRow, UserRow

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of this server."""

    config: Config
    store: Store
    secret: str  # signs what must not be forged


def parts() -> Parts:
    """The parts of the server that answers this request."""
    return cast(Parts, current_app.extensions["moss"])


def db() -> Session:
    """This request's transaction: begun when first needed, committed if the answer is no error, else undone."""
    if "db" not in g:
        g.stack = ExitStack()
        store = parts().store
        g.db = g.stack.enter_context(store.reading() if request.method in SAFE_METHODS else store.session())
    return cast(Session, g.db)


def settle(response: Response) -> Response:
    """End the request's transaction."""
    if "db" in g:
        session, stack = g.pop("db"), g.pop("stack")  # whatever happens now, it is no longer to be ended
        if response.status_code >= 400:
            session.rollback()
        stack.close()
    return response


def undo(error: BaseException | None) -> None:
    """Undo what a request that ended in an accident has begun."""
    if "db" in g:
        g.pop("db").rollback()
        g.pop("stack").close()


def must_have_room() -> None:
    """Refuse what needs room on the disk, if there is only what deleting needs."""
    if not has_room(parts().config):
        raise NoRoomError(NO_ROOM)


class NoRoomError(HTTPException):
    """There is no room for this on the disk."""

    code = 507


def me() -> UserRow:
    """Who asks."""
    user = visitor()
    return user if user is not None else abort(401)


def visitor() -> UserRow | None:
    """Who asks, if they said."""
    return cast("UserRow | None", g.get("user"))


def start_job(kind: str, payload: dict[str, Any], course_id: int | None = None) -> JobRow:
    """Add a job, which a worker finds once this request's transaction is committed."""
    must_have_room()
    return add_job(db(), kind, payload, course_id=course_id, user_id=me().id)


def audit(action: str, *, course_id: int | None = None, user: UserRow | None = None, **detail: Any) -> None:
    """Write down that the visitor did something that matters."""
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
