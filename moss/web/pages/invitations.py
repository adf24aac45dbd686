"""Invitations: the page behind a link, where people join or choose a new password."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.messages import gettext as _
from moss.messages import marked
from moss.store.accounts.credentials import check_password
from moss.store.accounts.users import accept_as_new, accept_invitation, choose_password, open_invitation, user_by_email
from moss.store.tables import InvitationRow, UserRow
from moss.store.validation import RefusedError
from moss.web.pages.session import enter
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, me, server, visitor
from moss.web.request.links import outside, say, show_once

blueprint = Blueprint("invitations", __name__)

_GONE = marked("This link has been used or withdrawn, or it has expired. Ask the person who sent it for a new one.")


@blueprint.get("/invitations/<secret>")
@access(Right.ANYONE)
def show(secret: str) -> ResponseReturnValue:
    """The invitation, with the form that accepts it."""
    return _page(_open(secret))


@blueprint.post("/invitations/<secret>")
@access(Right.ANYONE)
def answer(secret: str) -> ResponseReturnValue:
    """Accept an invitation: as a new user, as the user who is logged in, or with a new password."""
    invitation = _open(secret)
    try:
        sentence = _accept(invitation)
    except RefusedError as wrong:
        return _page(invitation, wrong), 422
    say(sentence)
    return redirect(url_for("home.show"), 303)


def _open(secret: str) -> InvitationRow:
    return open_invitation(db(), secret) or abort(404, _(_GONE))


def _accept(invitation: InvitationRow) -> str:
    if invitation.user_id is not None:
        return _take_back(invitation, db().get_one(UserRow, invitation.user_id))
    if visitor() is not None:
        return _join(invitation)
    if user_by_email(db(), invitation.email) is not None:
        raise RefusedError("", _("You already have an account. Log in first, then open this link again."))
    return _join_as_new(invitation)


def _take_back(invitation: InvitationRow, user: UserRow) -> str:
    choose_password(db(), invitation, user, _password(user.name, user.email))
    enter(user, "with a link to choose a new password")
    audit("chose a new password")
    return _("Your new password is set. All other browsers are logged out, and your tokens are revoked.")


def _join(invitation: InvitationRow) -> str:
    accept_invitation(db(), invitation, me())
    audit("accepted an invitation", course_id=invitation.course_id, role=_role(invitation))
    if invitation.course:
        return _("You’re now a member of %(course)s.", course=invitation.course.title)
    return _("You’re now an administrator.")


def _join_as_new(invitation: InvitationRow) -> str:
    name = request.form.get("name", "")
    user = accept_as_new(db(), invitation, name, _password(name, invitation.email))
    enter(user, "with an invitation")
    audit("accepted an invitation", course_id=invitation.course_id, role=_role(invitation))
    return _("Welcome, %(name)s.", name=user.name)


def _password(*about: str) -> str:
    return check_password(request.form.get("password", ""), request.form.get("again", ""), *about)


def _role(invitation: InvitationRow) -> str:
    return "administrator" if invitation.administrator else invitation.role or "user"


def show_link(secret: str) -> None:
    """Show an invitation's link on the next page, the only time that it is known."""
    show_once("link", outside("invitations.show", secret=secret))


def _page(invitation: InvitationRow, wrong: RefusedError | None = None) -> str:
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
