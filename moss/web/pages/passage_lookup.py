"""The page of a passage, or of a whole submission, that lists who else has it in all courses the reader may see."""

from __future__ import annotations

from flask import Blueprint, abort, render_template
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.services.passage_lookup import who_has_passage, who_has_submission
from moss.store.results.reports import pair_at
from moss.store.submissions.contents import read_texts
from moss.store.submissions.fingerprints import count_behind
from moss.store.tables import RunEntryRow, RunRow
from moss.web.request.access import Right, access, my_courses
from moss.web.request.context import db, me

blueprint = Blueprint("elsewhere", __name__)


@blueprint.get("/runs/<int:run>/pairs/<int:rank>/passages/<int:number>/elsewhere")
@access(Right.READ)
def passage(run: RunRow, rank: int, number: int) -> ResponseReturnValue:
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
def whole(run: RunRow, number: int) -> ResponseReturnValue:
    """The submissions of any year that share most with this one."""
    entry = _entries(run, {number}).get(number) or abort(404)
    found = who_has_submission(db(), entry, _visible_courses())
    return render_template("web/elsewhere_whole.html", run=run, entry=entry, found=found, behind=count_behind(db()))


def _entries(run: RunRow, numbers: set[int]) -> dict[int, RunEntryRow]:
    query = select(RunEntryRow).where(RunEntryRow.run_id == run.id, RunEntryRow.number.in_(numbers))
    return {entry.number: entry for entry in db().scalars(query)}


def _visible_courses() -> set[int] | None:
    return None if me().administrator else {course.id for course in my_courses(me())}
