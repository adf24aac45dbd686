"""`moss corpus clusters`: the documents that resemble each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from moss.cli.corpus.options import ROWS, checked_master, folder_of, of_corpus, one_sentence, with_engine, write_json


@click.command()
@of_corpus
@click.option("--resemblance", type=float, default=0.5, show_default=True, metavar="R", help="Least that makes a link.")
@click.option("--containment", type=float, metavar="C", help="Link a document with one that holds so much of it, too.")
@click.option(
    "--common", type=int, default=1000, show_default=True, metavar="N", help="Ignore shingles in more documents."
)
@click.option(
    "--super",
    "super_shingle",
    is_flag=False,
    flag_value=4,
    type=int,
    metavar="[N]",
    help="Compare by runs of N (4) shingles: quicker, less exact, no containment.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write all clusters as JSON; - for standard output.")
@with_engine
@click.option("--quiet", is_flag=True, help="No progress bar (off by itself when standard error is no terminal).")
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

    Resemblance is the part of both documents' shingles (runs of a few words) that they have in common, estimated from
    sketches; for short documents it is exact. Counts of common shingles are kept, so that another threshold is a matter
    of seconds.

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
        "seconds": {stage: round(seconds, 3) for stage, seconds in found.seconds.items()},
        "clusters": [
            {"representative": g.representative, "documents": g.documents, "sightings": g.sightings, "kept": g.kept}
            for g in groups
        ],
    }
    write_json(plain, json_file)
    if json_file != "-":
        with standard_output():
            _print_clusters(found.documents, groups)


def _print_clusters(documents: int, groups: list[Any]) -> None:
    from moss.cli.table import print_table

    inside = sum(len(group.documents) for group in groups)
    rows = [
        (str(number), str(len(group.documents)), str(group.kept), group.representative)
        for number, group in enumerate(groups[:ROWS], 1)
    ]
    if rows:
        print_table(
            ("cluster", "documents", "different", "representative"), rows, right=("cluster", "documents", "different")
        )
    click.echo(f"\n{len(groups):,} clusters with {inside:,} of {documents:,} documents")
