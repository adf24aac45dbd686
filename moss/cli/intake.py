"""`moss intake show`: the submissions that would be compared, and why they were recognised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moss.cli.options import file_choice_options, given_choice, layout_option
from moss.cli.output import complain, data_output, print_table, printable, standard_output
from moss.messages import counted, gettext, marked, ngettext

if TYPE_CHECKING:
    from moss.intake import Download, Intake
    from moss.model import Submission

_PATH = click.Path(path_type=Path)


@click.group()
def intake() -> None:
    """Show how folders, archives and downloads from platforms are read.

    \b
        moss intake show moodle-download.zip
    """


@intake.command()
@click.argument("paths", nargs=-1, required=True, type=_PATH, metavar="PATH...")
@file_choice_options
@layout_option
@click.option("-d", "--directory", is_flag=True, help="Treat the files of each directory as one submission.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def show(paths: tuple[Path, ...], layout: str, directory: bool, as_json: bool, **options: Any) -> None:
    """Print what would be compared, and how it was recognised. Nothing is compared.

    First, for each PATH, which platform it comes from and how that was recognised. Then the students and their files,
    with version, time and section if the platform gives them; older versions are marked, because only the newest is
    compared. Last, on standard error, the files that are not read, with reasons.

    If the platform was not recognised, or wrongly, name it with --layout: moodle, canvas, brightspace, blackboard,
    gradescope, autolab, sakai, ilias, submitty, prairielearn, classroom, github, contest, dolos …, or none.

    \b
        moss intake show moodle-download.zip
        moss intake show --layout canvas submissions/
        moss intake show --json submissions.zip | jq '.submissions[].owner'

    Exit status: 0 done, 2 no such path, or the layout does not fit.
    """
    from moss.intake import IntakeError, collect
    from moss.report.atomic_files import OutputError

    try:
        found = collect(paths, directory=directory, choice=given_choice(click.get_current_context()), layout=layout)
        _write(found, as_json)
    except (IntakeError, OutputError) as error:
        complain(printable(str(error)))
        raise SystemExit(2) from None
    for problem in () if as_json else found.problems:
        complain(f"{printable(problem.path)}: {printable(problem.reason)}")


def _write(found: Intake, as_json: bool) -> None:
    if not as_json:
        with standard_output():
            _print(found)
        return
    import json

    with data_output() as file:
        file.write(json.dumps(_as_plain(found), indent=1, ensure_ascii=False) + "\n")


def _print(found: Intake) -> None:
    for download in found.downloads:
        click.echo(printable(_recognised(download)))
        for doubt in download.doubts:
            click.echo(printable(f"  {doubt}"))
    if not found.submissions:
        click.echo(gettext("There are no submissions."))
        return
    click.echo()
    submissions = sorted(found.submissions, key=lambda each: (each.owner, each.age, each.id))
    rows = [_row(each) for each in submissions]
    headings = (marked("student"), marked("version"), marked("handed in"), marked("section"), marked("files"), "")
    used = [n for n, heading in enumerate(headings) if not heading or heading == "files" or any(row[n] for row in rows)]
    print_table([headings[n] for n in used], [[row[n] for n in used] for row in rows], right=("files",))
    owners, older = len({each.owner for each in submissions}), sum(1 for each in submissions if each.age)
    counts = counted(owners, "student"), counted(len(submissions) - older, "submission")
    click.echo()
    click.echo(
        ngettext(
            "%(students)s, %(submissions)s, %(num)s older version.",
            "%(students)s, %(submissions)s, %(num)s older versions.",
            older,
            students=counts[0],
            submissions=counts[1],
        )
    )


def _recognised(download: Download) -> str:
    told = {"path": download.path, "platform": download.title, "why": download.why}
    if download.title:
        return gettext("%(path)s: a download from %(platform)s, because %(why)s.", **told)
    return gettext("%(path)s: an ordinary folder or archive; %(why)s.", **told)


def _row(submission: Submission) -> tuple[str, ...]:
    time = f"{submission.time:%Y-%m-%d %H:%M}{' UTC' * bool(submission.time.tzinfo)}" if submission.time else ""
    paths = [file.path for file in submission.files]
    return submission.owner, _version(submission), time, submission.section, str(len(paths)), _some(paths)


def _version(submission: Submission) -> str:
    by_time = submission.time and not (submission.version or "").isdigit()  # the column beside it has the time
    return f"{'' if by_time else submission.version or ''}{gettext(' (older)') * bool(submission.age)}".strip()


def _some(paths: list[str]) -> str:
    return ", ".join(paths[:3]) + (", …" if len(paths) > 3 else "")


def _as_plain(found: Intake) -> dict[str, Any]:
    return {
        "downloads": [
            {"path": each.path, "layout": each.layout, "platform": each.title, "why": each.why, "doubts": each.doubts}
            for each in found.downloads
        ],
        "submissions": [_submission(each) for each in found.submissions],
        "problems": [problem._asdict() for problem in found.problems],
    }


def _submission(submission: Submission) -> dict[str, Any]:
    return {
        "id": submission.id, "owner": submission.owner, "version": submission.version, "older": bool(submission.age),
        "handed_in": submission.time.isoformat() if submission.time else None, "section": submission.section,
        "files": [file.path for file in submission.files],
        "skipped": [problem._asdict() for problem in submission.skipped],
    }  # fmt: skip
