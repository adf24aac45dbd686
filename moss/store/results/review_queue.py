"""The pairs that somebody should review: those marked as suspicious, and those that stand out and nobody has judged.

Only an assignment's newest finished run counts. The database picks the pairs, so that a page about all courses loads
the rows that it lists, and no other pair of the many that each run shows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import Any, overload

from sqlalchemy import CTE, ColumnElement, Row, Select, Subquery, and_, bindparam, false, func, or_, select, tuple_
from sqlalchemy import case as when
from sqlalchemy.orm import Session, aliased, joinedload

from moss.model import Baseline, ReferenceKind, Standing
from moss.store.results.reference_kinds import kind_columns, kind_in
from moss.store.tables import AssignmentRow, CaseRow, CaseState, CourseRow, PairRow, ResultRow, RunEntryRow, RunRow
from moss.store.tables.courses import course_title

ALL_SHOWN = 12  # unreviewed pairs that are listed for all assignments together


@dataclass(frozen=True, slots=True)
class PairToReview:
    """A pair that somebody should review, or is reviewing."""

    assignment_id: int
    assignment: str  # its name
    course: str  # its title
    run: int
    finished: datetime  # when the run was
    rank: int
    names: tuple[str, str]
    kind: ReferenceKind | None  # of what one of the two is, if it is a reference
    score: float
    standing: Standing
    case: CaseRow | None
    pair_id: int = 0

    @property
    def state(self) -> CaseState:
        """The state of the pair's case."""
        return self.case.state if self.case else CaseState.UNREVIEWED


@dataclass(frozen=True, slots=True)
class AssignmentPairs(Sequence[PairToReview]):
    """The unreviewed pairs of one assignment, of which only the best are loaded; its length counts them all."""

    loaded: Sequence[PairToReview]
    total: int

    def __len__(self) -> int:
        return self.total

    @overload
    def __getitem__(self, place: int) -> PairToReview: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[PairToReview]: ...

    def __getitem__(self, place: int | slice) -> PairToReview | Sequence[PairToReview]:
        return self.loaded[place]


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """The pairs to review in some courses: all suspicious ones, and the best unreviewed ones of the assignments that
    have been waiting longest."""

    suspicious: Sequence[PairToReview]
    mine: Sequence[PairToReview]  # given to the user who asks
    unreviewed: Sequence[AssignmentPairs]
    at_first: int  # pairs of each assignment that are loaded
    waiting: int  # unreviewed pairs of all assignments
    left_out: int  # assignments with unreviewed pairs of which none is loaded


