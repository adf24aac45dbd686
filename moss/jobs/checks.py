"""Checks: uploads that go all the way to a report, without waiting for somebody to confirm what was recognised.

Whoever sends a class wants its report. So what was recognised is confirmed as it is and compared; each correction
afterwards starts another run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy.orm import Session

from moss.jobs.ledger import add_job, cancel
from moss.model import Ranking, Submission
from moss.store.results.reports import SubmissionSource
from moss.store.results.runs import COMPARE, RunRequest, add_run, delete_run, unfinished_runs
from moss.store.submissions.confirmation import confirm
from moss.store.tables import AssignmentRow, JobRow, JobState, RunRow, UploadRow
from moss.store.validation import RefusedError

FIRST_PAIRS = 10  # pairs that are shown as soon as the ranking is known


def after_recognition(session: Session, job: JobRow) -> None:
    """Confirm what was recognised and compare it, if whoever sent it asked for that."""
    wish: Mapping[str, Any] | None = job.payload.get(COMPARE)
    upload = session.get(UploadRow, job.payload["upload"])
    if wish is None or job.state is not JobState.DONE or upload is None:
        return
    with suppress(RefusedError):  # there may be nothing to compare yet, as after starter code alone
        confirm(session, upload)
        start_anew(session, upload.assignment, job.user_id, RunRequest(**wish))


def start_anew(session: Session, assignment: AssignmentRow, user_id: int | None, wish: RunRequest) -> RunRow:
    """A run of an assignment whose submissions have changed. One with the same settings that is still waiting will read
    them as they are then, and is kept; one that is under way may have read what was there before, and is dropped."""
    for run in unfinished_runs(session, assignment.id):
        if RunRequest(run.settings, run.archives, run.corpora) != wish or run.job is None or run.job.cancel:
            continue
        if run.job.state is JobState.QUEUED:
            return run
        cancel(session, run.job.id)
        delete_run(session, run)
    run = add_run(session, assignment, user_id, wish)
    run.job_id = add_job(session, "run", {"run": run.id}, course_id=assignment.course_id, user_id=user_id).id
    session.flush()
    return run


def first_pairs(
    submissions: Sequence[Submission], ranking: Ranking, sources: Mapping[str, SubmissionSource]
) -> list[list[Any]]:
    """The best pairs of a ranking, each as the ids of two stored submissions and a score. Names are looked up when the
    pairs are shown, so that nobody is named who was erased meanwhile."""
    places = zip(*(side[:FIRST_PAIRS].tolist() for side in (ranking.a, ranking.b, ranking.score)), strict=True)
    stored = [source.submission_id for source in (sources[submission.id] for submission in submissions)]
    return [[stored[a], stored[b], score] for a, b, score in places if stored[a] and stored[b]]
