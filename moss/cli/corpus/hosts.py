"""`moss corpus changes` and `mirrors`: what becomes of the pages of hosts, and which hosts have the same."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from moss.cli.corpus.options import ROWS, folder_of, of_corpus, one_sentence, write_json

_resemblance = click.option(
    "--resemblance", type=float, default=0.5, show_default=True, metavar="R", help="Least that makes it the same page."
)
_json = click.option("--json", "json_file", metavar="FILE", help="Write everything as JSON; - for standard output.")


@click.command()
@of_corpus
@click.option("--host", default="", metavar="HOST", help="Only this host.")
@_resemblance
@_json
def changes(name: str, data: Path, memory: int, host: str, resemblance: float, json_file: str | None) -> None:
    """Show how hosts change: pages that are new, changed, gone or moved, by host and month.

    A host's visits are the months in which pages of it were seen; each is compared with the one before. Then the pages
    that are gone but were seen later at another address, other hosts first: documents that appear elsewhere without
    their source.

    \b
        moss corpus changes pages
        moss corpus changes pages --host www.example.org --json changes.json
    """
    from moss.cli.output import standard_output
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
            _print_changes(months, orphans, days)


def _plain(row: Any) -> dict[str, Any]:
    return {key: value.isoformat() if hasattr(value, "isoformat") else value for key, value in asdict(row).items()}


def _print_changes(months: list[Any], orphans: list[Any], days: float | None) -> None:
    from moss.cli.table import print_table

    if not months:
        click.echo("No document of the corpus has both a host and a date.")
        return
    rows = [
        (each.host, f"{each.month:%Y-%m}", *(f"{count:,}" for count in (each.pages, each.new, each.changed)),
         "" if each.rate is None else f"{each.rate:.1%}", f"{each.gone:,}", f"{each.moved:,}", f"{each.elsewhere:,}")
        for each in months[:ROWS]
    ]  # fmt: skip
    headings = ("host", "month", "pages", "new", "changed", "rate", "gone", "moved", "elsewhere")
    print_table(headings, rows, right=headings[2:])
    if len(months) > ROWS:
        click.echo(f"and {len(months) - ROWS:,} more; --json has them all")
    if orphans:
        click.echo()
        print_table(
            ("gone", "last seen", "now at", "seen"),
            [(each.address, f"{each.seen}", each.now_at, f"{each.now_seen}") for each in orphans[:ROWS]],
        )
    if days is not None:
        click.echo(
            f"\nPages that are gone were seen for {days:,.0f} days (median, from the first to the last sighting)."
        )
    elsewhere = sum(each.elsewhere for each in orphans)
    click.echo(
        f"\n{len(orphans):,} pages are gone and were seen elsewhere later, {elsewhere:,} of them at another host"
    )


@click.command()
@of_corpus
@click.option(
    "--share", type=click.FloatRange(0.01, 1), default=0.5, show_default=True, metavar="S",
    help="Least of the smaller host's texts that the other has, too.",
)  # fmt: skip
@_resemblance
@_json
def mirrors(name: str, data: Path, memory: int, share: float, resemblance: float, json_file: str | None) -> None:
    """Find mirrored hosts: those of which one has most of the other's texts.

    Texts at more than fifty hosts, such as licences, do not count, nor do hosts that have fewer than three texts in
    common.

    \b
        moss corpus mirrors pages --share 0.8
    """
    from moss.cli.output import standard_output
    from moss.cli.table import print_table
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
            headings = ("host", "and", "texts in common", "of the smaller", "at the same path")
            print_table(headings, rows, right=headings[2:])
        click.echo(f"\n{len(found):,} pairs of hosts share {share:.0%} of the smaller or more")
