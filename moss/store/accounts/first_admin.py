"""The first administrator: whoever sets a new server up becomes it, and only one of several who try at once.

A row of its own says that the set-up has happened: of two transactions that add it, the database lets one through. A
mark in the data folder says it, too: a database that has vanished must not be taken for a new server, whose
administrator is whoever comes first.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from sqlalchemy import exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from moss.store.accounts.users import add_user
from moss.store.courses.rights import add_member
from moss.store.database import Store, StoreError
from moss.store.tables import CourseRole, CourseRow, ServerValueRow, UserRow
from moss.store.validation import clean_name

_CODE = "setup"
_STAGE = "setup-stage"
_ASKS_FOR_COURSE, _DONE = "course", "done"
_LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # letters and digits that cannot be mistaken for each other
MARK = "set-up"
_NOTE = """This moss server has been set up; its accounts are in its database.
If the database is gone, restore it from a backup. Remove this file only to begin anew, without any accounts.
"""
_LEFT_BEHIND = ("moss.sqlite3-wal", "queue.sqlite3", "work")  # left beside the database by versions that set no mark
_ADVICE = "restore the database from a backup, or remove what is left to begin anew"


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


def mark_set_up(data: Path) -> None:
    """Leave a mark that there are accounts."""
    if not (data / MARK).exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / MARK).write_text(_NOTE, encoding="utf-8")


def check_file(database: Path) -> None:
    """Raise StoreError if the embedded database should be there and is not."""
    if database.exists() and database.stat().st_size:
        return
    signs = [name for name in (MARK, *_LEFT_BEHIND) if (database.parent / name).exists()]
    if signs:
        what = "is empty" if database.exists() else "is gone"
        raise StoreError(f"the database {database} {what}, but a server was used here ({signs[0]} is there): {_ADVICE}")


def check_accounts(data: Path, founded: bool) -> None:
    """Raise StoreError if there should be accounts in the database and there are none."""
    if (data / MARK).exists() and not founded:
        raise StoreError(
            f"the database has no accounts, but a server was set up here ({data / MARK} says so): {_ADVICE}"
        )
