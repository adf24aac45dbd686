"""The members of a course, and invitations: the links by which people join it, or choose a new password."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.messages import gettext as _
from moss.messages import marked
from moss.store.accounts.credentials import check_password
from moss.store.accounts.users import (
    INVITATION_LIFETIME,
    accept_as_new,
    accept_invitation,
    choose_password,
    invite_to_course,
    open_invitation,
    open_invitations,
    user_by_email,
    withdraw_invitation,
)
from moss.store.courses.rights import change_role, members_of, remove_member, role_in
from moss.store.tables import CourseRole, CourseRow, InvitationRow, UserRow
from moss.store.validation import RefusedError
from moss.web.pages.session import enter
from moss.web.request.access import Right, access, course_role, may_teach
from moss.web.request.addresses import outside, say, show_once, shown_once
from moss.web.request.context import audit, db, me, server, visitor

blueprint = Blueprint("members", __name__)

_GONE = marked("This link has been used or withdrawn, or it has expired. Ask the person who sent it for a new one.")


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


@blueprint.get("/invitations/<secret>")
@access(Right.ANYONE)
def show_invitation(secret: str) -> ResponseReturnValue:
    """The invitation, with the form that accepts it."""
    return _invitation_page(_opened_invitation(secret))


@blueprint.post("/invitations/<secret>")
@access(Right.ANYONE)
def answer_invitation(secret: str) -> ResponseReturnValue:
    """Accept an invitation: as a new user, as the user who is logged in, or with a new password."""
    invitation = _opened_invitation(secret)
    try:
        sentence = _accept(invitation)
    except RefusedError as wrong:
        return _invitation_page(invitation, wrong), 422
    say(sentence)
    return redirect(url_for("home.show"), 303)


def _opened_invitation(secret: str) -> InvitationRow:
    return open_invitation(db(), secret) or abort(404, _(_GONE))


def _accept(invitation: InvitationRow) -> str:
    if invitation.user_id is not None:
        return _set_password(invitation, db().get_one(UserRow, invitation.user_id))
    if visitor() is not None:
        return _join(invitation)
    if user_by_email(db(), invitation.email) is not None:
        raise RefusedError("", _("You already have an account. Log in first, then open this link again."))
    return _join_as_new(invitation)


def _set_password(invitation: InvitationRow, user: UserRow) -> str:
    choose_password(db(), invitation, user, _password(user.name, user.email))
    enter(user, "with a link to choose a new password")
    audit("chose a new password")
    return _("Your new password is set. All other browsers are logged out, and your tokens are revoked.")


def _join(invitation: InvitationRow) -> str:
    accept_invitation(db(), invitation, me())
    audit("accepted an invitation", course_id=invitation.course_id, role=_role_of(invitation))
    if invitation.course:
        return _("You’re now a member of %(course)s.", course=invitation.course.title)
    return _("You’re now an administrator.")


def _join_as_new(invitation: InvitationRow) -> str:
    name = request.form.get("name", "")
    user = accept_as_new(db(), invitation, name, _password(name, invitation.email))
    enter(user, "with an invitation")
    audit("accepted an invitation", course_id=invitation.course_id, role=_role_of(invitation))
    return _("Welcome, %(name)s.", name=user.name)


def _password(*about: str) -> str:
    return check_password(request.form.get("password", ""), request.form.get("again", ""), *about)


def _role_of(invitation: InvitationRow) -> str:
    return "administrator" if invitation.administrator else invitation.role or "user"


def show_link(secret: str) -> None:
    """Show an invitation's link on the next page, the only time that it is known."""
    show_once("link", outside("members.show_invitation", secret=secret))


def _invitation_page(invitation: InvitationRow, wrong: RefusedError | None = None) -> str:
    by = db().get(UserRow, invitation.invited_by_id) if invitation.invited_by_id else None
    config = server().config
    return render_template(
        "web/invitation.html",
        invitation=invitation,
        wrong=wrong,
        name=request.form.get("name", ""),
        by=by,
        known=user_by_email(db(), invitation.email),
        provider=config.oidc_name if config.oidc_issuer else "",
        here=request.path,
    )
