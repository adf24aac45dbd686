"""A course's roster, the names of its students, and its archives, as pages and the API change them."""

from __future__ import annotations

from flask import Response, abort

from moss.messages import gettext as _
from moss.store.courses.merges import merge_people, part_person
from moss.store.courses.roster import declare_partners, set_roster
from moss.store.courses.roster_file import read_roster
from moss.store.tables import CourseArchiveRow, CourseRow, PersonRow
from moss.store.transfer.archive_chunks import begin_export, can_be_fetched, chunks
from moss.store.validation import RefusedError
from moss.web.request.context import audit, db, me, server, start_job


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


def start_export(course: CourseRow) -> CourseArchiveRow:
    """Start the job that makes an archive of a course; RefusedError if one is being made."""
    archive = begin_export(db(), course.id, me().id)
    archive.job_id = start_job("export", {"archive": archive.id}, course.id).id
    audit("exported a course", course_id=course.id, archive=archive.id)
    return archive


def exported_file(course: CourseRow, number: int) -> tuple[CourseArchiveRow, Response]:
    """A finished archive of a course and the answer that sends it; answers 404 if it is gone."""
    archive = db().get(CourseArchiveRow, number)
    if archive is None or archive.course_id != course.id or archive.incoming or not can_be_fetched(archive):
        abort(404, _("This export has been deleted. Start another one."))
    return archive, Response(chunks(server().store, archive.id), mimetype="application/zip")
