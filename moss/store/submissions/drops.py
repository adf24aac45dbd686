"""Drops: the files that a submit script brings, stored one after another as one sequence of bytes.

A drop is created with the list of its files and its options. Its bytes come with it, as from MOSS's protocol, or after
it, in chunks of an upload. Once all have come, its job is started, which reads them into programs, stores these as the
submissions of the drop's assignment, and compares them.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from moss.model import Reading, Role
from moss.model import Submission as Compared
from moss.store.accounts.senders import course_of
from moss.store.submissions.contents import digest_of, in_batches, store_texts
from moss.store.submissions.uploads import CHUNK, mark_recognising
from moss.store.tables import (
    AssignmentRow,
    DropRow,
    JobRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    SenderRow,
    ShareLinkRow,
    SubmissionRow,
    SubmittedFileRow,
    UploadChunkRow,
    UploadPartRow,
    UploadRow,
    UploadState,
    now,
)

CONTENT = "content"  # the path of the only part of a drop's upload
DEFAULTS: Mapping[str, Any] = {"language": "c", "directory": False, "max_matches": 10, "show": 250, "comment": ""}
"""The options, with MOSS's defaults."""

_LONGEST_COMMENT = 100  # characters of the comment in a name
_FOR_EVER = timedelta(days=36_500)  # a link to a report is deleted with the report


@dataclass(frozen=True, slots=True)
class DropFile:
    """A file of a drop. Its name is for display, and never a path on disk."""

    name: str
    program: int  # files with the same number are one program; 0 is starter code
    language: str
    size: int


@dataclass(frozen=True, slots=True)
class NewDrop:
    """The request of a script."""

    files: Sequence[DropFile]
    asked: Mapping[str, Any] = field(default_factory=dict)  # options, as in DEFAULTS
    sent_as: str = ""
    key: str | None = None
    digest: str = ""

    @property
    def total(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)


def add_drop(session: Session, sender: SenderRow, new: NewDrop, days: int) -> DropRow:
    """Add a drop, whose bytes are still to come; its results are kept for so many days."""
    course = course_of(session, sender, days)
    assignment = AssignmentRow(course_id=course.id, name=_name(new))
    session.add(assignment)
    session.flush()
    upload = UploadRow(assignment_id=assignment.id, user_id=sender.user_id)
    run = RunRow(assignment_id=assignment.id, number=1, user_id=sender.user_id)
    session.add_all([upload, run])
    session.flush()
    link = ShareLinkRow(run_id=run.id, label="for the script", user_id=sender.user_id, expires=now() + _FOR_EVER)
    drop = DropRow(
        sender_id=sender.id, sent_as=new.sent_as, place=_new_place(), run=run, upload=upload, link=link,
        asked={**DEFAULTS, **new.asked}, key=new.key, digest=new.digest,
        files=[[file.name, file.program, file.language, file.size] for file in new.files],
    )  # fmt: skip
    session.add(drop)
    session.flush()
    return drop


def _name(new: NewDrop) -> str:
    comment = " ".join(str(new.asked.get("comment", "")).split())[:_LONGEST_COMMENT]
    about = [comment, f"user {new.sent_as}" if new.sent_as else "", f"{now():%Y-%m-%d %H:%M:%S} UTC"]
    return ", ".join(filter(None, about))


def _new_place() -> str:
    """The place of the historical pages: so many digits that nobody can guess them."""
    return f"{secrets.randbelow(10)}/{secrets.randbelow(9 * 10**18) + 10**18}"


def store_content(session: Session, drop: DropRow, content: Iterable[bytes]) -> None:
    """Store all bytes of a drop, however they are cut; at most one chunk of them is in memory."""
    part = UploadPartRow(upload_id=drop.upload_id, path=CONTENT, role=Role.NEW, complete=True)
    session.add(part)
    session.flush()
    for number, chunk in enumerate(_evenly(content)):
        session.execute(insert(UploadChunkRow).values(part_id=part.id, start=number * CHUNK, content=chunk))
        part.size += len(chunk)
    session.flush()


def _evenly(content: Iterable[bytes]) -> Iterator[bytes]:
    waiting = bytearray()
    for some in content:
        waiting += some
        while len(waiting) >= CHUNK:
            yield bytes(waiting[:CHUNK])
            del waiting[:CHUNK]
    if waiting:
        yield bytes(waiting)


def missing_chunks(session: Session, drop: DropRow) -> list[int]:
    """The positions at which chunks begin that have not come yet."""
    total = sum(size for _, _, _, size in drop.files)
    query = select(UploadChunkRow.start).join(UploadPartRow).where(UploadPartRow.upload_id == drop.upload_id)
    return sorted(set(range(0, total, CHUNK)) - set(session.scalars(query)))


def mark_started(session: Session, drop: DropRow, job: JobRow) -> None:
    """Set the job of a drop."""
    drop.run.job_id = job.id
    mark_recognising(drop.upload, job, Reading.ITEMS)
    session.flush()


def drop_at(session: Session, place: str) -> DropRow | None:
    """The drop whose historical pages are at this place."""
    return session.scalar(select(DropRow).filter_by(place=place))


def delete_content(session: Session, drop: DropRow) -> None:
    """Delete the bytes as they came, and the names."""
    session.execute(delete(UploadPartRow).where(UploadPartRow.upload_id == drop.upload_id))
    drop.files = []
    session.flush()


def chunk_of(session: Session, drop: DropRow, number: int) -> bytes:
    """One chunk of a drop's bytes."""
    query = select(UploadChunkRow.content).join(UploadPartRow).where(UploadPartRow.upload_id == drop.upload_id)
    return session.scalars(query.where(UploadChunkRow.start == number * CHUNK)).one()


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
