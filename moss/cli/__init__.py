"""The command line: parse, call the public functions, print, and turn the outcome into an exit status."""

from __future__ import annotations

import os

import click

from moss.cli.commands import Commands, LazyGroup
from moss.cli.output import show_what_is_possible
from moss.version import __version__

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # or numpy starts threads, for matrices; here are none

COMMANDS = Commands(
    admin="Manage the accounts of a server, from its console.",
    cache="Show, shrink or empty what `moss compare` keeps between runs.",
    compare="Compare submissions, and rank the pairs that share what few others have.",
    completion="Print the script by which a shell completes what you type.",
    corpus="Archives of years, essays of a university, a crawl: find what is the same, alike or contained.",
    evidence="Write one pair of a report as a single file for a hearing.",
    explain="Show how a file is compared, or how the score of two comes about.",
    intake="See how folders, archives and platforms' downloads are read.",
    languages="List the languages: names, aliases, file endings, how each is scanned, thresholds, and whose it is.",
    manual="Print the manual page in the form that `man` reads; installing the package installs it as moss(1).",
    repeat="Repeat a run of a server from its bundle, and say whether it finds the same.",
    schema="Print the JSON Schema of what `moss compare --json` writes.",
    serve="Run the web app, for one instructor or a department, and a server for MOSS's submit scripts.",
    submit="Send programs to a moss server, and print where its report is.",
    wire="",
    worker="Do jobs for a server: recognise uploads, compare, notify.",
)
"""Each command and what `moss --help` says of it: how its own help begins. Those without are hidden."""


@click.group(cls=LazyGroup, commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="moss")
def main() -> None:
    """Find copied passages in a class's programs and texts.

    Point it at a folder with one folder for each student, or at the zip that your learning platform gives you:

    \b
        moss compare submissions/
        moss compare -b starter/ -a last-year.zip -o report hw1.zip

    It ranks the pairs that share most of what few others have, and shows which lines correspond. Everything stays on
    this machine. Similarity is not proof: look at the passages before you judge.
    """
    show_what_is_possible()
