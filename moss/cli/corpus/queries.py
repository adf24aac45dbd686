"""`moss corpus query`, `locate` and `versions`: questions about one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from moss.cli.corpus.options import (
    ROWS,
    folder_of,
    of_corpus,
    one_sentence,
    passage_line,
    with_filter,
    write_json,
)
from moss.cli.output import print_table, printable, standard_output
from moss.messages import counted, gettext, marked, number


@click.command()
@of_corpus
@click.argument("file", type=click.Path(path_type=Path))
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
def query(
    name: str, data: Path, memory: int, file: Path, widen: int, show: int, json_file: str | None, only: Any
) -> None:
    """Find where a document comes from: the documents of the corpus that contain it, or parts of it.

    FILE can be anything that can be added; it need not be in the corpus. For the documents that contain most of it,
    passages are shown line by line.

    \b
        moss corpus query essays suspicious.txt
        moss corpus query essays suspicious.txt --json - | jq '.found[0]'
    """
    from moss.corpus.search.queries import Corpus

    with one_sentence():
        document = _one_document(file)
        with Corpus(folder_of(name, data), memory) as opened_corpus:
            found = opened_corpus.query(document, widen=widen, shown=show, only=only)
            also = {
                item.sighting.doc: [
                    other.address
                    for other in opened_corpus.same_as(item.sighting.doc)
                    if other.address != item.sighting.address
                ]
                for item in found[:show]
            }
        _answer(document, found, also, show, json_file)


def _one_document(file: Path) -> Any:
    """The document in a file; raises CorpusError if there is none, or several."""
    from moss.corpus.errors import CorpusError
    from moss.corpus.ingest.documents import CorpusDocument
    from moss.corpus.ingest.sources import read_file

    if file.is_dir():
        raise CorpusError(gettext("%(file)s is a folder; name one file", file=file))
    if not file.is_file():
        raise CorpusError(gettext("no such file: %(file)s", file=file))
    read = read_file(str(file))
    documents = [item for item in read if isinstance(item, CorpusDocument)]
    if len(documents) == 1:
        return documents[0]
    if not documents and read and not isinstance(read[0], CorpusDocument):
        raise CorpusError(f"{read[0].path}: {read[0].reason}")
    raise CorpusError(
        gettext(
            "%(file)s has %(documents)s in it; name one of them", file=file, documents=counted(documents, "document")
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
    type=click.FloatRange(0.05, 1),
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
    from moss.corpus.search.queries import Corpus
    from moss.corpus.search.versions import changing
    from moss.corpus.search.versions import versions as all_versions

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
