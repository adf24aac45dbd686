"""The input of a run: the newest version of each person's submission, earlier work, and starter code.

`bundle_of` gives the input of a finished run as it was then, from which `moss repeat` makes the same report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session, selectinload

from moss.codec import Form, from_plain
from moss.intake.bundles import Bundle
from moss.model import (
    Cell,
    GitHistory,
    LineOrigin,
    Problem,
    ReferenceKind,
    Report,
    Role,
    SourceFile,
    Status,
    SubmissionRecord,
)
from moss.model import Submission as Compared
from moss.report.json_report import as_plain
from moss.store.courses.rights import courses_of_all_members
from moss.store.results.reports import SubmissionSource, load_report
from moss.store.submissions.contents import delete_unused_texts, in_batches, read_texts, store_texts, texts_of_runs
from moss.store.submissions.lists import StoredVersion, newest_of_each
from moss.store.tables import (
    AssignmentRow,
    ContentRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    RunTextRow,
    SubmissionRow,
    SubmittedFileRow,
)


@dataclass(frozen=True, slots=True)
class RunInput:
    """The submissions to compare, the source of each, and the ids of its files' texts."""

    submissions: tuple[Compared, ...]
    sources: dict[str, SubmissionSource]
    contents: dict[str, int]  # ids of texts, by their digests


def run_input_of(session: Session, run: RunRow, kept: Collection[int] = ()) -> RunInput:
    """The input of a run, with its texts; `kept` are submissions that corpora have found."""
    rows = list(_rows(session, run, kept))
    digests = {file.content.digest: file.content_id for row, _, _ in rows for file in row.files}
    texts = read_texts(session, digests)
    compared, sources = [], {}
    for row, role, label in _told_apart(rows):
        submission = _compared(row, role, label, texts)
        compared.append(submission)
        sources[submission.id] = SubmissionSource(row.id, row.person.student.id if row.person else None)
    return RunInput(tuple(compared), sources, digests)


Contents = Mapping[str, int]
ChosenSubmission = tuple[SubmissionRow, Role, str]


def _rows(session: Session, run: RunRow, kept: Collection[int]) -> Iterable[ChosenSubmission]:
    """Each submission with its role in this run and its name."""
    for row in current_submissions(session, run.assignment_id):
        yield row, row.role, row.person.student.name if row.person else row.name
    whole = [number for number in run.archives if number != run.assignment_id]
    archived = [row for number in whole for row in current_submissions(session, number)]
    for row in (*archived, *_found_in_corpora(session, kept, {run.assignment_id, *whole})):
        if row.role is not Role.BASE and row.person:
            yield row, Role.ARCHIVE, f"{row.person.student.name} ({row.assignment.course.title}: {row.assignment.name})"


def _found_in_corpora(session: Session, kept: Collection[int], besides: Collection[int]) -> list[SubmissionRow]:
    """The newest of these submissions of each person, without those of assignments that take part as a whole."""
    query = _with_files(select(SubmissionRow).filter_by(confirmed=True, left_out=False))
    rows = [
        row for some in in_batches(sorted(kept)) for row in session.scalars(query.where(SubmissionRow.id.in_(some)))
    ]
    rows.sort(key=lambda row: (row.assignment_id, row.version or 0, row.id))
    return list({(row.assignment_id, row.person_id): row for row in rows if row.assignment_id not in besides}.values())


@dataclass(frozen=True, slots=True)
class RestrictedSubmission:
    """A submission that a corpus has found, from a course that not all readers of a report may read."""

    corpus: str
    number: int  # the submission's id
    submission: Compared
    people: tuple[str, ...]  # names that must not be shown: everybody in its course


def split_by_rights(
    session: Session, run: RunRow, asked: RunRow, kept: Mapping[int, str]
) -> tuple[set[int], list[RestrictedSubmission]]:
    """The submissions that corpora have found (`kept` has the corpus of each), in two groups: those that all readers of
    the run's report may read, with their owners' names, and the others."""
    courses = courses_of_all_members(session, run.assignment.course_id)
    rows = _found_in_corpora(session, kept, {asked.assignment_id, *asked.archives})
    named = {row.id for row in rows if row.assignment.course_id in courses}
    others = [row for row in rows if row.id not in named and row.role is not Role.BASE and row.person]
    texts = read_texts(session, {file.content.digest for row in others for file in row.files})
    people = {id: _everybody(session, id) for id in {row.assignment.course_id for row in others}}
    return named, [
        RestrictedSubmission(
            kept[row.id], row.id, _compared(row, Role.ARCHIVE, row.name, texts), people[row.assignment.course_id]
        )
        for row in others
    ]


def _everybody(session: Session, course_id: int) -> tuple[str, ...]:
    """All names under which somebody handed in work in a course, or is known to its roster."""
    people = [
        name
        for person in session.scalars(select(PersonRow).filter_by(course_id=course_id))
        for name in (person.name, person.address, *person.other_names)
        if name
    ]
    written = session.execute(
        select(SubmissionRow.owner, SubmissionRow.name).join(AssignmentRow).where(AssignmentRow.course_id == course_id)
    )
    return tuple(sorted({*people, *(name for row in written for name in row)}))


FoundEarlierWork = Sequence[tuple[str, Compared]]
"""Earlier work from corpora, each with the name of its corpus. Its owner is its address, and its name is unique."""


