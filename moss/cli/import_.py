"""`moss import`: an old result of another tool in the pages of moss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from moss.cli.output import complain
from moss.messages import gettext

_PATH = click.Path(path_type=Path)


@click.command("import")
@click.argument("result", type=_PATH)
@click.option(
    "-o", "--output", type=_PATH, metavar="DIR", help="Write the HTML report; DIR/index.html opens from disk."
)
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON; - for standard output.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write the pairs as CSV; - for standard output.")
@click.option("--open", "open_page", is_flag=True, help="Open the HTML report in a browser; needs -o.")
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Number of processes.  [default: all cores]")
@click.option(
    "--quiet", is_flag=True, help="Hide the progress bar, as happens anyway when standard error is not a terminal."
)
def import_(result: Path, **options: Any) -> None:
    """Show an old result of JPlag or MOSS as a report of moss.

    RESULT is a result of JPlag 4 to 6 (a .jplag or zip file, or the unpacked folder), or saved pages of MOSS: a folder,
    an archive, or index.html with the matchN.html pages beside it.

    \b
        moss import result.jplag -o report
        moss import saved-moss-pages/ -o report
        moss import result.jplag --json - | jq '.imported'

    Nothing is compared again: scores and passages are those of that tool, and every page says so. For moss's own
    results, run `moss compare` on the submissions.

    Exit status: 0 done (problems are listed), 2 no such result, or wrong usage.
    """
    from moss.cli.compare import print_problems, write_outputs
    from moss.cli.table import printable
    from moss.imported import import_result
    from moss.intake import IntakeError
    from moss.report.atomic_files import OutputError

    if options["open_page"] and not options["output"]:
        raise click.UsageError(gettext("--open opens the HTML report, so it needs -o DIR"))
    try:
        report = import_result(result)
        write_outputs(report, options | {"scores_file": None})
    except (IntakeError, OutputError) as error:
        complain(printable(str(error)))
        raise SystemExit(2) from None
    print_problems(report.problems)
