"""The members of a course, and the people invited to it."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.messages import gettext as _
from moss.store.accounts.users import INVITATION_LIFETIME, invite_to_course, open_invitations, withdraw_invitation
from moss.store.courses.rights import change_role, members_of, remove_member, role_in
from moss.store.tables import CourseRole, CourseRow, UserRow
from moss.store.validation import RefusedError
from moss.web.pages.invitations import show_link
from moss.web.request.access import Right, access, course_role, may_teach
from moss.web.request.context import audit, db, me
from moss.web.request.links import say, shown_once

blueprint = Blueprint("members", __name__)


@blueprint.get("/courses/<int:course>/members")
@access(Right.READ)
def show(course: CourseRow) -> ResponseReturnValue:
    """The members of a course; instructors can change them."""
    return _page(course)


@blueprint.post("/courses/<int:course>/members")
@access(Right.TEACH)
def invite(course: CourseRow) -> ResponseReturnValue:
    """Invite somebody to the course."""
    try:
        role = _role()
        invitation, secret = invite_to_course(db(), course.id, request.form.get("email", ""), role, me())
    except RefusedError as wrong:
        return _page(course, wrong), 422
    audit("invited somebody", course_id=course.id, email=invitation.email, role=role)
    show_link(secret)
    return redirect(url_for("members.show", course=course.id), 303)


@blueprint.post("/courses/<int:course>/members/<int:user>")
@access(Right.TEACH)
def change(course: CourseRow, user: UserRow) -> ResponseReturnValue:
    """Give a member another role."""
    _check_member(course, user)
    try:
        role = _role()
        change_role(db(), course.id, user, role, by=me())
    except RefusedError as wrong:
        return _page(course, wrong), 422
    audit("changed a member's role", course_id=course.id, email=user.email, role=role)
    if role is CourseRole.INSTRUCTOR:
        return _done(course, _("%(name)s is now an instructor.", name=user.name))
    return _done(course, _("%(name)s is now an assistant.", name=user.name))


@blueprint.post("/courses/<int:course>/members/<int:user>/remove")
@access(Right.TEACH)
def remove(course: CourseRow, user: UserRow) -> ResponseReturnValue:
    """Take a member out of the course."""
    _check_member(course, user)
    try:
        remove_member(db(), course.id, user, by=me())
    except RefusedError as wrong:
        return _page(course, wrong), 422
    db().flush()
    audit("removed a member", course_id=course.id, email=user.email)
    if course_role(me(), course) is None:
        return redirect(url_for("home.show"), 303)
    return _done(course, _("%(name)s is no longer a member.", name=user.name))


@blueprint.post("/courses/<int:course>/invitations/<int:invitation>/withdraw")
@access(Right.TEACH)
def take_back(course: CourseRow, invitation: int) -> ResponseReturnValue:
    """Withdraw an invitation, so that its link leads nowhere."""
    withdrawn = withdraw_invitation(db(), invitation, course.id) or abort(404)
    audit("withdrew an invitation", course_id=course.id, email=withdrawn.email)
    return _done(course, _("The invitation of %(email)s has been withdrawn.", email=withdrawn.email))


def _check_member(course: CourseRow, user: UserRow) -> None:
    """Answer 404 for users who are not members: instructors must not learn who else has an account."""
    if role_in(db(), course.id, user.id) is None:
        abort(404)


def _role() -> CourseRole:
    try:
        return CourseRole(request.form.get("role", ""))
    except ValueError:
        raise RefusedError("role", _("Choose a role: instructor or assistant.")) from None


def _done(course: CourseRow, sentence: str) -> ResponseReturnValue:
    say(sentence)
    return redirect(url_for("members.show", course=course.id), 303)


def _page(course: CourseRow, wrong: RefusedError | None = None) -> str:
    return render_template(
        "web/members.html",
        course=course,
        members=members_of(db(), course.id),
        invitations=open_invitations(db(), course.id) if may_teach(course) else [],
        wrong=wrong,
        typed=request.form,
        link=shown_once("link"),
        lifetime=INVITATION_LIFETIME,
    )
