"""A run with other settings: first a preview of its ranking, then the run itself."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from threading import Lock

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import func, select
from werkzeug.datastructures import MultiDict

from moss.services.preview import PreviewError, PreviewRequest, preview
from moss.store.results.run_differences import RunDifference
from moss.store.results.run_input import input_state
from moss.store.results.runs import CHOICES, RunRequest
from moss.store.tables import AssignmentRow, RunEntryRow, RunRow
from moss.store.validation import RefusedError
from moss.web.actions.runs import checked_choice, earlier_assignments, my_corpora, start_run
from moss.web.pages.run_comparison import make_rank_chart
from moss.web.request.access import Right, access
from moss.web.request.addresses import language_choices
from moss.web.request.context import db, let_go, server
from moss.web.request.limits import heavy_work

blueprint = Blueprint("what_if", __name__)

SHOWN = 50  # pairs shown in a preview
SECONDS = 60.0  # that a preview may take
_MOST_CACHED = 32


@dataclass
class PreviewCache:
    """The latest previews of one server process, because readers go back and forth between settings."""

    _lock: Lock = field(default_factory=Lock)
    _cached: OrderedDict[Hashable, RunDifference] = field(default_factory=OrderedDict)

    def get(self, question: PreviewRequest, state: int) -> RunDifference:
        """The answer to a question, cached for this state of the submissions; PreviewError if there is none."""
        key = (question.database, question.run_id, tuple(sorted(question.settings.items())), question.archives,
               question.corpora, state)  # fmt: skip
        with self._lock:
            answer = self._cached.get(key)
        if answer is None:
            with heavy_work():
                answer = preview(question, SECONDS)
            self._store(key, answer)
        return answer

    def _store(self, key: Hashable, answer: RunDifference) -> None:
        with self._lock:
            self._cached[key] = answer
            while len(self._cached) > _MOST_CACHED:
                self._cached.popitem(last=False)


PREVIEWS = PreviewCache()


@blueprint.get("/runs/<int:run>/what-if")
@access(Right.READ)
def show(run: RunRow) -> ResponseReturnValue:
    """The form, filled with the settings of the run."""
    if run.finished is None:
        return redirect(url_for("runs.progress", run=run.id))
    archives, corpora = (("archives", str(number)) for number in run.archives), (("corpora", n) for n in run.corpora)
    used = MultiDict([*run.settings.items(), *archives, *corpora])
    return _page(run, used)


@blueprint.get("/runs/<int:run>/what-if/preview", endpoint="preview")
@access(Right.READ)
def show_preview(run: RunRow) -> ResponseReturnValue:
    """The form with a preview: the ranking that the chosen settings would give."""
    _must_be_finished(run)
    try:
        asked = request_of(run, request.args)
    except RefusedError as wrong:
        return _page(run, request.args, wrong=wrong), 422
    try:
        answer, run = _answer(run, asked)
    except PreviewError as error:
        return _page(db().get_one(RunRow, run.id), request.args, sentence=str(error))
    return _page(run, request.args, answer)


@blueprint.post("/runs/<int:run>/what-if")
@access(Right.TEACH)
def start(run: RunRow) -> ResponseReturnValue:
    """Start a run with the chosen settings, and lead to the comparison of the two runs."""
    _must_be_finished(run)
    try:
        asked = request_of(run, request.form)
        new = start_run(run.assignment, asked)
    except RefusedError as wrong:
        return _page(run, request.form, wrong=wrong), 422
    return redirect(url_for("run_comparison.show", run=new.id, other=run.id), 303)


def request_of(run: RunRow, given: MultiDict[str, str]) -> RunRequest:
    """The run that a form asks for; RefusedError if it is not possible."""
    settings = {name: given.get(name, "") for name in CHOICES}
    return checked_choice(settings, given.getlist("archives"), given.getlist("corpora"), possible(run))


def possible(run: RunRow) -> list[AssignmentRow]:
    """The assignments that can be earlier work: those the visitor may see, and those that the run used."""
    visible = earlier_assignments(run.assignment)
    used = (db().get(AssignmentRow, number) for number in run.archives)
    return visible + [assignment for assignment in used if assignment and assignment not in visible]


def _must_be_finished(run: RunRow) -> None:
    if run.finished is None:
        abort(404)


def _answer(run: RunRow, asked: RunRequest) -> tuple[RunDifference, RunRow]:
    """The preview, and the run loaded anew: no transaction stays open while the preview is made."""
    config = server().config
    wished = {name: value for name, value in asked.settings.items() if name not in ("show", "comment")}
    question = PreviewRequest(
        config.database, config.job_megabytes, run.id, wished, tuple(asked.archives), tuple(asked.corpora),
        config.data.absolute(), SHOWN,
    )  # fmt: skip
    corpora = [standing for standing in my_corpora() if standing.name in asked.corpora]
    state = hash((input_state(db(), [run.assignment_id, *asked.archives]), *corpora))
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
        languages=language_choices(),
        used=run.result.parameters,
        size=db().scalar(select(func.count()).select_from(RunEntryRow).filter_by(run_id=run.id)),
        answer=answer,
        slopes=make_rank_chart(answer.changes) if answer else None,
        shown=SHOWN,
        wrong=wrong,
        sentence=sentence,
    )
