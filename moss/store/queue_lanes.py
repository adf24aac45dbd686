"""The two lanes in which jobs wait, so that jobs that take seconds never wait behind those that take minutes.

A job gets its lane when it is added. A run of a small class is short as well: whoever uploads three submissions need
not wait until somebody else's thousand are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import ngettext, number
from moss.store.tables import DropRow, JobRow, JobState, RunRow, SubmissionRow

_LINE, _SHORT, _LONG = "line", "short", "long"  # key and values in a job's payload
_SHORT_KINDS = frozenset({"recognise", "sample", "forget", "notify"})
_FEW = 50  # submissions of a small class
_FEW_BYTES = 4 * 1024 * 1024  # of a drop's files


def with_line(session: Session, kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The payload of a new job, together with the lane in which it waits."""
    return {**payload, _LINE: _SHORT if _is_short(session, kind, payload) else _LONG}


def is_short(job: JobRow | Row[Any]) -> bool:
    """Whether a job waits in the lane of short ones; a job that an older version added goes by its kind alone."""
    return bool(job.payload.get(_LINE, _SHORT if job.kind in _SHORT_KINDS else _LONG) == _SHORT)


def ahead_of(session: Session, job: JobRow) -> int:
    """How many jobs of the same lane come before this one."""
    unfinished = JobRow.state.in_((JobState.QUEUED, JobState.RUNNING))
    before: Sequence[JobRow] = session.scalars(select(JobRow).where(JobRow.id < job.id, unfinished)).all()
    return sum(is_short(other) == is_short(job) for other in before)


def waiting_in_words(ahead: int) -> str:
    """The sentence that a user reads while their job waits."""
    if not ahead:
        return _("Waiting to start")
    return ngettext("Waiting for %(n)s other job", "Waiting for %(n)s other jobs", ahead, n=number(ahead))


def _is_short(session: Session, kind: str, payload: Mapping[str, Any]) -> bool:
    if kind in _SHORT_KINDS:
        return True
    run = session.get(RunRow, payload["run"]) if kind in ("run", "drop") else None
    if run is None or run.corpora:
        return False
    if kind == "drop":
        files = session.get_one(DropRow, payload["drop"]).files
        return len(files) <= _FEW and sum(size for *_, size in files) <= _FEW_BYTES
    handed_in = SubmissionRow.assignment_id.in_([run.assignment_id, *run.archives])
    return (session.scalar(select(func.count()).select_from(SubmissionRow).where(handed_in)) or 0) <= _FEW
