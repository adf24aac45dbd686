"""`moss corpus query`, `locate` and `versions`: questions about one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from moss.cli.corpus.options import ROWS, folder_of, of_corpus, one_sentence, printable, with_filter, write_json


@click.command()
@of_corpus
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--widen",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Take fingerprints with a window N times as wide: quicker, coarser.",
)
@click.option(
    "-n",
    "--show",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Documents whose passages are shown.",
)
@with_filter
@click.option("--json", "json_file", metavar="FILE", help="Write the answer as JSON; - for standard output.")
def query(
    name: str, data: Path, memory: int, file: Path, widen: int, show: int, json_file: str | None, only: Any
) -> None:
    """Ask where a document comes from: what in the corpus holds it, or parts of it.

    FILE may be anything that can be added; it need not be in the corpus. Of the documents that hold most of it the
    passages are aligned, to the line.

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
        raise CorpusError(f"{file} is a folder; ask about one file")
    if not file.is_file():
        raise CorpusError(f"no such file: {file}")
    read = read_file(str(file))
    documents = [item for item in read if isinstance(item, CorpusDocument)]
    if len(documents) == 1:
        return documents[0]
    if not documents and read and not isinstance(read[0], CorpusDocument):
        raise CorpusError(f"{read[0].path}: {read[0].reason}")
    raise CorpusError(f"there are {len(documents)} documents in {file}; ask about one of them")


def _answer(document: Any, found: list[Any], also: dict[int, list[str]], show: int, json_file: str | None) -> None:
    from moss.cli.output import standard_output

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
    from moss.cli.table import print_table
    from moss.corpus.search.passages import excerpt

    if not found:
        click.echo("Nothing in the corpus shares anything with it.")
        return
    rows = [
        (f"{item.copied:.0%}", f"{item.resemblance:.0%}", f"{item.containment:.0%}", f"{item.contains:.0%}",
         _day(item.sighting.date), item.sighting.address)
        for item in found[:show]
    ]  # fmt: skip
    headings = ("copied", "resemblance", "in it", "of it", "date", "address")
    print_table(headings, rows, right=headings[:4])
    if len(found) > show:
        click.echo(f"and {len(found) - show:,} documents that share less")
    for item in found[:show]:
        if item.passages:
            click.echo(f"\n{printable(item.sighting.address)}")
        for address in also[item.sighting.doc][:5]:
            click.echo(f"  also at {printable(address)}")
        for passage in item.passages:
            here, there = passage.here, passage.there
            click.echo(
                f"  lines {here.start_line}–{here.end_line} ↔ {there.start_line}–{there.end_line}, "
                f"{passage.tokens} tokens: {printable(excerpt(document.text, here))}"
            )


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
    help="Least that makes it the same page.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the answer as JSON; - for standard output.")
def locate(name: str, data: Path, memory: int, address: str, resemblance: float, json_file: str | None) -> None:
    """Lost and found: where the page that was at an address is now.

    Lists all sightings of what resembles the newest text at ADDRESS. The first line is its best address: the newest of
    those that were still there when their host was last visited, in the last month in which pages of it were seen.
    Then the newest come first.

    \b
        moss corpus locate pages https://www.example.org/old.html
    """
    from moss.cli.table import print_table
    from moss.corpus.search.queries import Corpus
    from moss.corpus.search.whereabouts import last_visits, whereabouts

    with one_sentence(), Corpus(folder_of(name, data), memory) as opened_corpus:
        found = whereabouts(opened_corpus, address, resemblance, last_visits(opened_corpus))
    plain = {"format": "moss-corpus-locate", "version": 1, "address": address, "found": [_plain_page(p) for p in found]}
    write_json(plain, json_file)
    if json_file == "-":
        return
    there = {True: "yes", False: "no", None: "–"}
    rows = [(_day(p.sighting.date), f"{p.resemblance:.0%}", there[p.there], p.sighting.address) for p in found[:ROWS]]
    print_table(("date", "resemblance", "still there", "address"), rows, right=("resemblance",))
    if len(found) > ROWS:
        click.echo(f"and {len(found) - ROWS:,} more")


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
    """Show how a document changed: its versions, when, and how much of each is new.

    Without ADDRESS: the addresses with the most different texts.

    \b
        moss corpus versions pages https://www.example.org/
        moss corpus versions essays
    """
    from moss.cli.table import print_table
    from moss.corpus.errors import CorpusError
    from moss.corpus.search.queries import Corpus
    from moss.corpus.search.versions import changing
    from moss.corpus.search.versions import versions as all_versions

    with one_sentence(), Corpus(folder_of(name, data), memory) as opened_corpus:
        if address is None:
            often = [(str(h.texts), str(h.sightings), h.address) for h in changing(opened_corpus, ROWS)]
            print_table(("texts", "sightings", "address"), often, right=("texts", "sightings"))
            return
        found = all_versions(opened_corpus, address)
        if not found:
            raise CorpusError(f"nothing in the corpus was ever at {address}")
        rows = [
            (_day(v.sighting.date), f"{v.words:,}", _share(v.resemblance), _share(v.kept), _share(v.new)) for v in found
        ]
    headings = ("date", "words", "resemblance", "kept", "new")
    print_table(headings, rows, right=headings[1:])


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
