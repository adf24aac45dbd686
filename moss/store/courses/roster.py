"""The roster of a course: who the students are, by which names platforms know them, and who may work together.

A student is recognised by one rule: a name under which somebody handed in work, or an account that the platform gives
beside it, equals the name, the address, the number or another name of exactly one line, but for upper case, spaces and
the order of a name with a comma. Names that fit several lines are left alone and listed.

The cases of two students who may work together by the roster are marked as partners. That is an ordinary state of a
case, which an instructor may change. It is set when a run has finished and when the roster changes, never where
somebody has decided, and taken back when the roster no longer says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import number
from moss.store.courses.merges import merge_people
from moss.store.courses.roster_file import Roster, RosterLine, normal
from moss.store.results.cases import People, in_order, last_of, open_case
from moss.store.results.runs import latest_run
from moss.store.submissions.corrections import delete_person_without_work
from moss.store.tables import (
    AssignmentRow,
    CaseEventKind,
    CaseEventRow,
    CaseRow,
    CaseState,
    PairRow,
    PartnersRow,
    PersonRow,
    SubmissionRow,
    now,
)

LARGEST_GROUP = 8  # a larger group is a tutorial or a lab, whose members are not all partners
ROSTER = "Roster"
"""The author of what a roster says in the history of a case."""


@dataclass(frozen=True, slots=True)
class RosterMatch:
    """How the names of a course fit its roster."""

    joined: tuple[tuple[PersonRow, PersonRow], ...] = ()  # names that belong to a student with another name
    ambiguous: tuple[tuple[PersonRow, tuple[PersonRow, ...]], ...] = ()  # names that fit several students
    unknown: tuple[PersonRow, ...] = ()  # names that fit nobody on the roster


def set_roster(session: Session, course_id: int, roster: Roster) -> list[str]:
    """Replace the roster of a course, merge the names that it joins, and declare its partners; returns sentences about
    what could not be used."""
    keys = _keys_of_people(session, course_id)  # with what an earlier roster says of them, so that a new name is found
    before = _on_roster(session, course_id)
    people = {person.name: person for person in _people(session, course_id)}
    for person in before:
        _write(person, None)
    students: dict[RosterLine, PersonRow] = {}
    for line in roster.lines:
        student = students[line] = people.get(line.name) or PersonRow(course_id=course_id, name=line.name)
        _write(student, line)
        session.add(student)
    session.flush()
    match_names(session, course_id, keys)
    for person in before:
        if not person.on_roster:
            delete_person_without_work(session, person.id)
    problems = (
        [_("Columns that were not used: %(columns)s.", columns=", ".join(roster.unused))] if roster.unused else []
    )
    return problems + _set_partners(session, course_id, students)


def remove_roster(session: Session, course_id: int) -> None:
    """Delete everything that a roster says. Names stay merged, until somebody parts them."""
    _forget_partners(session, course_id)
    for person in _on_roster(session, course_id):
        _write(person, None)
        session.flush()
        delete_person_without_work(session, person.id)
    declare_partners(session, course_id)


def match_names(session: Session, course_id: int, keys: Mapping[int, set[str]] | None = None) -> RosterMatch:
    """Merge each name that exactly one line of the roster fits into the student of that line."""
    found = fit_of(session, course_id, keys)
    for person, student in found.joined:
        merge_people(session, person, student)
    return found


def fit_of(session: Session, course_id: int, keys: Mapping[int, set[str]] | None = None) -> RosterMatch:
    """How those names fit the roster that are not merged yet; `joined` are the ones that could be."""
    roster = _on_roster(session, course_id)
    if not roster:
        return RosterMatch()
    lines: dict[str, set[int]] = {}
    for student in roster:
        for key in line_of(student).keys:
            lines.setdefault(key, set()).add(student.student.id)
    known = keys or _keys_of_people(session, course_id)
    students = {student.student.id: student.student for student in roster}
    joined, ambiguous, unknown = [], [], []
    for person in _people(session, course_id):
        if person.on_roster or person.kept_apart or person.same_as_id is not None:
            continue
        fits = sorted({id for key in known.get(person.id, ()) for id in lines.get(key, ())} - {person.id})
        if len(fits) == 1:
            joined.append((person, students[fits[0]]))
        elif fits:
            ambiguous.append((person, tuple(students[id] for id in fits)))
        elif person.id not in students:
            unknown.append(person)
    return RosterMatch(tuple(joined), tuple(ambiguous), tuple(unknown))


def line_of(student: PersonRow) -> RosterLine:
    """The line of the roster that is a student's."""
    return RosterLine(student.name, student.address, student.number, student.section, tuple(student.other_names))


