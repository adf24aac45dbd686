"""Users: the accounts of the server, for administrators."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.messages import gettext as _
from moss.store.accounts.credentials import tokens_of
from moss.store.accounts.users import (
    INVITATION_LIFETIME,
    change_user,
    disable,
    invite_back,
    invite_to_server,
    list_users,
    open_invitations,
    set_administrator,
    withdraw_invitation,
)
from moss.store.courses.audit import AuditFilter, entries
from moss.store.courses.rights import courses_of
from moss.store.tables import UserRow
from moss.store.validation import RefusedError
from moss.web.pages.account import refuse_programs
from moss.web.pages.audit_words import sentence
from moss.web.pages.members import show_link
from moss.web.request.access import Right, access
from moss.web.request.addresses import number, say, shown_once
from moss.web.request.context import audit, db, me

blueprint = Blueprint("users", __name__)
blueprint.before_request(refuse_programs)

_ON_A_PAGE = 100


@blueprint.get("/users")
@access(Right.ADMINISTER)
def show() -> ResponseReturnValue:
    """All accounts, and the open invitations."""
    return _list()


@blueprint.post("/users")
@access(Right.ADMINISTER)
def invite() -> ResponseReturnValue:
    """Invite somebody to have an account."""
    administrator = request.form.get("role") == "administrator"
    try:
        invitation, secret = invite_to_server(db(), request.form.get("email", ""), administrator, me())
    except RefusedError as wrong:
        return _list(wrong), 422
    audit("invited somebody", email=invitation.email, role="administrator" if administrator else "user")
    show_link(secret)
    return redirect(url_for("users.show"), 303)


@blueprint.post("/users/invitations/<int:invitation>/withdraw")
@access(Right.ADMINISTER)
def take_back(invitation: int) -> ResponseReturnValue:
    """Withdraw an invitation or a link to choose a new password."""
    withdrawn = withdraw_invitation(db(), invitation, None) or abort(404)
    audit("withdrew an invitation", email=withdrawn.email)
    say(_("The link for %(email)s has been withdrawn.", email=withdrawn.email))
    return redirect(url_for("users.show"), 303)


@blueprint.get("/users/<int:user>/")
@access(Right.ADMINISTER)
def show_one(user: UserRow) -> ResponseReturnValue:
    """One account."""
    return _one(user)


@blueprint.post("/users/<int:user>/")
@access(Right.ADMINISTER)
def change(user: UserRow) -> ResponseReturnValue:
    """Change a user's name or e-mail address."""
    before = user.email
    try:
        change_user(db(), user, name=request.form.get("name", ""), email=request.form.get("email", ""))
    except RefusedError as wrong:
        return _one(user, wrong), 422
    audit("changed a user", email=before, now=f"{user.name} <{user.email}>")
    return _done(user, _("The account has been changed."))


@blueprint.post("/users/<int:user>/reset")
@access(Right.ADMINISTER)
def reset(user: UserRow) -> ResponseReturnValue:
    """Make a link by which the user chooses a new password."""
    try:
        secret = invite_back(db(), user, me())[1]
    except RefusedError as wrong:
        return _one(user, wrong), 422
    audit("made a link for a new password", email=user.email)
    show_link(secret)
    return redirect(url_for("users.show_one", user=user.id), 303)


@blueprint.post("/users/<int:user>/disable")
@access(Right.ADMINISTER)
def turn_off(user: UserRow) -> ResponseReturnValue:
    """Disable a user."""
    try:
        disable(db(), user)
    except RefusedError as wrong:
        return _one(user, wrong), 422
    audit("disabled a user", email=user.email)
    return _done(user, _("%(name)s’s account is disabled: logged out everywhere, all tokens revoked.", name=user.name))


@blueprint.post("/users/<int:user>/enable")
@access(Right.ADMINISTER)
def turn_on(user: UserRow) -> ResponseReturnValue:
    """Enable a user."""
    user.disabled = False
    audit("enabled a user", email=user.email)
    return _done(user, _("%(name)s can log in again.", name=user.name))


@blueprint.post("/users/<int:user>/administrator")
@access(Right.ADMINISTER)
def promote(user: UserRow) -> ResponseReturnValue:
    """Make a user an administrator, or take that role away."""
    administrator = request.form.get("administrator") == "yes"
    try:
        set_administrator(db(), user, administrator)
    except RefusedError as wrong:
        return _one(user, wrong), 422
    audit("made somebody an administrator" if administrator else "took an administrator's role away", email=user.email)
    if user.id == me().id and not administrator:
        return redirect(url_for("home.show"), 303)
    if administrator:
        return _done(user, _("%(name)s is now an administrator.", name=user.name))
    return _done(user, _("%(name)s is no longer an administrator.", name=user.name))


def _done(user: UserRow, message: str) -> ResponseReturnValue:
    say(message)
    return redirect(url_for("users.show_one", user=user.id), 303)


def _list(wrong: RefusedError | None = None) -> str:
    text, start = request.args.get("text", "").strip(), request.args.get("start", 0, number)
    rows = list_users(db(), text, _ON_A_PAGE + 1, start)
    return render_template(
        "web/users.html",
        rows=rows[:_ON_A_PAGE],
        text=text,
        earlier=max(0, start - _ON_A_PAGE) if start else None,
        later=start + _ON_A_PAGE if len(rows) > _ON_A_PAGE else None,
        invitations=open_invitations(db(), None),
        wrong=wrong,
        typed=request.form,
        link=shown_once("link"),
        lifetime=INVITATION_LIFETIME,
    )


def _one(user: UserRow, wrong: RefusedError | None = None) -> str:
    db().expire(user)  # show the stored values, not those that were refused
    return render_template(
        "web/users_show.html",
        user=user,
        memberships=courses_of(db(), user),
        tokens=tokens_of(db(), user),
        latest=entries(db(), AuditFilter(who=user.email), 10),
        sentence=sentence,
        wrong=wrong,
        typed=request.form,
        link=shown_once("link"),
        lifetime=INVITATION_LIFETIME,
    )
