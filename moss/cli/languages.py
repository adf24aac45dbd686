"""`moss languages`: the languages that can be read, and their thresholds."""

from __future__ import annotations

import click


@click.command()
def languages() -> None:
    """List the languages: names, aliases, file endings, how each is scanned, thresholds, and whose it is.

    Without -l, each file is read by its ending. Thresholds are in tokens: nothing shorter than the first is noticed,
    every shared run of the second is.

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
    print_table(("name", "aliases", "endings", "scanned by", "thresholds", "from"), rows)
