"""Starting runs: what a visitor may choose, and the run with its job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moss.store.results.runs import (
    RunRequest,
    add_run,
    clean_archives,
    clean_corpora,
    clean_settings,
    possible_archives,
    remembered,
)
from moss.store.tables import AssignmentRow, RunRow
from moss.web.actions.corpora import readable_corpora
from moss.web.request.access import my_courses
from moss.web.request.context import audit, db, me, start_job


def earlier_assignments(assignment: AssignmentRow) -> list[AssignmentRow]:
    """The assignments whose submissions the visitor may compare with as earlier work."""
    return possible_archives(db(), assignment, my_courses(me()))


def checked_choice(
    settings: Mapping[str, Any], archives: Sequence[Any], corpora: Sequence[str], possible: Sequence[AssignmentRow]
) -> RunRequest:
    """The settings, earlier assignments and corpora of a run, checked; RefusedError if one of them cannot be."""
    earlier = clean_archives(archives, possible)
    searched = clean_corpora(corpora, readable_corpora())
    return RunRequest(clean_settings(settings), earlier, searched)


def usual_choice(assignment: AssignmentRow) -> RunRequest:
    """The settings that were chosen last for an assignment, without earlier work that the visitor may not see."""
    last = remembered(assignment)
    possible = {other.id for other in earlier_assignments(assignment)} if last.archives else set()
    corpora = readable_corpora() if last.corpora else []
    return RunRequest(
        last.settings,
        [number for number in last.archives if number in possible],
        [name for name in last.corpora if name in corpora],
    )


def start_run(assignment: AssignmentRow, chosen: RunRequest) -> RunRow:
    """Add a run with its job, in the visitor's name."""
    run = add_run(db(), assignment, me().id, chosen)
    run.job_id = start_job("run", {"run": run.id}, assignment.course_id).id
    audit("started a run", course_id=assignment.course_id, assignment=assignment.name, run=run.number)
    return run
