"""People over a whole course: who stands out together, in which assignments, and what one person handed in.

The newest finished run of each assignment counts. A pair here is two people, however often each of them is in a run.
As in the list of a report, a student close to several texts of one kind stands out with the best of them alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, joinedload, selectinload

from moss.codec import Form, from_plain
from moss.model import Baseline, Ranking, ReferenceKind, Role, Standing, angle, kind_of
from moss.report.words.references import listed_pairs
from moss.store.results.cases import in_order
from moss.store.results.reference_kinds import reference_column
from moss.store.results.reports import rules_of, unpack_ranking
from moss.store.results.runs import latest_run
from moss.store.submissions.contents import in_batches
from moss.store.tables import (
    AssignmentRow,
    CaseRow,
    CourseRow,
    PairRow,
    PersonRow,
    ResultRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
)

Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]
_NOBODY = 0  # stands for somebody who was erased
_SHIFT = 2**31  # above any person's id, so that one number can hold two ids


@dataclass(frozen=True, slots=True)
class PeoplePairSighting:
    """A pair of people in one assignment."""

    score: float
    standing: Standing
    spreads: float  # above the typical score there
    page: int | None  # the rank under which the run has a page about them, if it has one
    kinds: tuple[tuple[int, ReferenceKind], ...] = ()  # of the one who is a reference, with the person's id

    def kind_of(self, person: PersonRow) -> ReferenceKind | None:
        """The kind of one of the two, if they are a reference."""
        return dict(self.kinds).get(person.id)


@dataclass(frozen=True, slots=True)
class PeoplePair:
    """Two people who stand out together at least once."""

    people: tuple[PersonRow, PersonRow]
    seen: tuple[PeoplePairSighting | None, ...]  # one for each assignment; None where they share nothing

    @property
    def times(self) -> int:
        """In how many assignments they stand out."""
        return sum(each is not None and each.standing is not Standing.ORDINARY for each in self.seen)

    def kind_of(self, person: PersonRow) -> ReferenceKind | None:
        """The kind of one of the two, where they are a reference."""
        return next((kind for each in self.seen if each and (kind := each.kind_of(person))), None)

    @property
    def strength(self) -> float:
        """How far they are above the ordinary, summed over the assignments in which they stand out."""
        return sum(each.spreads for each in self.seen if each and each.standing is not Standing.ORDINARY)


@dataclass(frozen=True, slots=True)
class CourseView:
    """The pairs of people who stand out together in a course."""

    runs: tuple[RunRow, ...]  # the newest run of each assignment
    rows: tuple[PeoplePair, ...]  # those who stand out most often first, then the strongest
    too_small: tuple[AssignmentRow, ...]  # assignments too small to say what is ordinary
    ranked_by: tuple[int, ...] = ()  # the different versions of the score by which these runs were ranked

    def times_of(self) -> Counter[int]:
        """In how many assignments each person stands out, with anybody."""
        return Counter(
            person for person, _ in {
                (person.id, place) for row in self.rows for person in row.people
                for place, seen in enumerate(row.seen) if seen and seen.standing is not Standing.ORDINARY
            }
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PeopleInRun:
    """The pairs of people in a run."""

    run: RunRow
    baseline: Baseline
    people: Ids  # the person of each entry
    ranking: Ranking
    kinds: Sequence[ReferenceKind | None]  # of each entry that is a reference
    pairs: Ids  # the two people of each pair of the ranking as one number; 0 if one of them was erased
    listed: Mask  # which pairs of the ranking a list shows
    pages: Mapping[tuple[int, int], int]  # the best rank of two people that has a page

    def seen(self, wanted: Mask) -> dict[int, PeoplePairSighting]:
        """The chosen pairs of people, each where its score is highest, by their number, strongest first."""
        places = np.flatnonzero(wanted)
        codes, first = np.unique(self.pairs[places], return_index=True)
        order = np.argsort(first)
        best = places[first[order]]
        score = self.ranking.score[best]
        spreads = (angle(score) - angle(np.array(self.baseline.typical))) / self.baseline.spread
        rows = zip(codes[order].tolist(), best.tolist(), score.tolist(), spreads.tolist(), strict=True)
        return {code: self._seen(code, *figures) for code, *figures in rows}

    def _seen(self, code: int, place: int, score: float, spreads: float) -> PeoplePairSighting:
        page = self.pages.get(divmod(code, _SHIFT))
        sides = int(self.ranking.a[place]), int(self.ranking.b[place])
        kinds = tuple((int(self.people[side]), kind) for side in sides if (kind := self.kinds[side]))
        return PeoplePairSighting(score, self.baseline.standing(score), spreads, page, kinds)


def newest_runs(session: Session, course: CourseRow) -> list[RunRow]:
    """The newest finished run of each assignment, in the order of the assignments."""
    found = (latest_run(session, assignment.id) for assignment in course.assignments)
    return [run for run in found if run is not None]


def found_by(session: Session, run: RunRow) -> PeopleInRun:
    """The pairs of people in a finished run."""
    result = session.get_one(ResultRow, run.id)
    columns = (RunEntryRow.person_id, RunEntryRow.owner, RunEntryRow.role, reference_column())
    entries = session.execute(select(*columns).where(RunEntryRow.run_id == run.id).order_by(RunEntryRow.number)).all()
    sides = [(owner, kind_of(role, kind)) for _, owner, role, kind in entries]
    query = select(PairRow.a_person_id, PairRow.b_person_id, PairRow.rank).filter_by(run_id=run.id)
    pages: dict[tuple[int, int], int] = {}
    for a, b, rank in session.execute(query.order_by(PairRow.rank)):
        if a is not None and b is not None:
            pages.setdefault(in_order(a, b), rank)
    ids = np.array([person or _NOBODY for person, *_ in entries], np.int64)
    ranking = unpack_ranking(result.ranking)
    pairs = _numbered(ids[ranking.a], ids[ranking.b])
    baseline, kinds = from_plain(Baseline, Form.ROW, result.baseline), [kind for _, kind in sides]
    return PeopleInRun(run, baseline, ids, ranking, kinds, pairs, listed_pairs(ranking, sides), pages)


def _numbered(a: Ids, b: Ids) -> Ids:
    numbers: Ids = np.minimum(a, b) * _SHIFT + np.maximum(a, b)
    numbers[(a == b) | (a == _NOBODY) | (b == _NOBODY)] = 0
    return numbers


def course_view(session: Session, course: CourseRow) -> CourseView:
    """The pairs of people who stand out together in at least one assignment."""
    all_found = [found_by(session, run) for run in newest_runs(session, course)]
    chosen = _standing_out(all_found)
    columns = [found.seen(np.isin(found.pairs, chosen)) for found in all_found]
    people = people_by_id(session, {id for code in chosen.tolist() for id in divmod(code, _SHIFT)})
    rows = [
        PeoplePair((people[code // _SHIFT], people[code % _SHIFT]), tuple(column.get(code) for column in columns))
        for code in chosen.tolist()
    ]
    rows.sort(key=lambda row: (-row.times, -row.strength, row.people[0].name, row.people[1].name))
    small = tuple(found.run.assignment for found in all_found if not found.baseline.is_known)
    scores = {rules_of(session.get_one(ResultRow, found.run.id)).score for found in all_found}
    return CourseView(tuple(found.run for found in all_found), tuple(rows), small, tuple(sorted(scores)))


def _standing_out(all_found: Sequence[PeopleInRun]) -> Ids:
    """The pairs of people that stand out in any run, in order."""
    none = np.zeros(0, np.int64)
    pairs = [found.pairs[found.listed & (found.ranking.score > found.baseline.limit)] for found in all_found]
    chosen: Ids = np.unique(np.concatenate([none, *pairs]))
    return chosen[chosen > 0]


def people_of_course(session: Session, course: CourseRow) -> tuple[list[PersonRow], list[PersonRow]]:
    """The students of a course, and the owners of earlier work and other texts who handed in nothing now, by name."""
    everyone = select(PersonRow).filter_by(course_id=course.id, same_as_id=None).order_by(PersonRow.name)
    who = func.coalesce(PersonRow.same_as_id, PersonRow.id)
    owners = select(who, SubmissionRow.role).join(SubmissionRow, SubmissionRow.person_id == PersonRow.id)
    roles: dict[int, set[Role]] = {}
    for person, role in session.execute(owners.where(PersonRow.course_id == course.id).distinct()):
        roles.setdefault(person, set()).add(role)
    people: tuple[list[PersonRow], list[PersonRow]] = [], []
    for row in session.scalars(everyone):
        people[roles.get(row.id) == {Role.ARCHIVE}].append(row)
    return people


def people_by_id(session: Session, ids: Iterable[int]) -> dict[int, PersonRow]:
    """The people with these ids."""
    rows = [session.scalars(select(PersonRow).where(PersonRow.id.in_(some))) for some in in_batches(sorted(ids))]
    return {person.id: person for found in rows for person in found}


@dataclass(frozen=True, slots=True)
class ResemblingPerson:
    """Somebody whom a person resembles in a run."""

    other: PersonRow
    seen: PeoplePairSighting


def strongest(session: Session, person: PersonRow, most: int) -> list[tuple[RunRow, list[ResemblingPerson]]]:
    """The people whom a person resembles most, in the newest run of each assignment that has that person."""
    found = [found_by(session, run) for run in newest_runs(session, person.course)]
    return [(each.run, _strongest_in(session, each, person, most)) for each in found if person.id in each.people]


def _strongest_in(session: Session, found: PeopleInRun, person: PersonRow, most: int) -> list[ResemblingPerson]:
    pairs = found.pairs
    seen = found.seen(found.listed & ((pairs // _SHIFT == person.id) | (pairs % _SHIFT == person.id)))
    others = {code: sum(divmod(code, _SHIFT)) - person.id for code in list(seen)[:most]}
    people = people_by_id(session, others.values())
    return [ResemblingPerson(people[other], seen[code]) for code, other in others.items()]


def handed_in_by(session: Session, person: PersonRow) -> Sequence[SubmissionRow]:
    """All submissions of a student, under any of their names, newest assignment and newest version first."""
    theirs = select(PersonRow.id).where(or_(PersonRow.id == person.id, PersonRow.same_as_id == person.id))
    query = select(SubmissionRow).filter_by(confirmed=True).where(SubmissionRow.person_id.in_(theirs))
    loaded = query.options(joinedload(SubmissionRow.assignment), selectinload(SubmissionRow.files))
    return session.scalars(loaded.order_by(SubmissionRow.assignment_id.desc(), SubmissionRow.version.desc())).all()


def cases_of(session: Session, person: PersonRow) -> Sequence[CaseRow]:
    """The cases of a person, last changed first."""
    query = select(CaseRow).where(or_(CaseRow.a_id == person.id, CaseRow.b_id == person.id))
    loaded = query.options(joinedload(CaseRow.a), joinedload(CaseRow.b), joinedload(CaseRow.assignment))
    return session.scalars(loaded.order_by(CaseRow.changed.desc())).all()
