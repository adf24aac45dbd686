"""Commands that are imported when they are called: a page of help should not take longer to make than to read.

A command's module has its name, and so has the command in it; with an underscore behind it if Python has that word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from keyword import iskeyword
from typing import IO, Any

import click

from moss.cli.help_words import in_words, speak, translate
from moss.cli.other_tools import with_command
from moss.cli.output import complain
from moss.messages import CatalogueError, gettext, marked

UNIX_ONLY = frozenset({"fcntl", "grp", "pwd", "resource", "termios"})
"""Modules of Python that Windows has not."""

_FORKING = frozenset({"corpus", "serve", "wire", "worker"})
"""Commands that need more of Unix than a module: processes that fork, signals, locks."""

_SERVER = frozenset({"admin", "serve", "wire", "worker"})
"""Commands for whoever runs a server, whose modules have a folder of their own."""

_NEEDS_UNIX = marked("this needs Linux or macOS; on Windows, use it inside WSL")


class Commands(MutableMapping[str, click.Command]):
    """The commands by name; looking one up imports it."""

    def __init__(self, **summaries: str) -> None:
        self.summaries = summaries
        self._added: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name in self._added:
            return self._added[name]
        if name not in self.summaries:
            raise KeyError(name)
        if name in _FORKING and not hasattr(os, "fork"):
            raise click.ClickException(gettext(_NEEDS_UNIX))
        folder = "moss.cli.server" if name in _SERVER else "moss.cli"
        called = f"{name}_" if iskeyword(name) else name
        command: click.Command = getattr(import_module(f"{folder}.{called}"), called)
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._added[name] = command

    def __delitem__(self, name: str) -> None:
        del self._added[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.summaries, **self._added})

    def __len__(self) -> int:
        return len({**self.summaries, **self._added})


class MissingExtraError(click.ClickException):
    """A package is missing that a command needs; the message names the extra that brings it."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence in the form of other usage errors."""
        complain(self.message)


def _lack(error: ModuleNotFoundError, command: str) -> click.ClickException | None:
    """The sentence about a module that this system or installation lacks; None if it should be here."""
    if error.name in UNIX_ONLY:
        return click.ClickException(gettext(_NEEDS_UNIX))
    from moss.shipped import extra_with, how_to_install

    extra = extra_with(error.name or "")
    if not extra:
        return None
    return MissingExtraError(
        gettext("`%(command)s` needs more: %(install)s", command=command, install=how_to_install(extra))
    )


class LazyGroup(click.Group):
    """A group that lists its commands without importing them, and says which extra a command needs."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the arguments, and speak the reader's language from here on."""
        try:
            speak(self)
        except CatalogueError as error:
            raise click.UsageError(f"{error}; see MOSS_LOCALE and MOSS_CATALOGUES") from error
        return super().make_context(*args, **extra)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, with its help in the reader's language."""
        found = super().get_command(ctx, cmd_name)
        return found and translate(found)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; those without a command are taken for `moss compare`, as MOSS's users type them."""
        return super().parse_args(ctx, with_command(args, list(self.commands)))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, or say which module is missing."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            lack = _lack(error, f"moss {ctx.invoked_subcommand}")
            if lack is None:
                raise
            raise lack from None
        except Exception as error:
            plugins = sys.modules.get("frontends.plugins")  # not there if it has raised nothing
            if plugins is None or not isinstance(error, plugins.PluginError):
                raise
            raise click.ClickException(str(error)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands; those without a summary are hidden."""
        assert isinstance(self.commands, Commands)
        summaries = self.commands.summaries
        listed = [click.Command(name, help=in_words(summary)) for name, summary in summaries.items() if summary]
        click.Group(commands=listed).format_commands(ctx, formatter)
