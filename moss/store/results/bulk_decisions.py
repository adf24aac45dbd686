"""Several cases of a course at once: listed by state, dismissed together, and that taken back by one undo.

All events of one such decision have the same time, by which they are found again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session, joinedload

from moss.store.results.cases import Decision, decide, last_of, open_case, people_meant
from moss.store.submissions.contents import in_batches
from moss.store.tables import (
    AssignmentRow,
    CaseEventKind,
    CaseEventRow,
    CaseRow,
    CaseState,
    PairRow,
    RunRow,
    UserRow,
    now,
)


def cases_by_state(session: Session, course_id: int, state: CaseState | None = None) -> Sequence[CaseRow]:
    """The cases of a course, of one state or of all, last changed first."""
    query = select(CaseRow).join(AssignmentRow).where(AssignmentRow.course_id == course_id)
    if state is not None:
        query = query.where(CaseRow.state == state)
    loaded = query.options(joinedload(CaseRow.a), joinedload(CaseRow.b), joinedload(CaseRow.assignment))
    return session.scalars(loaded.order_by(CaseRow.changed.desc(), CaseRow.id)).all()


def count_cases(session: Session, courses: Collection[int]) -> dict[int, Counter[CaseState]]:
    """How many cases of each course are in each state; courses without cases are left out."""
    counts: dict[int, Counter[CaseState]] = {}
    for course_id, state, count in session.execute(_case_counts(), {"courses": list(courses)}):
        counts.setdefault(course_id, Counter())[state] = count
    return counts


@cache
def _case_counts() -> Select[int, CaseState, int]:
    query = select(AssignmentRow.course_id, CaseRow.state, func.count()).join(CaseRow)
    mine = AssignmentRow.course_id.in_(bindparam("courses", expanding=True))
    return query.where(mine).group_by(AssignmentRow.course_id, CaseRow.state)


def pairs_of_course(session: Session, course_id: int, ids: Collection[int]) -> list[tuple[PairRow, RunRow]]:
    """The pairs with these ids that belong to a course, each with its run."""
    query = select(PairRow, RunRow).join(RunRow, RunRow.id == PairRow.run_id).join(AssignmentRow)
    mine = query.where(AssignmentRow.course_id == course_id).order_by(PairRow.id)
    return [
        (pair, run)
        for some in in_batches(sorted(ids))
        for pair, run in session.execute(mine.where(PairRow.id.in_(some)))
    ]


def dismiss_pairs(session: Session, pairs: Sequence[tuple[PairRow, RunRow]], user: UserRow) -> tuple[int, datetime]:
    """Dismiss pairs that nobody has confirmed, dismissed or called partners; returns how many, and the time of all."""
    moment, dismissed = now(), 0
    for pair, run in pairs:
        people = people_meant(session, run, pair)
        case = open_case(session, run.assignment_id, people) if people else None
        if case is not None and case.state in (CaseState.UNREVIEWED, CaseState.SUSPICIOUS):
            decide(session, case, user, Decision(CaseState.DISMISSED), moment)
            dismissed += 1
    return dismissed, moment


def undo_all(session: Session, course_id: int, user: UserRow, moment: datetime) -> int:
    """Take back the decisions that a user made at one moment, where nobody has decided since; returns how many."""
    query = select(CaseEventRow).join(CaseRow).join(AssignmentRow).where(AssignmentRow.course_id == course_id)
    mine = query.filter_by(user_id=user.id, at=moment, kind=CaseEventKind.STATE)
    again, undone = now(), 0
    for event in session.scalars(mine).all():
        if last_of(event.case, CaseEventKind.STATE) is event:
            decide(session, event.case, user, Decision(CaseState(event.before)), again)
            undone += 1
    return undone
