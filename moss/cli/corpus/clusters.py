"""`moss corpus clusters`: the documents that resemble each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from moss.cli.corpus.options import (
    ROWS,
    check_place,
    checked_master,
    folder_of,
    link_option,
    of_corpus,
    one_sentence,
    printable,
    with_engine,
    write_json,
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
    from moss.cli.progress import progress_bar
    from moss.corpus.cluster.clusters import LinkCriteria, cluster
    from moss.corpus.cluster.clusters import clusters as named
    from moss.corpus.engines import opened
    from moss.corpus.storage.segments import Snapshot, scratch_of

    checked = checked_master(engine, master)
    with one_sentence():
        check_place(name, checked)
        choice = LinkCriteria(**options)
        with Snapshot(folder_of(name, data)) as snapshot, opened(checked, scratch_of(snapshot.folder), memory) as runs:
            with progress_bar(quiet) as progress:
                found = cluster(snapshot, runs, choice, progress)
            _write_clusters(found, list(named(found, runs)), choice, json_file)


def _write_clusters(found: Any, groups: list[Any], choice: Any, json_file: str | None) -> None:
    from dataclasses import asdict

    from moss.cli.output import standard_output

    plain = {
        "format": "moss-corpus-clusters",
        "version": 1,
        "parameters": asdict(choice),
        "documents": found.documents,
        "mostly_common": found.mostly_common,
        "seconds": {stage: round(seconds, 3) for stage, seconds in found.times.seconds.items()},
        "processor_seconds": {stage: round(seconds, 3) for stage, seconds in found.times.processor.items()},
        "clusters": [
            {
                "name": g.name,
                "representative": g.representative,
                "documents": g.documents,
                "sightings": g.sightings,
                "kept": g.kept,
            }
            for g in groups
        ],
    }
    write_json(plain, json_file)
    if json_file != "-":
        with standard_output():
            _print_clusters(found.documents, groups)
            _print_ignored(found.mostly_common, choice.common)


def _print_clusters(documents: int, groups: list[Any]) -> None:
    from moss.cli.table import print_table

    inside = sum(len(group.documents) for group in groups)
    rows = [(group.name, str(len(group.documents)), str(group.kept), group.representative) for group in groups[:ROWS]]
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
            clusters=counted(groups, "cluster"),
            inside=number(inside),
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
