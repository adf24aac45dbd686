"""`moss corpus`: collections too large for one comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from moss.cli.sizes import Size


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def corpus() -> None:
    """Archives of years, essays of a university, a crawl: find what is the same, alike or contained.

    A corpus is a folder that grows with every `add`. NAME is that folder's path, or a plain name below the folder
    `corpora` of the data folder (--data, MOSS_DATA, ./moss-data).

    \b
        moss corpus add essays 2023/ 2024/ crawl.jsonl
        moss corpus clusters essays --resemblance 0.5 --json clusters.json
        moss corpus query essays suspicious.txt
    """


def of_corpus(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument and the options that every command has."""
    for decorate in (
        click.option("--memory", type=Size(), default="2GB", show_default=True, help="Memory for sorting and joining."),
        click.option(
            "--data",
            type=click.Path(path_type=Path),
            default=Path("moss-data"),
            envvar="MOSS_DATA",
            show_default=True,
            help="Folder with the folder `corpora`, for plain names.",
        ),
        click.argument("name"),
    ):
        command = decorate(command)
    return command


def folder_of(name: str, data: Path) -> Path:
    """The folder of a corpus: a path if the name has a separator or is a folder here, else below the data folder."""
    if os.sep in name or name in (".", "..") or Path(name).is_dir():
        return Path(name)
    return data / "corpora" / name


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turns what a user did wrong into one sentence and exit status 2."""
    from moss.corpus.errors import CorpusError
    from moss.intake import IntakeError
    from moss.report.files import OutputError

    try:
        yield
    except (CorpusError, IntakeError, OutputError) as error:
        click.echo(f"moss: {error}", err=True)
        raise SystemExit(2) from None


@corpus.command()
@of_corpus
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--shingle", type=int, metavar="W", help="Words in a shingle.  [default: 5]")
@click.option("--sample", type=int, metavar="N", help="Shingles kept of a document, about.  [default: 100]")
@click.option("-j", "--jobs", type=int, metavar="N", help="Processes.  [default: all cores]")
@click.option("--quiet", is_flag=True, help="No progress bar (off by itself when standard error is no terminal).")
def add(
    name: str,
    data: Path,
    memory: int,
    paths: tuple[str, ...],
    shingle: int | None,
    sample: int | None,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Add documents to a corpus, making it if it is not there.

    A PATH is a folder, a file, an archive, or a crawl: a file of JSON Lines (.jsonl) with "url", "date" and "text" or
    "html". What was added before is passed over, so the same command may be run again after new files have come, or
    after it was interrupted. Sizes of shingles and samples are fixed when the corpus is made.

    \b
        moss corpus add essays 2023/ 2024.zip
        moss corpus add pages crawl-2024-05.jsonl
    """
    from moss.cli.progress import progress_bar
    from moss.corpus.adding import add as run
    from moss.corpus.adding import side_by_side
    from moss.corpus.recipe import Recipe

    with one_sentence(), progress_bar(quiet) as progress:
        given = {key: value for key, value in (("shingle", shingle), ("sample", sample)) if value is not None}
        recipe = Recipe(**given) if given else None
        if jobs is not None and jobs < 1:
            raise click.UsageError("--jobs must be at least 1")
        added = run(
            folder_of(name, data), paths, recipe=recipe, reader=side_by_side(jobs), memory=memory, progress=progress
        )
    for problem in added.problems:
        click.echo(f"moss: {_printable(problem.path)}: {_printable(problem.reason)}", err=True)
    click.echo(
        f"{added.documents:,} documents added: {added.kept:,} kept, {added.identical:,} identical, "
        f"{added.lexical:,} with the same words, {added.shingled:,} with the same sketch"
    )


def _printable(text: str) -> str:
    from moss.cli.table import printable

    return printable(text)