def review_queue(session: Session, courses: Collection[int], most: int, user_id: int) -> ReviewQueue:
    """The pairs to review in these courses, with at most so many unreviewed ones of an assignment, and those that a
    user was given."""
    rows = session.execute(_queue(), {"courses": list(courses), "most": most, "assignee": user_id}).all()
    pairs = _loaded(session, rows)
    waiting, assignments = (rows[0].waiting, rows[0].assignments or 0) if rows else (0, 0)
    at_first = max(1, min(most, ALL_SHOWN // max(1, assignments)))
    listed = [(row, pair) for row, pair in zip(rows, pairs, strict=True) if row.is_listed and row.place <= at_first]
    totals = {row.run: row.total for row, _ in listed}
    groups = [list(some) for _, some in groupby((pair for _, pair in listed), key=lambda pair: pair.run)]
    longest_waiting = sorted(groups, key=lambda some: some[0].run)
    return ReviewQueue(
        suspicious=[pair for pair in pairs if pair.state is CaseState.SUSPICIOUS],
        mine=[pair for pair in pairs if pair.case and pair.case.assignee_id == user_id],
        unreviewed=[AssignmentPairs(some, totals[some[0].run]) for some in longest_waiting],
        at_first=at_first,
        waiting=waiting,
        left_out=assignments - len(totals),
    )


def pairs_to_review(session: Session, course_id: int, *, suspicious: bool) -> list[PairToReview]:
    """All pairs of a course that nobody has judged, or those that are suspicious."""
    query = _suspicious() if suspicious else _unreviewed()
    return _loaded(session, session.execute(query, {"courses": [course_id]}).all())


def count_waiting(session: Session, course_id: int) -> dict[int, int]:
    """How many pairs are to be reviewed in each assignment of a course; assignments without any are left out."""
    runs = _newest_runs()
    counts = _pairs_to_review(runs).with_only_columns(runs.c.assignment_id, func.count()).group_by(runs.c.assignment_id)
    return dict(session.execute(counts, {"courses": [course_id]}).all())


def ranks_to_review(session: Session, run_id: int) -> Sequence[int]:
    """The ranks of the pairs of a run that stand out, or were given to somebody, and are not judged."""
    return session.scalars(_ranks_to_review(), {"run": run_id}).all()


# Putting these queries together takes several times as long as answering them, so it is done once.


@cache
def _ranks_to_review() -> Select[Any]:
    waiting = _pairs_to_review(_runs_with_limits(RunRow.id == bindparam("run"))).where(_is_unreviewed())
    return waiting.with_only_columns(PairRow.rank).order_by(PairRow.rank)


@cache
def _queue() -> Select[Any]:
    """The suspicious pairs, those given to `assignee`, and the first unreviewed ones of the runs that have been waiting
    longest, at most `most` of each and about a dozen in all. Each has its place among the pairs of its run that are
    unreviewed or suspicious like it, and their number."""
    alike = (PairRow.run_id, _is_unreviewed())
    place = func.row_number().over(partition_by=alike, order_by=PairRow.rank)
    total = func.count().over(partition_by=alike)
    turn = func.dense_rank().over(partition_by=(_is_unreviewed(),), order_by=PairRow.run_id)
    columns = (place.label("place"), total.label("total"), turn.label("turn"), _is_unreviewed().label("unreviewed"))
    pairs = _open_pairs().add_columns(*columns, CaseRow.state, CaseRow.assignee_id)
    found = pairs.cte("open_pairs").prefix_with("MATERIALIZED")
    waiting = select(func.count()).where(found.c.unreviewed).scalar_subquery()
    assignments = select(func.max(found.c.turn)).where(found.c.unreviewed).scalar_subquery()
    fits = or_(found.c.place == 1, found.c.place * assignments <= ALL_SHOWN)
    is_listed = and_(found.c.unreviewed, found.c.turn <= ALL_SHOWN, found.c.place <= bindparam("most"), fits)
    is_given = func.coalesce(found.c.assignee_id == bindparam("assignee"), false())
    counts = (found.c.place, found.c.total, waiting.label("waiting"), assignments.label("assignments"))
    return (
        _with_names(found)
        .add_columns(*counts, is_listed.label("is_listed"))
        .where(or_(is_listed, found.c.state == CaseState.SUSPICIOUS, is_given))
    )


@cache
def _suspicious() -> Select[Any]:
    return _with_names(_open_pairs().where(~_is_unreviewed()).subquery())


@cache
def _unreviewed() -> Select[Any]:
    return _with_names(_open_pairs().where(_is_unreviewed()).subquery())


def _open_pairs() -> Select[Any]:
    """The pairs to review in the newest finished run of each assignment of `courses`."""
    return _pairs_to_review(_newest_runs())


def _newest_runs() -> CTE:
    """The newest finished run of each assignment of `courses`."""
    newest = (
        select(RunRow.assignment_id, func.max(RunRow.number))
        .join(AssignmentRow)
        .where(AssignmentRow.course_id.in_(bindparam("courses", expanding=True)), RunRow.finished.is_not(None))
        .group_by(RunRow.assignment_id)
    )
    return _runs_with_limits(tuple_(RunRow.assignment_id, RunRow.number).in_(newest))


def _runs_with_limits(chosen: ColumnElement[bool]) -> CTE:
    """The chosen runs with their limits of what is ordinary, which are found once for a run and not for each of its
    pairs."""
    limit, far = (func.coalesce(ResultRow.baseline[name].as_float(), 1.0) for name in ("limit", "far"))
    columns = RunRow.id.label("run"), RunRow.assignment_id, limit.label("limit"), far.label("far")
    found = select(*columns).join(ResultRow, ResultRow.run_id == RunRow.id).where(chosen)
    return found.cte("chosen_runs").prefix_with("MATERIALIZED")


def _pairs_to_review(runs: CTE) -> Select[Any]:
    """The pairs to review of some runs: the ids of run, pair and case, and the run's limits of what is ordinary. As in
    the report's list, a student is among them once for all texts of a kind."""
    stands_out = and_(PairRow.behind == 0, or_(PairRow.score > runs.c.limit, PairRow.score > runs.c.far))
    return (
        select(runs.c.run, PairRow.id.label("pair"), CaseRow.id.label("case"), runs.c.limit, runs.c.far)
        .select_from(runs)
        .join(PairRow, PairRow.run_id == runs.c.run)
        .outerjoin(CaseRow, _is_case_of_pair(runs))
        .where(_is_open(stands_out), ~_is_of_one_student())
    )


def _is_case_of_pair(runs: CTE) -> ColumnElement[bool]:
    a, b = PairRow.a_person_id, PairRow.b_person_id
    return and_(
        CaseRow.assignment_id == runs.c.assignment_id,
        CaseRow.a_id == when((a < b, a), else_=b),
        CaseRow.b_id == when((a < b, b), else_=a),
    )


def _is_of_one_student() -> ColumnElement[bool]:
    """Whether both sides are one student, under two names that were merged since."""
    return func.coalesce(PairRow.a_person_id == PairRow.b_person_id, false())


def _is_open(stands_out: ColumnElement[bool]) -> ColumnElement[bool]:
    unreviewed = and_(_is_unreviewed(), or_(stands_out, CaseRow.assignee_id.is_not(None)))
    return or_(unreviewed, CaseRow.state == CaseState.SUSPICIOUS)


def _is_unreviewed() -> ColumnElement[bool]:
    return or_(CaseRow.id.is_(None), CaseRow.state == CaseState.UNREVIEWED)


def _with_names(chosen: Subquery | CTE) -> Select[Any]:
    """Pairs with their names, newest course first: plain columns, because objects for each row would take longer."""
    a, b = aliased(RunEntryRow), aliased(RunEntryRow)
    return (
        select(PairRow.id, PairRow.rank, PairRow.score, a.label.label("a"), b.label.label("b"))
        .add_columns(*kind_columns(a, b))
        .add_columns(chosen.c.limit, chosen.c.far, chosen.c.run, chosen.c.case, RunRow.finished)
        .add_columns(AssignmentRow.id.label("assignment_id"), AssignmentRow.name.label("assignment"))
        .add_columns(CourseRow.name.label("course"), CourseRow.term)
        .select_from(chosen)
        .join(PairRow, PairRow.id == chosen.c.pair)
        .join(RunRow, RunRow.id == chosen.c.run)
        .join(AssignmentRow, AssignmentRow.id == RunRow.assignment_id)
        .join(CourseRow, CourseRow.id == AssignmentRow.course_id)
        .join(a, and_(a.run_id == chosen.c.run, a.number == PairRow.a))
        .join(b, and_(b.run_id == chosen.c.run, b.number == PairRow.b))
        .order_by(AssignmentRow.course_id.desc(), AssignmentRow.id, PairRow.rank)
    )


_CASES = select(CaseRow).options(joinedload(CaseRow.assignee)).where(CaseRow.id.in_(bindparam("ids", expanding=True)))


def _loaded(session: Session, rows: Sequence[Row[Any]]) -> list[PairToReview]:
    known = sorted({row.case for row in rows if row.case is not None})
    cases = {case.id: case for case in session.scalars(_CASES, {"ids": known})} if known else {}
    return [
        PairToReview(
            assignment_id=row.assignment_id,
            assignment=row.assignment,
            course=course_title(row.course, row.term),
            run=row.run,
            finished=row.finished,
            rank=row.rank,
            names=(row.a, row.b),
            kind=kind_in(row),
            score=row.score,
            standing=Baseline(limit=row.limit, far=row.far).standing(row.score),
            case=cases.get(row.case),
            pair_id=row.id,
        )
        for row in rows
    ]
