"""`moss languages`: the languages that can be read, and their thresholds."""

from __future__ import annotations

import click

from moss.messages import marked


@click.command()
def languages() -> None:
    """List the languages, with aliases, file extensions, thresholds, and where each comes from.

    Without -l, each file is read by its extension. Thresholds are in tokens: nothing shorter than the first is shown,
    and every shared run as long as the second is found.

    \b
        moss languages
        moss compare -l plsql hw3/
    """
    from frontends import every_frontend, origin_of
    from moss.cli.table import print_table

    rows = [
        (
            frontend.name,
            " ".join(frontend.aliases),
            " ".join(frontend.endings),
            frontend.scanner,
            f"{frontend.thresholds.noise}/{frontend.thresholds.guarantee}",
            origin_of(frontend) or "moss",
        )
        for frontend in sorted(every_frontend(), key=lambda frontend: frontend.name)
    ]
    headings = (marked("name"), marked("aliases"), marked("extensions"), marked("scanned by"), marked("thresholds"))
    print_table((*headings, marked("from")), rows)
