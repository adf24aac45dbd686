"""The pages of a finished run's report, rendered and stored when first opened; their slots are filled each time.

Two more pages list who else has a passage, or most of a submission, in all courses that the reader may see.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import bindparam, or_, select
from sqlalchemy.exc import OperationalError

from moss.model import Report
from moss.report.masked_report import Mask, kept_name
from moss.report.packed_page import PackedPage
from moss.report.page_templates import PAIR_LIST
from moss.report.pages.cluster import pairs_of_source, source_of_passages
from moss.report.render import CLUSTERS, PAIRS, SUBMISSIONS
from moss.report.served import ALONE, OVERVIEW, NoSuchPageError, render_one, templates_digest
from moss.services.passage_lookup import who_has_passage, who_has_submission
from moss.store.deletion.withdrawal import is_current
from moss.store.results.reports import pair_at, read_page, save_pages
from moss.store.submissions.contents import read_texts
from moss.store.submissions.fingerprints import count_behind
from moss.store.tables import PairRow, ResultRow, RunEntryRow, RunRow
from moss.web.actions.reports import report_of
from moss.web.pages.assets import FOR_EVER, REPORT_ASSETS, send_asset
from moss.web.pages.slots import (
    cluster_slots,
    overview_slots,
    pair_list_slots,
    pair_slots,
    submission_slots,
    with_case_states,
)
from moss.web.request.access import Right, access, is_anonymous, my_courses
from moss.web.request.answers import send_page
from moss.web.request.context import db, me, server
from moss.web.request.limits import heavy_work

blueprint = Blueprint("reports", __name__)

_PAIRS_OF = select(PairRow.rank).where(
    PairRow.run_id == bindparam("run"), or_(PairRow.a == bindparam("entry"), PairRow.b == bindparam("entry"))
)


@blueprint.get("/runs/<int:run>/")
@access(Right.READ)
def overview(run: RunRow) -> ResponseReturnValue:
    """The overview of a report."""
    if run.finished is None:
        return redirect(url_for("runs.progress", run=run.id))
    return send_page(with_case_states(run, shown_page(run, OVERVIEW)), overview_slots(run))


@blueprint.get(f"/runs/<int:run>/{PAIR_LIST}")
@access(Right.READ)
def pair_list(run: RunRow) -> ResponseReturnValue:
    """The data of the overview's lists, with the states of the cases."""
    return send_page(shown_page(run, PAIR_LIST), pair_list_slots(run), "text/javascript")


@blueprint.get("/runs/<int:run>/pairs/<int:rank>")
@access(Right.READ)
def pair(run: RunRow, rank: int) -> ResponseReturnValue:
    """Two submissions side by side."""
    page = shown_page(run, f"pairs/{rank}")
    return send_page(page, pair_slots(run, rank, page.slots))


@blueprint.get("/runs/<int:run>/submissions/<int:number>")
@access(Right.READ)
def submission_page(run: RunRow, number: int) -> ResponseReturnValue:
    """One submission, with everybody it shares passages with."""
    return send_page(shown_page(run, f"submissions/{number}"), submission_slots(run, number))


@blueprint.get("/runs/<int:run>/clusters/<int:number>")
@access(Right.READ)
def cluster_page(run: RunRow, number: int) -> ResponseReturnValue:
    """One cluster, with its members and what they share."""
    return send_page(with_case_states(run, shown_page(run, f"clusters/{number}")), cluster_slots(run))


@blueprint.get("/runs/<int:run>/assets/<name>")
@access(Right.READ)
def asset(run: RunRow, name: str) -> ResponseReturnValue:
    """A style sheet or a script of the report's pages."""
    return report_asset(name)


def report_asset(name: str) -> ResponseReturnValue:
    """A file of the report's pages, which browsers may cache for ever: its address changes with its content."""
    response = send_asset(REPORT_ASSETS, name)
    response.headers["Cache-Control"] = FOR_EVER if request.args.get("v") == templates_digest() else "no-cache"
    return response


def shown_page(run: RunRow, name: str) -> PackedPage:
    """A page of a report, without names in anonymous mode."""
    return masked_page(run, name) if is_anonymous() else stored_page(run, name)


def masked_page(run: RunRow, name: str) -> PackedPage:
    """A page of a report without names, which is stored beside the one that has them."""

    def make() -> str:
        edition = db().scalar(select(ResultRow.edition).where(ResultRow.run_id == run.id)) or 0
        mask = _mask(run.id, edition)
        shown = _shown_on(run, name, mask)
        return render_one(mask.report(shown.load(run)), name)

    return stored_page(run, kept_name(name), make)


@lru_cache(maxsize=4)  # each page of a report needs it, and it takes all texts
def _mask(run_id: int, edition: int) -> Mask:
    return Mask(report_of(db().get_one(RunRow, run_id), None, (), (), ()))


def stored_page(run: RunRow, name: str, make: Callable[[], str] | None = None) -> PackedPage:
    """A stored page of a report, rendered now if nobody has opened it yet or if the templates have changed since.

    `make` renders a page that is stored with the report without being part of it."""
    if run.finished is None:
        abort(404)
    stored = _stored(run, name)
    if stored is not None:
        return stored
    shown = _shown_on(run, name) if make is None else PageContent()

    def made() -> str:
        with heavy_work():
            if make is not None:
                return make()
            return render_one(shown.load(run), name)

    try:
        return _made(run, name, made)
    except NoSuchPageError:  # somebody was erased meanwhile
        abort(404)


