"""`moss corpus query`, `locate` and `versions`: questions about one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from moss.cli.corpus.options import (
    ROWS,
    Share,
    folder_of,
    json_list,
    listed,
    of_corpus,
    one_sentence,
    opened_cluster,
    passage_line,
    with_engine,
    with_filter,
    write_json,
)
from moss.cli.output import complain, print_table, printable, standard_output
from moss.messages import counted, gettext, marked, number, percent


@click.command()
@of_corpus
@click.argument("file", required=False)
@click.option("--list", "listing", metavar="FILE", help="Ask for each path or URL in this file, one per line.")
@click.option(
    "--widen",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Use a window N times as wide for fingerprints: faster, coarser.",
)
@click.option(
    "-n",
    "--show",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of documents to show passages of.",
)
@with_filter
@click.option("--json", "json_file", metavar="FILE", help="Write the answer as JSON; - for standard output.")
@with_engine
def query(
    name: str,
    data: Path,
    memory: int,
    file: str | None,
    listing: str | None,
    widen: int,
    show: int,
    json_file: str | None,
    only: Any,
    **engine: Any,
) -> None:
    """Find where a document comes from: the documents of the corpus that contain it, or parts of it.

    FILE can be anything that can be added; it need not be in the corpus. For the documents that contain most of it,
    passages are shown line by line. With --list, all documents in many files (also in crawls) are asked about, and the
    best answer for each is shown; a Spark cluster shares that work.

    \b
        moss corpus query essays suspicious.txt
        moss corpus query essays --list files.txt --json answers.json
        moss corpus query essays suspicious.txt --json - | jq '.found[0]'
    """
    from moss.corpus.ingest.sources import SourceFiles
    from moss.corpus.search.batch_queries import QueryBatch, answer
    from moss.corpus.search.queries import Corpus

    if (file is None) == (listing is None):
        raise click.UsageError(gettext("name one FILE, or a list of them with --list"))
    with one_sentence(), opened_cluster(name, memory=memory, **engine) as cluster:
        batch = QueryBatch(folder_of(name, data), SourceFiles(()), widen, show, only, memory)
        if file is None:
            _answer_all(batch, listed(str(listing)), cluster, json_file)
            return
        document = _one_document(file)
        with Corpus(batch.folder, memory) as opened_corpus:
            found = answer(opened_corpus, document, batch)
        _answer(document, list(found.found), found.also, show, json_file)


def _answer_all(batch: Any, paths: list[str], cluster: Any, json_file: str | None) -> None:
    """Ask about all documents at these paths, and write and print each answer as it comes."""
    from moss.corpus.search.batch_queries import query_files
    from moss.model import Problem

    head = {"format": "moss-corpus-queries", "version": 1}
    with json_list(head, "answers", json_file) as add, standard_output():
        for each in query_files(batch, paths, cluster):
            if isinstance(each, Problem):
                complain(f"{printable(each.path)}: {printable(each.reason)}")
                continue
            found = [_plain_found(item, each.also.get(item.sighting.doc, [])) for item in each.found]
            add({"document": each.address, "found": found})
            if json_file != "-":
                best = each.found[0] if each.found else None
                click.echo(
                    gettext(
                        "%(document)s: %(copied)s in %(address)s",
                        document=printable(each.address),
                        copied=percent(best.copied),
                        address=printable(best.sighting.address),
                    )
                    if best
                    else gettext("%(document)s: nothing in common", document=printable(each.address))
                )


def _one_document(file: str) -> Any:
    """The document in a file, here or behind a URL; raises CorpusError if there is none, or several."""
    from moss.corpus.errors import CorpusError
    from moss.corpus.ingest.documents import CorpusDocument
    from moss.corpus.ingest.sources import read_file
    from moss.corpus.places import check_scheme, is_url

    if not is_url(check_scheme(file)):
        if Path(file).is_dir():
            raise CorpusError(gettext("%(file)s is a folder; name one file, or use --list", file=file))
        if not Path(file).is_file():
            raise CorpusError(gettext("no such file: %(file)s", file=file))
    read = read_file(file)
    documents = [item for item in read if isinstance(item, CorpusDocument)]
    if len(documents) == 1:
        return documents[0]
    if not documents and read and not isinstance(read[0], CorpusDocument):
        raise CorpusError(f"{read[0].path}: {read[0].reason}")
    raise CorpusError(
        gettext(
            "%(file)s has %(documents)s in it; to ask about all, name it in a file for --list",
            file=file,
            documents=counted(documents, "document"),
        )
    )


def _answer(document: Any, found: list[Any], also: dict[int, list[str]], show: int, json_file: str | None) -> None:

    plain = {
        "format": "moss-corpus-query",
        "version": 1,
        "document": document.address,
        "found": [_plain_found(item, also.get(item.sighting.doc, [])) for item in found],
    }
    write_json(plain, json_file)
    if json_file != "-":
        with standard_output():
            _print_found(document, found, also, show)


def _plain_found(item: Any, also: list[str]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "address": item.sighting.address,
        "date": item.sighting.date.isoformat() if item.sighting.date else None,
        "also_at": also,
        "copied": item.copied,
        "resemblance": item.resemblance,
        "containment": item.containment,
        "contains": item.contains,
        "fingerprints": item.fingerprints,
        "passages": [asdict(passage) for passage in item.passages],
    }


def _print_found(document: Any, found: list[Any], also: dict[int, list[str]], show: int) -> None:

    if not found:
        click.echo(gettext("No document of the corpus has anything in common with it."))
        return
    rows = [
        (f"{item.copied:.0%}", f"{item.resemblance:.0%}", f"{item.containment:.0%}", f"{item.contains:.0%}",
         _day(item.sighting.date), item.sighting.address)
        for item in found[:show]
    ]  # fmt: skip
    headings = (marked("copied"), marked("resemblance"), marked("contained"), marked("contains"), marked("date"),
                marked("address"))  # fmt: skip
    print_table(headings, rows, right=headings[:4])
    if len(found) > show:
        click.echo(gettext("and %(documents)s with less in common", documents=counted(len(found) - show, "document")))
    for item in found[:show]:
        if item.passages:
            click.echo(f"\n{printable(item.sighting.address)}")
        for address in also[item.sighting.doc][:5]:
            click.echo("  " + gettext("also at %(address)s", address=printable(address)))
        for passage in item.passages:
            click.echo(passage_line(passage, document.text))


def _day(date: Any) -> str:
    return f"{date:%Y-%m-%d}" if date else "–"


@click.command()
@of_corpus
@click.argument("address")
@click.option(
    "--resemblance",
    type=Share(0.05, 1),
    default=0.5,
    show_default=True,
    metavar="R",
    help="Lowest resemblance of two versions of one page.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the answer as JSON; - for standard output.")
def locate(name: str, data: Path, memory: int, address: str, resemblance: float, json_file: str | None) -> None:
    """Find where a page is now that used to be at an address.

    Lists all sightings of texts that resemble the newest text at ADDRESS, the newest first. The best address is on the
    first line: the newest one that was still there when its host was last visited, which is the last month in which
    pages of that host were seen.

    \b
        moss corpus locate pages https://www.example.org/old.html
    """
    from moss.corpus.search.queries import Corpus
    from moss.corpus.search.whereabouts import last_visits, whereabouts

    with one_sentence(), Corpus(folder_of(name, data), memory) as opened_corpus:
        found = whereabouts(opened_corpus, address, resemblance, last_visits(opened_corpus))
    plain = {"format": "moss-corpus-locate", "version": 1, "address": address, "found": [_plain_page(p) for p in found]}
    write_json(plain, json_file)
    if json_file == "-":
        return
    there = {True: gettext("yes"), False: gettext("no"), None: "–"}
    rows = [(_day(p.sighting.date), f"{p.resemblance:.0%}", there[p.there], p.sighting.address) for p in found[:ROWS]]
    print_table(("date", "resemblance", marked("still there"), "address"), rows, right=("resemblance",))
    if len(found) > ROWS:
        click.echo(gettext("and %(n)s more", n=number(len(found) - ROWS)))


def _plain_page(page: Any) -> dict[str, Any]:
    date = page.sighting.date
    return {
        "address": page.sighting.address,
        "date": date.isoformat() if date else None,
        "resemblance": page.resemblance,
        "still_there": page.there,
    }


@click.command()
@of_corpus
@click.argument("address", required=False)
def versions(name: str, data: Path, memory: int, address: str | None) -> None:
    """Show how a document changed: its versions, their dates, and how much of each is new.

    Without ADDRESS, list the addresses with the most versions.

    \b
        moss corpus versions pages https://www.example.org/
        moss corpus versions essays
    """
    from moss.corpus.errors import CorpusError
    from moss.corpus.search.histories import changing
    from moss.corpus.search.histories import versions as all_versions
    from moss.corpus.search.queries import Corpus

    with one_sentence(), Corpus(folder_of(name, data), memory) as opened_corpus:
        if address is None:
            often = [(str(h.texts), str(h.sightings), h.address) for h in changing(opened_corpus, ROWS)]
            print_table((marked("texts"), marked("sightings"), "address"), often, right=("texts", "sightings"))
            return
        found = all_versions(opened_corpus, address)
        if not found:
            raise CorpusError(gettext("nothing in the corpus was ever at %(address)s", address=address))
        rows = [
            (_day(v.sighting.date), f"{v.words:,}", _share(v.resemblance), _share(v.kept), _share(v.new)) for v in found
        ]
    headings = ("date", marked("words"), "resemblance", "kept", marked("new"))
    print_table(headings, rows, right=headings[1:])


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
