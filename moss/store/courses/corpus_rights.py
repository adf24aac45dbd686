"""Rights to corpora: which courses may search one, and which may add to it; set for each course, or for all.

A corpus that an operator made has no rights of its own: everyone may search it, and only administrators may add to it.
A corpus that a course made by adding an assignment belongs to that course. Instructors have in each course the rights
of all courses that they teach, so that this year's course can be compared with last year's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.store.tables import CorpusRightRow, CourseRole, CourseRow, MembershipRow, UserRow


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
