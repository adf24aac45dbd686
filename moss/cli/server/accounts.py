"""Accounts from the console: commands of `moss admin` for users, and for the ids of scripts that speak MOSS's protocol.

The operator need not log in; everything is written into the audit log under the name of the console.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from moss.cli.output import print_table
from moss.messages import gettext, marked

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from moss.cli.server.admin import Console
    from moss.config import Config
    from moss.store.tables import UserRow

_ACTOR = "moss admin"  # the name of the console in the audit log
_EMAIL = click.argument("email")


@click.command("list-users")
@click.argument("text", default="")
@click.pass_obj
def list_users(console: Console, text: str) -> None:
    """List the accounts whose name or address contains TEXT, or all accounts."""
    from moss.store.accounts.users import list_users

    with console.session() as session:
        rows = [
            (row.user.email, row.user.name,
             gettext("administrator") if row.user.administrator else gettext("user"), str(row.courses),
             gettext("disabled") if row.user.disabled else "")
            for row in list_users(session, text)
        ]  # fmt: skip
    print_table(("address", "name", marked("role"), marked("courses"), ""), rows)


@click.command("create-user")
@_EMAIL
@click.option("--name", required=True, help="The user's full name.")
@click.option(
    "--administrator", is_flag=True, help="Let the user do and see everything; the first user must be an administrator."
)
@click.option("--ask-password", is_flag=True, help="Ask for the password here instead of printing a link.")
@click.pass_obj
def create_user(console: Console, email: str, name: str, administrator: bool, ask_password: bool) -> None:
    """Create an account for EMAIL, and print a link for choosing the password."""
    from moss.store.accounts.first_admin import is_founded
    from moss.store.accounts.users import add_user, invite_back
    from moss.store.courses.audit import add_audit_entry

    password = _asked_password(name, email) if ask_password else None
    with console.session() as session:
        if not administrator and not is_founded(session):
            raise click.ClickException(gettext("the first user must be an administrator: add --administrator"))
        user = add_user(session, email=email, name=name, password=password, administrator=administrator)
        add_audit_entry(session, _ACTOR, "created a user", email=user.email, administrator=administrator)
        secret = None if ask_password else invite_back(session, user, None)[1]
    click.echo(gettext("%(name)s has an account.", name=user.name) if secret is None else _link(console.config, secret))


def _asked_password(*about: str) -> str:
    from moss.store.accounts.credentials import check_password
    from moss.store.validation import RefusedError

    password = click.prompt(gettext("Password"), hide_input=True, confirmation_prompt=True)
    try:
        return check_password(password, password, *about)
    except RefusedError as error:
        raise click.ClickException(str(error)) from error


@click.command("reset-password")
@_EMAIL
@click.pass_obj
def reset_password(console: Console, email: str) -> None:
    """Print a link for choosing a new password for the account with this EMAIL."""
    from moss.store.accounts.users import invite_back
    from moss.store.courses.audit import add_audit_entry

    with console.session() as session:
        user = _user(session, email)
        _, secret = invite_back(session, user, None)
        add_audit_entry(session, _ACTOR, "made a link for a new password", email=user.email)
    click.echo(_link(console.config, secret))


def _changing(
    name: str, action: str, help: str, done: str, change: Callable[[Session, UserRow], None]
) -> click.Command:
    """A command that changes the account of a user who is named by address, and says what was done."""

    @click.command(name, help=help)
    @_EMAIL
    @click.pass_obj
    def command(console: Console, email: str) -> None:
        from moss.store.courses.audit import add_audit_entry

        with console.session() as session:
            user = _user(session, email)
            change(session, user)
            add_audit_entry(session, _ACTOR, action, email=user.email)
        click.echo(gettext(done, name=user.name, email=user.email))

    return command


def _disable(session: Session, user: UserRow) -> None:
    from moss.store.accounts.users import disable

    disable(session, user)


def _enable(session: Session, user: UserRow) -> None:
    user.disabled = False


def _promote(session: Session, user: UserRow) -> None:
    from moss.store.accounts.users import set_administrator

    set_administrator(session, user, True)


def _demote(session: Session, user: UserRow) -> None:
    from moss.store.accounts.users import set_administrator

    set_administrator(session, user, False)


disable_user = _changing(
    "disable-user",
    "disabled a user",
    "Disable the account with this EMAIL, and log its user out everywhere.",
    marked("%(name)s <%(email)s> is logged out and can't log in any more."),
    _disable,
)
enable_user = _changing(
    "enable-user",
    "enabled a user",
    "Let the user of the disabled account with this EMAIL log in again.",
    marked("%(name)s <%(email)s> can log in again."),
    _enable,
)
promote = _changing(
    "promote",
    "made somebody an administrator",
    "Make the user with this EMAIL an administrator.",
    marked("%(name)s <%(email)s> is an administrator now."),
    _promote,
)
demote = _changing(
    "demote",
    "took an administrator's role away",
    "Make the administrator with this EMAIL an ordinary user again.",
    marked("%(name)s <%(email)s> is an ordinary user now."),
    _demote,
)


@click.command("setup-code")
@click.pass_obj
def setup_code(console: Console) -> None:
    """Print the code that the set-up page asks for if others can reach it."""
    from moss.store.accounts.first_admin import is_founded, setup_code

    with console.session() as session:
        if is_founded(session):
            raise click.ClickException(gettext("this server is set up already"))
    click.echo(setup_code(console.store))


def _user(session: Session, email: str) -> UserRow:
    from moss.store.accounts.users import user_by_email

    user = user_by_email(session, email)
    if user is None:
        raise click.ClickException(gettext("there is no account with the address %(email)s", email=email))
    return user


def _link(config: Config, secret: str) -> str:
    return f"{config.base_url}/invitations/{secret}"


@click.command("add-moss-user")
@click.argument("name")
@click.option("--id", "number", default="", metavar="TEXT", help="The id, if scripts already contain one.")
@click.option("--jobs-per-day", type=int, metavar="N", help="Jobs allowed per day, instead of the server's limit.")
@click.pass_obj
def add_moss_user(console: Console, name: str, number: str, jobs_per_day: int | None) -> None:
    """Issue an id to NAME, for scripts that speak MOSS's protocol, and print it."""
    from moss.store.accounts.senders import issue
    from moss.store.courses.audit import add_audit_entry

    with console.session() as session:
        sender = issue(session, name, number, jobs_per_day)
        add_audit_entry(session, _ACTOR, "issued an id for scripts", number=sender.number, name=sender.name)
    click.echo(sender.number)


