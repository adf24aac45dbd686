"""Runs: starting, watching, cancelling and deleting them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.jobs.handlers.run import FIRST_PAIRS
from moss.jobs.ledger import cancel as cancel_job
from moss.messages import gettext as _
from moss.messages import marked, number
from moss.model import Role, Stage
from moss.settings import Settings
from moss.store.queue_lanes import waiting_in_words
from moss.store.results.progress import RunProgress, first_pairs_of, progress_of
from moss.store.results.runs import CHOICES, delete_run, remembered
from moss.store.submissions.lists import comparable_owners
from moss.store.tables import AssignmentRow, JobState, RunRow
from moss.store.validation import RefusedError
from moss.web.actions.runs import checked_choice, earlier_assignments, my_corpora, start_run
from moss.web.request.access import Right, access
from moss.web.request.addresses import language_choices, say
from moss.web.request.context import audit, db

blueprint = Blueprint("runs", __name__)

STAGES = {
    Stage.READING: marked("Reading submissions"),
    Stage.ASKING: marked("Searching corpora"),
    Stage.SCANNING: marked("Reading code"),
    Stage.RANKING: marked("Ranking pairs"),
    Stage.ALIGNING: marked("Finding passages"),
    Stage.STORING: marked("Saving the report"),
}
"""The stages of a run, as readers know them."""

_ENDS = {
    JobState.DONE: marked("Finished"),
    JobState.FAILED: marked("Failed"),
    JobState.CANCELLED: marked("Cancelled"),
}


@blueprint.get("/assignments/<int:assignment>/runs/new")
@access(Right.TEACH)
def new(assignment: AssignmentRow) -> ResponseReturnValue:
    """The form by which a run is started."""
    return _form_page(assignment)


@blueprint.post("/assignments/<int:assignment>/runs")
@access(Right.TEACH)
def start(assignment: AssignmentRow) -> ResponseReturnValue:
    """Start a run as the form says."""
    try:
        given = {name: request.form.get(name, "") for name in CHOICES}
        archives, corpora = request.form.getlist("archives"), request.form.getlist("corpora")
        run = start_run(assignment, checked_choice(given, archives, corpora, earlier_assignments(assignment)))
    except RefusedError as wrong:
        return _form_page(assignment, wrong), 422
    return redirect(url_for("runs.progress", run=run.id), 303)


@blueprint.get("/runs/<int:run>/progress")
@access(Right.READ)
def progress(run: RunRow) -> ResponseReturnValue:
    """How far a run is, or why it has no report."""
    if run.finished is not None:
        return redirect(url_for("reports.overview", run=run.id))
    stages = {stage: word for stage, word in STAGES.items() if run.corpora or stage is not Stage.ASKING}
    pairs = first_pairs_of(db(), run, FIRST_PAIRS)
    found = progress_of(db(), run)
    missing = missing_work(run.assignment) if found.state is JobState.FAILED and is_of_class_alone(run) else ""
    return render_template(
        "web/run_progress.html", run=run, progress=found, stages=stages, pairs=pairs, missing=missing
    )


@blueprint.get("/runs/<int:run>/state")
@access(Right.READ)
def state(run: RunRow) -> ResponseReturnValue:
    """The progress of a run, for scripts."""
    found = progress_of(db(), run)
    if run.finished is not None:
        following = {"report": url_for("reports.overview", run=run.id)}
    else:
        pairs = first_pairs_of(db(), run, FIRST_PAIRS)
        following = {"pairs": render_template("web/_first_pairs.html", run=run, pairs=pairs)}
    return {"sentence": sentence(found), "share": found.share, "done": found.done, "total": found.total,
            "stage": found.stage, "state": found.state.value, "left": found.left, "reason": found.reason,
            "cancelling": found.cancelling, **following}  # fmt: skip


@blueprint.post("/runs/<int:run>/cancel")
@access(Right.TEACH)
def cancel(run: RunRow) -> ResponseReturnValue:
    """Stop a run."""
    if run.job_id is None or not cancel_job(db(), run.job_id):
        flash(_("This run is already over."), "wrong")
    else:
        audit("cancelled a run", course_id=run.assignment.course_id, assignment=run.assignment.name, run=run.number)
    return redirect(url_for("runs.progress", run=run.id), 303)


@blueprint.get("/runs/<int:run>/log")
@access(Right.READ)
def log(run: RunRow) -> ResponseReturnValue:
    """The log of a run, line by line."""
    lines = run.job.lines if run.job is not None else []
    text = "".join(f"{line.at:%Y-%m-%d %H:%M:%S} UTC  {line.text}\n" for line in lines)
    return Response(text or _("Nothing has happened yet.") + "\n", mimetype="text/plain")


@blueprint.post("/runs/<int:run>/delete")
@access(Right.TEACH)
def delete(run: RunRow) -> ResponseReturnValue:
    """Delete a run with its report; decisions about pairs stay."""
    assignment, number_of_run = run.assignment, run.number
    if run.job_id is not None:
        cancel_job(db(), run.job_id)
    delete_run(db(), run)
    audit("deleted a run", course_id=assignment.course_id, assignment=assignment.name, run=number_of_run)
    say(_("Run %(number)s and its report have been deleted. Decisions about pairs were kept.", number=number_of_run))
    return redirect(url_for("assignments.show", assignment=assignment.id), 303)


def sentence(progress: RunProgress) -> str:
    """How far a run is, in words."""
    if progress.state is JobState.QUEUED:
        return _("Waiting for another attempt") if progress.attempt else waiting_in_words(progress.ahead)
    if progress.state is JobState.RUNNING:
        doing = _("Stopping") if progress.cancelling else _step(progress)
        if progress.attempt > 1:
            return _("%(doing)s (attempt %(n)s)", doing=doing, n=progress.attempt)
        return doing
    return _(_ENDS[progress.state])


def is_of_class_alone(run: RunRow) -> bool:
    """Whether a run compares an assignment's submissions with each other only."""
    return not run.archives and not run.corpora


