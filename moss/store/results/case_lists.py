"""Cases over a whole run or course: their states by rank, the runs in which each is seen, and decisions about several.

Several pairs can be dismissed together, and that is taken back by one undo. All events of one such decision have the
same time, by which they are found again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session, joinedload

from moss.codec import Form, from_plain
from moss.model import Baseline, Standing
from moss.store.results.cases import Decision, decide, in_order, last_of, open_case, people_meant
from moss.store.results.reports import rules_of
from moss.store.results.review_queue import ranks_to_review
from moss.store.submissions.contents import in_batches
from moss.store.tables import (
    AssignmentRow,
    CaseEventKind,
    CaseEventRow,
    CaseRow,
    CaseState,
    MatchRow,
    PairRow,
    ResultRow,
    RunRow,
    UserRow,
    now,
)


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


def next_to_review(session: Session, run: RunRow, rank: int) -> int | None:
    """The rank of the next pair of a run that needs review, or else of the first; None if none does."""
    unreviewed = ranks_to_review(session, run.id)
    return next((each for each in unreviewed if each > rank), unreviewed[0] if unreviewed else None)


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
    for course_id, state, count in session.execute(_count_query(), {"courses": list(courses)}):
        counts.setdefault(course_id, Counter())[state] = count
    return counts


@cache
def _count_query() -> Select[int, CaseState, int]:
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
