"""`moss corpus clusters`, `group` and `why`: documents that resemble each other, all or some, and why two do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click

from moss.cli.corpus.options import (
    ROWS,
    check_place,
    checked_master,
    folder_of,
    json_list,
    link_option,
    listed,
    of_corpus,
    one_sentence,
    passage_line,
    with_engine,
    write_json,
)
from moss.cli.options import quiet_option
from moss.cli.output import complain, print_table, printable, progress_bar, standard_output
from moss.messages import counted, gettext, marked, number, percent


@click.command()
@of_corpus
@link_option
@click.option(
    "--containment", type=float, metavar="C", help="Also link a document with one that contains this share of it."
)
@click.option(
    "--common",
    type=int,
    default=1000,
    show_default=True,
    metavar="N",
    help="Ignore shingles that are in more than N documents.",
)
@click.option(
    "--super",
    "super_shingle",
    is_flag=False,
    flag_value=4,
    type=int,
    metavar="[N]",
    help="Compare runs of N (4) shingles: faster, less exact, no containment.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write all clusters as JSON; - for standard output.")
@with_engine
@quiet_option
def clusters(
    name: str,
    data: Path,
    memory: int,
    json_file: str | None,
    engine: str,
    master: str | None,
    local: int | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Group the documents that resemble each other.

    Resemblance is the share of both documents' shingles (runs of a few words) that they have in common, estimated from
    sketches; for short documents it is exact. Pairs are stored: another run with a higher threshold takes seconds, with
    a lower one it counts only what is missing, and after documents were added or removed it counts only those.

    \b
        moss corpus clusters essays --resemblance 0.5
        moss corpus clusters essays --resemblance 0.9 --json -
        moss corpus clusters pages --containment 0.8
    """
    from moss.corpus.cluster.clusters import LinkCriteria
    from moss.corpus.engines import opened
    from moss.corpus.storage.segments import Snapshot, scratch_of

    checked = checked_master(engine, master)
    with one_sentence():
        check_place(name, checked)
        choice = LinkCriteria(**options)
        with (
            Snapshot(folder_of(name, data)) as snapshot,
            opened(checked, scratch_of(snapshot.folder), memory, local) as runs,
        ):
            with progress_bar(quiet) as progress, _found(snapshot, runs, choice, progress, memory) as (found, groups):
                shown = _write_clusters(found, groups, choice, json_file)
            if json_file != "-":
                with standard_output():
                    _print_clusters(found.documents, shown)
                    _print_ignored(shown.ignored, shown.mostly_common, choice)


@contextmanager
def _found(snapshot: Any, engine: Any, choice: Any, progress: Any, memory: int) -> Iterator[tuple[Any, Iterator[Any]]]:
    """The clusters, as arrays in this process, or as tables where an engine has more memory than that."""
    from moss.corpus.cluster.cluster_tables import cluster_tables
    from moss.corpus.cluster.clusters import cluster, clusters
    from moss.corpus.engines.duckdb import DuckEngine
    from moss.corpus.storage.segments import scratch_of

    if isinstance(engine, DuckEngine):
        found = cluster(snapshot, engine, choice, progress)
        yield found, clusters(found, engine)
        return
    with TemporaryDirectory(prefix="clusters-", dir=scratch_of(snapshot.folder)) as folder:
        tables = cluster_tables(snapshot, engine, choice, Path(folder), progress)
        yield tables, tables.clusters(Path(folder), memory)


class _ShownClusters(NamedTuple):
    """The first clusters and mostly common documents, and how many there are in all."""

    first: list[Any]
    clusters: int
    documents: int
    ignored: int  # documents that are mostly common
    mostly_common: list[str]  # the first of them


def _write_clusters(found: Any, groups: Iterator[Any], choice: Any, json_file: str | None) -> _ShownClusters:
    """Write all clusters as JSON, if that is wanted, one after the other; returns what is to be printed."""
    from dataclasses import asdict

    plain = {
        "format": "moss-corpus-clusters",
        "version": 1,
        "parameters": asdict(choice),
        "documents": found.documents,
        "seconds": {stage: round(seconds, 3) for stage, seconds in found.times.seconds.items()},
        "processor_seconds": {stage: round(seconds, 6) for stage, seconds in found.times.processor.items()},
    }
    first: list[Any] = []
    count = documents = 0
    with json_list(plain, "clusters", json_file, mostly_common=found.mostly_common) as add:
        for group in groups:
            add({name: getattr(group, name) for name in ("name", "representative", "documents", "sightings", "kept")})
            first += [group] if count < ROWS else []
            count, documents = count + 1, documents + len(group.documents)
    return _ShownClusters(first, count, documents, len(found.mostly_common), list(islice(found.mostly_common, 3)))


def _print_clusters(documents: int, shown: _ShownClusters) -> None:

    rows = [(group.name, str(len(group.documents)), str(group.kept), group.representative) for group in shown.first]
    if rows:
        print_table(
            (marked("cluster"), "documents", marked("different"), marked("representative")),
            rows,
            right=("documents", "different"),
        )
    click.echo()
    click.echo(
        gettext(
            "%(clusters)s with %(inside)s of %(documents)s documents",
            clusters=counted(shown.clusters, "cluster"),
            inside=number(shown.documents),
            documents=number(documents),
        )
    )


def _print_ignored(ignored: int, addresses: list[str], choice: Any) -> None:
    """Say which documents were compared by little, because most of what they have is common."""
    if not ignored:
        return
    some = ", ".join(map(printable, addresses[:3])) + (", …" if ignored > 3 else "")
    documents = counted(ignored, "document")
    click.echo(
        gettext(
            "%(documents)s compared by less than %(share)s of the sketch, because more than %(common)s documents share "
            "the rest (see --common): %(some)s",
            documents=documents,
            share=percent(1 - choice.ignorable),
            common=number(choice.common),
            some=some,
        )
    )


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
    from moss.corpus.search.queries import Corpus
    from moss.corpus.search.whereabouts import cluster_labels, grouped

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
    from moss.corpus.search.queries import Corpus
    from moss.corpus.search.why import explain

    with one_sentence(), Corpus(folder_of(name, data), memory) as corpus:
        found = explain(corpus, a, b)
        write_json(_plain_why(found), json_file)
    if json_file != "-":
        with standard_output():
            _print_why(found)


def _plain_why(found: Any) -> dict[str, Any]:
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
