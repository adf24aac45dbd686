"""`moss corpus add`, `list`, `compact` and `rebuild`: making, listing and renewing corpora."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.cli.corpus.options import (
    check_place,
    checked_master,
    folder_of,
    of_corpus,
    one_sentence,
    printable,
    with_data,
    with_engine,
)

if TYPE_CHECKING:
    from moss.corpus.ingest.segment_builder import AddedCounts


@click.command()
@of_corpus
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--shingle", type=int, metavar="W", help="Words in a shingle.  [default: 5]")
@click.option("--sample", type=int, metavar="N", help="Shingles kept of a document, about.  [default: 100]")
@click.option(
    "--sketches-only",
    is_flag=True,
    help="Store what clusters need and nothing else: no texts, no fingerprints, no simhashes; twice as quick. "
    "For a new corpus, and for good.",
)
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Number of processes.  [default: all cores]")
@click.option("--language", "tongues", multiple=True, metavar="CODE", help="Only texts in this language: en, de, …")
@click.option("--whole-pages", is_flag=True, help="Keep pages of crawls as they are, with menus and advertisements.")
@click.option("--text-field", "text", default="", metavar="NAME", help="Field or column of a crawl with the text.")
@click.option("--html-field", "html", default="", metavar="NAME", help="Likewise with the page.")
@click.option("--url-field", "address", default="", metavar="NAME", help="Likewise with the address.")
@click.option("--date-field", "date", default="", metavar="NAME", help="Likewise with the time of the visit.")
@with_engine
@click.option(
    "--quiet", is_flag=True, help="Hide the progress bar, as happens anyway when standard error is not a terminal."
)
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
    quiet: bool,
    **reading: Any,
) -> None:
    """Add documents to a corpus, making it if it is not there.

    A PATH is a folder, a file, an archive, or a crawl; or the URL of one of these (s3://, gs://, abfs://, hdfs://). A
    crawl is WARC or WET (.warc, .wet, also .gz), JSON Lines (.jsonl, also .gz and .zst) with "url", "date" and "text"
    or "html", or Parquet with such columns. Of pages the main text is kept. What was added before is passed over, so
    the same command may be run again after new files have come, or after it was interrupted. Sizes of shingles and
    samples are fixed when the corpus is made.

    \b
        moss corpus add essays 2023/ 2024.zip
        moss corpus add pages crawl-2024-05.warc.gz --language de
        moss corpus add s3://bucket/corpora/pages s3://bucket/crawl/
    """
    from moss.cli.progress import progress_bar
    from moss.corpus.crawl.records import ReadingChoice
    from moss.corpus.crawl.tongues import checked_tongues
    from moss.corpus.ingest.add import add as run
    from moss.corpus.storage.recipe import Recipe

    checked = checked_master(engine, master)
    with one_sentence(), progress_bar(quiet) as progress, _reader(checked, jobs, memory) as reader:
        given: dict[str, Any] = {"shingle": shingle, "sample": sample, "sketches_only": sketches_only or None}
        given = {key: value for key, value in given.items() if value is not None}
        recipe = Recipe(**given) if given else None
        choice = ReadingChoice(**{**reading, "tongues": checked_tongues(reading["tongues"])})
        check_place(name, checked)
        folder = folder_of(name, data, new=True)
        added = run(folder, paths, recipe=recipe, choice=choice, reader=reader, memory=memory, progress=progress)
    _tell(added, "added")
    if not added.documents and not added.known:
        click.echo("moss: nothing was added: no document that is wanted could be read there", err=True)
        raise SystemExit(2)


def _tell(added: AddedCounts, what: str) -> None:
    for problem in added.problems:
        click.echo(f"moss: {printable(problem.path)}: {printable(problem.reason)}", err=True)
    click.echo(
        f"{added.documents:,} document{'s' * (added.documents != 1)} {what}: {added.kept:,} kept, "
        f"{added.identical:,} identical, {added.lexical:,} with the same words, {added.shingled:,} with the same sketch"
        + (f"; {added.known:,} passed over, which were there before" if added.known else "")
        + (f"; {added.left_out:,} left out, in other languages" if added.left_out else "")
    )


@contextmanager
def _reader(master: str | None, jobs: int | None, memory: int) -> Iterator[Any]:
    if master:
        from moss.corpus.engines.spark import spark_reader

        with spark_reader(master, memory) as reader:
            yield reader
    else:
        from moss.corpus.ingest.add import side_by_side

        yield side_by_side(jobs)


@click.command("list")
@with_data
@click.argument("names", nargs=-1, metavar="[NAME]...")
def list_corpora(data: Path, names: tuple[str, ...]) -> None:
    """List corpora: how many documents, kept ones, shingles, fingerprints, and segments.

    \b
        moss corpus list
        moss corpus list essays ./pages
    """
    from moss.cli.table import print_table
    from moss.corpus.errors import OtherRulesError
    from moss.corpus.storage.catalog import folders_in
    from moss.corpus.storage.manifest import read_manifest

    headings = ("name", "documents", "kept", "shingles", "fingerprints", "segments")
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
            click.echo(f"moss: {error}", err=True)


@click.command()
@of_corpus
def compact(name: str, data: Path, memory: int) -> None:
    """Make one segment of all, so that a corpus that was added to many times is read as quickly as any.

    Others may read meanwhile; what they read is removed when they have finished.

    \b
        moss corpus compact essays
    """
    from moss.corpus.storage.manifest import read_manifest
    from moss.corpus.storage.segments import CorpusWriter
    from moss.corpus.storage.segments import compact as run

    with one_sentence():
        folder = folder_of(name, data)
        before = len(read_manifest(folder).segments)
        with CorpusWriter(folder, memory=memory) as writer:
            run(writer)
            after = len(writer.manifest.segments)
    click.echo(f"{before} segments became {after}")


@click.command()
@of_corpus
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Number of processes.  [default: all cores]")
@click.option(
    "--quiet", is_flag=True, help="Hide the progress bar, as happens anyway when standard error is not a terminal."
)
def rebuild(name: str, data: Path, memory: int, jobs: int | None, quiet: bool) -> None:
    """Read all texts of a corpus again, after a new version of moss has come with other rules of reading or hashing.

    Nothing is lost: documents keep their addresses and dates, and the corpus is the old one until the new one is
    complete. Both need room on the disk for as long as that takes. Others may read meanwhile.

    \b
        moss corpus rebuild essays
    """
    from moss.cli.progress import progress_bar
    from moss.corpus.errors import CorpusError
    from moss.corpus.ingest.add import side_by_side
    from moss.corpus.storage.rebuild import rebuild as run

    with one_sentence(), progress_bar(quiet) as progress:
        try:
            added = run(folder_of(name, data), reader=side_by_side(jobs), memory=memory, progress=progress)
        except KeyboardInterrupt:
            raise CorpusError("interrupted; the corpus is as it was") from None
    _tell(added, "read again")
