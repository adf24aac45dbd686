"""Cases: what was decided about two people in an assignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, or_, select, update
from sqlalchemy.orm import Session

from moss.codec import Form, from_plain
from moss.messages import gettext as _
from moss.messages import number
from moss.model import Baseline, Standing
from moss.store.results.reports import rules_of
from moss.store.results.review_queue import ranks_to_review
from moss.store.tables import (
    CaseEventKind,
    CaseEventRow,
    CaseRow,
    CaseState,
    CourseRow,
    MatchRow,
    MembershipRow,
    PairRow,
    PersonRow,
    ResultRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
    UserRow,
    now,
)

People = tuple[int, int]
NOTE_LENGTH = 10_000

# The queries of every page of a pair, which are put together once because that takes longer than answering them.

_PAIR = select(PairRow).where(PairRow.run_id == bindparam("run"), PairRow.rank == bindparam("rank"))
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
    """The case of two people in an assignment, added if there is none."""
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


def last_of(case: CaseRow, *kinds: CaseEventKind) -> CaseEventRow | None:
    """The newest line of these kinds in a case's history."""
    return next((event for event in reversed(case.events) if event.kind in kinds), None)


def open_proposal(case: CaseRow) -> CaseEventRow | None:
    """The newest proposal, if nobody has decided since."""
    last = last_of(case, CaseEventKind.STATE, CaseEventKind.PROPOSAL)
    return last if last is not None and last.kind == CaseEventKind.PROPOSAL else None


def add_event(session: Session, case: CaseRow, user: UserRow, kind: CaseEventKind, **columns: Any) -> None:
    """Add a line to a case's history."""
    session.add(CaseEventRow(case_id=case.id, user_id=user.id, author=user.name, kind=kind, **columns))


def _check_length(note: str) -> None:
    if len(note) > NOTE_LENGTH:
        raise DecisionError(_("The note is too long. Use at most %(most)s characters.", most=number(NOTE_LENGTH)))


def states_of(session: Session, run: RunRow) -> Mapping[int, CaseState]:
    """The state of the case of each pair that a run shows, by rank."""
    ranks = session.scalars(select(PairRow.rank).filter_by(run_id=run.id).order_by(PairRow.rank))
    return dict.fromkeys(ranks, CaseState.UNREVIEWED) | dict(decided_states(session, run))


def shown_states(session: Session, run: RunRow) -> tuple[tuple[int, CaseState], ...]:
    """The rank and the state of each pair of a run that somebody has judged or should review, in the order of ranks.
    Of pairs without a decision these are the ones that pages call unreviewed; the rest are ordinary, and have none."""
    to_review = ((rank, CaseState.UNREVIEWED) for rank in ranks_to_review(session, run.id))
    return tuple(sorted([*decided_states(session, run), *to_review]))


def case_counts(session: Session, run: RunRow) -> Counter[CaseState]:
    """How many pairs of a run have a case in each state; of those without a decision, only the ones to review."""
    return Counter(state for _, state in shown_states(session, run))


def decided_states(session: Session, run: RunRow) -> tuple[tuple[int, CaseState], ...]:
    """The rank and the state of each pair of a run that somebody has judged; of most runs these are a few."""
    decided = select(CaseRow.a_id, CaseRow.b_id, CaseRow.state).filter_by(assignment_id=run.assignment_id)
    states = {(a, b): state for a, b, state in session.execute(decided.where(CaseRow.state != CaseState.UNREVIEWED))}
    if not states:
        return ()
    pairs = session.execute(
        select(PairRow.rank, PairRow.a_person_id, PairRow.b_person_id).filter_by(run_id=run.id).order_by(PairRow.rank)
    )
    known = ((rank, in_order(a, b)) for rank, a, b in pairs if a is not None and b is not None)
    return tuple((rank, states[people]) for rank, people in known if people in states)


def latest_run(session: Session, assignment_id: int) -> RunRow | None:
    """The newest run of an assignment that is finished."""
    query = select(RunRow).filter_by(assignment_id=assignment_id).where(RunRow.finished.is_not(None))
    return session.scalar(query.order_by(RunRow.number.desc()).limit(1))


def baseline_of(session: Session, run: RunRow) -> Baseline:
    """The baseline of a run, which says what is ordinary in it."""
    return from_plain(Baseline, Form.ROW, session.scalars(select(ResultRow.baseline).filter_by(run_id=run.id)).one())


def next_to_review(session: Session, run: RunRow, rank: int) -> int | None:
    """The rank of the next pair of a run that needs review, or else of the first; None if none does."""
    unreviewed = ranks_to_review(session, run.id)
    return next((each for each in unreviewed if each > rank), unreviewed[0] if unreviewed else None)


def pair_at(session: Session, run: RunRow, rank: int) -> PairRow | None:
    """The pair of a run with this rank."""
    return session.scalar(_PAIR, {"run": run.id, "rank": rank})


@dataclass(frozen=True, slots=True)
class CaseInRun:
    """A case's pair in one run."""

    run: RunRow
    rank: int
    score: float
    share_a: float  # of what the case's first person handed in
    share_b: float
    ranked_by: int  # the version of the score
    standing: Standing
    passages: int


def appearances(session: Session, case: CaseRow) -> list[CaseInRun]:
    """The case's pair in each run of its assignment that shows it, newest first."""
    both = (case.a_id, case.b_id)
    passages = select(func.count()).where(MatchRow.pair_id == PairRow.id).scalar_subquery()
    query = (
        select(RunRow, PairRow, ResultRow, passages)
        .join(PairRow, PairRow.run_id == RunRow.id)
        .join(ResultRow, ResultRow.run_id == RunRow.id)
        .where(RunRow.assignment_id == case.assignment_id, RunRow.finished.is_not(None))
        .where(PairRow.a_person_id.in_(both), PairRow.b_person_id.in_(both))
        .order_by(RunRow.number.desc(), PairRow.rank)
    )
    return [_in_run(case, *row) for row in session.execute(query)]


def _in_run(case: CaseRow, run: RunRow, pair: PairRow, result: ResultRow, passages: int) -> CaseInRun:
    shares = (pair.share_a, pair.share_b) if pair.a_person_id == case.a_id else (pair.share_b, pair.share_a)
    standing = from_plain(Baseline, Form.ROW, result.baseline).standing(pair.score)
    return CaseInRun(run, pair.rank, pair.score, *shares, rules_of(result).score, standing, passages)


def carried_over(session: Session, case: CaseRow, run: RunRow) -> CaseInRun | None:
    """The pair as the last author of a case saw it, if that was in an earlier run with another version of the score:
    what was said then need not fit this run's figures."""
    if not case.events:
        return None
    seen = [
        each for each in appearances(session, case) if each.run.finished and each.run.finished <= case.events[-1].at
    ]
    ranked_by = rules_of(session.get_one(ResultRow, run.id)).score
    return seen[0] if seen and seen[0].run.id != run.id and seen[0].ranked_by != ranked_by else None


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
