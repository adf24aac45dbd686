"""`moss schema`: the JSON Schema of reports, for other programs."""

from __future__ import annotations

import json

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of what `moss compare --json` writes.

    It describes every report of version 1, older ones too: fields that were added later are not required. Ignore
    fields that you do not know, for newer versions may add some.

    \b
        moss schema > report-schema.json
    """
    from moss.report.folder_reader import report_schema

    click.echo(json.dumps(report_schema(), indent=2, ensure_ascii=False))
