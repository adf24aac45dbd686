"""`moss corpus remove`: documents that must not be kept any longer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from moss.cli.corpus.options import folder_of, of_corpus, one_sentence
from moss.cli.output import complain
from moss.messages import counted, gettext, number


@click.command()
@of_corpus
@click.argument("addresses", nargs=-1, required=True, metavar="ADDRESS...")
@click.option("--prefix", is_flag=True, help="Remove all documents whose address begins with ADDRESS.")
@click.option(
    "--quiet", is_flag=True, help="Hide the progress bar, as happens anyway when standard error is not a terminal."
)
def remove(name: str, data: Path, memory: int, addresses: tuple[str, ...], prefix: bool, quiet: bool) -> None:
    """Remove documents for good, with all versions and everything stored about them.

    ADDRESS is the address that other commands show: a path as you gave it to `add`, or a URL. If one of them is not in
    the corpus, nothing is removed. Others can read meanwhile; what they read is erased once they have finished, when
    the corpus is next changed or compacted.

    \b
        moss corpus remove essays 2023/ada.txt
        moss corpus remove essays --prefix 2019/ 2020/
    """
    from moss.cli.progress import progress_bar
    from moss.corpus.errors import CorpusError
    from moss.corpus.storage.manifest import read_manifest
    from moss.corpus.storage.removal import all_addresses
    from moss.corpus.storage.removal import remove as run

    if not all(addresses):
        raise click.UsageError(gettext("an ADDRESS is empty"))  # with --prefix it would mean everything
    with one_sentence():
        folder = folder_of(name, data)
        if missing := _missing(addresses, prefix, all_addresses(folder, memory)):
            raise CorpusError(
                gettext("no address in the corpus begins with %(address)s; nothing was removed", address=missing[0])
                if prefix
                else gettext("the corpus has nothing at %(address)s; nothing was removed", address=missing[0])
            )
        exact = frozenset(addresses)
        with progress_bar(quiet) as progress:
            wanted = (lambda address: address.startswith(addresses)) if prefix else exact.__contains__
            removed = run(folder, wanted, progress, memory)
        left = read_manifest(folder)
    click.echo(
        gettext(
            "%(documents)s removed, %(left)s left",
            documents=counted(removed, "document"),
            left=number(left.documents),
        )
    )
    if left.retired:
        complain(
            gettext(
                "another process is still reading it; to erase the rest later: moss corpus compact %(name)s", name=name
            )
        )


def _missing(given: Sequence[str], prefix: bool, known: Iterable[str]) -> list[str]:
    """The given addresses, or beginnings of addresses, that the corpus does not know."""
    missing = dict.fromkeys(given)
    for address in known:
        for found in [one for one in missing if address.startswith(one)] if prefix else [address]:
            missing.pop(found, None)
        if not missing:
            break
    return list(missing)
