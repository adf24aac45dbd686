"""A check: one page from the class that was sent to its report, with what was found, which can be corrected meanwhile.

It shows an assignment's newest upload and, once that is read, its newest run. Nothing on it leads elsewhere by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from moss.jobs.handlers.run import FIRST_PAIRS
from moss.jobs.ledger import cancel as cancel_job
from moss.messages import counted, listed, number, percent
from moss.messages import gettext as _
from moss.store.courses.assignments import newest_upload, runs_of
from moss.store.results.progress import RunProgress, first_pairs_of, progress_of
from moss.store.submissions.corrections import ROLES, role_of
from moss.store.submissions.lists import (
    ClassSummary,
    files_of_everyone,
    languages_of,
    people_of,
    submissions_of,
    summary_of_assignment,
)
from moss.store.submissions.uploads import upload_state
from moss.store.tables import AssignmentRow, JobState, RunRow, UploadRow, UploadState
from moss.web.actions.runs import most_bytes
from moss.web.pages.runs import is_of_class_alone, missing_work, sentence
from moss.web.pages.uploads import upload_progress
from moss.web.request.access import Right, access
from moss.web.request.addresses import address_of, filter_of, language_choices
from moss.web.request.context import db

blueprint = Blueprint("checks", __name__)

_UNDER_WAY = (JobState.QUEUED, JobState.RUNNING)


@dataclass
class Check:
    """How far an assignment's newest upload is on its way to a report."""

    assignment: AssignmentRow
    upload: UploadRow | None
    state: UploadState
    reason: str

    @cached_property
    def run(self) -> RunRow | None:
        """The newest run, if nothing newer is still to be read."""
        runs = runs_of(db(), self.assignment) if self.state is UploadState.CONFIRMED else ()
        return runs[0] if runs else None

    @cached_property
    def progress(self) -> RunProgress | None:
        """How far the run is."""
        return progress_of(db(), self.run) if self.run is not None else None

    @cached_property
    def missing(self) -> str:
        """A sentence on what is missing, if that is why there is no report."""
        if self.upload is None or self.state is not UploadState.CONFIRMED:
            return ""
        if self.run is not None and not is_of_class_alone(self.run):
            return ""
        failed = self.progress is None or self.progress.state is JobState.FAILED
        return missing_work(self.assignment) if failed else ""

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens by itself."""
        if self.progress is not None:
            return self.progress.state not in _UNDER_WAY
        return self.state is not UploadState.RECOGNISING

    @property
    def is_settled(self) -> bool:
        """Whether the page stays as it is until somebody does something on it. Files that have not arrived may still be
        sent from another window."""
        return self.is_over and self.state is not UploadState.RECEIVING

    @property
    def known(self) -> str:
        """A mark that changes when more is known about what was sent."""
        return f"{self.upload.id if self.upload else 0}-{self.state}"

    @cached_property
    def summary(self) -> ClassSummary:
        """The counts of the class, all uploads together."""
        return summary_of_assignment(db(), self.assignment.id, self.upload)

    @property
    def share(self) -> float | None:
        """The share of the present step that is done, if that is known."""
        if self.progress is not None:
            return self.progress.share if self.progress.state in _UNDER_WAY else 1.0
        job = upload_progress(self.upload) if self.upload else {}
        return job["done"] / job["total"] if job.get("total") else None

    @property
    def now(self) -> str:
        """The present step in a sentence."""
        if self.missing:
            return _("There is nothing to compare yet")
        if self.progress is not None:
            return _("The report is ready") if self.progress.state is JobState.DONE else sentence(self.progress)
        if self.upload is None:
            return _("Nothing has been uploaded yet")
        words = {
            UploadState.RECEIVING: _("Some files haven’t arrived"),
            UploadState.READY: _("Waiting for you to confirm what was found"),
            UploadState.FAILED: _("This upload couldn’t be read"),
            UploadState.CONFIRMED: _("There is nothing to compare yet"),
        }
        return words.get(self.state) or str(upload_progress(self.upload)["sentence"])

    @property
    def steps(self) -> list[tuple[str, str, str]]:
        """The steps of a check: what each is called, its state, and a word about it."""
        arrived = self.state is not UploadState.RECEIVING
        return [
            (_("Upload"), "done" if arrived else "now", ""),
            (_("Read"), *self._reading()),
            (_("Compare"), *self._comparing()),
        ]

    def _reading(self) -> tuple[str, str]:
        if self.state is UploadState.CONFIRMED:
            return "done", counted(self.summary.students, "student")
        states = {UploadState.RECOGNISING: "now", UploadState.READY: "now", UploadState.FAILED: "failed"}
        return states.get(self.state, ""), percent(self.share) if self.share is not None else ""

    def _comparing(self) -> tuple[str, str]:
        if self.progress is None or self.missing:
            return "", ""
        if self.progress.state in _UNDER_WAY:
            part = percent(self.progress.share) if self.progress.share is not None else ""
            return "now", ", ".join(filter(None, (part, self.progress.left)))
        return ("done", "") if self.progress.state is JobState.DONE else ("failed", "")


@blueprint.get("/assignments/<int:assignment>/check")
@access(Right.READ)
def show(assignment: AssignmentRow) -> ResponseReturnValue:
    """The way of an assignment's newest upload to its report."""
    check = _check(assignment)
    return render_template(
        "web/check.html", assignment=assignment, course=assignment.course, check=check, **_pairs(check), **_found(check)
    )


