"""Commands that are imported when they are called: a page of help should not take longer to make than to read.

A command's module has its name, unless `_HOMES` says another. The command in it has its name, too, with an underscore
behind it if Python has that word.

Help is shown in the reader's language. It stands in docstrings and in the arguments of options, where no call can mark
it as a message, so it is translated when a command is looked up. A message is a paragraph in one line; examples, which
click leaves as they are, stay as they are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, MutableMapping
from gettext import bindtextdomain, textdomain
from importlib import import_module
from inspect import cleandoc
from keyword import iskeyword
from pathlib import Path
from typing import IO, Any

import click

from moss.cli.other_tools import with_command
from moss.cli.output import complain
from moss.messages import DOMAIN, CatalogueError, gettext, language_digest, looked_up, marked

UNIX_ONLY = frozenset({"fcntl", "grp", "pwd", "resource", "termios"})
"""Modules of Python that Windows has not."""

_FORKING = frozenset({"corpus", "serve", "wire", "worker"})
"""Commands that need more of Unix than a module: processes that fork, signals, locks."""

_HOMES = {
    "admin": "server.admin",
    "completion": "about",
    "import": "earlier_results",
    "languages": "about",
    "manual": "about",
    "repeat": "earlier_results",
    "schema": "about",
    "serve": "server.serve",
    "submit": "about",
    "wire": "server.companions",
    "worker": "server.companions",
}
"""The modules of commands that have none of their own name."""

_NEEDS_UNIX = marked("this needs Linux or macOS; on Windows, use it inside WSL")
_AS_IT_IS = "\b"  # begins a paragraph that click does not wrap


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
        module = import_module(f"moss.cli.{_HOMES.get(name, name)}")
        command: click.Command = getattr(module, f"{name}_" if iskeyword(name) else name)
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


def speak(group: click.Group) -> None:
    """Let a group, and click itself, speak the language that the environment names; raises CatalogueError."""
    if not language_digest():
        return
    os.environ["LANGUAGE"] = os.environ.get("MOSS_LOCALE", "")  # where click looks for it, by Python's gettext
    bindtextdomain(DOMAIN, os.environ.get("MOSS_CATALOGUES", "catalogues"))
    textdomain(DOMAIN)
    group.help = in_words(group.help or "")
    _translate_options(group)


def translate(command: click.Command) -> click.Command:
    """Put the help of a command into the reader's language, with that of its options and of the commands in it."""
    if language_digest():
        command.help = in_words(command.help or "")
        _translate_options(command)
        for inner in command.commands.values() if isinstance(command, click.Group) else ():
            translate(inner)
    return command


def _translate_options(command: click.Command) -> None:
    for option in command.params:
        if isinstance(option, click.Option) and option.help:
            option.help = in_words(option.help)


def in_words(help: str) -> str:
    """A help text in the reader's language.

    >>> in_words("Compare\\nsubmissions.\\n\\n\\b\\n    moss compare\\n    hw1/")
    'Compare submissions.\\n\\n\\x08\\n    moss compare\\n    hw1/'
    """
    return "\n\n".join(text if text.startswith(_AS_IT_IS) else looked_up(text) for text in _paragraphs(help))


def _paragraphs(help: str) -> Iterator[str]:
    for text in cleandoc(help).split("\n\n"):
        yield text if text.startswith(_AS_IT_IS) or "\n" not in text else " ".join(text.split())


def texts_of(command: click.Command) -> Iterator[str]:
    """The help of a command, of its options, and of the commands in it, as far as they are shown."""
    if not command.hidden:
        yield command.help or ""
        yield from (option.help or "" for option in command.params if isinstance(option, click.Option))
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        yield from texts_of(inner)


def extract(*_: Any, **__: Any) -> Iterator[tuple[int, str, Any, list[str]]]:
    """All messages of help, and click's own, for `pybabel extract`, which names this function in babel.cfg."""
    from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir

    from moss.cli import COMMANDS, main

    for help in (*texts_of(main), *COMMANDS.summaries.values()):
        for text in filter(None, _paragraphs(help)):
            if not text.startswith(_AS_IT_IS):
                yield 1, "", text, []
    for _file, line, message, comments, _context in extract_from_dir(
        Path(click.__file__).parent, [("**.py", "python")], keywords=DEFAULT_KEYWORDS
    ):
        name = "ngettext" if isinstance(message, tuple) else "gettext"
        yield line, name, message, comments