def kept_page(run: RunRow, name: str, make: Callable[[], str]) -> PackedPage:
    """A page that is stored with a run's report; made now, and stored, if it is not there yet."""
    return _stored(run, name) or _made(run, name, make)


def _stored(run: RunRow, name: str) -> PackedPage | None:
    return read_page(db(), run.id, name, templates_digest())


def _made(run: RunRow, name: str, make: Callable[[], str]) -> PackedPage:
    edition = db().scalar(select(ResultRow.edition).where(ResultRow.run_id == run.id)) or 0
    page = PackedPage.of(make())
    # A reader does not wait for writers: if the page cannot be stored now, the next reader makes it again.
    with suppress(OperationalError), server().store.session_at_once() as session:
        if is_current(session, run.id, edition):  # or somebody was erased while the page was made
            save_pages(session, run.id, templates_digest(), {name: page})
    return page


@dataclass(frozen=True, slots=True)
class PageContent:
    """The parts of a report that a page shows. Only these are loaded, so that one page of a large class does not cost
    as much as all of them."""

    texts_of: frozenset[int] = frozenset()  # numbers of submissions
    matches_of: frozenset[int] = frozenset()  # ranks of pairs
    ranking_of: frozenset[int] | None = None  # numbers of submissions; None: of all
    figures_of: frozenset[int] | None = None  # ranks of pairs whose reasons are shown; None: of all

    def load(self, run: RunRow) -> Report:
        """The report of a run, with these parts."""
        return report_of(run, self.texts_of, self.matches_of, self.ranking_of, self.figures_of)


def _shown_on(run: RunRow, name: str, mask: Mask | None = None) -> PageContent:
    """The parts that a page shows, by their numbers in the report with names, also for a page without; answers 404 if
    there is no such page."""
    folder, _, number = name.partition("/")
    if folder in (PAIRS, ALONE):
        pair = pair_at(db(), run, int(number)) or abort(404)
        rank = frozenset((pair.rank,))
        return PageContent(frozenset((pair.a, pair.b)), rank, frozenset(), rank)
    if folder == SUBMISSIONS:
        entry = (mask.number_behind(int(number)) if mask else int(number)) or abort(404)
        ranks = frozenset(db().scalars(_PAIRS_OF, {"run": run.id, "entry": entry})) or abort(404)
        return PageContent(frozenset((entry,)), ranks, frozenset((entry,)), frozenset())
    return _shown_of_cluster(run, int(number), mask) if folder == CLUSTERS else PageContent()


def _shown_of_cluster(run: RunRow, number: int, mask: Mask | None) -> PageContent:
    """One text and its pairs; which text, the scores tell."""
    report = report_of(run, (), (), figures_of=())
    if not 0 < number <= len(report.clusters):
        abort(404)
    members = set(report.clusters[number - 1])
    inside = frozenset(place for place, record in enumerate(report.submissions, 1) if record.id in members)
    shown = mask.report(report) if mask else report  # of equal members the first is the source, and orders differ
    source, ranks = source_of_passages(shown, number), pairs_of_source(shown, number)
    place = mask.number_behind(source) if mask else source
    return PageContent(frozenset({place or abort(404)}), frozenset(ranks), inside, frozenset())


@blueprint.get("/runs/<int:run>/pairs/<int:rank>/passages/<int:number>/elsewhere")
@access(Right.READ)
def passage_elsewhere(run: RunRow, rank: int, number: int) -> ResponseReturnValue:
    """The submissions of any year that have a passage too."""
    pair = pair_at(db(), run, rank)
    match = next((match for match in pair.matches if match.number == number), None) if pair else None
    if pair is None or match is None:
        abort(404)
    entries = _entries(run, {pair.a, pair.b})
    digest = next((file["text"] for file in entries[pair.a].files if file["path"] == match.a["file"]), "")
    span = match.a["start"], match.a["end"]
    besides = {entry.submission_id for entry in entries.values() if entry.submission_id}
    return render_template(
        "web/elsewhere.html", run=run, rank=rank, match=match, entries=[entries[pair.a], entries[pair.b]],
        found=who_has_passage(db(), digest, span, _visible_courses(), besides),
        asked=read_texts(db(), [digest]).get(digest, "")[slice(*span)], behind=count_behind(db()),
    )  # fmt: skip


@blueprint.get("/runs/<int:run>/submissions/<int:number>/elsewhere")
@access(Right.READ)
def submission_elsewhere(run: RunRow, number: int) -> ResponseReturnValue:
    """The submissions of any year that share most with this one."""
    entry = _entries(run, {number}).get(number) or abort(404)
    found = who_has_submission(db(), entry, _visible_courses())
    return render_template("web/elsewhere_whole.html", run=run, entry=entry, found=found, behind=count_behind(db()))


def _entries(run: RunRow, numbers: set[int]) -> dict[int, RunEntryRow]:
    query = select(RunEntryRow).where(RunEntryRow.run_id == run.id, RunEntryRow.number.in_(numbers))
    return {entry.number: entry for entry in db().scalars(query)}


def _visible_courses() -> set[int] | None:
    return None if me().administrator else {course.id for course in my_courses(me())}
