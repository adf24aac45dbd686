"""`moss corpus add`, `remove`, `list`, `compact` and `rebuild`: which documents a corpus has, and how it is stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.cli.corpus.options import (
    folder_of,
    of_corpus,
    one_sentence,
    opened_cluster,
    with_data,
    with_engine,
)
from moss.cli.options import jobs_option, quiet_option
from moss.cli.output import complain, print_table, printable, progress_bar
from moss.messages import counted, gettext, marked, ngettext, number

if TYPE_CHECKING:
    from moss.corpus.engines.worker_cluster import WorkerCluster
    from moss.corpus.ingest.segment_builder import AddedCounts
    from moss.corpus.storage.removal import AddressChoice


@click.command()
@of_corpus
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--shingle", type=int, metavar="W", help="Words in a shingle.  [default: 5]")
@click.option("--sample", type=int, metavar="N", help="Shingles to keep of a document, roughly.  [default: 100]")
@click.option(
    "--sketches-only",
    is_flag=True,
    help="Store only what clusters need: no texts, fingerprints or simhashes. Takes a third of the time, but only for "
    "a new corpus, and permanent.",
)
@jobs_option
@click.option("--language", "tongues", multiple=True, metavar="CODE", help="Only add texts in this language: en, de, …")
@click.option("--whole-pages", is_flag=True, help="Keep whole pages of crawls, with menus and advertisements.")
@click.option("--text-field", "text", default="", metavar="NAME", help="Field or column of a crawl that has the text.")
@click.option("--html-field", "html", default="", metavar="NAME", help="The same for the HTML page.")
@click.option("--url-field", "address", default="", metavar="NAME", help="The same for the address.")
@click.option("--date-field", "date", default="", metavar="NAME", help="The same for the time of the visit.")
@with_engine
@quiet_option
def add(
    name: str,
    data: Path,
    memory: int,
    paths: tuple[str, ...],
    shingle: int | None,
    sample: int | None,
    sketches_only: bool,
    jobs: int | None,
    engine: str,
    master: str | None,
    local: int | None,
    quiet: bool,
    **reading: Any,
) -> None:
    """Add documents to a corpus, and create it if needed.

    A PATH is a folder, a file, an archive, or a crawl; or the URL of one of these (s3://, gs://, abfs://, hdfs://). A
    crawl is WARC or WET (.warc, .wet), JSON Lines (.jsonl) with "url", "date" and "text" or "html", all of them also
    .gz and .zst, or Parquet with such columns. Only the main text of pages is kept. Documents that the corpus already
    has are skipped, so you can run the same command again after new files have arrived, or after an interruption.
    Sizes of shingles and samples are fixed when the corpus is created.

    \b
        moss corpus add essays 2023/ 2024.zip
        moss corpus add pages crawl-2024-05.warc.gz --language de
        moss corpus add s3://bucket/corpora/pages s3://bucket/crawl/
    """
    from moss.corpus.crawl.pages import checked_tongues
    from moss.corpus.crawl.records import ReadingChoice
    from moss.corpus.storage.recipe import Recipe
    from moss.corpus.storage.segments import CorpusWriter

    with (
        one_sentence(),
        progress_bar(quiet) as progress,
        opened_cluster(name, engine, master, memory, local) as cluster,
    ):
        given: dict[str, Any] = {"shingle": shingle, "sample": sample, "sketches_only": sketches_only or None}
        given = {key: value for key, value in given.items() if value is not None}
        recipe = Recipe(**given) if given else None
        choice = ReadingChoice(**{**reading, "tongues": checked_tongues(reading["tongues"])})
        folder, run = folder_of(name, data, new=True), _addition(cluster, jobs)
        added = run(folder, paths, recipe=recipe, choice=choice, memory=memory, progress=progress)
    _tell(added, ngettext("%(n)s document added", "%(n)s documents added", added.documents, n=number(added.documents)))
    if not added.documents and not added.known:
        complain(gettext("nothing was added: there was no document to read, or none that you asked for"))
        with one_sentence(), CorpusWriter(folder.resolve(), memory=memory) as writer:
            writer.discard_unused()
        raise SystemExit(2)


def _tell(added: AddedCounts, done: str) -> None:
    for problem in added.problems:
        complain(f"{printable(problem.path)}: {printable(problem.reason)}")
    click.echo(
        gettext(
            "%(done)s: %(kept)s kept, %(identical)s identical, %(lexical)s with the same words, %(shingled)s with the "
            "same sketch",
            done=done,
            **{name: number(getattr(added, name)) for name in ("kept", "identical", "lexical", "shingled")},
        )
    )
    if added.known:
        click.echo(gettext("%(known)s skipped, because the corpus has them already", known=number(added.known)))
    if added.left_out:
        click.echo(gettext("%(left_out)s excluded, in other languages", left_out=number(added.left_out)))


def _addition(cluster: Any, jobs: int | None) -> Callable[..., AddedCounts]:
    """The function that adds documents, on a cluster or on this machine."""
    if cluster is None:
        from moss.corpus.ingest.add import add, side_by_side

        return partial(add, reader=side_by_side(jobs))
    from moss.corpus.ingest.add_by_many import add_by_many

    return partial(add_by_many, cluster=cluster)


@click.command("list")
@with_data
@click.argument("names", nargs=-1, metavar="[NAME]...")
def list_corpora(data: Path, names: tuple[str, ...]) -> None:
    """List corpora, with their numbers of documents, shingles, fingerprints and segments.

    \b
        moss corpus list
        moss corpus list essays ./pages
    """
    from moss.corpus.errors import OtherRulesError
    from moss.corpus.storage.catalog import folders_in
    from moss.corpus.storage.manifest import read_manifest

    headings = (marked("name"), marked("documents"), marked("kept"), marked("shingles"), marked("fingerprints"),
                marked("segments"))  # fmt: skip
    with one_sentence():
        found = {
            folder: read_manifest(folder) for folder in [folder_of(name, data) for name in names] or folders_in(data)
        }
    rows = []
    for folder, manifest in found.items():
        sums = [sum(getattr(segment, what) for segment in manifest.segments) for what in headings[1:-1]]
        rows.append((folder.name, *(f"{number:,}" for number in sums), str(len(manifest.segments))))
    print_table(headings, rows, right=headings[1:])
    for folder, manifest in found.items():
        try:
            manifest.recipe.check_versions(folder)
        except OtherRulesError as error:
            complain(str(error))


@click.command()
@of_corpus
@with_engine
def compact(name: str, data: Path, memory: int, **engine: Any) -> None:
    """Merge all segments into one, so that a corpus with many additions is fast to read.

    Others can read meanwhile; what they read is removed when they have finished. On a Spark cluster, every worker
    merges neighbouring segments, up to four million documents.

    \b
        moss corpus compact essays
    """
    from moss.corpus.storage.compaction import compact as run
    from moss.corpus.storage.manifest import read_manifest
    from moss.corpus.storage.segments import CorpusWriter

    with one_sentence(), opened_cluster(name, memory=memory, **engine) as cluster:
        folder = folder_of(name, data)
        before = len(read_manifest(folder).segments)
        with CorpusWriter(folder.resolve(), memory=memory) as writer:
            run(writer, cluster)
            after = len(writer.manifest.segments)
    click.echo(gettext("Segments: %(before)s before, %(after)s now", before=before, after=after))


@click.command()
@of_corpus
@jobs_option
@quiet_option
def rebuild(name: str, data: Path, memory: int, jobs: int | None, quiet: bool) -> None:
    """Read all texts of a corpus again, after an update of moss that reads or hashes differently.

    Nothing is lost: documents keep their addresses and dates, and the old corpus stays in use until the new one is
    complete. Until then there must be room on the disk for both. Others can read meanwhile.

    \b
        moss corpus rebuild essays
    """
    from moss.corpus.errors import CorpusError
    from moss.corpus.ingest.add import side_by_side
    from moss.corpus.storage.rebuild import rebuild as run

    with one_sentence(), progress_bar(quiet) as progress:
        try:
            added = run(folder_of(name, data), reader=side_by_side(jobs), memory=memory, progress=progress)
        except KeyboardInterrupt:
            raise CorpusError(gettext("interrupted; the corpus was not changed")) from None
    count = added.documents
    _tell(added, ngettext("%(n)s document read again", "%(n)s documents read again", count, n=number(count)))


@click.command()
@of_corpus
@click.argument("addresses", nargs=-1, required=True, metavar="ADDRESS...")
@with_engine
@click.option("--prefix", is_flag=True, help="Remove all documents whose address begins with ADDRESS.")
@quiet_option
def remove(
    name: str, data: Path, memory: int, addresses: tuple[str, ...], prefix: bool, quiet: bool, **engine: Any
) -> None:
    """Remove documents for good, with all versions and everything stored about them.

    ADDRESS is the address that other commands show: a path as you gave it to `add`, or a URL. If one of them is not in
    the corpus, nothing is removed. Others can read meanwhile; what they read is erased once they have finished, when
    the corpus is next changed or compacted.

    \b
        moss corpus remove essays 2023/ada.txt
        moss corpus remove essays --prefix 2019/ 2020/
    """
    from moss.corpus.storage.manifest import read_manifest
    from moss.corpus.storage.removal import AddressChoice

    if not all(addresses):
        raise click.UsageError(gettext("an ADDRESS is empty"))  # with --prefix it would mean everything
    with one_sentence(), opened_cluster(name, memory=memory, **engine) as cluster:
        folder = folder_of(name, data)
        removed = _removed(folder, AddressChoice(addresses, prefix), cluster, memory, quiet)
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


def _removed(folder: Path, choice: AddressChoice, cluster: WorkerCluster | None, memory: int, quiet: bool) -> int:
    """Remove what was chosen, on a cluster or on this machine; how many documents that were."""
    from moss.corpus.errors import CorpusError
    from moss.corpus.storage import removal, removal_by_many

    if cluster is None:
        missing, remove = removal.missing(folder, choice, memory), removal.remove
    else:
        missing = removal_by_many.missing_by_many(folder, choice, cluster)
        remove = partial(removal_by_many.remove_by_many, cluster=cluster)
    if missing:
        raise CorpusError(
            gettext("no address in the corpus begins with %(address)s; nothing was removed", address=missing[0])
            if choice.prefix
            else gettext("the corpus has nothing at %(address)s; nothing was removed", address=missing[0])
        )
    with progress_bar(quiet) as progress:
        return remove(folder, choice, progress=progress, memory=memory)
