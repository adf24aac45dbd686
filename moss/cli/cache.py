"""`moss cache`: the results and token streams cached between runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moss.cli.sizes import Size

if TYPE_CHECKING:
    from moss.cache import Cache

_FOLDER = click.option(
    "--cache",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The cache's folder.  [default: MOSS_CACHE, or moss in your cache folder]",
)


@click.group()
def cache() -> None:
    """Show, shrink or empty what `moss compare` keeps between runs.

    Comparing the same class with the same settings a second time takes the result from the cache. The cache also has
    the tokens of files in languages that take long to read. It never gives a stale result, because entries are found by
    a digest of everything that they depend on: texts, settings and the program itself. The cache holds up to
    MOSS_CACHE_SIZE megabytes (1024 by default); the entries unused for longest go first.

    \b
        moss cache show
        moss cache prune --max 100MB
        moss cache clear
    """


@cache.command()
@_FOLDER
def show(folder: Path | None) -> None:
    """Say where the cache is and how much is in it.

    \b
        moss cache show
    """
    with _opened(folder) as found:
        contents = found.contents()
    click.echo(f"{found.file}: {contents.entries} entries, {contents.size / 1_000_000:.1f} MB")


@cache.command()
@click.option("--max", "most", type=Size(), required=True, metavar="SIZE", help="Size to shrink the cache to.")
@_FOLDER
def prune(most: int, folder: Path | None) -> None:
    """Delete the entries that were unused for longest.

    \b
        moss cache prune --max 100MB
    """
    with _opened(folder) as found:
        found.prune(most)
        contents = found.contents()
    click.echo(f"{contents.entries} entries left, {contents.size / 1_000_000:.1f} MB")


@cache.command()
@_FOLDER
def clear(folder: Path | None) -> None:
    """Delete all that is kept.

    \b
        moss cache clear
    """
    with _opened(folder) as found:
        found.prune(0)
    click.echo("The cache is empty.")


@contextmanager
def _opened(folder: Path | None) -> Iterator[Cache]:
    """The opened cache; a fault of its file becomes one sentence for the user."""
    from moss.cache import Cache, default_folder, limit

    try:
        yield Cache(folder or default_folder(), limit())
    except (sqlite3.Error, OSError) as error:
        click.echo(f"moss: the cache cannot be used: {error}", err=True)
        raise SystemExit(2) from None
