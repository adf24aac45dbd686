"""`moss corpus`: collections too large for one comparison."""

from __future__ import annotations

import click

from moss.cli.corpus.clusters import clusters, group, why
from moss.cli.corpus.contents import add, compact, list_corpora, rebuild, remove
from moss.cli.corpus.hosts import changes, mirrors
from moss.cli.corpus.near import near
from moss.cli.corpus.queries import locate, query, versions
from moss.cli.corpus.serve import serve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def corpus() -> None:
    """Search large collections, such as years of essays or a crawl, for copies and similar texts.

    A corpus is a folder that grows with every `add`. NAME is its path, such as ./essays; or a plain name, which means a
    folder in `corpora` of the data folder (--data, MOSS_DATA, ./moss-data); or a URL such as s3://bucket/essays.

    \b
        moss corpus add essays 2023/ 2024/ crawl.jsonl
        moss corpus clusters essays --resemblance 0.5 --json clusters.json
        moss corpus query essays suspicious.txt
    """


for command in (
    add, list_corpora, remove, compact, rebuild, clusters, group, why, query, locate, versions, changes, mirrors, near,
    serve,
):  # fmt: skip
    corpus.add_command(command)
