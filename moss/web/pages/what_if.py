"""What if: a run with other settings, first as a preview of its ranking, then as a run."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import func, select
from werkzeug.datastructures import MultiDict

from moss.services.preview import PreviewError, PreviewRequest
from moss.store.results.run_differences import RunDifference
from moss.store.results.run_result import state_of
from moss.store.results.runs import CHOICES, RunRequest
from moss.store.tables import AssignmentRow, RunEntryRow, RunRow
from moss.store.validation import RefusedError
from moss.web.actions.corpora import my_corpora
from moss.web.actions.runs import checked_choice, earlier_assignments, start_run
from moss.web.pages.previews import PreviewCache
from moss.web.pages.rank_chart import make_rank_chart
from moss.web.request.access import Right, access
from moss.web.request.context import db, parts
from moss.web.request.list_filters import language_names
from moss.web.request.transactions import let_go

blueprint = Blueprint("what_if", __name__)

SHOWN = 50  # pairs of a preview
PREVIEWS = PreviewCache()


@blueprint.get("/runs/<int:run>/what-if")
@access(Right.READ)
def show(run: RunRow) -> ResponseReturnValue:
    """The form, filled with what the run used."""
    if run.finished is None:
        return redirect(url_for("runs.progress", run=run.id))
    archives, corpora = (("archives", str(number)) for number in run.archives), (("corpora", n) for n in run.corpora)
    used = MultiDict([*run.settings.items(), *archives, *corpora])
    return _page(run, used)


@blueprint.get("/runs/<int:run>/what-if/preview")
@access(Right.READ)
def preview(run: RunRow) -> ResponseReturnValue:
    """The same with the ranking as it would be."""
    _must_be_finished(run)
    try:
        wish = wish_of(run, request.args)
    except RefusedError as wrong:
        return _page(run, request.args, wrong=wrong), 422
    try:
        answer, run = _answer(run, wish)
    except PreviewError as error:
        return _page(db().get_one(RunRow, run.id), request.args, sentence=str(error))
    return _page(run, request.args, answer)


@blueprint.post("/runs/<int:run>/what-if")
@access(Right.TEACH)
def start(run: RunRow) -> ResponseReturnValue:
    """Do it; then the two runs are compared."""
    _must_be_finished(run)
    try:
        wish = wish_of(run, request.form)
        new = start_run(run.assignment, wish)
    except RefusedError as wrong:
        return _page(run, request.form, wrong=wrong), 422
    return redirect(url_for("comparing.show", run=new.id, other=run.id), 303)


def wish_of(run: RunRow, given: MultiDict[str, str]) -> RunRequest:
    """What a form asks for; RefusedError if it cannot be."""
    settings = {name: given.get(name, "") for name in CHOICES}
    return checked_choice(settings, given.getlist("archives"), given.getlist("corpora"), possible(run))


def possible(run: RunRow) -> list[AssignmentRow]:
    """The assignments that can be earlier work: what the reader may see, and what the report has anyway."""
    visible = earlier_assignments(run.assignment)
    used = (db().get(AssignmentRow, number) for number in run.archives)
    return visible + [assignment for assignment in used if assignment and assignment not in visible]


def _must_be_finished(run: RunRow) -> None:
    if run.finished is None:
        abort(404)


def _answer(run: RunRow, wish: RunRequest) -> tuple[RunDifference, RunRow]:
    """The preview; meanwhile no transaction is open, so the run is looked up again."""
    config = parts().config
    wished = {name: value for name, value in wish.settings.items() if name not in ("show", "comment")}
    question = PreviewRequest(
        config.database, config.job_megabytes, run.id, wished, tuple(wish.archives), tuple(wish.corpora),
        config.data.absolute(), SHOWN,
    )  # fmt: skip
    corpora = [standing for standing in my_corpora() if standing.name in wish.corpora]
    state = hash((state_of(db(), [run.assignment_id, *wish.archives]), *corpora))
    let_go()
    return PREVIEWS.get(question, state), db().get_one(RunRow, question.run_id)


def _page(
    run: RunRow,
    typed: MultiDict[str, str],
    answer: RunDifference | None = None,
    wrong: RefusedError | None = None,
    sentence: str = "",
) -> str:
    assert run.result is not None
    return render_template(
        "web/what_if.html",
        run=run,
        typed=typed,
        chosen=typed.getlist("archives"),
        possible=possible(run),
        chosen_corpora=typed.getlist("corpora"),
        corpora=my_corpora(),
        languages=language_names(),
        used=run.result.parameters,
        size=db().scalar(select(func.count()).select_from(RunEntryRow).filter_by(run_id=run.id)),
        answer=answer,
        slopes=make_rank_chart(answer.changes) if answer else None,
        shown=SHOWN,
        wrong=wrong,
        sentence=sentence,
    )
