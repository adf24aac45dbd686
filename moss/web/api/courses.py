"""Members of courses and archives of courses, by the API."""

from __future__ import annotations

from flask import Response

from moss.store import tables
from moss.store.accounts.invitations import invite_to_course
from moss.store.courses.memberships import members_of
from moss.store.transfer.archive_chunks import exports_of, state_of, until
from moss.web.actions.course_exports import exported_file, start_export
from moss.web.api.bodies import ExportBody, InvitationBody, MemberBody, NewInvitationBody
from moss.web.api.operations import operation
from moss.web.request.access import Right
from moss.web.request.context import audit, db, me
from moss.web.request.links import outside


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
    address = outside("invitations.show", secret=secret)
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


def _export(archive: tables.CourseArchiveRow) -> ExportBody:
    state, reason = state_of(db(), archive)
    return ExportBody(number=archive.id, created=archive.created, state=state, reason=reason, until=until(archive))
