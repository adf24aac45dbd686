"""Courses by the API, with their members, archives and people."""

from __future__ import annotations

from flask import Response, request

from moss.jobs.handlers import deletion
from moss.store import tables
from moss.store.accounts.users import invite_to_course
from moss.store.courses.assignments import add_course, clean_term
from moss.store.courses.rights import members_of
from moss.store.courses.roster import fit_of
from moss.store.transfer.archive_chunks import archive_state, exports_of, until
from moss.store.validation import clean_name
from moss.web.actions.courses import exported_file, merge_into, part_from_student, replace_roster, start_export
from moss.web.api.bodies import (
    CourseBody,
    CourseChangeBody,
    ExportBody,
    InvitationBody,
    MeBody,
    MemberBody,
    NewCourseBody,
    NewInvitationBody,
)
from moss.web.api.operations import operation
from moss.web.api.result_bodies import AmbiguousNameBody, OtherPersonBody, PersonBody, RosterBody
from moss.web.request.access import Right, course_role, my_courses
from moss.web.request.addresses import outside
from moss.web.request.context import audit, db, me


@operation("GET", "/me", Right.USER)
def who_am_i() -> MeBody:
    """Who the token's user is."""
    return MeBody.model_validate(me())


@operation("GET", "/courses", Right.USER)
def list_courses() -> list[CourseBody]:
    """Your courses, newest first."""
    return [_course(course) for course in my_courses(me())]


@operation("POST", "/courses", Right.USER, status=201)
def create_course(body: NewCourseBody) -> CourseBody:
    """Make a course; you are its instructor."""
    course = add_course(db(), body.name, body.term, me(), body.retention_days)
    audit("made a course", course_id=course.id, name=course.name)
    return _course(course)


@operation("GET", "/courses/<int:course>", Right.READ)
def read_course(course: tables.CourseRow) -> CourseBody:
    """One course."""
    return _course(course)


@operation("PATCH", "/courses/<int:course>", Right.TEACH)
def change_course(course: tables.CourseRow, body: CourseChangeBody) -> CourseBody:
    """Rename a course, or change how long its work is kept."""
    course.name = clean_name(body.name) if body.name is not None else course.name
    course.term = clean_term(body.term) if body.term is not None else course.term
    if body.retention_days is not None:
        course.retention_days = body.retention_days or None
        audit("changed a course's retention", course_id=course.id, days=course.retention_days)
    return _course(course)


@operation("DELETE", "/courses/<int:course>", Right.TEACH, status=204)
def delete_course(course: tables.CourseRow) -> None:
    """Delete a course with everything in it."""
    audit("deleted a course", name=course.name)
    deletion.remove(db(), course)


@operation("GET", "/courses/<int:course>/members", Right.READ)
def list_members(course: tables.CourseRow) -> list[MemberBody]:
    """Who belongs to a course, and as what."""
    return [
        MemberBody(user_id=member.user_id, name=member.user.name, email=member.user.email, role=member.role)
        for member in members_of(db(), course.id)
    ]


@operation("POST", "/courses/<int:course>/invitations", Right.TEACH, status=201)
def invite(course: tables.CourseRow, body: NewInvitationBody) -> InvitationBody:
    """Invite somebody to a course; pass the address on to them."""
    made, secret = invite_to_course(db(), course.id, body.email, body.role, me())
    audit("invited somebody", course_id=course.id, email=made.email, role=body.role.value)
    address = outside("members.show_invitation", secret=secret)
    return InvitationBody(email=made.email, role=body.role, expires=made.expires, address=address)


@operation("GET", "/courses/<int:course>/exports", Right.TEACH)
def list_exports(course: tables.CourseRow) -> list[ExportBody]:
    """The archives of a course that can be fetched, and one that is being made."""
    return [_export(archive) for archive in exports_of(db(), course.id)]


@operation("POST", "/courses/<int:course>/exports", Right.TEACH, status=202)
def create_export(course: tables.CourseRow) -> ExportBody:
    """Make an archive of a course; poll the list until it is `done`."""
    archive = start_export(course)
    db().flush()
    return _export(archive)


@operation("GET", "/courses/<int:course>/exports/<int:number>", Right.TEACH, gives="application/zip")
def fetch_export(course: tables.CourseRow, number: int) -> Response:
    """An archive, as a file that another server can import."""
    _, response = exported_file(course, number)
    return response


@operation("GET", "/courses/<int:course>/people", Right.READ)
def list_people(course: tables.CourseRow) -> list[PersonBody]:
    """All who handed something in or are on the roster, by each of their names."""
    return [PersonBody.model_validate(person) for person in sorted(course.people, key=lambda person: person.name)]


@operation("PUT", "/courses/<int:course>/roster", Right.TEACH, accepts="text/csv")
def replace_roster_of_course(course: tables.CourseRow) -> RosterBody:
    """Replace the roster of a course, and merge the names that it joins."""
    problems = replace_roster(course, request.get_data())
    fit = fit_of(db(), course.id)
    db().refresh(course)
    return RosterBody(
        students=sum(person.on_roster for person in course.people),
        merged={person.name: person.student.name for person in course.people if person.same_as_id is not None},
        ambiguous=[AmbiguousNameBody(name=each.name, fits=[fit.name for fit in fits]) for each, fits in fit.ambiguous],
        unknown=[person.name for person in fit.unknown],
        problems=problems,
    )


@operation("POST", "/people/<int:person>/merge", Right.TEACH)
def merge(person: tables.PersonRow, body: OtherPersonBody) -> PersonBody:
    """Merge a student into another of the course, under whose name both then stand."""
    return PersonBody.model_validate(merge_into(person, body.id))


@operation("POST", "/people/<int:person>/part", Right.TEACH)
def part(person: tables.PersonRow) -> PersonBody:
    """Make a merged name a student of its own again."""
    part_from_student(person)
    return PersonBody.model_validate(person)


@operation("DELETE", "/people/<int:person>", Right.TEACH, status=204)
def erase(person: tables.PersonRow) -> None:
    """Erase all that a person handed in, and their name, everywhere in the course."""
    course_id = person.course_id
    deletion.erase(db(), person)
    audit("erased a person", course_id=course_id)


def _course(course: tables.CourseRow) -> CourseBody:
    return CourseBody.model_validate(course).model_copy(update={"role": course_role(me(), course)})


def _export(archive: tables.CourseArchiveRow) -> ExportBody:
    state, reason = archive_state(db(), archive)
    return ExportBody(number=archive.id, created=archive.created, state=state, reason=reason, until=until(archive))
