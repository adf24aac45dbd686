"""Downloads of a run: the report as data, the bundle that repeats it, and the evidence of a pair to hand on."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection
from typing import IO

from flask import Blueprint, Response, abort, request, send_file
from flask.typing import ResponseReturnValue

from moss.intake.bundles import write_bundle
from moss.messages import gettext as _
from moss.model import Report
from moss.report.csv_tables import cell, write_csv, write_scores
from moss.report.evidence.document import EvidenceRequest as Exhibit
from moss.report.evidence.redaction import names_table, owners_of
from moss.report.json_report import write_json
from moss.store.results.reports import load_report
from moss.store.results.run_input import bundle_of
from moss.store.tables import RunRow
from moss.web.actions.reports import bundle_name, evidence_of, exhibit_of, pdf_of
from moss.web.request.access import Right, access
from moss.web.request.addresses import number
from moss.web.request.context import db
from moss.web.request.limits import heavy_work

blueprint = Blueprint("downloads", __name__)

_LONGEST_WORD = 40  # characters of each name in a file's name

ReportWriter = Callable[[Report, IO[str]], None]


@blueprint.get("/runs/<int:run>/report.json")
@access(Right.READ)
def report(run: RunRow) -> ResponseReturnValue:
    """The report as JSON, described in docs/report.md, without the texts."""
    return _report_file(run, write_json, "report.json", "application/json")


@blueprint.get("/runs/<int:run>/pairs.csv")
@access(Right.READ)
def pairs(run: RunRow) -> ResponseReturnValue:
    """The shown pairs, one in each row."""
    return _report_file(run, write_csv, "pairs.csv", "text/csv")


@blueprint.get("/runs/<int:run>/scores.csv")
@access(Right.READ)
def scores(run: RunRow) -> ResponseReturnValue:
    """The scores of all pairs that share anything."""
    return _report_file(run, write_scores, "scores.csv", "text/csv", matches_of=())


@blueprint.get("/runs/<int:run>/bundle.zip")
@access(Right.TEACH)
def bundle(run: RunRow) -> ResponseReturnValue:
    """A bundle of everything that was compared and the settings; `moss repeat` makes the same report of it."""
    if run.finished is None:
        abort(404)
    file = io.BytesIO()
    with heavy_work():
        write_bundle(bundle_of(db(), run), file)
    response = Response(file.getvalue(), mimetype="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="{bundle_name(run)}"'
    return response


@blueprint.get("/runs/<int:run>/pairs/<int:rank>/evidence")
@access(Right.READ)
def evidence(run: RunRow, rank: int) -> ResponseReturnValue:
    """The evidence of a pair as one file, anonymous or for one of the students if asked for, as a page or printed."""
    printed = request.args.get("format") == "pdf"
    with heavy_work():
        exhibit = _exhibit(run, rank)
        text = evidence_of(exhibit)
        content = pdf_of(text) if printed else text.encode("utf-8", "replace")
    kind = "text/html; charset=utf-8" if not printed else "application/pdf"
    return _attachment(content, _evidence_name(run, exhibit, "pdf" if printed else "html"), kind)


@blueprint.get("/runs/<int:run>/pairs/<int:rank>/evidence/names")
@access(Right.TEACH)
def evidence_names(run: RunRow, rank: int) -> ResponseReturnValue:
    """The names behind the pseudonyms of anonymous evidence."""
    with heavy_work():
        exhibit = _exhibit(run, rank)
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(["pseudonym", "submission", "owner"])
    rows.writerows([cell(value) for value in row] for row in names_table(exhibit.report, rank))
    content = file.getvalue().encode("utf-8", "replace")
    return _attachment(content, f"names-run-{run.id}-pair-{rank}.csv", "text/csv; charset=utf-8")


def _report_file(
    run: RunRow, write: ReportWriter, name: str, kind: str, matches_of: Collection[int] | None = None
) -> ResponseReturnValue:
    if run.finished is None:
        abort(404)
    file = io.StringIO()
    write(load_report(db(), run, texts_of=(), matches_of=matches_of), file)
    response = Response(file.getvalue().encode("utf-8", "replace"), content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="run-{run.id}-{name}"'
    return response


def _exhibit(run: RunRow, rank: int) -> Exhibit:
    anonymous = request.args.get("anonymous") == "yes" or request.endpoint == "downloads.evidence_names"
    note, student = request.args.get("note", "")[:10_000], request.args.get("student", type=number)
    return exhibit_of(run, rank, anonymous=anonymous, note=note, student=student)


def _evidence_name(run: RunRow, exhibit: Exhibit, ending: str) -> str:
    """The name of a file of evidence: the course, the assignment and, if it names them, the students."""
    pair = exhibit.report.pairs[exhibit.number - 1]
    owners = dict(zip((pair.a, pair.b), owners_of(exhibit.report, pair), strict=True))
    students = [owner for id, owner in owners.items() if exhibit.student in ("", id) and not exhibit.anonymous]
    words = [_("evidence"), run.assignment.course.title, run.assignment.name, *students]
    return "-".join(re.sub(r"[^\w.]+", "_", word)[:_LONGEST_WORD].strip("_.") for word in words) + f".{ending}"


def _attachment(content: bytes, name: str, kind: str) -> Response:
    response = send_file(io.BytesIO(content), kind, as_attachment=True, download_name=name)
    response.headers["Content-Type"] = kind
    return response
