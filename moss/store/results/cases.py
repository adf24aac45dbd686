"""Cases: what was decided about two people in an assignment, and their hearing.

Every decision, note and proposal, what each student said, the day of the hearing and what came of it are lines of the
case's history.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import bindparam, func, or_, select, update
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import number
from moss.store.tables import (
    AssignmentRow,
    CaseEventKind,
    CaseEventRow,
    CaseRow,
    CaseState,
    CourseRow,
    MembershipRow,
    PairRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
    UserRow,
    now,
)

People = tuple[int, int]
NOTE_LENGTH = 10_000

# The queries of every page of a pair, which are put together once because that takes longer than answering them.
_DOCUMENTS = select(RunEntryRow).where(
    RunEntryRow.run_id == bindparam("run"),
    RunEntryRow.number.in_((bindparam("a"), bindparam("b"))),
    RunEntryRow.corpus != "",
)
_MEMBERS = select(UserRow).join(MembershipRow).where(MembershipRow.course_id == bindparam("course"))
_CASE = select(CaseRow).where(
    CaseRow.assignment_id == bindparam("assignment"), CaseRow.a_id == bindparam("a"), CaseRow.b_id == bindparam("b")
)


class DecisionError(ValueError):
    """A decision that is not possible; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about a case; None leaves a field as it is."""

    state: CaseState | None = None
    assignee_id: int | None = None
    unassign: bool = False
    note: str = ""


def in_order(a: int, b: int) -> People:
    """Two people in the order in which cases name them."""
    return (a, b) if a < b else (b, a)


def people_of(pair: PairRow) -> People | None:
    """The two people of a pair; None if one of them has been erased or is not known yet, or if both are one student."""
    if pair.a_person_id is None or pair.b_person_id is None or pair.a_person_id == pair.b_person_id:
        return None
    return in_order(pair.a_person_id, pair.b_person_id)


def documents_of(session: Session, pair: PairRow) -> list[RunEntryRow]:
    """The sides of a pair that are documents of corpora."""
    return list(session.scalars(_DOCUMENTS, {"run": pair.run_id, "a": pair.a, "b": pair.b}))


def people_meant(session: Session, run: RunRow, pair: PairRow) -> People | None:
    """The two people of a pair about which something is to be decided; None if one of them has been erased.

    A document of a corpus has no person in the course until then. Its address becomes a person's name, by which the
    decision is found again in later runs.
    """
    for entry in documents_of(session, pair):
        if entry.person_id is None:
            _make_known(session, run, entry)
    session.refresh(pair)
    return people_of(pair)


def _make_known(session: Session, run: RunRow, entry: RunEntryRow) -> None:
    who = {"course_id": run.assignment.course_id, "name": entry.owner}
    known = session.scalar(select(PersonRow).filter_by(**who)) or PersonRow(**who)
    session.add(known)
    session.flush()
    person = known.student
    entry.person_id = person.id
    for side, column in ((PairRow.a, PairRow.a_person_id), (PairRow.b, PairRow.b_person_id)):
        mine = update(PairRow).where(PairRow.run_id == run.id, side == entry.number)
        session.execute(mine.values({column: person.id}).execution_options(synchronize_session=False))
    session.flush()


def find_case(session: Session, assignment_id: int, people: People) -> CaseRow | None:
    """The case of two people in an assignment, if there is one."""
    return session.scalar(_CASE, {"assignment": assignment_id, "a": people[0], "b": people[1]})


def open_case(session: Session, assignment_id: int, people: People) -> CaseRow:
    """The case of two people in an assignment, added if there is none, unless somebody adds it at the same moment."""
    case = find_case(session, assignment_id, people)
    if case is None:
        session.execute(select(AssignmentRow.id).where(AssignmentRow.id == assignment_id).with_for_update())
        case = find_case(session, assignment_id, people)
    if case is None:
        case = CaseRow(assignment_id=assignment_id, a_id=people[0], b_id=people[1])
        session.add(case)
        session.flush()
    return case


def decide(session: Session, case: CaseRow, user: UserRow, decision: Decision, moment: datetime | None = None) -> None:
    """Carry out a decision, and add it to the case's history; `moment` if it is one of several at once."""
    _check_length(decision.note)
    if decision.state is not None and decision.state is not case.state:
        states = {"before": case.state, "after": decision.state}
        add_event(session, case, user, CaseEventKind.STATE, at=moment or now(), **states)
        case.state = decision.state
    assignee = None if decision.unassign else decision.assignee_id
    if (decision.unassign or decision.assignee_id is not None) and assignee != case.assignee_id:
        names = [found.name if found else "" for found in (case.assignee, assignee and session.get(UserRow, assignee))]
        add_event(session, case, user, CaseEventKind.ASSIGNEE, before=names[0], after=names[1])
        case.assignee_id = assignee
    if decision.note.strip():
        add_event(session, case, user, CaseEventKind.NOTE, note=decision.note.strip())
    case.changed = now()
    session.flush()


