"""Cases: what was decided about two people in an assignment, and which pairs nobody has reviewed yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session, joinedload

from moss.codec import Form, from_plain
from moss.model import Baseline, Standing
from moss.store.results.reports import rules_of
from moss.store.tables import (
    AssignmentRow,
    CaseEventRow,
    CaseRow,
    CaseState,
    CourseRow,
    PairRow,
    PersonRow,
    ResultRow,
    RunEntryRow,
    RunRow,
    UserRow,
    now,
)

People = tuple[int, int]
NOTE_LENGTH = 10_000


class DecisionError(ValueError):
    """A decision that is not possible; the message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about a case; None leaves a field as it is."""

    state: CaseState | None = None
    assignee_id: int | None = None
    unassign: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class PairToReview:
    """A pair that somebody should review, or is reviewing."""

    assignment: AssignmentRow
    run: RunRow
    rank: int
    names: tuple[str, str]
    score: float
    standing: Standing
    case: CaseRow | None

    @property
    def state(self) -> CaseState:
        """The state of the pair's case."""
        return self.case.state if self.case else CaseState.UNREVIEWED


def in_order(a: int, b: int) -> People:
    """Two people in the order in which cases name them."""
    return (a, b) if a < b else (b, a)


def people_of(pair: PairRow) -> People | None:
    """The two people of a pair; None if one of them has been erased, or is not known yet."""
    if pair.a_person_id is None or pair.b_person_id is None:
        return None
    return in_order(pair.a_person_id, pair.b_person_id)


def documents_of(session: Session, pair: PairRow) -> list[RunEntryRow]:
    """The sides of a pair that are documents of corpora."""
    sides = select(RunEntryRow).where(RunEntryRow.run_id == pair.run_id, RunEntryRow.number.in_((pair.a, pair.b)))
    return list(session.scalars(sides.where(RunEntryRow.corpus != "")))


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
    person = session.scalar(select(PersonRow).filter_by(**who)) or PersonRow(**who)
    session.add(person)
    session.flush()
    entry.person_id = person.id
    for number, column in ((PairRow.a, PairRow.a_person_id), (PairRow.b, PairRow.b_person_id)):
        mine = update(PairRow).where(PairRow.run_id == run.id, number == entry.number)
        session.execute(mine.values({column: person.id}).execution_options(synchronize_session=False))
    session.flush()


def find_case(session: Session, assignment_id: int, people: People) -> CaseRow | None:
    """The case of two people in an assignment, if there is one."""
    return session.scalar(select(CaseRow).filter_by(assignment_id=assignment_id, a_id=people[0], b_id=people[1]))


def open_case(session: Session, assignment_id: int, people: People) -> CaseRow:
    """The case of two people in an assignment, added if there is none."""
    case = find_case(session, assignment_id, people)
    if case is None:
        case = CaseRow(assignment_id=assignment_id, a_id=people[0], b_id=people[1])
        session.add(case)
        session.flush()
    return case


def decide(session: Session, case: CaseRow, user: UserRow, decision: Decision) -> None:
    """Carry out a decision, and add it to the case's history."""
    if len(decision.note) > NOTE_LENGTH:
        raise DecisionError(f"a note may have {NOTE_LENGTH:,} characters, and this one has {len(decision.note):,}")
    if decision.state is not None and decision.state is not case.state:
        _record(session, case, user, "state", before=case.state, after=decision.state)
        case.state = decision.state
    assignee = None if decision.unassign else decision.assignee_id
    if (decision.unassign or decision.assignee_id is not None) and assignee != case.assignee_id:
        names = [found.name if found else "" for found in (case.assignee, assignee and session.get(UserRow, assignee))]
        _record(session, case, user, "assignee", before=names[0], after=names[1])
        case.assignee_id = assignee
    if decision.note.strip():
        _record(session, case, user, "note", note=decision.note.strip())
    case.changed = now()
    session.flush()


def _record(session: Session, case: CaseRow, user: UserRow, kind: str, **columns: str) -> None:
    session.add(CaseEventRow(case_id=case.id, user_id=user.id, author=user.name, kind=kind, **columns))


