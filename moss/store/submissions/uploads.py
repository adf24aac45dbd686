"""Uploads: files arrive in chunks, in any order and perhaps more than once, until all of them are complete.

A job recognises submissions in them (`moss.jobs.handlers.recognition`). These are drafts, until the instructor has
confirmed them (`moss.store.submissions.confirmation`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from moss.intake.entries import UnreadableError
from moss.intake.names import member_path
from moss.intake.platforms import LAYOUTS
from moss.messages import counted, number
from moss.messages import gettext as _
from moss.model import Reading, Role
from moss.store.submissions.contents import delete_unused_texts
from moss.store.tables import (
    JobRow,
    JobState,
    SubmissionRow,
    SubmittedFileRow,
    UploadChunkRow,
    UploadPartRow,
    UploadRow,
    UploadState,
    now,
)
from moss.store.validation import RefusedError

CHUNK = 1024 * 1024  # bytes: the size of every chunk except a file's last
MOST_PARTS = 50_000
_LONGEST_NAME = 255  # bytes that file systems allow for one name
_MOST_PROBLEMS = 10_000  # problems that are listed one by one


class TooLargeError(ValueError):
    """More was sent than this server accepts; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """The place of a chunk: its file, and the position of its first byte in the file."""

    role: Role
    path: str
    start: int
    total: int


def begin_upload(session: Session, assignment_id: int, user_id: int) -> UploadRow:
    """Add an empty upload."""
    upload = UploadRow(assignment_id=assignment_id, user_id=user_id)
    session.add(upload)
    session.flush()
    return upload


def put_chunk(session: Session, upload: UploadRow, place: ChunkPlace, content: bytes, most: int) -> UploadPartRow:
    """Store a chunk, in place of one that is there already. `most` limits the bytes of the whole upload."""
    _check_open(session, upload)
    _check_place(place, len(content))
    part = _part(session, upload, place)
    gone = (
        UploadChunkRow.start >= place.total if content else UploadChunkRow.start >= 0
    )  # delete the rest of a file that was longer before
    session.execute(
        delete(UploadChunkRow).where(UploadChunkRow.part_id == part.id, (UploadChunkRow.start == place.start) | gone)
    )
    if content:
        session.add(UploadChunkRow(part_id=part.id, start=place.start, content=content))
    session.flush()
    arrived = select(func.sum(func.length(UploadChunkRow.content))).where(UploadChunkRow.part_id == part.id)
    part.size = session.scalar(arrived) or 0
    part.complete = part.size == place.total
    session.flush()
    _check_size(session, upload, place.total - part.size, most)
    return part


def put_file(session: Session, upload: UploadRow, role: Role, path: str, file: IO[bytes], most: int) -> None:
    """Store a whole file, chunk by chunk."""
    total = file.seek(0, 2)
    file.seek(0)
    for start in range(0, max(total, 1), CHUNK):
        put_chunk(session, upload, ChunkPlace(role, path, start, total), file.read(CHUNK), most)


def parts_of(session: Session, upload: UploadRow) -> Sequence[UploadPartRow]:
    """The files of an upload, in the order in which they began to arrive."""
    return session.scalars(select(UploadPartRow).filter_by(upload_id=upload.id).order_by(UploadPartRow.id)).all()


def starts_of(session: Session, upload: UploadRow) -> dict[int, list[int]]:
    """The positions of the chunks that have arrived of incomplete files, by file."""
    query = select(UploadChunkRow.part_id, UploadChunkRow.start).join(UploadPartRow)
    query = query.where(UploadPartRow.upload_id == upload.id, ~UploadPartRow.complete)
    found: dict[int, list[int]] = {}
    for part_id, start in session.execute(query.order_by(UploadChunkRow.start)):
        found.setdefault(part_id, []).append(start)
    return found


def clean_path(path: str) -> str:
    """A file's path in its stored form; raises RefusedError for one that leads out of the upload."""
    try:
        clean = member_path(path)
    except UnreadableError as refused:
        raise RefusedError("path", _("“%(path)s” was %(reason)s.", path=path[:100], reason=refused.reason)) from None
    if not clean:
        raise RefusedError("path", _("A file without a name was sent."))
    if any(len(name.encode()) > _LONGEST_NAME for name in clean.split("/")):
        raise RefusedError(
            "path",
            _(
                "The file name “%(path)s…” is too long. Use at most %(most)s bytes.",
                path=path[:100],
                most=_LONGEST_NAME,
            ),
        )
    return clean


def job_of(session: Session, upload: UploadRow) -> JobRow | None:
    """The job that recognises an upload, or has done so."""
    return session.get(JobRow, upload.job_id) if upload.job_id else None


def upload_state(session: Session, upload: UploadRow) -> tuple[UploadState, str]:
    """The state of an upload and, if recognition failed or was cancelled, the reason."""
    job = job_of(session, upload)
    if upload.state is not UploadState.RECOGNISING or (job and not job.is_over):
        return upload.state, upload.reason
    cancelled = job is not None and job.state is JobState.CANCELLED
    reason = _("Reading it was cancelled.") if cancelled else job.reason if job else ""
    return UploadState.FAILED, reason or _("The server lost track of it.")


def check_recognisable(session: Session, upload: UploadRow, layout: str) -> None:
    """Raise RefusedError if an upload is incomplete, being recognised, or confirmed already, or there is no such
    layout."""
    if layout not in LAYOUTS:
        raise RefusedError("layout", _("There is no platform “%(name)s”.", name=layout[:50]))
    _lock(session, upload)
    state = upload_state(session, upload)[0]
    if state in (UploadState.RECOGNISING, UploadState.CONFIRMED):
        busy = state is UploadState.RECOGNISING
        raise RefusedError(
            "", _("This upload is already being read.") if busy else _("This upload has already been confirmed.")
        )
    parts = parts_of(session, upload)
    if not parts:
        raise RefusedError("", _("Choose at least one file."))
    if missing := [part.path for part in parts if not part.complete]:
        raise RefusedError(
            "",
            _(
                "%(files)s did not arrive completely, first %(name)s. Send the files again, or discard the upload.",
                files=counted(missing, "file"), name=missing[0],
            ),
        )  # fmt: skip


