"""Downloads: a report as data, for spreadsheets and other programs."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection
from typing import IO

from flask import Blueprint, Response, abort
from flask.typing import ResponseReturnValue

from moss.intake.bundles import write_bundle
from moss.model import Report
from moss.report.csv_tables import write_csv, write_scores
from moss.report.json_report import write_json
from moss.store.results.reports import load_report
from moss.store.results.run_input import bundle_of
from moss.store.tables import RunRow
from moss.web.actions.evidence import bundle_name
from moss.web.request.access import Right, access
from moss.web.request.context import db
from moss.web.request.heavy_work import heavy_work

blueprint = Blueprint("downloads", __name__)

ReportWriter = Callable[[Report, IO[str]], None]


@blueprint.get("/runs/<int:run>/report.json")
@access(Right.READ)
def report(run: RunRow) -> ResponseReturnValue:
    """The report as JSON, described in docs/report.md, without the texts."""
    return _download(run, write_json, "report.json", "application/json")


@blueprint.get("/runs/<int:run>/pairs.csv")
@access(Right.READ)
def pairs(run: RunRow) -> ResponseReturnValue:
    """The shown pairs, one in each row."""
    return _download(run, write_csv, "pairs.csv", "text/csv")


@blueprint.get("/runs/<int:run>/scores.csv")
@access(Right.READ)
def scores(run: RunRow) -> ResponseReturnValue:
    """The scores of all pairs that share anything."""
    return _download(run, write_scores, "scores.csv", "text/csv", matches_of=())


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


def _download(
    run: RunRow, write: ReportWriter, name: str, kind: str, matches_of: Collection[int] | None = None
) -> ResponseReturnValue:
    if run.finished is None:
        abort(404)
    file = io.StringIO()
    write(load_report(db(), run, texts_of=(), matches_of=matches_of), file)
    response = Response(file.getvalue().encode("utf-8", "replace"), content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="run-{run.id}-{name}"'
    return response