def missing_work(assignment: AssignmentRow) -> str:
    """A sentence on what an assignment lacks before its submissions can be compared with each other; empty if there
    is enough."""
    owners = comparable_owners(db(), assignment.id)
    new, everybody = owners[Role.NEW], owners[Role.NEW] | owners[Role.ARCHIVE]
    if not new:
        return _("There is no submission yet that can be read.")
    if len(everybody) > 1:
        return ""
    return _(
        "Only %(name)s has work that can be read. It takes a second submission, or earlier work to compare with.",
        name=next(iter(new)),
    )


def _step(progress: RunProgress) -> str:
    if progress.stage not in STAGES:
        return _("Starting")
    step = _(STAGES[Stage(progress.stage)])
    if not progress.total:
        return step
    return _("%(step)s: %(done)s of %(total)s", step=step, done=number(progress.done), total=number(progress.total))


def _form_page(assignment: AssignmentRow, wrong: RefusedError | None = None) -> str:
    return render_template("web/run_new.html", assignment=assignment, run_wrong=wrong)


def _form(assignment: AssignmentRow) -> Mapping[str, Any]:
    """The values of the form: those just typed, or those of the assignment's last run."""
    typed: Mapping[str, Any]
    if request.endpoint == "runs.start":
        typed, chosen = request.form, request.form.getlist("archives")
        corpora = request.form.getlist("corpora")
    else:
        last = remembered(assignment)
        typed, chosen, corpora = last.settings, [str(number) for number in last.archives], last.corpora
    possible = earlier_assignments(assignment)
    return {"typed": typed, "chosen": chosen, "possible": possible, "languages": language_choices(),
            "defaults": Settings(), "chosen_corpora": corpora, "corpora": my_corpora()}  # fmt: skip


@blueprint.app_context_processor
def _helpers() -> dict[str, Any]:
    return {"run_form": _form, "run_sentence": sentence, "run_stages": STAGES}
