"""`moss evidence`: one pair of a report as a single file for a hearing."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moss.cli.output import complain, printable, private_files
from moss.messages import gettext

if TYPE_CHECKING:
    from moss.report.evidence.document import EvidenceRequest

_PATH = click.Path(path_type=Path)
_LONGEST = 60  # characters of a submission's id in a file's name


@click.command()
@click.argument("report", type=_PATH)
@click.argument("a")
@click.argument("b")
@click.option(
    "-o", "--output", type=_PATH, metavar="FILE", help="The file to write.  [default: evidence-A-B.html, by the ids]"
)
@click.option("--pdf", is_flag=True, help="Write a PDF instead of a page; needs Chromium or Chrome.")
@click.option("--note", default="", metavar="TEXT", help="A remark to show on the first page.")
@click.option("--anonymize", is_flag=True, help="Replace all names, also inside the code; a separate table lists them.")
@click.option(
    "--names",
    type=_PATH,
    metavar="FILE",
    help="The table of names.  [default: beside the output, ending in .names.csv]",
)
@click.option(
    "--name-others", is_flag=True, help="Name other students who have a passage, instead of only counting them."
)
@click.option(
    "--for",
    "student",
    metavar="NAME",
    help="Write the copy for this one of the two, without the other's text and without any other student's name.",
)
def evidence(
    report: Path,
    a: str,
    b: str,
    output: Path | None,
    pdf: bool,
    note: str,
    anonymize: bool,
    names: Path | None,
    name_others: bool,
    student: str | None,
) -> None:
    """Write one pair of a report as a single file for a hearing.

    REPORT is the folder that `moss compare -o` wrote. A and B are two of its students, in any order: their names or
    ids, or the beginning of either.

    \b
        moss compare -b starter/ -o report hw1.zip
        moss evidence report ada emeka -o case.html
        moss evidence report ada emeka -o case.html --note "Handed in one minute apart."
        moss evidence report ada emeka -o hearing.html --anonymize
        moss evidence report ada emeka --pdf -o case.pdf
        moss evidence report ada emeka --for ada -o copy-for-ada.html

    The file is complete: what was found in plain words, what it does not prove, each passage side by side, both texts
    in full, the settings, and the digests of the files. It needs no network, prints on A4 and Letter, and has no
    scripts. With --anonymize, keep hearing.names.csv apart from it: only you can read that file. With --for, the
    file is a copy to give to that student, which says what it leaves out.

    Exit status: 0 done, 2 no such report or pair, or wrong usage.
    """
    from moss.report.atomic_files import OutputError
    from moss.report.evidence.document import EvidenceError, EvidenceRequest
    from moss.report.evidence.pair_choice import ChoiceError, choose_pair, choose_student
    from moss.report.folder_reader import ReportError, load_report

    if student is not None and (anonymize or name_others):
        raise click.UsageError(gettext("--for can't be used with --anonymize or --name-others"))
    if anonymize and name_others:
        raise click.UsageError(gettext("--anonymize and --name-others can't be used together"))
    if names and not anonymize:
        raise click.UsageError(gettext("--names needs --anonymize"))
    try:
        loaded = load_report(report)
        if loaded.imported:
            tool = loaded.imported.tool
            raise EvidenceError(
                gettext(
                    "%(report)s was imported from %(tool)s, and evidence can only show what moss found itself: run "
                    "moss compare -o on the submissions, and use that report",
                    report=report,
                    tool=tool,
                )
            )
        number = choose_pair(loaded, a, b)
        reader = choose_student(loaded, number, student) if student is not None else ""
        case = EvidenceRequest(loaded, number, note, anonymize, name_others, datetime.now(UTC), student=reader)
        _write(case, output, names, pdf)
    except (ReportError, ChoiceError, EvidenceError, OutputError) as error:
        complain(printable(str(error)))
        raise SystemExit(2) from None


def _write(case: EvidenceRequest, output: Path | None, names: Path | None, pdf: bool) -> None:
    from moss.report.atomic_files import OutputError, whole_bytes
    from moss.report.evidence.document import make_evidence
    from moss.report.evidence.pdf import print_pdf
    from moss.report.evidence.redaction import names_table

    table = names_table(case.report, case.number) if case.anonymous else []
    pair = case.report.pairs[case.number - 1]
    told = [case.student, "copy"] if case.student else [row[0] for row in table] or [pair.a, pair.b]
    page = output or Path(default_name(told, "pdf" if pdf else "html"))
    names = names or page.parent / f"{page.stem}.names.csv"
    if table and names.absolute() == page.absolute():
        raise OutputError(gettext("%(page)s cannot be both the evidence and the table of names", page=page))
    text = make_evidence(case)
    content = print_pdf(text) if pdf else text.encode("utf-8", "replace")
    if table:
        _write_names(table, names)
    with whole_bytes(page) as file:
        file.write(content)
    click.echo(
        gettext(
            "Evidence on %(a)s and %(b)s: %(file)s", a=printable(pair.a), b=printable(pair.b), file=printable(str(page))
        ),
        err=True,
    )
    click.echo(f"SHA-256: {sha256(content).hexdigest()}", err=True)
    if table:
        click.echo(gettext("Names: %(file)s (keep it apart from the evidence)", file=printable(str(names))), err=True)


def default_name(submissions: Sequence[str], ending: str = "html") -> str:
    """A file name made of two submission ids, with plain characters only."""
    plain = [re.sub(r"[^\w.-]+|^\.+", "_", id, flags=re.ASCII)[:_LONGEST].strip("_") or "x" for id in submissions]
    return f"evidence-{'-'.join(plain)}.{ending}"


def _write_names(table: Sequence[tuple[str, str, str]], path: Path) -> None:
    """Write the names behind the pseudonyms to a file that only this user can read."""
    from moss.report.atomic_files import whole_file
    from moss.report.csv_tables import cell

    with private_files(), whole_file(path) as file:
        rows = csv.writer(file)
        rows.writerow(["pseudonym", "submission", "owner"])
        rows.writerows([cell(value) for value in row] for row in table)
