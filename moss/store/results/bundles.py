"""The bundle of a finished run: its input as it was then, from which `moss repeat` makes the same report."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.intake.bundles import Bundle
from moss.model import Cell, Problem, Report, Role, SourceFile, Status, SubmissionRecord
from moss.model import Submission as Compared
from moss.report.json_report import as_plain
from moss.store.results.reports import load_report
from moss.store.submissions.contents import in_batches, read_texts
from moss.store.tables import RunEntryRow, RunRow, SubmissionRow, SubmittedFileRow


def bundle_of(session: Session, run: RunRow) -> Bundle:
    """The input of a run as an archive. What has been deleted since is missing, and named."""
    report = load_report(session, run)
    entries = session.scalars(select(RunEntryRow).filter_by(run_id=run.id).order_by(RunEntryRow.number)).all()
    languages = _languages(session, [entry.submission_id for entry in entries if entry.submission_id])
    compared = [_compared(record, languages.get(entry.submission_id or 0, "auto"))
                for record, entry in zip(report.submissions, entries, strict=True)]  # fmt: skip
    handed_out, missing = _handed_out(session, run, report)
    missing += [f"what was {entry.label}" for entry in entries if not (entry.submission_id or entry.corpus)]
    return Bundle(
        (*compared, *handed_out),
        run.settings,
        {name: report.parameters.get(name) or [] for name in ("paths", "base", "archive")},
        {"course": run.assignment.course.title, "assignment": run.assignment.name, "run": run.number,
         "missing": missing},
        as_plain(report),
    )  # fmt: skip


def _languages(session: Session, ids: list[int]) -> dict[int, str]:
    """The languages that somebody chose for these submissions."""
    found: dict[int, str] = {}
    for some in in_batches(ids):
        found.update(
            session.execute(select(SubmissionRow.id, SubmissionRow.language).where(SubmissionRow.id.in_(some))).all()
        )
    return found


def _compared(record: SubmissionRecord, language: str) -> Compared:
    files = tuple(
        SourceFile(file.path, file.text, file.digest, file.encoding, file.cells, file.origins)
        for file in record.files
        if file.status is not Status.SKIPPED
    )
    skipped = tuple(Problem(file.path, file.reason) for file in record.files if file.status is Status.SKIPPED)
    return Compared(
        record.id, record.owner, files, record.role, skipped, record.version or None,
        datetime.fromisoformat(record.handed_in) if record.handed_in else None, language,
        section=record.section, account=record.account, history=record.history, reference=record.reference,
        dated=datetime.fromisoformat(record.dated) if record.dated else None,
    )  # fmt: skip


def _handed_out(session: Session, run: RunRow, report: Report) -> tuple[list[Compared], list[str]]:
    """The starter code as it was in the run, by the digests in its report; and the paths of files that are gone."""
    query = select(SubmittedFileRow).join(SubmissionRow).where(
        SubmissionRow.assignment_id == run.assignment_id, SubmissionRow.role == Role.BASE, SubmissionRow.confirmed
    )  # fmt: skip
    there = {(file.path, file.sha256): file for file in session.scalars(query.order_by(SubmittedFileRow.id))}
    told = report.parameters.get("handed_out")
    if told is None:  # a report of an earlier version has no digests: use all there is
        told = [{"id": "handed out", "files": [{"path": path, "sha256": sha256} for path, sha256 in there]}]
    texts = read_texts(session, {file.content.digest for file in there.values()})
    found, missing = [], []
    for each in told:
        files = {file["path"]: there.get((file["path"], file["sha256"])) for file in each["files"]}
        missing += [f"the handed-out file {path}" for path, file in files.items() if file is None]
        found.append(_given(each["id"], [file for file in files.values() if file is not None], texts))
    return found, missing


def _given(id: str, files: list[SubmittedFileRow], texts: Mapping[str, str]) -> Compared:
    language = files[0].submission.language if files else "auto"
    sources = tuple(_source(file, texts[file.content.digest]) for file in files)
    return Compared(id, id, sources, Role.BASE, language=language)


def _source(file: SubmittedFileRow, text: str) -> SourceFile:
    cells: Any = file.cells
    return SourceFile(file.path, text, file.sha256, file.encoding, tuple(Cell(*cell) for cell in cells))
