"""The scope of a course's archive: what it holds, and the places by which things in it name each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from moss.store.submissions.contents import in_batches
from moss.store.tables import (
    AssignmentRow,
    CaseRow,
    ContentRow,
    CourseRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
    SubmittedFileRow,
    UserRow,
)


@dataclass(frozen=True, slots=True)
class ArchiveScope:
    """The things in an archive, in their order: those of the course, then those of others that its runs mention."""

    course: CourseRow
    names: list[str]  # names of the people
    people: dict[int, int]  # place of each person, by id
    assignments: list[AssignmentRow]
    submissions: dict[int, tuple[int, int]]  # place of the assignment, and place within it, by id
    emails: dict[int, str]  # addresses of users, by id

    def person(self, person_id: int | None) -> int | None:
        """The place of a person."""
        return self.people.get(person_id) if person_id is not None else None

    def submission(self, submission_id: int | None) -> tuple[int, int] | None:
        """The place of a submission."""
        return self.submissions.get(submission_id) if submission_id is not None else None

    def email(self, user_id: int | None) -> str | None:
        """The address of a user."""
        return self.emails.get(user_id) if user_id is not None else None

    def places(self, assignment_ids: Iterable[int]) -> list[int]:
        """The places of these assignments, as far as they are in the archive."""
        place = {assignment.id: number for number, assignment in enumerate(self.assignments)}
        return [place[each] for each in assignment_ids if each in place]

    def name_of(self, assignment: AssignmentRow) -> str:
        """The name of an assignment; one of another course includes the course's title."""
        is_own = assignment.course_id == self.course.id
        return assignment.name if is_own else f"{assignment.name} ({assignment.course.title})"

    def submissions_of(self, session: Session, assignment: AssignmentRow) -> list[SubmissionRow]:
        """The submissions of an assignment that are in the archive, with their files, in the order of their places."""
        wanted = [id for id, (place, _) in self.submissions.items() if self.assignments[place].id == assignment.id]
        digests = joinedload(SubmittedFileRow.content, innerjoin=True).load_only(ContentRow.digest)
        found: list[SubmissionRow] = []
        for some in in_batches(wanted):
            query = select(SubmissionRow).where(SubmissionRow.id.in_(some)).options(
                selectinload(SubmissionRow.files).options(digests)
            )  # fmt: skip
            found += session.scalars(query.order_by(SubmissionRow.id))
        return found


def scope_of(session: Session, course: CourseRow) -> ArchiveScope:
    """The scope of a course's archive."""
    entries = _entries(session, course)
    borrowed = _borrowed(session, course, {submission for submission, _ in entries if submission is not None})
    assignments = [*course.assignments, *dict.fromkeys(row.assignment for row in borrowed)]
    mine = session.execute(
        select(SubmissionRow.id, SubmissionRow.assignment_id).join(AssignmentRow)
        .where(AssignmentRow.course_id == course.id, SubmissionRow.confirmed).order_by(SubmissionRow.id)
    ).all()  # fmt: skip
    rows = [*((id, assignment) for id, assignment in mine), *((row.id, row.assignment_id) for row in borrowed)]
    mentioned = {person for _, person in entries} | {row.person_id for row in borrowed} | _in_cases(session, course)
    people = list(_people(session, course, {id for id in mentioned if id is not None}))
    emails = dict(session.execute(select(UserRow.id, UserRow.email)).all())
    places = {person.id: place for place, (person, _) in enumerate(people)}
    return ArchiveScope(course, [name for _, name in people], places, assignments, _places(assignments, rows), emails)


def _entries(session: Session, course: CourseRow) -> list[tuple[int | None, int | None]]:
    """The submissions and people that the course's reports mention."""
    query = (
        select(RunEntryRow.submission_id, RunEntryRow.person_id)
        .join(RunRow, RunRow.id == RunEntryRow.run_id)
        .join(AssignmentRow)
    )
    rows = session.execute(query.where(AssignmentRow.course_id == course.id, RunRow.finished.is_not(None)).distinct())
    return [(submission, person) for submission, person in rows]


def _borrowed(session: Session, course: CourseRow, ids: Collection[int]) -> list[SubmissionRow]:
    """The submissions with these ids that belong to other courses."""
    found: list[SubmissionRow] = []
    for some in in_batches(sorted(ids)):
        query = (
            select(SubmissionRow)
            .join(AssignmentRow)
            .where(SubmissionRow.id.in_(some), AssignmentRow.course_id != course.id)
        )
        found += session.scalars(query.options(joinedload(SubmissionRow.assignment).joinedload(AssignmentRow.course)))
    return sorted(found, key=lambda row: (row.assignment_id, row.id))


def _in_cases(session: Session, course: CourseRow) -> set[int | None]:
    rows = session.execute(
        select(CaseRow.a_id, CaseRow.b_id).join(AssignmentRow).where(AssignmentRow.course_id == course.id)
    )
    return {person for row in rows for person in row}


def _people(session: Session, course: CourseRow, mentioned: Collection[int]) -> Iterator[tuple[PersonRow, str]]:
    """The people in the archive, and their names: all names differ, so a person of another course gets its title."""
    taken: set[str] = set()
    for person in session.scalars(select(PersonRow).filter_by(course_id=course.id).order_by(PersonRow.id)):
        taken.add(person.name)
        yield person, person.name
    others: list[PersonRow] = []
    for some in in_batches(sorted(mentioned)):
        query = select(PersonRow).where(PersonRow.id.in_(some), PersonRow.course_id != course.id)
        others += session.scalars(query.options(joinedload(PersonRow.course)))
    for person in sorted(others, key=lambda each: each.id):
        wished = f"{person.name} ({person.course.title})"
        name = next(n for i in count(1) if (n := f"{wished} ({i})" if i > 1 else wished) not in taken)
        taken.add(name)
        yield person, name


def _places(assignments: list[AssignmentRow], rows: Iterable[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    place = {assignment.id: number for number, assignment in enumerate(assignments)}
    counts = dict.fromkeys(place, 0)
    places: dict[int, tuple[int, int]] = {}
    for submission_id, assignment_id in rows:
        places[submission_id] = place[assignment_id], counts[assignment_id]
        counts[assignment_id] += 1
    return places
