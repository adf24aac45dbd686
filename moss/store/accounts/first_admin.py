"""The first administrator: whoever sets a new server up becomes it, and only one of several who try at once.

A row of its own says that the set-up has happened: of two transactions that add it, the database lets one through.
"""

from __future__ import annotations

import secrets

from sqlalchemy import exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from moss.store.accounts.users import add_user
from moss.store.courses.memberships import add_member
from moss.store.database import Store
from moss.store.tables import CourseRole, CourseRow, ServerValueRow, UserRow
from moss.store.validation import clean_name

_CODE = "setup"
_STAGE = "setup-stage"
_ASKS_FOR_COURSE, _DONE = "course", "done"
_LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # letters and digits that cannot be mistaken for each other


class FoundedError(Exception):
    """The server has an administrator already."""


def setup_code(store: Store) -> str:
    """The code that the set-up asks for if strangers can reach the server; it stays the same until the set-up is
    done."""
    try:
        with store.session() as session:
            create_first_admin = session.get(ServerValueRow, _CODE)
            if create_first_admin is None:
                groups = ("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(3))
                create_first_admin = ServerValueRow(name=_CODE, value="-".join(groups))
                session.add(create_first_admin)
            return create_first_admin.value
    except IntegrityError:  # another process was faster
        with store.reading() as session:
            return session.get_one(ServerValueRow, _CODE).value


def is_code(store: Store, typed: str) -> bool:
    """Whether this is the code, in any case, with or without dashes and spaces."""
    given, code = (text.replace("-", "").replace(" ", "").upper().encode() for text in (typed, setup_code(store)))
    return secrets.compare_digest(given, code)


def is_founded(session: Session) -> bool:
    """Whether anybody has an account here."""
    return bool(session.scalar(select(exists().where(UserRow.id.is_not(None))))) or _stage(session) is not None


def create_first_admin(session: Session, *, name: str, email: str, password: str) -> UserRow:
    """Create the first administrator; raises FoundedError if somebody else was faster."""
    if is_founded(session):
        raise FoundedError
    user = add_user(session, name=name, email=email, password=password, administrator=True)
    try:
        with session.begin_nested():
            session.add(ServerValueRow(name=_STAGE, value=_ASKS_FOR_COURSE))
    except IntegrityError:
        raise FoundedError from None
    return user


def asks_for_course(session: Session) -> bool:
    """Whether the set-up still asks for the first course."""
    stage = _stage(session)
    return stage is not None and stage.value == _ASKS_FOR_COURSE


def finish(session: Session) -> None:
    """Mark the set-up as done."""
    session.get_one(ServerValueRow, _STAGE).value = _DONE


def add_first_course(session: Session, user: UserRow, name: str, term: str, retention_days: int | None) -> CourseRow:
    """Add the first course, with its founder as instructor, and mark the set-up as done."""
    course = CourseRow(name=clean_name(name, "course"), term=" ".join(term.split()))
    course.retention_days = retention_days
    session.add(course)
    session.flush()
    add_member(session, course.id, user.id, CourseRole.INSTRUCTOR)
    finish(session)
    return course


def _stage(session: Session) -> ServerValueRow | None:
    return session.get(ServerValueRow, _STAGE)
