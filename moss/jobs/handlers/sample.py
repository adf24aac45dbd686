"""The sample course, for a first look at a new server: a class of our own, uploaded and compared."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.jobs.ledger import add_job
from moss.model import Reading, Role
from moss.shipped import shipped
from moss.store import Store
from moss.store.results.runs import COMPARE, RunRequest
from moss.store.submissions.uploads import mark_recognising, put_file
from moss.store.tables import AssignmentRow, CourseRow, UploadRow

_PARTS = {"submissions": Role.NEW, "starter": Role.BASE, "archive": Role.ARCHIVE}
_COURSE = "Sample: a lending library in Java"
_MOST = 64 * 1024**2  # bytes


def add_sample(store: Store) -> int | None:
    """Add the sample course and the job that recognises its upload, unless there is a course already; returns the job's
    id."""
    with store.session() as session:
        if session.scalar(select(CourseRow.id).limit(1)) is not None:
            return None
        course = CourseRow(name=_COURSE)
        course.assignments.append(AssignmentRow(name="Lending library"))
        session.add(course)
        session.flush()
        upload = _upload(session, course.assignments[0])
        job = add_job(session, "sample", {"upload": upload.id, COMPARE: asdict(RunRequest())}, course_id=course.id)
        mark_recognising(upload, job, Reading.AUTO)
        return job.id


def _upload(session: Session, assignment: AssignmentRow) -> UploadRow:
    upload = UploadRow(assignment_id=assignment.id)
    session.add(upload)
    session.flush()
    folder = shipped("sample_submissions") / "java-library"
    for part, role in _PARTS.items():
        for path in sorted(path for path in (folder / part).rglob("*") if path.is_file()):
            with path.open("rb") as file:
                put_file(session, upload, role, path.relative_to(folder).as_posix(), file, _MOST)
    return upload
