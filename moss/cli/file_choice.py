"""The options `--include` and `--exclude`, of which the last that matches wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from moss.intake import Choice

Command = TypeVar("Command", bound=Callable[..., Any])

_GIVEN = "moss.cli.file_choice"


class _InOrder(click.Option):
    """An option that can be given several times and remembers its place among others of this kind."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Have the parser remember each value as it comes; afterwards click knows the order within an option only."""
        super().add_to_parser(parser, ctx)
        (name,) = self.opts
        option = parser._long_opt[name]
        usual = option.process

        def process(value: Any, state: Any) -> None:
            ctx.meta.setdefault(_GIVEN, []).append((value, name == "--include"))
            usual(value, state)

        option.process = process


def file_choice_options(command: Command) -> Command:
    """Give a command both options."""
    exclude = click.option(
        "--exclude", cls=_InOrder, multiple=True, metavar="GLOB", help="Files or folders to leave out; repeatable."
    )
    include = click.option(
        "--include",
        cls=_InOrder,
        multiple=True,
        metavar="GLOB",
        help="Files or folders to read though they are usually ignored, as node_modules; the last that matches wins.",
    )
    return include(exclude(command))


def given_choice(ctx: click.Context) -> Choice:
    """The rules that were given, in their order."""
    from moss.intake import Choice, Rule

    return Choice(tuple(Rule(glob, include) for glob, include in ctx.meta.get(_GIVEN, [])))
