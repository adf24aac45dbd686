"""Rights: who belongs to a course, in which role, and which corpora courses may use.

Rights to corpora are set for each course, or for all: which may search a corpus, and which may add to it. A corpus that
an operator made has no rights of its own: everyone may search it, and only administrators may add to it. A corpus that
a course made by adding an assignment belongs to that course. Instructors have in each course the rights of all courses
that they teach, so that this year's course can be compared with last year's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from moss.messages import gettext as _
from moss.store.tables import CorpusRightRow, CourseRole, CourseRow, MembershipRow, UserRow
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


@dataclass(frozen=True, slots=True)
class CorpusUse:
    """The rights that somebody has to a corpus."""

    search: bool = True
    add: bool = False


def uses_of(session: Session, user: UserRow, names: Iterable[str]) -> dict[str, CorpusUse]:
    """The rights of a user to each of these corpora."""
    if user.administrator:
        return dict.fromkeys(names, CorpusUse(True, True))
    taught = set(session.scalars(
        select(MembershipRow.course_id).filter_by(user_id=user.id, role=CourseRole.INSTRUCTOR)
    ))  # fmt: skip
    rights = all_rights(session)
    return {name: _use(rights[name], taught) if name in rights else CorpusUse() for name in names}


def _use(rights: Iterable[CorpusRightRow], courses: set[int]) -> CorpusUse:
    mine = [right for right in rights if right.course_id is None or right.course_id in courses]
    return CorpusUse(any(right.search for right in mine), any(right.add for right in mine))


def all_rights(session: Session) -> dict[str, list[CorpusRightRow]]:
    """The rights to each corpus that has any: for all courses first, then by course."""
    found: dict[str, list[CorpusRightRow]] = defaultdict(list)
    for right in session.scalars(select(CorpusRightRow).order_by(CorpusRightRow.id)):
        found[right.corpus].append(right)
    return {name: sorted(rights, key=lambda each: each.course_id or 0) for name, rights in found.items()}


def claim_corpus(session: Session, name: str, course: CourseRow) -> None:
    """Give a course the rights to a corpus that it is about to make, until an administrator changes them."""
    set_right(session, name, None, CorpusUse(False, False))
    set_right(session, name, course.id, CorpusUse(True, True))


def set_right(session: Session, name: str, course_id: int | None, use: CorpusUse) -> None:
    """Set the rights of a course (None: of all courses) to a corpus. Before the first one is set, the default for all
    is written down, so that it stays."""
    rights = {right.course_id: right for right in session.scalars(select(CorpusRightRow).filter_by(corpus=name))}
    for each in {None, course_id} - rights.keys():
        rights[each] = CorpusRightRow(corpus=name, course_id=each, search=CorpusUse().search, add=CorpusUse().add)
        session.add(rights[each])
    rights[course_id].search, rights[course_id].add = use.search, use.add
    session.flush()


def courses_of_all_members(session: Session, course_id: int) -> set[int]:
    """The course, and the courses that all of its members may read because they belong to them."""
    members = set(session.scalars(select(MembershipRow.user_id).filter_by(course_id=course_id)))
    theirs: dict[int, set[int]] = defaultdict(set)
    for course, user in session.execute(
        select(MembershipRow.course_id, MembershipRow.user_id).where(MembershipRow.user_id.in_(members))
    ):
        theirs[course].add(user)
    return {course_id, *(course for course, users in theirs.items() if users == members)}