def with_earlier_work(
    session: Session,
    run: RunRow,
    material: RunInput,
    found: FoundEarlierWork,
    contents: Contents,
    origins: Mapping[str, int],
) -> RunInput:
    """The input of a run together with earlier work from corpora. `contents` has the ids of its stored texts, and
    `origins` the ids of submissions among it whose owners are not named. A person about whom something was decided in
    an earlier run is recognised."""
    people: dict[str, int] = {}
    for some in in_batches(sorted({submission.owner for _, submission in found})):
        query = select(PersonRow.name, func.coalesce(PersonRow.same_as_id, PersonRow.id)).where(
            PersonRow.name.in_(some)
        )
        people.update(session.execute(query.where(PersonRow.course_id == run.assignment.course_id)).all())
    sources = {
        each.id: SubmissionSource(None, people.get(each.owner), corpus, origins.get(each.id)) for corpus, each in found
    }
    submissions = (*material.submissions, *(each for _, each in found))
    return RunInput(submissions, material.sources | sources, {**material.contents, **contents})


def store_earlier_work(session: Session, run_id: int, found: FoundEarlierWork) -> Contents:
    """Store the texts of earlier work from corpora for a run, in place of those that it may have."""
    before = texts_of_runs(session, [run_id])
    session.execute(delete(RunTextRow).where(RunTextRow.run_id == run_id))
    kept = store_texts(session, (file.text for _, submission in found for file in submission.files))
    session.add_all(RunTextRow(run_id=run_id, content_id=content_id) for content_id in sorted(set(kept.values())))
    session.flush()
    delete_unused_texts(session, before)
    return kept


def current_submissions(session: Session, assignment_id: int) -> list[SubmissionRow]:
    """The newest version of each student's submission in an assignment, and all starter code, without what was left
    out. Of a student who handed in under several names, the work that was handed in last counts. References of
    different kinds are no versions of each other, even if files of one name have made them one person's."""
    query = _with_files(select(SubmissionRow).filter_by(assignment_id=assignment_id, confirmed=True, left_out=False))
    rows = {row.id: row for row in session.scalars(query)}
    return [rows[id] for id in newest_of_each(map(_version, rows.values()))]


def _version(row: SubmissionRow) -> StoredVersion:
    """A row as a version; starter code, which is nobody's, is never another version of other starter code."""
    ids = (row.person.id, row.person.student.id) if row.person else (-row.id, -row.id)
    name, student = ((row.role, row.reference, id) for id in ids)
    return StoredVersion(row.id, name, student, row.version or 0, row.handed_in or row.created)


def input_state(session: Session, assignments: Sequence[int]) -> int:
    """A number that changes when the input of a run of these assignments does."""
    columns = (
        SubmissionRow.id,
        SubmissionRow.person_id,
        SubmissionRow.role,
        SubmissionRow.reference,
        SubmissionRow.language,
        SubmissionRow.left_out,
        PersonRow.same_as_id,
    )
    query = (
        select(*columns)
        .outerjoin(PersonRow, PersonRow.id == SubmissionRow.person_id)
        .where(SubmissionRow.assignment_id.in_(assignments), SubmissionRow.confirmed)
    )
    return hash(tuple(tuple(row) for row in session.execute(query.order_by(SubmissionRow.id))))


def _with_files(query: Select[SubmissionRow]) -> Select[SubmissionRow]:
    """The query for submissions, in order and with their files, but without the texts."""
    files = (
        selectinload(SubmissionRow.files)
        .joinedload(SubmittedFileRow.content, innerjoin=True)
        .load_only(ContentRow.digest)
    )
    return query.options(files, selectinload(SubmissionRow.person).selectinload(PersonRow.same_as)).order_by(
        SubmissionRow.id
    )


def _told_apart(rows: list[ChosenSubmission]) -> Iterable[ChosenSubmission]:
    """The submissions with a number behind names that occur more than once."""
    seen: Counter[str] = Counter()
    for row, role, label in rows:
        seen[label] += 1
        yield row, role, f"{label} ({seen[label]})" if seen[label] > 1 else label


def _compared(row: SubmissionRow, role: Role, label: str, texts: dict[str, str]) -> Compared:
    files = tuple(
        replace(_source(file, texts), origins=tuple(LineOrigin(*origin) for origin in file.origins))
        for file in row.files
    )
    student = row.person.student if row.person else None
    skipped = tuple(Problem(path, reason) for path, reason in row.skipped)
    version = str(row.version) if row.version else None
    owner = student.name if student else row.owner
    return Compared(
        label, owner, files, role, skipped, version, row.handed_in_as_said, row.language,
        dated=datetime.fromisoformat(row.dated) if row.dated else None,
        section=student.section if student and student.section else row.section, account=row.account,
        history=from_plain(GitHistory, Form.ROW, row.history) if row.history else None,
        reference=ReferenceKind(row.reference) if role is Role.ARCHIVE and row.reference else None,
    )  # fmt: skip


def bundle_of(session: Session, run: RunRow) -> Bundle:
    """The input of a run as an archive. What has been deleted since is missing, and named."""
    report = load_report(session, run)
    entries = session.scalars(select(RunEntryRow).filter_by(run_id=run.id).order_by(RunEntryRow.number)).all()
    languages = _languages(session, [entry.submission_id for entry in entries if entry.submission_id])
    compared = [_submission_given(record, languages.get(entry.submission_id or 0, "auto"))
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


def _submission_given(record: SubmissionRecord, language: str) -> Compared:
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
    sources = tuple(_source(file, texts) for file in files)
    return Compared(id, id, sources, Role.BASE, language=language)


def _source(file: SubmittedFileRow, texts: Mapping[str, str]) -> SourceFile:
    """A stored file with its text, as front ends read it."""
    cells = tuple(Cell(*cell) for cell in file.cells)
    return SourceFile(file.path, texts[file.content.digest], file.sha256, file.encoding, cells, finding=file.finding)