def propose(session: Session, case: CaseRow, user: UserRow, decision: Decision) -> None:
    """Write down what somebody who may not decide thinks of a case: the state that they propose, and a note."""
    _check_length(decision.note)
    if decision.state is not None and decision.state is not case.state:
        add_event(session, case, user, CaseEventKind.PROPOSAL, before=case.state, after=decision.state)
    if decision.note.strip():
        add_event(session, case, user, CaseEventKind.NOTE, note=decision.note.strip())
    case.changed = now()
    session.flush()


def undo_decision(session: Session, case: CaseRow, user: UserRow) -> CaseState:
    """Take back the last change of a case's state, which stays in its history; the state as it is then."""
    last = last_of(case, CaseEventKind.STATE)
    if last is None or last.after != case.state:
        raise DecisionError(_("There is no decision to take back."))
    decide(session, case, user, Decision(CaseState(last.before)))
    return case.state


def open_proposal(case: CaseRow) -> CaseEventRow | None:
    """The newest proposal, if nobody has decided since."""
    last = last_of(case, CaseEventKind.STATE, CaseEventKind.PROPOSAL)
    return last if last is not None and last.kind == CaseEventKind.PROPOSAL else None


@dataclass(frozen=True, slots=True)
class Hearing:
    """Everything about the hearing of a case that is known so far."""

    statements: tuple[CaseEventRow, ...]  # what each student said, oldest first; `after` is the student's name
    day: date | None
    outcome: CaseEventRow | None


def hearing_of(case: CaseRow) -> Hearing:
    """The hearing of a case; of several days or outcomes the one that was written down last."""
    statements = tuple(event for event in case.events if event.kind == CaseEventKind.STATEMENT)
    day = last_of(case, CaseEventKind.HEARING)
    return Hearing(statements, date.fromisoformat(day.after) if day and day.after else None,
                   last_of(case, CaseEventKind.OUTCOME))  # fmt: skip


def add_statement(session: Session, case: CaseRow, user: UserRow, student: str, text: str) -> None:
    """Write down what one of the two students said."""
    if student not in (case.a.name, case.b.name):
        raise DecisionError(_("The statement must be of one of the two students."))
    _add_line(session, case, user, CaseEventKind.STATEMENT, after=student, note=_whole(text))


def set_hearing(session: Session, case: CaseRow, user: UserRow, day: str) -> None:
    """Write down the day of the hearing; an empty one says that there is none."""
    try:
        chosen = date.fromisoformat(day).isoformat() if day else ""
    except ValueError:
        raise DecisionError(_("The day of the hearing must be a date, such as 2026-11-30.")) from None
    before = last_of(case, CaseEventKind.HEARING)
    if chosen != (before.after if before else ""):
        _add_line(session, case, user, CaseEventKind.HEARING, before=before.after if before else "", after=chosen)


def set_outcome(session: Session, case: CaseRow, user: UserRow, text: str) -> None:
    """Write down what the hearing decided."""
    _add_line(session, case, user, CaseEventKind.OUTCOME, note=_whole(text))


def _whole(text: str) -> str:
    """A text that says something, and is not too long."""
    text = text.strip()
    if not text:
        raise DecisionError(_("Write down what was said."))
    if len(text) > NOTE_LENGTH:
        raise DecisionError(_("The text is too long. Use at most %(most)s characters.", most=number(NOTE_LENGTH)))
    return text


def _add_line(session: Session, case: CaseRow, user: UserRow, kind: CaseEventKind, **columns: str) -> None:
    add_event(session, case, user, kind, **columns)
    case.changed = now()
    session.flush()
    session.refresh(case)


def handed_in(session: Session, case: CaseRow) -> list[tuple[PersonRow, datetime | None]]:
    """The two people of a case, and when each handed in their newest work for the assignment, if that is known."""
    times = []
    for person in (case.a, case.b):
        names = select(PersonRow.id).where(or_(PersonRow.id == person.id, PersonRow.same_as_id == person.id))
        newest = select(func.max(SubmissionRow.handed_in)).filter_by(assignment_id=case.assignment_id, left_out=False)
        times.append((person, session.scalar(newest.where(SubmissionRow.person_id.in_(names)))))
    return times


def names_of(case: CaseRow) -> tuple[str, str]:
    """The names of a case's people."""
    return case.a.name, case.b.name


def assignees(session: Session, course: CourseRow) -> list[UserRow]:
    """The members of a course, to whom a case may be assigned."""
    return sorted(session.scalars(_MEMBERS, {"course": course.id}), key=lambda user: user.name)


def last_of(case: CaseRow, *kinds: CaseEventKind) -> CaseEventRow | None:
    """The newest line of these kinds in a case's history."""
    return next((event for event in reversed(case.events) if event.kind in kinds), None)


def add_event(session: Session, case: CaseRow, user: UserRow, kind: CaseEventKind, **columns: Any) -> None:
    """Add a line to a case's history."""
    session.add(CaseEventRow(case_id=case.id, user_id=user.id, author=user.name, kind=kind, **columns))


def _check_length(note: str) -> None:
    if len(note) > NOTE_LENGTH:
        raise DecisionError(_("The note is too long. Use at most %(most)s characters.", most=number(NOTE_LENGTH)))
