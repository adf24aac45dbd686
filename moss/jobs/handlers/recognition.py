"""Recognition: find the submissions in an upload, and store them as drafts that the instructor can correct.

A separate process (`moss.jobs.reader_process`) reads the files of strangers. If it dies it is started again, and the
file at which it dies twice is left out and listed among the problems: a file that kills its reader costs that file and
nothing else. Nothing is visible before the end, when all drafts and the job's end are stored in one transaction.

Whoever sends a class for a check wants its report. Then what was recognised is confirmed as it is and compared, without
waiting for somebody to confirm it; each correction afterwards starts another run.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.intake import Limits
from moss.intake.names import without_archive_suffix
from moss.jobs.job_context import JobContext, JobError, scratch_folder
from moss.jobs.ledger import add_job, cancel
from moss.jobs.reader_process import WORDS, start_reader
from moss.jobs.sandboxed_reader import FOLDERS, FOUND, NOW, REQUEST, TEXTS
from moss.messages import gettext as _
from moss.messages import number
from moss.model import Reading
from moss.processes.pool import OUT_OF_MEMORY
from moss.store.results.runs import COMPARE, RunRequest, add_run, delete_run, unfinished_runs
from moss.store.submissions.confirmation import confirm
from moss.store.submissions.contents import content_ids, digest_of, store_texts
from moss.store.submissions.uploads import replace_drafts
from moss.store.tables import (
    AssignmentRow,
    JobRow,
    JobState,
    RunRow,
    UploadChunkRow,
    UploadPartRow,
    UploadRow,
    UploadState,
)
from moss.store.validation import RefusedError

MOST_DEADLY = 20  # files that may kill the reader; with more, the upload is refused
MOST_SUBMISSIONS = 20_000  # in one upload; with more, it is refused before anything is stored
SECONDS = 120.0  # of processor time to read one file
LIMITS = Limits(total_bytes=2 * 1024**3)

UNPACKING, READING, STORING, FINISHING = "unpacking", "reading", "storing", "finishing"
"""The steps of recognition, as progress is told and stored."""

_LOOK_EVERY = 0.2  # seconds between two checks of how far the reader is
_TEXTS_AT_ONCE, _BYTES_AT_ONCE = 2000, 8 * 1024**2  # texts stored in one transaction


def recognise(work: JobContext) -> None:
    """Recognise an upload; another attempt starts over, and finds the texts that are stored already."""
    with work.store.reading() as session:
        upload = session.get(UploadRow, work.payload["upload"])
    if upload is None or upload.state is not UploadState.RECOGNISING:
        raise JobError(_("The upload is gone, so there is nothing to read."))
    with scratch_folder(work) as folder:
        _write_parts(work, upload.id, folder)
        found = read_in_own_process(work, folder, upload.reading, layout=work.payload.get("layout", "auto"))
        _check_size(len(found["submissions"]))
        _check_content(found)
        _store_texts(work, folder, found)
        _finish(work, upload.id, folder, found)


def _check_size(submissions: int) -> None:
    """Refuse what is no class: each submission costs a page's row, a person and a version, however small it is."""
    if submissions > MOST_SUBMISSIONS:
        raise JobError(
            _(
                "moss would find %(n)s submissions in it, and accepts %(most)s. "
                "Put the files of each student into a folder, or send the class in parts.",
                n=number(submissions),
                most=number(MOST_SUBMISSIONS),
            )
        )


def _check_content(found: dict[str, Any]) -> None:
    """Refuse an upload in which nothing can be read, such as a damaged or encrypted archive, with the first reason; or
    which has nothing but texts that are named as archives."""
    files = [file for submission in found["submissions"] for file in submission["files"]]
    if any(file["text"] != digest_of("") for file in files):
        if all(without_archive_suffix(file["path"]) != file["path"] for file in files):
            raise JobError(
                _(
                    "%(path)s is no archive, although its name says so. "
                    "It may be a page that was saved in place of the download.",
                    path=files[0]["path"],
                )
            )
        return
    if not found["problems"]:
        raise JobError(_("It is empty: there is nothing in it to compare."))
    path, reason = found["problems"][0]
    raise JobError(_("Nothing in it can be read. %(path)s: %(reason)s.", path=path, reason=reason))


def _write_parts(work: JobContext, upload_id: int, folder: Path) -> None:
    """Write the upload's files to a folder, chunk by chunk."""
    with work.store.reading() as session:
        parts = session.scalars(select(UploadPartRow).filter_by(upload_id=upload_id).order_by(UploadPartRow.id)).all()
    for done, part in enumerate(parts):
        work.progress(UNPACKING, done, len(parts))
        path = folder / FOLDERS[part.role] / part.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "wb") as file:
                file.writelines(_chunks(work, part.id))
        except OSError as error:
            why = (error.strerror or "no room").lower()
            raise JobError(_("%(path)s can’t be unpacked: %(why)s.", path=part.path, why=why)) from None


