"""Commands about moss itself: its languages, the schema of its reports, its manual page, completion for shells; and the
submit script that servers hand out, as a command."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from inspect import cleandoc

import click

from moss.cli.output import data_output, print_table
from moss.messages import gettext, marked


@click.command()
def languages() -> None:
    """List the languages, with aliases, file extensions, thresholds, and where each comes from.

    Without -l, each file is read by its extension. Thresholds are in tokens: nothing shorter than the first is shown,
    and every shared run as long as the second is found.

    \b
        moss languages
        moss compare -l plsql hw3/
    """
    from frontends import every_frontend, origin_of

    rows = [
        (
            frontend.name,
            " ".join(frontend.aliases),
            " ".join(frontend.endings),
            frontend.scanner,
            f"{frontend.thresholds.noise}/{frontend.thresholds.guarantee}",
            origin_of(frontend) or "moss",
        )
        for frontend in sorted(every_frontend(), key=lambda frontend: frontend.name)
    ]
    headings = (marked("name"), marked("aliases"), marked("extensions"), marked("scanned by"), marked("thresholds"))
    print_table((*headings, marked("from")), rows)


@click.command()
def schema() -> None:
    """Print the JSON Schema of what `moss compare --json` writes.

    It describes all reports of format 1, old ones included, so fields that were added later are not required. Ignore
    fields that you do not know: newer versions of moss may add some.

    \b
        moss schema > report-schema.json
    """
    from moss.report.folder_reader import report_schema

    click.echo(json.dumps(report_schema(), indent=2, ensure_ascii=False))


@click.command()
def manual() -> None:
    """Print the manual page for `man`; installing the package installs it as moss(1).

    \b
        moss manual > moss.1
        man ./moss.1
    """
    from moss.cli import main

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


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that lets your shell complete commands and options.

    \b
        moss completion bash >> ~/.bashrc
        moss completion zsh >> ~/.zshrc
        moss completion fish > ~/.config/fish/completions/moss.fish
    """
    from click.shell_completion import get_completion_class

    from moss.cli import main

    made = get_completion_class(shell)
    assert made is not None, shell
    click.echo(made(main, {}, "moss", "_MOSS_COMPLETE").source())


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def submit(arguments: tuple[str, ...]) -> None:
    """Send programs to a moss server, and print the address of the report."""
    from moss.submit import main

    sys.exit(main(list(arguments), "moss submit"))
