"""`moss corpus changes` and `mirrors`: what becomes of the pages of hosts, and which hosts have the same."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from moss.cli.corpus.options import ROWS, Share, folder_of, of_corpus, one_sentence, write_json
from moss.cli.output import print_table, printable, standard_output
from moss.messages import counted, gettext, marked, number, percent

_resemblance = click.option(
    "--resemblance",
    type=float,
    default=0.5,
    show_default=True,
    metavar="R",
    help="Lowest resemblance of two versions of one page.",
)
_json = click.option("--json", "json_file", metavar="FILE", help="Write everything as JSON; - for standard output.")


@click.command()
@of_corpus
@click.option("--host", default="", metavar="HOST", help="Only this host.")
@_resemblance
@_json
def changes(name: str, data: Path, memory: int, host: str, resemblance: float, json_file: str | None) -> None:
    """Show how hosts change: pages that are new, changed, gone or moved, by host and month.

    A host's visits are the months in which its pages were seen; each is compared with the one before. After that come
    pages that are gone but were seen later at another address, those at other hosts first.

    \b
        moss corpus changes pages
        moss corpus changes pages --host www.example.org --json changes.json
    """
    from moss.corpus.search.histories import site_histories

    with one_sentence():
        with site_histories(folder_of(name, data), resemblance, memory) as histories:
            months, orphans, days = histories.months(host), histories.orphans(host), histories.lifetime(host)
        plain = {
            "format": "moss-corpus-changes",
            "version": 1,
            "months": [{**_plain(each), "rate": each.rate} for each in months],
            "orphans": [_plain(each) for each in orphans],
            "lifetime_days": days,
        }
        write_json(plain, json_file)
    if json_file != "-":
        with standard_output():
            _print_changes(months, orphans, days, host)


def _plain(row: Any) -> dict[str, Any]:
    return {key: value.isoformat() if hasattr(value, "isoformat") else value for key, value in asdict(row).items()}


def _print_changes(months: list[Any], orphans: list[Any], days: float | None, host: str) -> None:

    if not months:
        click.echo(
            gettext("No document of the corpus has a date and is from %(host)s.", host=printable(host))
            if host
            else gettext("No document of the corpus has both a host and a date.")
        )
        return
    rows = [
        (each.host, f"{each.month:%Y-%m}", *(f"{count:,}" for count in (each.pages, each.new, each.changed)),
         "" if each.rate is None else f"{each.rate:.1%}", f"{each.gone:,}", f"{each.moved:,}", f"{each.elsewhere:,}")
        for each in months[:ROWS]
    ]  # fmt: skip
    headings = (marked("host"), marked("month"), marked("pages"), marked("new"), marked("changed"), marked("rate"),
                marked("gone"), marked("moved"), marked("elsewhere"))  # fmt: skip
    print_table(headings, rows, right=headings[2:])
    if len(months) > ROWS:
        click.echo(gettext("and %(n)s more; --json has them all", n=number(len(months) - ROWS)))
    if orphans:
        click.echo()
        print_table(
            (marked("gone"), marked("last seen"), marked("now at"), marked("seen")),
            [(each.address, f"{each.seen}", each.now_at, f"{each.now_seen}") for each in orphans[:ROWS]],
        )
    if days is not None:
        click.echo(
            gettext(
                "Pages that are gone now were there for %(days)s (median, from first to last sighting).",
                days=counted(round(days), "day"),
            )
        )
    elsewhere = sum(each.elsewhere for each in orphans)
    click.echo(
        gettext(
            "%(pages)s pages are gone and were seen elsewhere later, %(elsewhere)s of them at another host",
            pages=number(len(orphans)),
            elsewhere=number(elsewhere),
        )
    )


@click.command()
@of_corpus
@click.option(
    "--share", type=Share(0.01, 1), default=0.5, show_default=True, metavar="S",
    help="Lowest share of the smaller host's texts that the other has too.",
)  # fmt: skip
@_resemblance
@_json
def mirrors(name: str, data: Path, memory: int, share: float, resemblance: float, json_file: str | None) -> None:
    """Find mirrors: hosts that have most of another host's texts.

    Texts at more than fifty hosts, such as licences, do not count, nor do hosts that have fewer than three texts in
    common.

    \b
        moss corpus mirrors pages --share 0.8
    """
    from moss.corpus.search.histories import site_histories

    with one_sentence():
        with site_histories(folder_of(name, data), resemblance, memory) as histories:
            found = histories.mirrors(share)
        plain = {"format": "moss-corpus-mirrors", "version": 1, "mirrors": [asdict(pair) for pair in found]}
        write_json(plain, json_file)
    if json_file == "-":
        return
    with standard_output():
        rows = [(p.a, p.b, f"{p.shared:,}", f"{p.share:.0%}", f"{p.same_paths:,}") for p in found[:ROWS]]
        if rows:
            headings = ("host", marked("and"), marked("texts in common"), marked("share of the smaller"),
                        marked("at the same path"))  # fmt: skip
            print_table(headings, rows, right=headings[2:])
        click.echo(
            gettext(
                "%(pairs)s of hosts in which one has at least %(share)s of the other's texts",
                pairs=counted(found, "pair"),
                share=percent(share),
            )
        )