@click.command("list-moss-users")
@click.pass_obj
def list_moss_users(console: Console) -> None:
    """List the ids that were issued, with links to their jobs."""
    from moss.store.accounts.senders import issued

    with console.session() as session:
        rows = [
            (sender.number or "", sender.name, f"{sender.per_day or console.config.jobs_per_day}",
             f"{console.config.base_url}/courses/{sender.course_id}/" if sender.course_id else "",
             gettext("revoked") if sender.revoked else "")
            for sender in issued(session)
        ]  # fmt: skip
    print_table((marked("id"), "name", marked("jobs per day"), marked("jobs"), ""), rows, right=("jobs per day",))


@click.command("revoke-moss-user")
@click.argument("number", metavar="ID")
@click.pass_obj
def revoke_moss_user(console: Console, number: str) -> None:
    """Revoke this ID, so that scripts can't submit with it; results stay until they expire."""
    from moss.store.accounts.senders import revoke
    from moss.store.courses.audit import add_audit_entry

    with console.session() as session:
        sender = revoke(session, number)
        add_audit_entry(session, _ACTOR, "revoked an id for scripts", number=sender.number, name=sender.name)
    click.echo(gettext("The id %(number)s of %(name)s is revoked.", number=number, name=sender.name))


COMMANDS = (
    list_users, create_user, reset_password, disable_user, enable_user, promote, demote, setup_code, add_moss_user,
    list_moss_users, revoke_moss_user,
)  # fmt: skip
