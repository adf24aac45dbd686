"""`moss submit`: the submit script that servers hand out, as a command."""

from __future__ import annotations

import sys

import click


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def submit(arguments: tuple[str, ...]) -> None:
    """Send programs to a moss server, and print the address of the report."""
    from moss.submit import main

    sys.exit(main(list(arguments), "moss submit"))
