"""Results that exist already: `moss import` shows those of other tools, and `moss repeat` repeats a server's run.

A run is repeated from its bundle, which has everything that was compared, and the outcome is compared with its report.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.cli.options import jobs_option, quiet_option
from moss.cli.output import complain, printable, progress_bar
from moss.messages import gettext, listed

if TYPE_CHECKING:
    from moss.intake.bundles import Bundle
    from moss.model import Report, Rules

_PATH = click.Path(path_type=Path)
_OUTPUT = click.option(
    "-o", "--output", type=_PATH, metavar="DIR", help="Write the HTML report; DIR/index.html opens from disk."
)
_JSON = click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON; - for standard output.")

_FOUND = ("submissions", "pairs", "clusters", "baseline")  # of a report; the rest says when it was made, and of what


@click.command("import")
@click.argument("result", type=_PATH)
@_OUTPUT
@_JSON
@click.option("--csv", "csv_file", metavar="FILE", help="Write the pairs as CSV; - for standard output.")
@click.option("--open", "open_page", is_flag=True, help="Open the HTML report in a browser; needs -o.")
@jobs_option
@quiet_option
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


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path, dir_okay=False))
@_OUTPUT
@_JSON
@jobs_option
@quiet_option
def repeat(bundle: Path, output: Path | None, json_file: str | None, jobs: int | None, quiet: bool) -> None:
    """Repeat a server's run from its bundle, and check that the result is the same.

    BUNDLE is a file that you download from a report of `moss serve`: all submissions, starter code, earlier work, the
    settings, and what the run found.

    \b
        moss repeat run-7.zip
        moss repeat run-7.zip --output report
        moss evidence report ada emeka -o case.html

    Exit status: 0 the result is the same, 1 it differs, 2 not a bundle, or wrong usage.
    """
    from moss.cli.compare import write_outputs
    from moss.comparison import NothingToCompareError
    from moss.intake import IntakeError
    from moss.intake.bundles import read_bundle
    from moss.report.atomic_files import OutputError
    from moss.settings import SettingsError

    outputs = {"output": output, "json_file": json_file, "csv_file": None, "scores_file": None}
    try:
        given = read_bundle(bundle)
        report = _compared(given, jobs, quiet)
        report = replace(report, parameters={**report.parameters, "bundle": bundle.name})
        write_outputs(report, outputs | {"jobs": jobs, "quiet": quiet})
    except (NothingToCompareError, IntakeError, SettingsError, OutputError) as error:
        complain(str(error))
        raise SystemExit(2) from None
    if differences := _differences(given, report):
        complain(gettext("the result differs from the report of the run: %(differences)s", differences=differences))
        raise SystemExit(1)
    click.echo(gettext("The result is the same as in the report of the run."), err=True)


def _compared(bundle: Bundle, jobs: int | None, quiet: bool) -> Report:
    from moss.comparison import compare_submissions
    from moss.intake import Intake
    from moss.settings import Settings, SettingsError

    try:
        settings = Settings(**(bundle.settings | {"jobs": jobs}))  # type: ignore[operator]
    except TypeError:
        raise SettingsError(gettext("the bundle has settings that this version of moss does not know")) from None
    with progress_bar(quiet) as progress:
        return compare_submissions(Intake(bundle.submissions, ()), settings, bundle.inputs, progress)


def _differences(bundle: Bundle, report: Report) -> str:
    """The differences between the run's report and this one, in words; empty if there are none."""
    from moss.report.json_report import as_plain
    from moss.version import __version__

    now: dict[str, Any] = json.loads(json.dumps(as_plain(report)))
    other = [name for name in _FOUND if now[name] != bundle.report.get(name)]
    if not other:
        return ""
    made_by = str((bundle.report.get("tool") or {}).get("version", "?"))
    told = [gettext("other %(parts)s", parts=listed(other))]
    if made_by != __version__:
        told.append(
            gettext("it was made by moss %(version)s, and this is moss %(ours)s", version=made_by, ours=__version__)
        )
    told += _other_rules(bundle.report.get("rules"), report.rules)
    if gone := ", ".join(map(str, bundle.about.get("missing") or ())):
        told.append(gettext("the bundle lacks %(files)s", files=gone))
    return "; ".join(told)


def _other_rules(given: Any, rules: Rules) -> list[str]:
    """A clause that names the run's rules, if they are others; a report without rules was made by the first."""
    from moss.model import Rules

    numbers = given if isinstance(given, dict) else {}
    before = Rules(*(numbers.get(name, 1) for name in ("scan", "hash", "score")))
    if before == rules:
        return []
    return [gettext("it was made by rules %(before)s, not %(rules)s", before=before.in_words, rules=rules.in_words)]
