"""The command line: parse, call the public functions, print, and turn the outcome into an exit status."""

from __future__ import annotations

import click

from moss.cli.admin import admin
from moss.cli.compare import compare
from moss.cli.corpus import corpus
from moss.cli.corpus_clusters import clusters
from moss.cli.corpus_near import near
from moss.cli.corpus_queries import locate, query, versions
from moss.cli.evidence import evidence
from moss.cli.languages import languages
from moss.cli.serve import serve
from moss.cli.submit import submit
from moss.cli.wire import wire
from moss.cli.worker import worker
from moss.version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
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


corpus.add_command(near)
main.add_command(admin)
main.add_command(compare)
main.add_command(corpus)
for command in (clusters, query, locate, versions):
    corpus.add_command(command)
main.add_command(evidence)
main.add_command(languages)
main.add_command(serve)
main.add_command(worker)
main.add_command(submit)
main.add_command(wire)
