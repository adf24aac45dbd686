"""Drafts: the submissions that were recognised in an upload, before the instructor has confirmed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from moss.model import Role
from moss.store.submissions.contents import delete_unused_texts
from moss.store.tables import SubmissionRow, SubmittedFileRow, UploadRow, now

_MOST_PROBLEMS = 10_000  # problems that are listed one by one


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
        language=file["language"], cells=file["cells"], origins=file["origins"],
    )  # fmt: skip


def _is_local(text: str | None) -> bool:
    return bool(text) and datetime.fromisoformat(text or "").tzinfo is None


def _time(text: str | None) -> datetime | None:
    """A moment from its text; one without a zone is stored as if it were UTC, because platforms do not say which zone
    is theirs, and marked as local."""
    moment = datetime.fromisoformat(text) if text else None
    return moment.astimezone(UTC) if moment and moment.tzinfo else moment.replace(tzinfo=UTC) if moment else None
