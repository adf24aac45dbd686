"""The pages of a finished run's report, rendered and stored when first opened; their slots are filled each time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from flask import Blueprint, abort, redirect, request, send_from_directory, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import or_, select
from sqlalchemy.exc import OperationalError

from moss.report.render import PAIRS, SUBMISSIONS
from moss.report.served import ALONE, OVERVIEW, NoSuchPageError, fill_slots, render_one, templates_digest
from moss.report.site import ASSETS
from moss.store.deletion.withdrawal import is_current
from moss.store.results.cases import pair_at
from moss.store.results.pages import read_page, save_pages
from moss.store.tables import PairRow, ResultRow, RunRow
from moss.web.actions.evidence import report_of
from moss.web.pages.assets import FOR_EVER
from moss.web.pages.slots import overview_slots, pair_slots, submission_slots
from moss.web.request.access import Right, access
from moss.web.request.context import db, server
from moss.web.request.heavy_work import heavy_work

blueprint = Blueprint("reports", __name__)


@blueprint.get("/runs/<int:run>/")
@access(Right.READ)
def overview(run: RunRow) -> ResponseReturnValue:
    """The overview of a report."""
    if run.finished is None:
        return redirect(url_for("runs.progress", run=run.id))
    return fill_slots(stored_page(run, OVERVIEW), overview_slots(run))


@blueprint.get("/runs/<int:run>/pairs/<int:rank>")
@access(Right.READ)
def pair(run: RunRow, rank: int) -> ResponseReturnValue:
    """Two submissions side by side."""
    return fill_slots(stored_page(run, f"pairs/{rank}"), pair_slots(run, rank))


@blueprint.get("/runs/<int:run>/submissions/<int:number>")
@access(Right.READ)
def submission_page(run: RunRow, number: int) -> ResponseReturnValue:
    """One submission, with everybody it shares passages with."""
    return fill_slots(stored_page(run, f"submissions/{number}"), submission_slots(run, number))


@blueprint.get("/runs/<int:run>/assets/<name>")
@access(Right.READ)
def asset(run: RunRow, name: str) -> ResponseReturnValue:
    """A style sheet or a script of the report's pages."""
    return send_asset(name)


def send_asset(name: str) -> ResponseReturnValue:
    """A file of the report's pages, which browsers may cache for ever: its address changes with its content."""
    response = send_from_directory(ASSETS, name)
    response.headers["Cache-Control"] = FOR_EVER if request.args.get("v") == templates_digest() else "no-cache"
    return response


def stored_page(run: RunRow, name: str, make: Callable[[], str] | None = None) -> str:
    """A stored page of a report, rendered now if nobody has opened it yet or if the templates have changed since.

    `make` renders a page that is stored with the report without being part of it."""
    if run.finished is None:
        abort(404)
    page = read_page(db(), run.id, name, templates_digest())
    return page if page is not None else _make(run, name, make or (lambda: _rendered(run, name)))


def _rendered(run: RunRow, name: str) -> str:
    return render_one(report_of(run, *_shown_on(run, name)), name)


def _make(run: RunRow, name: str, make: Callable[[], str]) -> str:
    edition = db().get_one(ResultRow, run.id).edition
    try:
        with heavy_work():
            page = make()
    except NoSuchPageError:
        abort(404)
    # A reader does not wait for writers: if the page cannot be stored now, the next reader renders it again.
    with suppress(OperationalError), server().store.session_at_once() as session:
        if is_current(session, run.id, edition):  # or somebody was erased while the page was rendered
            save_pages(session, run.id, templates_digest(), {name: page})
    return page


def _shown_on(run: RunRow, name: str) -> tuple[set[int], set[int]]:
    """The numbers of the submissions whose texts a page shows, and the ranks of the pairs whose passages it shows.

    Only these are loaded, so that one page of a large class does not cost as much as all of them."""
    folder, _, number = name.partition("/")
    if folder in (PAIRS, ALONE):
        pair = pair_at(db(), run, int(number))
        return ({pair.a, pair.b}, {pair.rank}) if pair is not None else (set(), set())
    if folder == SUBMISSIONS:
        entry = int(number)
        query = select(PairRow.rank).where(PairRow.run_id == run.id, or_(PairRow.a == entry, PairRow.b == entry))
        return {entry}, set(db().scalars(query))
    return set(), set()
