"""`moss repeat`: a server's run, repeated from its bundle and compared with its report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.cli.output import complain
from moss.messages import gettext, listed

if TYPE_CHECKING:
    from moss.intake.bundles import Bundle
    from moss.model import Report, Rules

_FOUND = ("submissions", "pairs", "clusters", "baseline")  # of a report; the rest says when it was made, and of what


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="DIR",
    help="Write the HTML report; DIR/index.html opens from disk.",
)  # fmt: skip
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON; - for standard output.")
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Number of processes.  [default: all cores]")
@click.option(
    "--quiet", is_flag=True, help="Hide the progress bar, as happens anyway when standard error is not a terminal."
)
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
    from moss.cli.progress import progress_bar
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
