"""The command line: parse, call the public functions, print, and turn the outcome into an exit status."""

from __future__ import annotations

import os

import click

from moss.cli.commands import Commands, LazyGroup
from moss.cli.numpy_settings import prepare_numpy
from moss.cli.output import show_what_is_possible
from moss.version import __version__

prepare_numpy(os.environ)

COMMANDS = Commands(
    admin="Manage a server's accounts and data, from its console.",
    cache="Show, shrink or empty the cache of `moss compare`.",
    compare="Compare submissions, and rank pairs by what they share and few others have.",
    completion="Print a script that lets your shell complete commands and options.",
    corpus="Search large collections, such as years of essays or a crawl, for copies and similar texts.",
    evidence="Write one pair of a report as a single file for a hearing.",
    explain="Show how a file is compared, or how two files get their score.",
    **{"import": "Show an old result of JPlag or MOSS as a report of moss."},
    intake="Show how folders, archives and downloads from platforms are read.",
    languages="List the languages, with aliases, file extensions, thresholds, and where each comes from.",
    manual="Print the manual page for `man`; installing the package installs it as moss(1).",
    repeat="Repeat a server's run from its bundle, and check that the result is the same.",
    schema="Print the JSON Schema of what `moss compare --json` writes.",
    serve="Run the web app, and a server for MOSS's submit scripts.",
    submit="Send programs to a moss server, and print the address of the report.",
    wire="",
    worker="Do a server's background jobs: read uploads, compare, send notices.",
)
"""Each command and what `moss --help` says of it: how its own help begins. Those without are hidden."""


@click.group(cls=LazyGroup, commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="moss")
def main() -> None:
    """Find copied passages in a class's programs and texts.

    Point it at a folder with one folder for each student, or at the zip from your learning platform:

    \b
        moss compare submissions/
        moss compare -b starter/ -a last-year.zip -o report hw1.zip

    It ranks pairs by how unusual their similarity is in this class, and shows the passages side by side. Everything
    stays on this machine. Similarity is not proof: read the passages before you judge.
    """
    show_what_is_possible()
