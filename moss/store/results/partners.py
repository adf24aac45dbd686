"""Declared partners: the cases of two students who may work together by the roster are marked as partners.

That is an ordinary state of a case, which an instructor may change. It is set when a run has finished and when the
roster changes, never where somebody has decided, and taken back when the roster no longer says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.store.results.cases import People, in_order, last_of, latest_run, open_case
from moss.store.tables import (
    AssignmentRow,
    CaseEventKind,
    CaseEventRow,
    CaseRow,
    CaseState,
    PairRow,
    PartnersRow,
    PersonRow,
    now,
)

ROSTER = "Roster"
"""The author of what a roster says in the history of a case."""


def declare_partners(session: Session, course_id: int) -> None:
    """Bring the cases of a course in line with the partners that its roster declares."""
    declared = _declared(session, course_id)
    mine = AssignmentRow.course_id == course_id
    stale = select(CaseRow).join(AssignmentRow).where(mine, CaseRow.state == CaseState.PARTNERS)
    for case in session.scalars(stale).all():
        if (case.a_id, case.b_id) not in declared and _is_by_roster(case):
            _change(session, case, CaseState.UNREVIEWED)
    for assignment_id in session.scalars(select(AssignmentRow.id).where(mine)).all() if declared else ():
        for people in _seen_together(session, assignment_id, declared):
            case = open_case(session, assignment_id, people)
            if case.state is CaseState.UNREVIEWED and (
                last_of(case, CaseEventKind.STATE) is None or _is_by_roster(case)
            ):
                _change(session, case, CaseState.PARTNERS)
    session.flush()


def _declared(session: Session, course_id: int) -> set[People]:
    query = select(PartnersRow).join(PersonRow, PersonRow.id == PartnersRow.a_id)
    rows = session.scalars(query.where(PersonRow.course_id == course_id))
    return {in_order(row.a.student.id, row.b.student.id) for row in rows if row.a.student.id != row.b.student.id}


def _seen_together(session: Session, assignment_id: int, declared: set[People]) -> Iterable[People]:
    """The partners whose pair is in the newest report of an assignment."""
    run = latest_run(session, assignment_id)
    if run is None:
        return ()
    rows = session.execute(select(PairRow.a_person_id, PairRow.b_person_id).filter_by(run_id=run.id))
    return sorted(declared & {in_order(a, b) for a, b in rows if a is not None and b is not None})


def _is_by_roster(case: CaseRow) -> bool:
    """Whether the roster set the state of a case last."""
    last = last_of(case, CaseEventKind.STATE)
    return last is not None and last.user_id is None and last.author == ROSTER


def _change(session: Session, case: CaseRow, state: CaseState) -> None:
    event = CaseEventRow(author=ROSTER, kind=CaseEventKind.STATE, before=case.state, after=state)
    case.events.append(event)
    case.state, case.changed = state, now()
