"""Adding an assignment's submissions to a corpus for later years, and taking them out once they are erased.

A corpus is not in the database, so the two cannot change in one transaction. Instead every corpus is searched for
submissions that the database no longer has: after each deletion, after each addition, and once a day. Until then runs
leave out what they do not find in the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from moss.corpus.errors import CorpusError
from moss.corpus.storage.catalog import entries_in, folder_in, without_path
from moss.jobs.job_context import JobContext, JobError, scratch_folder
from moss.messages import counted
from moss.messages import gettext as _
from moss.store import Store
from moss.store.accounts.notices import add_notice
from moss.store.courses.corpus_archiving import Addresses, addresses_of, deleted_among, make_addresses, texts_to_archive
from moss.store.tables import AssignmentRow, JobRow, JobState


def add_to_corpus(work: JobContext) -> None:
    """Add an assignment's submissions to a corpus, which is created if it does not exist; those already in it stay."""
    from moss.corpus.ingest.add import add  # which takes a while to import, and few jobs need it

    assignment_id, name = work.payload["assignment"], work.payload["corpus"]
    folder = folder_in(work.config.data, name)
    work.progress("reading", 0, 0)
    with work.saving() as session:
        addresses = make_addresses(session)
    with scratch_folder(work) as scratch:
        with work.store.reading() as session:
            count = _lay_out(scratch / "submissions.jsonl", session, assignment_id, addresses)
        try:
            if count:
                add(folder, [str(scratch / "submissions.jsonl")], progress=work.progress)
        except CorpusError as error:
            why = without_path(error, folder)
            raise JobError(_("Nothing was added to the corpus %(name)s: %(why)s.", name=name, why=why)) from None
        finally:
            remove_deleted(work.store, work.config.data)  # somebody may have been erased while we added
    with work.finishing() as session:
        assignment = session.get(AssignmentRow, assignment_id)
        if work.user_id is not None and assignment is not None:
            told = _(
                "%(submissions)s of %(assignment)s added to the corpus %(name)s.",
                submissions=counted(count, "submission"), assignment=assignment.name, name=name,
            )  # fmt: skip
            add_notice(session, work.user_id, told, f"/assignments/{assignment_id}/")


def _lay_out(file: Path, session: Session, assignment_id: int, addresses: Addresses) -> int:
    """Write submissions to a file as a corpus reads them; returns how many there are."""
    kept: set[int] = set()
    with open(file, "w", encoding="ascii") as lines:
        for row, path, text in texts_to_archive(session, assignment_id):
            kept.add(row.id)
            json.dump(_record(addresses.of(row.id, path), path, text), lines)
            lines.write("\n")
    return len(kept)


def _record(address: str, path: str, text: str) -> dict[str, Any]:
    from moss.corpus.ingest.documents import language_of

    return {"url": address, "text": text, "language": language_of(path, text)}


def after_add_to_corpus(session: Session, job: JobRow) -> None:
    """Tell the user who started the job, in the browser, that it failed."""
    if job.state is JobState.FAILED and job.user_id is not None:
        add_notice(session, job.user_id, job.reason, f"/assignments/{job.payload['assignment']}/")


def remove_deleted(store: Store, data: Path) -> list[str]:
    """Remove deleted submissions of this server from all corpora; returns a sentence for each corpus where that
    failed."""
    with store.reading() as session:
        addresses = addresses_of(session)
    return list(_forget_gone(store, data, addresses)) if addresses.server else []


def _forget_gone(store: Store, data: Path, addresses: Addresses) -> Iterator[str]:
    from moss.corpus.storage.removal import all_addresses, remove

    for corpus in entries_in(data):
        folder = folder_in(data, corpus.name)
        try:
            ids = {id for each in all_addresses(folder) if (id := addresses.submission(each)) is not None}
            with store.reading() as session:
                erased = deleted_among(session, ids)
            if erased:
                remove(folder, lambda address, erased=erased: addresses.submission(address) in erased)  # type: ignore[misc]
        except CorpusError as error:
            yield f"The corpus {corpus.name} could not be looked through: {without_path(error, folder)}"