def partners_of(session: Session, course_id: int) -> Sequence[PartnersRow]:
    """The declared partners of a course."""
    query = select(PartnersRow).join(PersonRow, PersonRow.id == PartnersRow.a_id)
    return session.scalars(query.where(PersonRow.course_id == course_id).order_by(PersonRow.name, PartnersRow.id)).all()


def _write(person: PersonRow, line: RosterLine | None) -> None:
    """Let a person have what a line says; None: they are not on the roster."""
    given = line or RosterLine(person.name)
    person.on_roster = line is not None
    person.address, person.number, person.section = given.address, given.number, given.section
    person.other_names = list(given.other_names)


def _people(session: Session, course_id: int) -> Sequence[PersonRow]:
    return session.scalars(select(PersonRow).filter_by(course_id=course_id).order_by(PersonRow.name)).all()


def _on_roster(session: Session, course_id: int) -> Sequence[PersonRow]:
    return session.scalars(
        select(PersonRow).filter_by(course_id=course_id, on_roster=True).order_by(PersonRow.name)
    ).all()


def _keys_of_people(session: Session, course_id: int) -> dict[int, set[str]]:
    """Everything by which each person of a course could be recognised."""
    keys = {
        person.id: {normal(text) for text in (person.name, person.address, person.number)}
        for person in _people(session, course_id)
    }
    accounts = session.execute(
        select(SubmissionRow.person_id, SubmissionRow.account).distinct().join(AssignmentRow)
        .where(AssignmentRow.course_id == course_id, SubmissionRow.person_id.is_not(None))
    )  # fmt: skip
    for person_id, account in accounts:
        if person_id is not None:
            keys.setdefault(person_id, set()).add(normal(account))
    return {id: some - {""} for id, some in keys.items()}


def _set_partners(session: Session, course_id: int, students: Mapping[RosterLine, PersonRow]) -> list[str]:
    problems: list[str] = []
    pairs = {*_named_partners(students, problems), *_groups(students, problems)}
    _forget_partners(session, course_id)
    session.add_all(PartnersRow(a_id=a, b_id=b) for a, b in sorted(pairs))
    session.flush()
    declare_partners(session, course_id)
    return problems


def _forget_partners(session: Session, course_id: int) -> None:
    mine = select(PersonRow.id).filter_by(course_id=course_id)
    session.execute(delete(PartnersRow).where(PartnersRow.a_id.in_(mine)))


def _named_partners(students: Mapping[RosterLine, PersonRow], problems: list[str]) -> Iterator[People]:
    """The pairs that the column `partners` names; a partner whom no line or several fit is a problem."""
    named: dict[str, set[int]] = {}
    for line, student in students.items():
        for key in line.keys:
            named.setdefault(key, set()).add(student.id)
    for line, student in students.items():
        for partner in line.partners:
            found = named.get(normal(partner), set()) - {student.id}
            if len(found) == 1:
                yield in_order(student.id, *found)
            else:
                problems.append(
                    _(
                        "Who the partner “%(partner)s” of %(name)s is, the roster doesn’t say.",
                        partner=partner,
                        name=line.name,
                    )
                )


def _groups(students: Mapping[RosterLine, PersonRow], problems: list[str]) -> Iterator[People]:
    """The pairs within each group; one that is too large for partners is a problem."""
    groups: dict[str, list[int]] = {}
    for line, student in students.items():
        if line.group:
            groups.setdefault(line.group, []).append(student.id)
    for name, members in groups.items():
        if len(members) > LARGEST_GROUP:
            problems.append(
                _("The group “%(name)s” has %(n)s students. Only groups of at most %(most)s are taken as partners.",
                  name=name, n=number(len(members)), most=LARGEST_GROUP)
            )  # fmt: skip
        else:
            yield from (in_order(a, b) for a, b in combinations(members, 2))


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
