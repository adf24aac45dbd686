"""`moss admin`: a server's accounts and data from its console, for the operator, who need not log in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.cli.output import private_files
from moss.cli.server.accounts import COMMANDS
from moss.cli.server.database import backup, check, open_store
from moss.messages import gettext

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from moss.config import Config
    from moss.store import Store

_ASKS_FOR_HELP = "moss.cli.server.admin.help"


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
    import moss.store  # noqa: F401 - who lacks the packages of a server is told so before anything about its data

    options = {"data": data, "database_url": database_url, "public_url": public_url}
    given: dict[str, Any] = {name: value for name, value in options.items() if value}
    try:
        config = replace(from_environment(os.environ), **given)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    context.with_resource(private_files())
    _must_be_there(config)
    store = _as_it_is(config) if context.invoked_subcommand == check.name else open_store(config)
    context.obj = Console(config, context.with_resource(closing(store)))


def _as_it_is(config: Config) -> Store:
    """The server's store without migrations or checks, for a command that only reads."""
    from moss.store import Store

    return Store(config.database)


def _must_be_there(config: Config) -> None:
    if not config.database_url and not (config.data / "moss.sqlite3").exists():
        raise click.ClickException(
            gettext("there is no server data in %(data)s; start `moss serve` once, or use --data", data=config.data)
        )


for _command in (*COMMANDS, backup, check):
    admin.add_command(_command)
