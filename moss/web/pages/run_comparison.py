"""Two runs compared: the settings that differ, the submissions added or gone, and the changes of the ranking.

The ranking is also a chart: both lists, and a line from each pair's old rank to its new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.messages import gettext as _
from moss.messages import marked
from moss.store.courses.people import newest_runs
from moss.store.results.progress import progress_of
from moss.store.results.run_differences import PairChange, PairMove, RankedPlace, compare_runs, parameters_changed
from moss.store.tables import RunRow
from moss.web.pages.runs import state as run_state
from moss.web.request.access import Right, access, course_role
from moss.web.request.context import db, me

blueprint = Blueprint("run_comparison", __name__)

MOST = 250  # of the best pairs of either run are compared

ORDERS: Mapping[str, tuple[str, Callable[[PairChange], Any]]] = {
    "rank": (marked("rank now"), lambda change: (change.after is None, change.after.rank if change.after else 0)),
    "before": (
        marked("rank before"),
        lambda change: (change.before is None, change.before.rank if change.before else 0),
    ),
    "gain": (marked("change of score"), lambda change: -abs(change.gain)),
    "climb": (
        marked("change of rank"),
        lambda change: (change.move not in (PairMove.NEW, PairMove.GONE), -abs(change.climb)),
    ),
}
KINDS: Mapping[str, tuple[str, Callable[[PairChange], bool]]] = {
    "all": (marked("all pairs"), lambda change: True),
    "new": (marked("new"), lambda change: change.move is PairMove.NEW),
    "gone": (marked("gone"), lambda change: change.move is PairMove.GONE),
    "risen": (marked("risen"), lambda change: change.move is PairMove.RISEN),
    "fallen": (marked("fallen"), lambda change: change.move is PairMove.FALLEN),
    "crossed": (marked("unusual in one run only"), lambda change: change.stands_out[0] != change.stands_out[1]),
}
ROW = 30  # pixels; the style sheet gives each row of the lists the same height
_BELOW = 12  # pixels below the last row, into which lines may run


@blueprint.get("/runs/<int:run>/compared-with/")
@access(Right.READ)
def choose(run: RunRow) -> ResponseReturnValue:
    """The choice of the run to compare with."""
    if run.finished is None:
        return redirect(url_for("runs.progress", run=run.id))
    finished = [other for other in reversed(run.assignment.runs) if other.finished and other is not run]
    others = [other for other in newest_runs(db(), run.assignment.course) if other.assignment_id != run.assignment_id]
    changed = {other.id: parameters_changed(db(), other, run) for other in finished}
    return render_template("web/compared_choose.html", run=run, runs=finished, others=others, changed=changed)


@blueprint.get("/runs/<int:run>/compared-with/<int:other>")
@access(Right.READ)
def show(run: RunRow, other: int) -> ResponseReturnValue:
    """Two runs beside each other, `other` as the one before."""
    before = readable_run(other)
    for each in (run, before):
        if each.finished is None:
            return render_template("web/compared_waiting.html", run=run, other=before, waiting=each,
                                   progress=progress_of(db(), each))  # fmt: skip
    return _page(run, before)


@blueprint.get("/runs/<int:run>/compared-with/<int:other>/state")
@access(Right.READ)
def state(run: RunRow, other: int) -> ResponseReturnValue:
    """The progress of the run that is not finished, for the script of the waiting page."""
    unfinished = [each for each in (run, readable_run(other)) if each.finished is None]
    if unfinished:
        return run_state(unfinished[0])
    return {"report": url_for("run_comparison.show", run=run.id, other=other)}


def readable_run(number: int) -> RunRow:
    """A run whose course the visitor may see; to others it does not exist."""
    run = db().get(RunRow, number)
    if run is None or course_role(me(), run.assignment.course) is None:
        abort(404)
    return run


def _page(run: RunRow, before: RunRow) -> str:
    found = compare_runs(db(), before, run, MOST)
    name, kind, order = (request.args.get(field, "") for field in ("name", "only", "order"))
    return render_template(
        "web/compared.html",
        run=run,
        other=before,
        parameters=parameters_changed(db(), before, run),
        found=found,
        changes=select_changes(found.changes, name, kind, order),
        slopes=make_rank_chart(found.changes),
        most=MOST,
        kinds={key: _(word) for key, (word, test) in KINDS.items()},
        orders={key: _(word) for key, (word, sort) in ORDERS.items()},
        asked={"name": name, "only": kind, "order": order},
    )


def select_changes(changes: Sequence[PairChange], name: str, kind: str, order: str) -> list[PairChange]:
    """The changes of one kind with this text in a name, sorted in one of the orders."""
    __, wanted = KINDS.get(kind, KINDS["all"])
    __, key = ORDERS.get(order, ORDERS["rank"])
    part = " ".join(name.split()).casefold()
    named = [c for c in changes if not part or any(part in member.label.casefold() for member in c.pair)]
    return sorted(filter(wanted, named), key=key)


@dataclass(frozen=True, slots=True)
class RankLine:
    """The line of a pair, from 0 to 100 across; only its beginning or end, if the other rank is not in the chart."""

    pair: int  # its place in the changes
    move: PairMove
    before: float | None  # pixels from the top
    after: float | None

    @property
    def path(self) -> str:
        """The line as the path of an SVG."""
        if self.before is not None and self.after is not None:
            return f"M0 {self.before:g}C40 {self.before:g} 60 {self.after:g} 100 {self.after:g}"
        if self.before is not None:
            return f"M0 {self.before:g}q16 0 22 24"
        return f"M100 {self.after:g}q-16 0 -22 24"


@dataclass(frozen=True, slots=True)
class RankChart:
    """Both lists and the lines between them."""

    before: tuple[tuple[int, PairChange], ...]  # in the order of the rank, each with its place in the changes
    after: tuple[tuple[int, PairChange], ...]
    lines: tuple[RankLine, ...]
    height: int


def make_rank_chart(changes: Sequence[PairChange], most: int = 30) -> RankChart:
    """The chart of the best pairs of either ranking, at most so many of each."""
    before, after = _best([c.before for c in changes], most), _best([c.after for c in changes], most)
    lines = [
        RankLine(number, changes[number].move, before.get(number), after.get(number))
        for number in dict.fromkeys((*before, *after))
        if changes[number].before and changes[number].after
    ]
    height = ROW * max(len(before), len(after)) + _BELOW
    return RankChart(
        tuple((n, changes[n]) for n in before), tuple((n, changes[n]) for n in after), tuple(lines), height
    )


def _best(places: Sequence[RankedPlace | None], most: int) -> dict[int, float]:
    """The pairs with the best ranks, in order: their place in the changes, and their height in the list."""
    ranked = sorted((place.rank, number) for number, place in enumerate(places) if place and place.rank <= most)
    return {number: ROW * (row + 0.5) for row, (_, number) in enumerate(ranked)}
