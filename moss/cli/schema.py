"""`moss schema`: the JSON Schema of reports, for other programs."""

from __future__ import annotations

import json

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of what `moss compare --json` writes.

    It describes all reports of format 1, old ones included, so fields that were added later are not required. Ignore
    fields that you do not know: newer versions of moss may add some.

    \b
        moss schema > report-schema.json
    """
    from moss.report.folder_reader import report_schema

    click.echo(json.dumps(report_schema(), indent=2, ensure_ascii=False))
