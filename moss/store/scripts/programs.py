"""Programs: the files of a drop become the submissions of its assignment, in the order in which they came."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from moss.model import Role
from moss.model import Submission as Compared
from moss.store.scripts.drops import delete_content
from moss.store.submissions.contents import digest_of, in_batches, store_texts
from moss.store.tables import DropRow, PersonRow, RunEntryRow, RunRow, SubmissionRow, SubmittedFileRow, UploadState


def add_programs(
    session: Session, drop: DropRow, programs: Sequence[Compared], settings: dict[str, Any], problems: list[list[str]]
) -> None:
    """Store programs as the submissions of a drop's assignment, and delete the bytes in which they came."""
    assignment = drop.run.assignment
    texts = store_texts(session, (file.text for program in programs for file in program.files))
    owners = {program.owner for program in programs if program.role is not Role.BASE}
    people = _people(session, assignment.course_id, owners)
    for program in programs:
        session.add(_submission(drop, program, people.get(program.owner), texts))
        session.flush()  # one by one, because their ids keep the order in which they came
    drop.run.settings = assignment.settings = settings
    drop.upload.state, drop.upload.problems = UploadState.CONFIRMED, problems
    delete_content(session, drop)


def _people(session: Session, course_id: int, names: Collection[str]) -> dict[str, int]:
    """The ids of the people with these names, who are added if they are new, even if two jobs add them at once."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    found: dict[str, int] = {}
    for some in in_batches(sorted(names)):
        rows = [{"course_id": course_id, "name": name} for name in some]
        session.execute(insert(PersonRow).on_conflict_do_nothing(index_elements=["course_id", "name"]), rows)
        query = select(PersonRow.name, PersonRow.id).where(PersonRow.course_id == course_id, PersonRow.name.in_(some))
        found.update(session.execute(query).all())
    return found


def _submission(drop: DropRow, program: Compared, person_id: int | None, texts: Mapping[str, int]) -> SubmissionRow:
    personal = program.role is not Role.BASE
    return SubmissionRow(
        assignment_id=drop.run.assignment_id, upload_id=drop.upload_id, person_id=person_id if personal else None,
        owner=program.owner, name=program.id, role=program.role, version=1 if personal else None, confirmed=True,
        skipped=[[problem.path, problem.reason] for problem in program.skipped],
        files=[
            SubmittedFileRow(
                content_id=texts[digest_of(file.text)], path=file.path, sha256=file.digest, encoding=file.encoding,
                cells=[[cell.label, cell.language, cell.start, cell.end] for cell in file.cells],
            )
            for file in program.files
        ],
    )  # fmt: skip


def labels_in_order(session: Session, run: RunRow) -> list[str]:
    """The names of a drop's programs in its report, in the order in which they came."""
    query = select(RunEntryRow.label).where(RunEntryRow.run_id == run.id, RunEntryRow.submission_id.is_not(None))
    return list(session.scalars(query.order_by(RunEntryRow.submission_id)))