def _chunks(work: JobContext, part_id: int) -> Iterator[bytes]:
    with work.store.reading() as session:
        starts = session.scalars(
            select(UploadChunkRow.start).filter_by(part_id=part_id).order_by(UploadChunkRow.start)
        ).all()
        for start in starts:
            yield session.scalars(select(UploadChunkRow.content).filter_by(part_id=part_id, start=start)).one()


def read_in_own_process(
    work: JobContext, folder: Path, reading: Reading, seconds: float = SECONDS, layout: str = "auto"
) -> dict[str, Any]:
    """Returns what the reading process found, if necessary without the files at which it dies."""
    refused: dict[str, str] = {}
    suspect = ""
    for _attempt in range(2 * MOST_DEADLY + 1):
        request = {"reading": reading, "refused": refused, "seconds": seconds, "limits": asdict(LIMITS),
                   "megabytes": work.config.job_megabytes, "layout": layout}  # fmt: skip
        (folder / REQUEST).write_text(json.dumps(request))
        why = _read_once(work, folder, seconds)
        if (folder / FOUND).exists():
            found: dict[str, Any] = json.loads((folder / FOUND).read_text())
            return found
        culprit = _now(folder)[1]
        if not culprit or culprit in refused:
            raise JobError(_("The files can’t be read: the program that reads them %(why)s.", why=why))
        if culprit == suspect:  # the first time, the machine may be to blame
            refused[culprit] = _("not read, because the program that read it %(why)s", why=why)
            work.log(f"Left out {culprit}: the process that read it {why}.")
        suspect = culprit
    raise JobError(
        _("%(n)s files or more crash the program that reads them, among them %(path)s.", n=MOST_DEADLY, path=suspect)
    )


def _read_once(work: JobContext, folder: Path, seconds: float) -> str:
    """Run the reading process to its end; returns words that say how it ended."""
    (folder / NOW).unlink(missing_ok=True)
    work.progress(READING, 0, 0)
    reader = start_reader(folder)
    try:
        while (status := reader.wait(_LOOK_EVERY)) is None:
            work.progress(READING, _now(folder)[0], 0)
        return _ending(status, seconds, folder)
    finally:
        reader.end()


def _ending(code: int, seconds: float, folder: Path) -> str:
    if code == OUT_OF_MEMORY:
        return _("needed more memory than it may use")
    if code == -signal.SIGPROF:
        return _("took longer than %(seconds)s seconds for it", seconds=f"{seconds:g}")
    if code < 0:
        return _("was ended by signal %(signal)s", signal=-code)
    lines = (folder / WORDS).read_text(errors="replace").strip().splitlines()
    if lines and "MemoryError" in lines[-1]:
        return _("needed more memory than it may use")
    return _("failed (%(why)s)", why=lines[-1][:200]) if lines else _("failed without saying why")


def _now(folder: Path) -> tuple[int, str]:
    """How many files the reading process has begun, and the name of the last."""
    try:
        count, shown = json.loads((folder / NOW).read_bytes().partition(b"\n")[0])
    except (OSError, ValueError):
        return 0, ""
    return count, shown


def _store_texts(work: JobContext, folder: Path, found: dict[str, Any]) -> None:
    digests = sorted(_digests(found))
    done = 0
    for some in _batches(folder, digests):
        work.progress(STORING, done, len(digests))
        with work.saving() as session:
            store_texts(session, _texts(folder, some))
        done += len(some)


def _batches(folder: Path, digests: list[str]) -> Iterator[list[str]]:
    """Batches of texts, each to be stored in one transaction: small texts share one, because each transaction takes
    time."""
    some: list[str] = []
    size = 0
    for digest in digests:
        some.append(digest)
        size += (folder / TEXTS / digest).stat().st_size
        if size > _BYTES_AT_ONCE or len(some) == _TEXTS_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _texts(folder: Path, digests: list[str]) -> list[str]:
    return [(folder / TEXTS / digest).read_bytes().decode("utf-8", "surrogatepass") for digest in digests]


def _digests(found: dict[str, Any]) -> set[str]:
    return {file["text"] for submission in found["submissions"] for file in submission["files"]}


def _finish(work: JobContext, upload_id: int, folder: Path, found: dict[str, Any]) -> None:
    digests = _digests(found)
    work.progress(FINISHING, 0, 0)
    with work.finishing() as session:
        ids = content_ids(session, digests)
        # Somebody may meanwhile have deleted texts that nothing refers to yet.
        ids |= store_texts(session, _texts(folder, sorted(digests - ids.keys())))
        upload = session.get(UploadRow, upload_id)
        if upload is None:
            raise JobError(_("The upload is gone, so there is nothing to read."))
        upload.state, upload.reason = UploadState.READY, ""
        upload.reading = Reading(found["reading"])
        replace_drafts(session, upload, found["submissions"], found["problems"], ids)


def after_recognition(session: Session, job: JobRow) -> None:
    """Confirm what was recognised and compare it, if the sender asked for that."""
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
