"""Drops by the API: a submit script sends files, which are compared, and learns where the report is.

`POST /drops` with the list of files and a key of your own, `PUT /drops/…/content` for each chunk that is missing,
`POST /drops/…/finish`, then `GET /drops/…` until it is done. Every request can be
repeated: a second `POST` with the same key gives the same drop.
"""

from __future__ import annotations

import hashlib

from flask import abort, request
from sqlalchemy import select

from moss.config import MIB
from moss.model import Role
from moss.store import tables
from moss.store.accounts.senders import BusyError, check_quota, of_account
from moss.store.results.progress import progress_of
from moss.store.results.runs import clean_settings
from moss.store.submissions.drops import CONTENT, DropFile, NewDrop, add_drop, mark_started, missing_chunks
from moss.store.submissions.uploads import CHUNK, ChunkPlace, put_chunk
from moss.store.tables import JobState, UploadState
from moss.web.actions.reports import token_of
from moss.web.actions.runs import most_bytes
from moss.web.api.operations import blueprint, operation
from moss.web.api.result_bodies import DropBody, DropChunkBody, DropWishBody
from moss.web.request.access import Right
from moss.web.request.addresses import outside
from moss.web.request.context import audit, db, me, server, start_job

_LIST_BYTES = 16 * MIB  # for the list of files


@blueprint.before_request
def _allow_long_lists() -> None:
    if request.endpoint == "api.create_drop":
        request.max_content_length = _LIST_BYTES


@operation("POST", "/drops", Right.USER, status=201)
def create_drop(body: DropWishBody) -> DropBody:
    """Say which files you bring, and how to compare them."""
    sender = of_account(db(), me())
    db().refresh(sender, with_for_update=True)
    digest = hashlib.sha256(body.model_dump_json(exclude={"key"}).encode()).hexdigest()
    drop = db().scalar(select(tables.DropRow).filter_by(sender_id=sender.id, key=body.key))
    if drop is not None and drop.digest != digest:
        abort(409, "This key was used before, for other files or options.")
    return _shown(drop or _new_drop(sender, body, digest))


@operation("PUT", "/drops/<int:drop>/content", Right.TEACH, accepts="application/octet-stream")
def send_content(drop: tables.DropRow, query: DropChunkBody) -> DropBody:
    """Send a chunk of 1 MiB, of which the last may be shorter, of all files one behind the other."""
    if drop.upload.state is UploadState.RECEIVING:
        stretch = ChunkPlace(Role.NEW, CONTENT, query.start, _total(drop))
        put_chunk(db(), drop.upload, stretch, request.get_data(), most_bytes())
    return _shown(drop)


@operation("POST", "/drops/<int:drop>/finish", Right.TEACH, status=202)
def finish_drop(drop: tables.DropRow) -> DropBody:
    """Let it be compared, if nothing is missing any more."""
    db().refresh(drop.upload, with_for_update=True)
    if drop.upload.state is UploadState.RECEIVING and not missing_chunks(db(), drop):
        course_id = drop.run.assignment.course_id
        mark_started(db(), drop, start_job("drop", {"run": drop.run_id, "drop": drop.id}, course_id))
        audit("brought files by a script", course_id=course_id, files=len(drop.files), drop=drop.id)
    return _shown(drop)


@operation("GET", "/drops/<int:drop>", Right.READ)
def read_drop(drop: tables.DropRow) -> DropBody:
    """How far it is."""
    return _shown(drop)


def _new_drop(sender: tables.SenderRow, body: DropWishBody, digest: str) -> tables.DropRow:
    config = server().config
    files = [DropFile(file.name, file.program, body.language, file.size) for file in body.files]
    asked = {name: getattr(body, name) for name in ("language", "max_matches", "show", "comment")}
    new = NewDrop(files, {**clean_settings(asked), "directory": body.directory}, "", body.key, digest)
    _check_size(new)
    try:
        check_quota(db(), sender, "", config.jobs_per_day, config.jobs_at_once, config.jobs_waiting)
    except BusyError as busy:
        abort(503, str(busy))
    return add_drop(db(), sender, new, config.results_days)


def _check_size(new: NewDrop) -> None:
    config = server().config
    if new.total > most_bytes():
        abort(413, f"All files together are larger than the limit of {config.upload_megabytes:,} MB.")
    if len(new.files) > config.wire_files:
        abort(413, f"There are more than {config.wire_files:,} files.")
    for file in new.files:
        if file.size > config.wire_file_megabytes * MIB:
            abort(413, f"{file.name} is larger than the limit of {config.wire_file_megabytes:,} MB for one file.")
    if not any(file.program for file in new.files):
        abort(422, "There is nothing to compare: all files were handed out.")


def _total(drop: tables.DropRow) -> int:
    return sum(size for _, _, _, size in drop.files)


def _shown(drop: tables.DropRow) -> DropBody:
    db().flush()
    receiving = drop.upload.state is UploadState.RECEIVING
    progress = progress_of(db(), drop.run)
    return DropBody(
        id=drop.id, key=drop.key or "", state="receiving" if receiving else progress.state.value,
        missing=missing_chunks(db(), drop) if receiving else [], chunk=CHUNK, stage=progress.stage, done=progress.done,
        total=progress.total, reason=progress.reason if progress.state is JobState.FAILED else "",
        run_id=drop.run_id, report=_address(drop), classic=outside("classic.index", **_place(drop)).rstrip("/"),
    )  # fmt: skip


def _address(drop: tables.DropRow) -> str:
    if drop.link is None:
        return outside("reports.overview", run=drop.run_id)
    return outside("shares.overview", token=token_of(drop.link))


def _place(drop: tables.DropRow) -> dict[str, str]:
    digit, number = drop.place.split("/")
    return {"digit": digit, "number": number}
