"""Memberships: who belongs to a course, and in which role."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from moss.messages import gettext as _
from moss.store.tables import CourseRole, CourseRow, MembershipRow, UserRow
from moss.store.validation import RefusedError


def members_of(session: Session, course_id: int) -> Sequence[MembershipRow]:
    """The members of a course: instructors first, then by name."""
    query = (
        select(MembershipRow)
        .join(UserRow)
        .options(joinedload(MembershipRow.user))
        .where(MembershipRow.course_id == course_id)
    )
    return session.scalars(query.order_by(MembershipRow.role.desc(), func.lower(UserRow.name), UserRow.id)).all()


def courses_of(session: Session, user: UserRow) -> Sequence[MembershipRow]:
    """The courses to which a user belongs, newest first."""
    query = select(MembershipRow).options(joinedload(MembershipRow.course)).where(MembershipRow.user_id == user.id)
    return session.scalars(query.order_by(MembershipRow.course_id.desc())).all()


def role_in(session: Session, course_id: int, user_id: int) -> CourseRole | None:
    """The role of a user in a course; None for somebody who is not a member."""
    return session.scalar(select(MembershipRow.role).filter_by(course_id=course_id, user_id=user_id))


def add_member(session: Session, course_id: int, user_id: int, role: CourseRole) -> None:
    """Add a user to a course; an instructor stays one."""
    _lock(session, course_id)
    found = session.scalar(select(MembershipRow).filter_by(course_id=course_id, user_id=user_id))
    if found is None:
        session.add(MembershipRow(course_id=course_id, user_id=user_id, role=role))
    elif role is CourseRole.INSTRUCTOR:
        found.role = role
    session.flush()


def change_role(session: Session, course_id: int, user: UserRow, role: CourseRole, *, by: UserRow) -> None:
    """Give a member another role."""
    found = _member(session, course_id, user)
    if role is not CourseRole.INSTRUCTOR:
        _leave_an_instructor(session, course_id, user, by)
    found.role = role


def remove_member(session: Session, course_id: int, user: UserRow, *, by: UserRow) -> None:
    """Remove a member from a course."""
    found = _member(session, course_id, user)
    _leave_an_instructor(session, course_id, user, by)
    session.delete(found)


def _lock(session: Session, course_id: int) -> None:
    """Lock a course, so that changes to its members happen one after another."""
    session.execute(select(CourseRow.id).where(CourseRow.id == course_id).with_for_update())


def _member(session: Session, course_id: int, user: UserRow) -> MembershipRow:
    _lock(session, course_id)
    found = session.scalar(select(MembershipRow).filter_by(course_id=course_id, user_id=user.id))
    if found is None:
        raise RefusedError("", _("They are not a member of this course."))
    return found


def _leave_an_instructor(session: Session, course_id: int, user: UserRow, by: UserRow) -> None:
    """Refuse to remove the last instructor, unless an administrator does it."""
    query = select(MembershipRow.user_id).filter_by(course_id=course_id, role=CourseRole.INSTRUCTOR)
    if not by.administrator and set(session.scalars(query)) == {user.id}:
        raise RefusedError(
            "", _("%(name)s is the last instructor. Make someone else an instructor first.", name=user.name)
        )
