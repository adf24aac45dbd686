"""`moss admin`: accounts from the console, for the operator, who need not log in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.cli.server.backup import backup, check
from moss.cli.server.moss_users import COMMANDS
from moss.cli.server.private_files import private_files
from moss.messages import gettext, marked

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from moss.config import Config
    from moss.store import Store
    from moss.store.tables import UserRow

_ACTOR = "moss admin"  # the name of the console in the audit log
_ASKS_FOR_HELP = "moss.cli.server.admin.help"
_EMAIL = click.argument("email")


@dataclass(frozen=True, slots=True)
class Console:
    """A server's settings and store, for the commands."""

    config: Config
    store: Store

    @contextmanager
    def session(self) -> Iterator[Session]:
        """One transaction; a refusal becomes one sentence for the operator."""
        from moss.store.validation import RefusedError

        try:
            with self.store.session() as session:
                yield session
        except RefusedError as error:
            raise click.ClickException(str(error)) from error


class _Admin(click.Group):
    """The group, which knows whether help for a command is asked for: that needs no server's data."""

    def invoke(self, ctx: click.Context) -> Any:
        """Remember what is asked before the arguments are a command's own."""
        ctx.meta[_ASKS_FOR_HELP] = any(name in ctx.args for name in ctx.help_option_names)
        return super().invoke(ctx)


@click.group(cls=_Admin, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--data", type=click.Path(path_type=Path), metavar="FOLDER", help="The server's data folder.")
@click.option("--database-url", metavar="URL", help="The server's database, if it is not in the data folder.")
@click.option("--public-url", metavar="URL", help="The address under which readers reach the server, for links.")
@click.pass_context
def admin(context: click.Context, data: Path | None, database_url: str | None, public_url: str | None) -> None:
    """Manage a server's accounts and data, from its console.

    The options default to the variables MOSS_DATA, MOSS_DATABASE_URL and MOSS_PUBLIC_URL, as for `moss serve`.

    \b
        moss admin list-users
        moss admin create-user ada@example.org --name "Ada Lovelace" --administrator
        moss admin reset-password ada@example.org
    """
    import os

    from moss.config import ConfigError, from_environment

    if context.meta.get(_ASKS_FOR_HELP):
        return
    options = {"data": data, "database_url": database_url, "public_url": public_url}
    given: dict[str, Any] = {name: value for name, value in options.items() if value}
    try:
        config = replace(from_environment(os.environ), **given)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    context.with_resource(private_files())
    opened = _as_it_is(config) if context.invoked_subcommand == check.name else _opened(config)
    context.obj = Console(config, context.with_resource(opened))


@contextmanager
def _opened(config: Config) -> Iterator[Store]:
    """The server's store, which must exist: a mistyped folder would look like a server without users."""
    from moss.cli.server.connect import open_store

    _must_be_there(config)
    store = open_store(config)
    yield store
    store.close()


@contextmanager
def _as_it_is(config: Config) -> Iterator[Store]:
    """The server's store without migrations or checks, for a command that only reads."""
    from moss.store import Store

    _must_be_there(config)
    store = Store(config.database)
    yield store
    store.close()


def _must_be_there(config: Config) -> None:
    if not config.database_url and not (config.data / "moss.sqlite3").exists():
        raise click.ClickException(
            gettext("there is no server data in %(data)s; start `moss serve` once, or use --data", data=config.data)
        )


@admin.command("list-users")
@click.argument("text", default="")
@click.pass_obj
def list_users(console: Console, text: str) -> None:
    """List the accounts whose name or address contains TEXT, or all accounts."""
    from moss.cli.table import print_table
    from moss.store.accounts.users import list_users

    with console.session() as session:
        rows = [
            (row.user.email, row.user.name,
             gettext("administrator") if row.user.administrator else gettext("user"), str(row.courses),
             gettext("disabled") if row.user.disabled else "")
            for row in list_users(session, text)
        ]  # fmt: skip
    print_table(("address", "name", marked("role"), marked("courses"), ""), rows)


@admin.command("create-user")
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


@admin.command("reset-password")
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


def _changing(name: str, action: str, help: str, done: str, change: Callable[[Session, UserRow], None]) -> None:
    """Add a command that changes the account of a user who is named by address, and says what was done."""

    @admin.command(name, help=help)
    @_EMAIL
    @click.pass_obj
    def command(console: Console, email: str) -> None:
        from moss.store.courses.audit import add_audit_entry

        with console.session() as session:
            user = _user(session, email)
            change(session, user)
            add_audit_entry(session, _ACTOR, action, email=user.email)
        click.echo(gettext(done, name=user.name, email=user.email))


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


_changing(
    "disable-user",
    "disabled a user",
    "Disable the account with this EMAIL, and log its user out everywhere.",
    marked("%(name)s <%(email)s> is logged out and can't log in any more."),
    _disable,
)
_changing(
    "enable-user",
    "enabled a user",
    "Let the user of the disabled account with this EMAIL log in again.",
    marked("%(name)s <%(email)s> can log in again."),
    _enable,
)
_changing(
    "promote",
    "made somebody an administrator",
    "Make the user with this EMAIL an administrator.",
    marked("%(name)s <%(email)s> is an administrator now."),
    _promote,
)
_changing(
    "demote",
    "took an administrator's role away",
    "Make the administrator with this EMAIL an ordinary user again.",
    marked("%(name)s <%(email)s> is an ordinary user now."),
    _demote,
)


@admin.command("setup-code")
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


for _command in (backup, check, *COMMANDS):
    admin.add_command(_command)
