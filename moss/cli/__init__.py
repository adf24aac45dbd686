"""The command line: parse, call the public functions, print, and turn the outcome into an exit status."""

from __future__ import annotations

import os

import click

from moss.cli.commands import Commands, LazyGroup
from moss.cli.numpy_settings import prepare_numpy
from moss.cli.output import show_what_is_possible
from moss.messages import CatalogueError, of_environment
from moss.version import __version__

prepare_numpy(os.environ)

COMMANDS = Commands(
    admin="Manage a server's accounts and data, from its console.",
    cache="Show, shrink or empty what `moss compare` keeps between runs.",
    compare="Compare submissions, and rank the pairs that share what few others have.",
    completion="Print the script by which a shell completes what you type.",
    corpus="Archives of years, essays of a university, a crawl: find what is the same, alike or contained.",
    evidence="Write one pair of a report as a single file for a hearing.",
    explain="Show how a file is compared, or how the score of two comes about.",
    **{"import": "Look at an old result of JPlag or MOSS in the pages of moss."},
    intake="See how folders, archives and platforms' downloads are read.",
    languages="List the languages: names, aliases, file endings, how each is scanned, thresholds, and whose it is.",
    manual="Print the manual page in the form that `man` reads; installing the package installs it as moss(1).",
    repeat="Repeat a server's run from its bundle, and check that the result is the same.",
    schema="Print the JSON Schema of what `moss compare --json` writes.",
    serve="Run the web app, for one instructor or a department, and a server for MOSS's submit scripts.",
    submit="Send programs to a moss server, and print where its report is.",
    wire="",
    worker="Do a server's background jobs: read uploads, compare, notify.",
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

    It ranks pairs by how unusual their similarity is in this class, and shows the passages side by side. Everything
    stays on this machine. Similarity is not proof: read the passages before you judge.
    """
    try:
        of_environment()
    except CatalogueError as error:
        raise click.UsageError(f"{error}; MOSS_LOCALE and MOSS_CATALOGUES say which") from error
    show_what_is_possible()
