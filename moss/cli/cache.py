"""`moss cache`: the results and token streams cached between runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moss.cli.options import Size
from moss.cli.output import complain
from moss.messages import gettext, ngettext

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
    """Show, shrink or empty the cache of `moss compare`.

    If you compare the same class with the same settings again, the result comes from the cache. The cache also has the
    tokens of files in languages that are slow to read. It never gives a stale result, because entries are found by a
    digest of everything they depend on: texts, settings and the program itself. It holds up to MOSS_CACHE_SIZE
    megabytes (1024 by default); entries that were unused for longest are deleted first.

    \b
        moss cache show
        moss cache prune --max 100MB
        moss cache clear
    """


@cache.command()
@_FOLDER
def show(folder: Path | None) -> None:
    """Show where the cache is and how much is in it.

    \b
        moss cache show
    """
    with _opened(folder) as found:
        contents = found.contents()
    click.echo(
        ngettext(
            "%(file)s: %(num)s entry, %(size)s MB",
            "%(file)s: %(num)s entries, %(size)s MB",
            contents.entries,
            file=found.file,
            size=f"{contents.size / 1_000_000:.1f}",
        )
    )


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
    click.echo(
        ngettext(
            "%(num)s entry left, %(size)s MB",
            "%(num)s entries left, %(size)s MB",
            contents.entries,
            size=f"{contents.size / 1_000_000:.1f}",
        )
    )


@cache.command()
@_FOLDER
def clear(folder: Path | None) -> None:
    """Delete everything in the cache.

    \b
        moss cache clear
    """
    with _opened(folder) as found:
        found.prune(0)
    click.echo(gettext("The cache is empty."))


@contextmanager
def _opened(folder: Path | None) -> Iterator[Cache]:
    """The opened cache; a fault of its file becomes one sentence for the user."""
    from moss.cache import Cache, default_folder, limit

    try:
        yield Cache(folder or default_folder(), limit())
    except (sqlite3.Error, OSError) as error:
        complain(gettext("the cache cannot be used: %(error)s", error=error))
        raise SystemExit(2) from None
