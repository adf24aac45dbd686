"""`moss corpus clusters`: the documents that resemble each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
    of_corpus,
    one_sentence,
    printable,
    with_engine,
)
from moss.messages import counted, gettext, marked, number


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
@click.option(
    "--quiet", is_flag=True, help="Hide the progress bar, as happens anyway when standard error is not a terminal."
)
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
    from moss.cli.output import standard_output
    from moss.cli.progress import progress_bar
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
                    _print_ignored(found.mostly_common, choice.common)


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
    """The first clusters, and how many there are in all."""

    first: list[Any]
    clusters: int
    documents: int


def _write_clusters(found: Any, groups: Iterator[Any], choice: Any, json_file: str | None) -> _ShownClusters:
    """Write all clusters as JSON, if that is wanted, one after the other; returns what is to be printed."""
    from dataclasses import asdict

    plain = {
        "format": "moss-corpus-clusters",
        "version": 1,
        "parameters": asdict(choice),
        "documents": found.documents,
        "mostly_common": found.mostly_common,
        "seconds": {stage: round(seconds, 3) for stage, seconds in found.times.seconds.items()},
        "processor_seconds": {stage: round(seconds, 3) for stage, seconds in found.times.processor.items()},
    }
    first: list[Any] = []
    count = documents = 0
    with json_list(plain, "clusters", json_file) as add:
        for group in groups:
            add({name: getattr(group, name) for name in ("name", "representative", "documents", "sightings", "kept")})
            first += [group] if count < ROWS else []
            count, documents = count + 1, documents + len(group.documents)
    return _ShownClusters(first, count, documents)


def _print_clusters(documents: int, shown: _ShownClusters) -> None:
    from moss.cli.table import print_table

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


def _print_ignored(addresses: tuple[str, ...], common: int) -> None:
    """Say which documents were compared by little, because most of what they have is common."""
    if not addresses:
        return
    some = ", ".join(map(printable, addresses[:3])) + (", …" if len(addresses) > 3 else "")
    documents = counted(addresses, "document")
    click.echo(
        gettext(
            "%(documents)s compared by less than half of the sketch, because more than %(common)s documents share the "
            "rest (see --common): %(some)s",
            documents=documents,
            common=number(common),
            some=some,
        )
    )