def mark_recognising(upload: UploadRow, job: JobRow, reading: Reading) -> None:
    """Set the job that recognises the upload, and how it reads it."""
    upload.state, upload.job_id, upload.reading, upload.reason = UploadState.RECOGNISING, job.id, reading, ""


def discard(session: Session, upload: UploadRow) -> None:
    """Delete an unconfirmed upload with all its drafts."""
    _lock(session, upload)
    if upload.state is UploadState.CONFIRMED:
        raise RefusedError(
            "", _("This upload has already been confirmed, so its submissions belong to the assignment.")
        )
    texts = delete_drafts(session, upload)
    session.execute(delete(UploadRow).where(UploadRow.id == upload.id))
    delete_unused_texts(session, texts)


def _lock(session: Session, upload: UploadRow) -> None:
    """Lock an upload, so that changes to it happen one after another and each sees the last one."""
    session.refresh(upload, with_for_update=True)


def _check_open(session: Session, upload: UploadRow) -> None:
    _lock(session, upload)
    if upload.state is not UploadState.RECEIVING:
        raise RefusedError("", _("This upload accepts no more files. Start another one."))


def _check_place(place: ChunkPlace, length: int) -> None:
    fits = place.start % CHUNK == 0 and 0 <= place.start <= max(place.total - 1, 0)
    if not fits or length != min(CHUNK, place.total - place.start):
        raise RefusedError(
            "start",
            _("The chunk at byte %(start)s of %(total)s has the wrong size.", start=place.start, total=place.total),
        )


def _part(session: Session, upload: UploadRow, place: ChunkPlace) -> UploadPartRow:
    key = {"upload_id": upload.id, "role": place.role, "path": clean_path(place.path)}
    part = session.scalar(select(UploadPartRow).filter_by(**key))
    if part is None:
        part = UploadPartRow(**key)
        session.add(part)
        session.flush()
    return part


def _check_size(session: Session, upload: UploadRow, missing: int, most: int) -> None:
    """Raise TooLargeError if the upload is too large, counting what is `missing` of the file that has begun to
    arrive."""
    query = select(func.sum(UploadPartRow.size), func.count()).where(UploadPartRow.upload_id == upload.id)
    size, count = session.execute(query).one()
    if size + missing > most:
        raise TooLargeError(_("This server accepts at most %(most)s MB in one upload.", most=number(most // 1024**2)))
    if count > MOST_PARTS:
        raise TooLargeError(
            _("At most %(most)s files can be sent one by one. Put them into a zip instead.", most=number(MOST_PARTS))
        )


def replace_drafts(
    session: Session,
    upload: UploadRow,
    found: Sequence[Mapping[str, Any]],
    problems: Sequence[Sequence[str]],
    contents: Mapping[str, int],
) -> None:
    """Store what was recognised as drafts, in place of earlier ones; `contents` has the ids of the texts."""
    earlier = delete_drafts(session, upload)
    moment = now()
    # Older versions come before newer ones, because they are numbered in this order when they are confirmed.
    for draft in sorted(found, key=lambda draft: (-draft.get("age", 0), draft["time"] or "", draft["name"])):
        files = [_file(file, contents) for file in draft["files"]]
        session.add(
            SubmissionRow(
                assignment_id=upload.assignment_id, upload_id=upload.id, owner=draft["owner"], name=draft["name"],
                role=Role(draft["role"]), handed_in=_time(draft["time"]),
                local_time=_is_local(draft["time"]), dated=draft["dated"], created=moment, skipped=draft["skipped"],
                section=draft["section"], account=draft["account"], history=draft["history"], files=files,
            )
        )  # fmt: skip
    upload.problems = [list(problem) for problem in problems[:_MOST_PROBLEMS]]
    if more := len(problems) - _MOST_PROBLEMS:
        upload.problems += [["…", f"and {more:,} more problems"]] if more > 0 else []
    session.flush()
    delete_unused_texts(session, earlier)


def delete_drafts(session: Session, upload: UploadRow) -> list[int]:
    """Delete an upload's drafts; returns the ids of their texts, which may be unused now."""
    drafts = select(SubmissionRow.id).filter_by(upload_id=upload.id, confirmed=False)
    used = session.scalars(
        select(SubmittedFileRow.content_id).where(SubmittedFileRow.submission_id.in_(drafts)).distinct()
    ).all()
    session.execute(delete(SubmissionRow).where(SubmissionRow.id.in_(drafts)))
    return list(used)


def _file(file: Mapping[str, Any], contents: Mapping[str, int]) -> SubmittedFileRow:
    return SubmittedFileRow(
        content_id=contents[file["text"]], path=file["path"], sha256=file["sha256"], encoding=file["encoding"],
        language=file["language"], cells=file["cells"], origins=file["origins"], finding=file["finding"],
    )  # fmt: skip


def _is_local(text: str | None) -> bool:
    return bool(text) and datetime.fromisoformat(text or "").tzinfo is None


def _time(text: str | None) -> datetime | None:
    """A moment from its text; one without a zone is stored as if it were UTC, because platforms do not say which zone
    is theirs, and marked as local."""
    moment = datetime.fromisoformat(text) if text else None
    return moment.astimezone(UTC) if moment and moment.tzinfo else moment.replace(tzinfo=UTC) if moment else None
