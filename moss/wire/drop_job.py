"""The job of a drop: its files are read into submissions, which are then compared as in any run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from moss.jobs.handlers.run import run
from moss.jobs.job_context import JobContext, JobError
from moss.model import Stage
from moss.store import Store
from moss.store.submissions.drops import add_programs, chunk_of, delete_content
from moss.store.submissions.uploads import CHUNK
from moss.store.tables import DropRow, JobRow, JobState, UploadState
from moss.wire.commands import shown, tidy_name
from moss.wire.grouping import settings_of, submissions_of
from moss.wire.request import Request, SentFile

OPTIONS = ("language", "directory", "max_matches", "show", "comment")
"""The options of a request that a drop stores as `asked`, and a run as its settings."""

_LONGEST_NAME = 400  # characters, because databases do not index longer ones


def compare_drop(work: JobContext) -> None:
    """Do the job; after an attempt that was interrupted while comparing, the next one need not read the files again."""
    work.progress(Stage.READING, 0, 0)
    with work.store.reading() as session:
        drop = session.get(DropRow, work.payload["drop"])
        if drop is None:
            raise JobError("what was to be compared has been deleted")
        unread = drop.upload.state is not UploadState.CONFIRMED
        request = request_of(work.store, drop) if unread else None
    if request is not None:
        _read(work, drop.id, request)
    run(work)


def request_of(store: Store, drop: DropRow) -> Request:
    """The request as it came; the bytes of its files are read from the store when they are needed."""
    content = StoredContent(store, drop)
    files: list[SentFile] = []
    start = 0
    for name, program, language, size in drop.files:
        chunks = partial(content.between, start, start + size)
        files.append(SentFile(short_name(name), program, language, size, chunks))
        start += size
    return Request(
        user=drop.sent_as,
        files=tuple(file for file in files if file.program and file.size),
        base=tuple(file for file in files if not file.program and file.size),
        **_as_shown(drop.asked),
    )


def _as_shown(asked: dict[str, Any]) -> dict[str, Any]:
    return {**asked, "comment": shown(asked["comment"])}


def short_name(name: str) -> str:
    """A name as reports show it, shortened to its end if it is very long."""
    tidy = tidy_name(name)
    return tidy if len(tidy) <= _LONGEST_NAME else "…" + tidy[-_LONGEST_NAME:]


@dataclass
class StoredContent:
    """The bytes of a drop, of which one chunk is in memory."""

    store: Store
    drop: DropRow
    _number: int = -1
    _chunk: bytes = b""

    def between(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` to `end`."""
        while start < end:
            number, offset = divmod(start, CHUNK)
            some = self._at(number)[offset : offset + end - start]
            yield some
            start += len(some)

    def _at(self, number: int) -> bytes:
        if number != self._number:
            with self.store.reading() as session:
                self._number, self._chunk = number, chunk_of(session, self.drop, number)
        return self._chunk


def _read(work: JobContext, drop_id: int, request: Request) -> None:
    intake, settings = submissions_of(request), settings_of(request)
    chosen = {name: getattr(settings, name) for name in OPTIONS}
    problems = [[problem.path, problem.reason] for problem in intake.problems]
    with work.saving() as session:
        add_programs(session, session.get_one(DropRow, drop_id), intake.submissions, chosen, problems)


def after_drop(session: Session, job: JobRow) -> None:
    """Delete the files of a job that has no result."""
    drop = session.get(DropRow, job.payload["drop"])
    if drop is not None and job.state is not JobState.DONE:
        delete_content(session, drop)
