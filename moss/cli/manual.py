"""`moss manual`: the manual page, made from the help of the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc

import click

from moss.messages import gettext


@click.command()
def manual() -> None:
    """Print the manual page for `man`; installing the package installs it as moss(1).

    \b
        moss manual > moss.1
        man ./moss.1
    """
    from moss.cli import main
    from moss.cli.output import data_output

    with data_output() as file:
        file.write(manual_page(main))


def manual_page(group: click.Group) -> str:
    """The manual page of a group of commands, as roff."""
    context = click.Context(group, info_name="moss", help_option_names=["-h", "--help"])
    about = gettext("find copied passages in a class's programs and texts")
    lines = ['.TH MOSS 1 "" "moss" "User Commands"', ".SH NAME", rf"moss \- {about}"]
    lines += [".SH SYNOPSIS", r".B moss", r"[\fICOMMAND\fR] [\fIOPTIONS\fR] [\fIARGUMENTS\fR]"]
    lines += [".SH DESCRIPTION", *_text(group.help or "")]
    lines += [".SH COMMANDS"]
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            lines += _described(command, click.Context(command, parent=context, info_name=name))
    return "\n".join(lines) + "\n"


def _described(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SS {_quoted(f'{context.command_path} {usage}')}"
    yield from _text(command.help or "")
    for parameter in command.get_params(context):
        if record := parameter.get_help_record(context):
            yield from (".TP", rf"\fB{_escaped(record[0])}\fR", _escaped(record[1]))
    if isinstance(command, click.Group):
        for name in sorted(command.list_commands(context)):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _described(inner, click.Context(inner, parent=context, info_name=name))


def _text(text: str) -> Iterator[str]:
    """Paragraphs of help; those that click leaves as they are, in a fixed form."""
    for paragraph in cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            yield from (".PP", ".nf", *map(_escaped, paragraph.splitlines()[1:]), ".fi")
        else:
            yield from (".PP", _escaped(" ".join(paragraph.split())))


def _quoted(text: str) -> str:
    return '"' + _escaped(text).replace('"', r"\(dq") + '"'


def _escaped(text: str) -> str:
    r"""A line that roff prints as it is.

    >>> _escaped(".ci -b \\x")
    '\\&.ci \\-b \\ex'
    """
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + text if text.startswith((".", "'")) else text