def states_of(session: Session, run: RunRow) -> Mapping[int, CaseState]:
    """The state of the case of each pair that a run shows, by rank."""
    cases = _cases(session, run.assignment_id)
    pairs = session.execute(select(PairRow.rank, PairRow.a_person_id, PairRow.b_person_id).filter_by(run_id=run.id))
    states = {}
    for rank, a, b in pairs:
        case = cases.get(in_order(a, b)) if a is not None and b is not None else None
        states[rank] = case.state if case else CaseState.UNREVIEWED
    return states


def _cases(session: Session, assignment_id: int) -> dict[People, CaseRow]:
    query = select(CaseRow).filter_by(assignment_id=assignment_id).options(joinedload(CaseRow.assignee))
    return {(case.a_id, case.b_id): case for case in session.scalars(query)}


def latest_run(session: Session, assignment_id: int) -> RunRow | None:
    """The newest run of an assignment that is finished."""
    query = select(RunRow).filter_by(assignment_id=assignment_id).where(RunRow.finished.is_not(None))
    return session.scalar(query.order_by(RunRow.number.desc()).limit(1))


def waiting(session: Session, courses: Sequence[CourseRow]) -> Iterator[PairToReview]:
    """The pairs to review in each assignment's newest run: those marked as suspicious, and those that stand out and
    nobody has judged."""
    for course in courses:
        for assignment in course.assignments:
            run = latest_run(session, assignment.id)
            if run is not None:
                yield from _waiting_in(session, assignment, run)


def _waiting_in(session: Session, assignment: AssignmentRow, run: RunRow) -> Iterator[PairToReview]:
    baseline = baseline_of(session, run)
    cases = _cases(session, assignment.id)
    labels = _labels(session, run)
    for pair in session.scalars(select(PairRow).filter_by(run_id=run.id).order_by(PairRow.rank)):
        people = people_of(pair)
        case = cases.get(people) if people else None
        standing = baseline.standing(pair.score)
        if _is_open(case, standing):
            names = labels[pair.a], labels[pair.b]
            yield PairToReview(assignment, run, pair.rank, names, pair.score, standing, case)


def _is_open(case: CaseRow | None, standing: Standing) -> bool:
    if case is None:
        return standing is not Standing.ORDINARY
    if case.state is CaseState.UNREVIEWED:
        return standing is not Standing.ORDINARY or case.assignee_id is not None
    return case.state is CaseState.SUSPICIOUS


def baseline_of(session: Session, run: RunRow) -> Baseline:
    """The baseline of a run, which says what is ordinary in it."""
    return from_plain(Baseline, Form.ROW, session.scalars(select(ResultRow.baseline).filter_by(run_id=run.id)).one())


def _labels(session: Session, run: RunRow) -> dict[int, str]:
    return dict(session.execute(select(RunEntryRow.number, RunEntryRow.label).filter_by(run_id=run.id)).all())


def pair_at(session: Session, run: RunRow, rank: int) -> PairRow | None:
    """The pair of a run with this rank."""
    return session.scalar(select(PairRow).filter_by(run_id=run.id, rank=rank))


@dataclass(frozen=True, slots=True)
class CaseInRun:
    """A case's pair in one run."""

    run: RunRow
    rank: int
    score: float
    share_a: float
    share_b: float
    ranked_by: int  # the version of the score


def appearances(session: Session, case: CaseRow) -> list[CaseInRun]:
    """The case's pair in each run of its assignment that shows it, newest first."""
    both = (case.a_id, case.b_id)
    query = (
        select(RunRow, PairRow, ResultRow)
        .join(PairRow, PairRow.run_id == RunRow.id)
        .join(ResultRow, ResultRow.run_id == RunRow.id)
        .where(RunRow.assignment_id == case.assignment_id, RunRow.finished.is_not(None))
        .where(PairRow.a_person_id.in_(both), PairRow.b_person_id.in_(both))
        .order_by(RunRow.number.desc(), PairRow.rank)
    )
    return [
        CaseInRun(run, pair.rank, pair.score, pair.share_a, pair.share_b, rules_of(result).score)
        for run, pair, result in session.execute(query)
    ]


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


def names_of(case: CaseRow) -> tuple[str, str]:
    """The names of a case's people."""
    return case.a.name, case.b.name


def assignees(session: Session, course: CourseRow) -> list[UserRow]:
    """The members of a course, to whom a case may be assigned."""
    return sorted((member.user for member in course.memberships), key=lambda user: user.name)
