"""The roster of a course and the names of its students, changed by pages and by the API."""

from __future__ import annotations

from moss.messages import gettext as _
from moss.store.courses.merges import merge_people, part_person
from moss.store.courses.roster import declare_partners, set_roster
from moss.store.courses.roster_file import read_roster
from moss.store.tables import CourseRow, PersonRow
from moss.store.validation import RefusedError
from moss.web.request.context import audit, db


def replace_roster(course: CourseRow, content: bytes) -> list[str]:
    """Replace the roster of a course by what a file says; returns sentences about what could not be used."""
    roster = read_roster(content)
    problems = set_roster(db(), course.id, roster)
    audit("sent a roster", course_id=course.id, number=len(roster.lines))
    return problems


def merge_into(person: PersonRow, other_id: int) -> PersonRow:
    """Merge a student into another; returns the one that stands for both."""
    other = db().get(PersonRow, other_id)
    if other is None or other.course_id != person.course_id:
        raise RefusedError("into", _("Choose another student of this course."))
    into = merge_people(db(), person, other)
    declare_partners(db(), into.course_id)
    audit("merged two students", course_id=into.course_id, student=into.id)
    return into


def part_from_student(person: PersonRow) -> str:
    """Make a merged name a student of its own again; returns the name of the student to whom it belonged."""
    before = person.student.name
    part_person(db(), person)
    declare_partners(db(), person.course_id)
    audit("parted two students", course_id=person.course_id, student=person.id)
    return before
