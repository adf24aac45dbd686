"""`moss corpus group` and `why`: which of these belong together, and why two of them do."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from moss.cli.corpus.options import (
    folder_of,
    link_option,
    listed,
    of_corpus,
    one_sentence,
    passage_line,
    printable,
    write_json,
)
from moss.cli.output import complain
from moss.messages import gettext, number


@click.command()
@of_corpus
@click.option("--list", "listing", required=True, metavar="FILE", help="Addresses, one per line; - for standard input.")
@link_option
@click.option("--json", "json_file", metavar="FILE", help="Write the groups as JSON; - for standard output.")
def group(name: str, data: Path, memory: int, listing: str, resemblance: float, json_file: str | None) -> None:
    """Group search results: find the addresses in a list that have the same or similar texts.

    Groups and their addresses are in the order of the list, so the first of each group is the one to show. Each group
    has the name of its cluster, which stays the same from run to run.

    \b
        moss corpus group pages --list results.txt
    """
    from moss.cli.output import standard_output
    from moss.corpus.search.groups import cluster_labels, grouped
    from moss.corpus.search.queries import Corpus

    with one_sentence():
        addresses, folder = listed(listing), folder_of(name, data)
        labels = cluster_labels(folder, resemblance, memory)
        with Corpus(folder, memory) as corpus:
            groups = grouped(corpus, labels, addresses)
        write_json(
            {"format": "moss-corpus-groups", "version": 1, "groups": [asdict(each) for each in groups]}, json_file
        )
    for unknown in (each.addresses[0] for each in groups if not each.name):
        complain(gettext("nothing in the corpus was ever at %(address)s", address=printable(unknown)))
    if json_file != "-":
        with standard_output():
            _print_groups([each for each in groups if each.name])


def _print_groups(groups: list[Any]) -> None:
    for each in groups:
        click.echo(f"{each.name}  {printable(each.addresses[0])}")
        for address in each.addresses[1:]:
            click.echo(f"{'':14}{printable(address)}")
    documents = sum(len(each.addresses) for each in groups)
    click.echo()
    click.echo(gettext("Groups: %(groups)s, addresses: %(n)s", groups=number(len(groups)), n=number(documents)))


@click.command()
@of_corpus
@click.argument("a")
@click.argument("b")
@click.option("--json", "json_file", metavar="FILE", help="Write the comparison as JSON; - for standard output.")
def why(name: str, data: Path, memory: int, a: str, b: str, json_file: str | None) -> None:
    """Explain how similar two documents are: shingles, the estimate with its error, the exact value, passages.

    A and B are addresses; their newest texts are compared.

    \b
        moss corpus why essays 2023/ada.txt 2024/bob.txt
    """
    from moss.cli.output import standard_output
    from moss.corpus.search.queries import Corpus
    from moss.corpus.search.why import explain

    with one_sentence(), Corpus(folder_of(name, data), memory) as corpus:
        found = explain(corpus, a, b)
        write_json(_plain(found), json_file)
    if json_file != "-":
        with standard_output():
            _print_why(found)


def _plain(found: Any) -> dict[str, Any]:
    figures = ("shingles_a", "shingles_b", "shared", "examples", "resemblance", "containment", "contained", "sampled",
               "sampled_shared", "estimate", "error", "bits", "copied")  # fmt: skip
    return {
        "format": "moss-corpus-why",
        "version": 1,
        "a": found.a.address,
        "b": found.b.address,
        **{figure: getattr(found, figure) for figure in figures},
        "passages": [asdict(passage) for passage in found.passages],
    }


def _print_why(found: Any) -> None:
    from moss.cli.table import print_table

    exact = gettext("all shingles are in the sketches") if not found.error else f"± {found.error:.3f}"
    rows = [
        (gettext("shingles in A, in B, in both"), f"{found.shingles_a:,}, {found.shingles_b:,}, {found.shared:,}"),
        (gettext("exact resemblance"), f"{found.resemblance:.3f}"),
        (gettext("estimated from sketches"), f"{found.estimate:.3f} ({found.sampled_shared}/{found.sampled}; {exact})"),
        (gettext("share of A in B, of B in A"), f"{found.containment:.3f}, {found.contained:.3f}"),
        (gettext("bits of 64 that differ"), str(found.bits)),
        (gettext("share of A in passages"), f"{found.copied:.1%}"),
    ]
    print_table(("A", printable(found.a.address)), [("B", printable(found.b.address)), *rows])
    for shingle in found.examples:
        click.echo("  " + gettext("both have: %(shingle)s", shingle=printable(shingle)))
    for passage in found.passages:
        click.echo(passage_line(passage, found.text))
