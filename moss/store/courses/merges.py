"""Merging several names of one student into one, and parting them again.

Each name stays a person (`PersonRow`) and keeps its submissions. A merged name refers to the one that stands for the
student. Runs, pairs and cases have only that one, so nothing that reads them needs to know about merges. When names are
merged or parted, pairs of finished runs follow, and so do cases; what was moved is remembered, to be moved back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import and_, delete, func, or_, select, update
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.store.results.cases import find_case, in_order, last_of
from moss.store.tables import (
    AssignmentRow,
    CaseEventKind,
    CaseEventRow,
    CaseRow,
    CaseState,
    PairRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
)
from moss.store.validation import RefusedError


def names_of_student(session: Session, person: PersonRow) -> Sequence[PersonRow]:
    """All names of a student: first the one that stands for them, then those that were merged into it."""
    student = person.student
    merged = session.scalars(select(PersonRow).filter_by(same_as_id=student.id).order_by(PersonRow.name))
    return (student, *merged)


def merge_people(session: Session, person: PersonRow, into: PersonRow) -> PersonRow:
    """Merge a student, with all their names, into another of the same course; returns the one that now stands for
    both."""
    person, into = person.student, into.student
    if person.course_id != into.course_id:
        raise RefusedError("into", _("Only students of the same course can be merged."))
    if person.id == into.id:
        raise RefusedError("into", _("These names already belong to one student."))
    names = names_of_student(session, person)
    for name in names:
        name.same_as_id = into.id
    person.kept_apart = False
    session.flush()
    person.moved = {"people": [name.id for name in names[1:]], **_move_cases(session, person.id, into.id)}
    follow_merges(session, _runs_with(session, names))
    return into


def part_person(session: Session, person: PersonRow) -> None:
    """Make a merged name a student of its own again, with the names and cases that it had before."""
    if person.same_as_id is None:
        raise RefusedError("", _("This name was not merged with another."))
    student, moved = person.same_as_id, person.moved or {}
    theirs = session.scalars(select(PersonRow).where(PersonRow.id.in_(moved.get("people", ())))).all()
    names = [person, *(name for name in theirs if name.same_as_id == student)]
    for name in names[1:]:
        name.same_as_id = person.id
    person.same_as_id, person.kept_apart, person.moved = None, True, None
    session.flush()
    _move_back(session, moved, student, person.id)
    follow_merges(session, _runs_with(session, names))


def follow_merges(session: Session, runs: Collection[int]) -> None:
    """Let the entries and pairs of finished runs name the student to whom each name belongs now."""
    student = func.coalesce(PersonRow.same_as_id, PersonRow.id)
    handed_in = select(student).join(SubmissionRow, SubmissionRow.person_id == PersonRow.id)
    document = select(student).join(AssignmentRow, AssignmentRow.course_id == PersonRow.course_id).join(RunRow)
    whose = (
        (RunEntryRow.corpus == "", handed_in.where(SubmissionRow.id == RunEntryRow.submission_id)),
        (
            RunEntryRow.corpus != "",
            document.where(RunRow.id == RunEntryRow.run_id, PersonRow.name == RunEntryRow.owner),
        ),
    )
    unbound = {"synchronize_session": False}
    for which, person in whose:
        changed = update(RunEntryRow).where(RunEntryRow.run_id.in_(runs), RunEntryRow.person_id.is_not(None), which)
        session.execute(changed.values(person_id=person.scalar_subquery()).execution_options(**unbound))
    for side, column in ((PairRow.a, PairRow.a_person_id), (PairRow.b, PairRow.b_person_id)):
        entry = select(RunEntryRow.person_id).where(RunEntryRow.run_id == PairRow.run_id, RunEntryRow.number == side)
        changed = update(PairRow).where(PairRow.run_id.in_(runs)).values({column: entry.scalar_subquery()})
        session.execute(changed.execution_options(**unbound))
    session.expire_all()


def _runs_with(session: Session, names: Sequence[PersonRow]) -> set[int]:
    """The runs in which these names are, or the students for whom they stood."""
    ids = [name.id for name in names]
    submissions = select(SubmissionRow.id).where(SubmissionRow.person_id.in_(ids))
    mine = or_(RunEntryRow.submission_id.in_(submissions), RunEntryRow.person_id.in_(ids))
    documents = and_(RunEntryRow.corpus != "", RunEntryRow.owner.in_([name.name for name in names]))
    return set(session.scalars(select(RunEntryRow.run_id).where(or_(mine, documents)).distinct()))


def _move_cases(session: Session, person: int, into: int) -> dict[str, list[Any]]:
    """Move the cases of a person to another; returns which were moved, and which were joined with one that the other
    had already. A case of the two with each other stays where it is, for the day they are parted."""
    moved, joined = [], []
    query = select(CaseRow).where(or_(CaseRow.a_id == person, CaseRow.b_id == person)).order_by(CaseRow.id)
    for case in session.scalars(query).all():
        other = case.b_id if case.a_id == person else case.a_id
        if other == into:
            continue
        there = find_case(session, case.assignment_id, in_order(into, other))
        if there is None:
            case.a_id, case.b_id = in_order(into, other)
            moved.append(case.id)
        else:
            joined.append(_join_cases(session, case, there, other))
    session.flush()
    return {"cases": moved, "joined": joined}


def _join_cases(session: Session, case: CaseRow, there: CaseRow, other: int) -> dict[str, Any]:
    """Add a case's history to that of another, in which the later decision counts; returns what is needed to take it
    out again."""
    record: dict[str, Any] = {
        "into": there.id, "assignment": case.assignment_id, "other": other, "state": case.state.value,
        "assignee": case.assignee_id, "events": [event.id for event in case.events], "before": there.state.value,
    }  # fmt: skip
    if _decided_last(case, there) is case:
        there.state = case.state
    there.assignee_id = there.assignee_id or case.assignee_id
    there.changed = max(case.changed, there.changed)
    record["after"] = there.state.value
    _give_events(session, record["events"], there.id)
    session.execute(delete(CaseRow).where(CaseRow.id == case.id))
    session.expunge(case)
    session.expire(there, ["events"])
    return record


def _decided_last(*cases: CaseRow) -> CaseRow:
    """The case that was decided last; one that nobody decided comes before all others."""

    def decided(case: CaseRow) -> tuple[bool, float]:
        last = last_of(case, CaseEventKind.STATE)
        return case.state is not CaseState.UNREVIEWED, last.at.timestamp() if last else 0.0

    return max(cases, key=decided)


def _move_back(session: Session, moved: dict[str, Any], student: int, person: int) -> None:
    """Give a person their cases back, as far as they still are the student's."""
    for case in session.scalars(select(CaseRow).where(CaseRow.id.in_(moved.get("cases", ())))).all():
        if student in (case.a_id, case.b_id):
            other = case.b_id if case.a_id == student else case.a_id
            case.a_id, case.b_id = in_order(person, other)
    for record in moved.get("joined", ()):
        there = session.get(CaseRow, record["into"])
        if there is not None and session.get(PersonRow, record["other"]) is not None:
            _take_out(session, there, record, person)
    session.flush()


def _take_out(session: Session, there: CaseRow, record: dict[str, Any], person: int) -> None:
    a, b = in_order(person, record["other"])
    case = CaseRow(
        assignment_id=record["assignment"], a_id=a, b_id=b, state=CaseState(record["state"]),
        assignee_id=record["assignee"],
    )  # fmt: skip
    session.add(case)
    session.flush()
    _give_events(session, record["events"], case.id)
    if there.state.value == record["after"]:  # nobody has decided otherwise since
        there.state = CaseState(record["before"])
    session.expire(there, ["events"])


def _give_events(session: Session, events: Collection[int], case_id: int) -> None:
    given = update(CaseEventRow).where(CaseEventRow.id.in_(events)).values(case_id=case_id)
    session.execute(given.execution_options(synchronize_session=False))
