"""The server's settings as options: one for each field of `Config`, with its environment variable in the help."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from moss.cli.output import complain, private_files
from moss.config import Config, ConfigError, variable
from moss.messages import gettext, marked

Command = TypeVar("Command", bound=Callable[..., Any])

_TYPES: dict[type, Any] = {bool: bool, int: int, str: str}


def server_options(*, pages: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the settings as options, and call it with a `Config`; a worker needs none of those for `pages`."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(**given: Any) -> Any:
            chosen = {each.name: given.pop(each.name) for each in fields(Config) if each.name in given}
            try:
                config = Config(**chosen)
            except ConfigError as error:
                raise click.UsageError(str(error)) from None
            with private_files():
                return function(config, **given)

        for each in reversed(fields(Config)):
            if pages or not each.metadata["pages"]:
                command = _option(each)(command)
        return _retired("redis_url", marked("workers find their jobs in the database"))(command)

    return add


def _retired(name: str, why: str) -> Callable[[Command], Command]:
    """An option for a setting that earlier versions had: whoever still gives it gets a warning, once, and it is
    ignored."""

    def tell(context: click.Context, option: click.Parameter, value: str) -> None:
        if value:
            os.environ.pop(variable(name), None)  # or each child process would warn again
            complain(
                gettext(
                    "%(name)s does nothing any more, because %(why)s; you can remove it.",
                    name=variable(name),
                    why=gettext(why),
                )
            )

    return click.option(
        f"--{name.replace('_', '-')}", envvar=variable(name), default="", callback=tell, expose_value=False, hidden=True
    )


def _option(each: Any) -> Callable[[Command], Command]:
    kind = type(each.default)
    name = f"--{each.name.replace('_', '-')}"
    is_path = issubclass(kind, Path)
    return click.option(
        f"{name}/--no{name[1:]}" if kind is bool else name,
        type=click.Path(path_type=Path, file_okay=False) if is_path else _TYPES[kind],
        default=each.default,
        show_default=str(each.default) not in ("", "False"),
        envvar=variable(each.name),
        show_envvar=True,
        metavar=None if kind is bool else "FOLDER" if is_path else "N" if kind is int else "TEXT",
        help=f"{each.metadata['help'][0].upper()}{each.metadata['help'][1:]}.",
    )