@blueprint.get("/assignments/<int:assignment>/check/state")
@access(Right.READ)
def state(assignment: AssignmentRow) -> ResponseReturnValue:
    """The parts of the page that have changed, for its script, which says what it knows already."""
    check = _check(assignment)
    values = {"assignment": assignment, "course": assignment.course, "check": check, **_pairs(check)}
    answer = {
        "now": check.now, "share": check.share, "over": check.is_over, "settled": check.is_settled,
        "known": check.known,
    }  # fmt: skip
    parts = ["steps", "pairs", "end"]
    if request.args.get("known") != check.known:
        parts.append("found")
        values |= _found(check)
    answer |= {part: render_template(f"web/_check_{part}.html", **values) for part in parts}
    return answer | _counts(check, request.args.get("counted", ""))


def _counts(check: Check, known: str) -> dict[str, str]:
    """The counts of the class, which corrections change, with a mark of them; nothing if the script has that mark."""
    counts = render_template("web/_class_summary.html", summary=check.summary)
    mark = f"{crc32(counts.encode('utf-8', 'replace')):08x}"
    return {} if mark == known else {"counts": counts, "counted": mark}


@blueprint.post("/assignments/<int:assignment>/check/cancel")
@access(Right.TEACH)
def cancel(assignment: AssignmentRow) -> ResponseReturnValue:
    """Stop what is under way; what was sent, and all earlier reports, stay."""
    check = _check(assignment)
    job = check.run.job_id if check.run is not None else check.upload.job_id if check.upload else None
    if job is not None and not check.is_over:
        cancel_job(db(), job)
    return redirect(url_for("checks.show", assignment=assignment.id), 303)


def _check(assignment: AssignmentRow) -> Check:
    upload = newest_upload(db(), assignment)
    return Check(assignment, upload, *(upload_state(db(), upload) if upload else (UploadState.CONFIRMED, "")))


_MOST_NAMED = 5  # files that all students have, in a sentence


def _handed_out(check: Check) -> str:
    """A sentence on files that all students have alike, which may have been handed out; empty if there are none."""
    students, paths = files_of_everyone(db(), check.assignment.id)
    if not paths or check.state is not UploadState.CONFIRMED:
        return ""
    more = len(paths) - _MOST_NAMED
    names = paths if more <= 0 else [*paths[:_MOST_NAMED], _("%(n)s more", n=number(more))]
    return _(
        "All %(students)s have the same %(files)s. If you gave them that, add it as starter code: "
        "matches with it are then ignored.",
        students=counted(students, "student"),
        files=listed(names),
    )


def _pairs(check: Check) -> dict[str, Any]:
    run = check.run
    return {"run": run, "pairs": first_pairs_of(db(), run, FIRST_PAIRS) if run is not None else []}


def _found(check: Check) -> dict[str, Any]:
    """The values for the list of submissions, once they are known."""
    return {
        "summary": check.summary,
        "handed_out": _handed_out(check),
        "listing": submissions_of(db(), check.assignment.id, filter_of(request.args)),
        "people": people_of(db(), check.assignment.course_id),
        "languages": language_choices(),
        "languages_of": languages_of,
        "role_of": role_of,
        "roles": ROLES,
        "address_of": address_of,
        "most_bytes": most_bytes(),
    }
