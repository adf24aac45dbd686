"""Senders: who may bring files by a script, how many jobs they may start, and which course has their jobs."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from moss.store.courses.rights import add_member
from moss.store.tables import CourseRole, CourseRow, DropRow, JobRow, JobState, RunRow, SenderRow, UserRow, now
from moss.store.validation import RefusedError, clean_name

ANYONE = ""  # the number of the sender that stands for all ids that were not issued

_DIGITS = 9  # digits of an id that we choose, as many as MOSS's have
_LONGEST_NUMBER = 64
_DAY = timedelta(days=1)
_ANYONE = select(SenderRow).filter_by(number=ANYONE)


class BusyError(RefusedError):
    """Too much is being done at the moment; a little later it may be possible."""


def issue(session: Session, name: str, number: str = "", per_day: int | None = None) -> SenderRow:
    """Issue an id for scripts that speak MOSS's protocol; a random one, unless the caller gives one."""
    number = _clean_number(number) if number else str(secrets.randbelow(9 * 10 ** (_DIGITS - 1)) + 10 ** (_DIGITS - 1))
    if session.scalar(select(SenderRow.id).filter_by(number=number)) is not None:
        raise RefusedError("number", f"The id {number} has been issued already.")
    if per_day is not None and per_day < 1:
        raise RefusedError("per_day", "A user must be allowed at least one job in a day.")
    sender = SenderRow(number=number, name=clean_name(name), per_day=per_day)
    session.add(sender)
    session.flush()
    return sender


def _clean_number(number: str) -> str:
    if not number.isprintable() or any(map(str.isspace, number)) or len(number) > _LONGEST_NUMBER:
        raise RefusedError("number", f"An id has no blanks and at most {_LONGEST_NUMBER} characters.")
    return number


def issued(session: Session) -> Sequence[SenderRow]:
    """All senders to whom ids were issued, oldest first."""
    return session.scalars(select(SenderRow).where(SenderRow.number != ANYONE).order_by(SenderRow.id)).all()


def revoke(session: Session, number: str) -> SenderRow:
    """Revoke an id; its results stay until they expire."""
    sender = session.scalar(select(SenderRow).filter_by(number=number, revoked=None)) if number else None
    if sender is None:
        raise RefusedError("number", f"There is no id {number} that could be revoked.")
    sender.revoked = now()
    return sender


def by_number(session: Session, number: str) -> SenderRow | None:
    """The sender to whom this id was issued, revoked or not."""
    return session.scalar(select(SenderRow).filter_by(number=number)) if number else None


def anyone(session: Session) -> SenderRow | None:
    """The sender that stands for all ids that were not issued, if one of them has sent something."""
    return session.scalar(_ANYONE)


def make_anyone(session: Session) -> SenderRow:
    """The sender that stands for all ids that were not issued, added if it does not exist."""
    return _found_or_made(session, _ANYONE, SenderRow(number=ANYONE, name="any id"))


def of_account(session: Session, user: UserRow) -> SenderRow:
    """The sender for this account."""
    return _found_or_made(
        session, select(SenderRow).filter_by(user_id=user.id), SenderRow(user_id=user.id, name=user.name)
    )


def _found_or_made(session: Session, query: Select[SenderRow], new: SenderRow) -> SenderRow:
    sender = session.scalar(query)
    if sender is None:
        try:
            with session.begin_nested():
                session.add(new)
        except IntegrityError:  # another process was faster
            return session.scalars(query).one()
    return sender or new


def course_of(session: Session, sender: SenderRow, days: int) -> CourseRow:
    """The course that has a sender's jobs, added if there is none; it keeps them for so many days, or for ever."""
    session.refresh(sender, with_for_update=True)  # so that two first jobs at once make one course
    course = session.get(CourseRow, sender.course_id) if sender.course_id is not None else None
    if course is None:
        course = CourseRow(name=f"Jobs of scripts: {sender.name}")
        session.add(course)
        session.flush()
        sender.course_id, sender.days = course.id, -1
        if sender.user_id is not None:
            add_member(session, course.id, sender.user_id, CourseRole.INSTRUCTOR)
    _keep_for(sender, course, days)
    return course


def set_retention(session: Session, days: int) -> None:
    """Apply the server's retention to all senders' courses if the setting has changed; else what was chosen there
    stays."""
    for sender, course in session.execute(
        select(SenderRow, CourseRow).join(CourseRow, CourseRow.id == SenderRow.course_id)
    ):
        _keep_for(sender, course, days)


def _keep_for(sender: SenderRow, course: CourseRow, days: int) -> None:
    if sender.days != days:
        sender.days, course.retention_days = days, days or None


def check_quota(session: Session, sender: SenderRow, sent_as: str, per_day: int, at_once: int, waiting: int) -> None:
    """Refuse a job of a sender that has had so many in a day or at once, or if so many jobs of all senders wait."""
    most = sender.per_day or per_day
    mine = select(func.count(DropRow.id)).where(DropRow.sender_id == sender.id, DropRow.sent_as == sent_as)
    if (session.scalar(mine.where(DropRow.created > now() - _DAY)) or 0) >= most:
        raise RefusedError("", f"You have started {most} jobs within a day, which is the limit; try again tomorrow.")
    if (session.scalar(_unfinished(mine)) or 0) >= at_once:
        raise BusyError("", f"You have {at_once} unfinished jobs, which is the limit; wait until one has ended.")
    if (session.scalar(_unfinished(select(func.count(DropRow.id)))) or 0) >= waiting:
        raise BusyError("", "This server has too much to do at the moment; try again later.")


def _unfinished(query: Select[Any]) -> Select[Any]:
    joined = query.join(RunRow, RunRow.id == DropRow.run_id).join(JobRow, JobRow.id == RunRow.job_id)
    return joined.where(JobRow.state.in_((JobState.QUEUED, JobState.RUNNING)))
