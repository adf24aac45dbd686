"""Import of a course from its archive, with new ids and everything else as it was; all of it, or nothing.

Accounts are recognised by their addresses: members who have one here are members as before. Whoever imports the course
becomes an instructor. Reports are checked before they are stored, so that every page of them can be shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import IO, Any, TypeVar

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.codec import Form, from_plain
from moss.messages import gettext as _
from moss.model import Pair, Ranking, SubmissionRecord
from moss.report.checks import Lengths, WrongError, check_file, check_names, check_pair, check_ranking
from moss.settings import Settings, SettingsError
from moss.store.courses.rights import add_member
from moss.store.results.reports import SubmissionSource, add_pairs, by_field, entry_row, result_row
from moss.store.submissions.contents import digest_of, in_batches, store_texts
from moss.store.tables import (
    AssignmentRow,
    CaseEventRow,
    CaseRow,
    CourseRole,
    CourseRow,
    PartnersRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    RunTextRow,
    SubmissionRow,
    SubmittedFileRow,
    UploadRow,
    UploadState,
    UserRow,
    now,
)
from moss.store.transfer.archive_format import (
    RANKING,
    ArchivedAssignment,
    ArchivedCase,
    ArchivedCourse,
    ArchivedEntry,
    ArchivedEvent,
    ArchivedReport,
    ArchivedRun,
    ArchivedSubmission,
    ArchivedUpload,
)
from moss.store.transfer.archive_reader import Archive, ArchiveError, open_archive

_TEXTS_AT_ONCE = 50
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """The rows that were imported so far, by their places in the archive."""

    people: Sequence[PersonRow]
    assignments: Sequence[AssignmentRow]
    users: dict[str, int]  # ids of all accounts, by address
    texts: dict[str, tuple[int, int]]  # the id and the length of each text, by its digest
    submissions: list[list[int]] = field(default_factory=list)  # ids of the submissions of each assignment

    def user(self, email: str | None) -> int | None:
        """The account with this address, if there is one here."""
        return self.users.get(email) if email is not None else None

    def person(self, place: int | None) -> int | None:
        """The id of a person."""
        return _at(self.people, place).id if place is not None else None

    def assignments_at(self, places: Iterable[int]) -> list[int]:
        """The ids of assignments."""
        return [_at(self.assignments, place).id for place in places]

    def submission(self, place: tuple[int, int] | None) -> int | None:
        """The id of a submission."""
        return _at(_at(self.submissions, place[0]), place[1]) if place is not None else None


def import_course(session: Session, file: IO[bytes], user_id: int) -> CourseRow:
    """Import the course of an archive; after an ArchiveError the transaction must be rolled back."""
    archive = open_archive(file)
    given = archive.course
    _check_course(given)
    course = CourseRow(
        name=given.name, term=given.term, created=given.created, retention_days=given.retention_days, imported=now()
    )
    course.people = [PersonRow(name=name) for name in given.people]
    course.assignments = [AssignmentRow(name=each.name, created=each.created) for each in given.assignments]
    session.add(course)
    session.flush()
    users = dict(session.execute(select(UserRow.email, UserRow.id)).all())
    arrivals = ImportedRows(course.people, course.assignments, users, _store_texts(session, archive))
    _add_members(session, course, given, arrivals, user_id)
    _add_students(session, given, arrivals)
    for place, plain in enumerate(given.assignments):
        _add_assignment(session, course.assignments[place], plain, arrivals)
    _add_reports(session, archive, arrivals)
    return course


def _check_course(given: ArchivedCourse) -> None:
    _differ(given.people, "people")
    _differ([member.email for member in given.members], "members")
    _differ([each.person for each in given.students], "students")
    _differ(given.partners, "partners")
    merged = {each.person for each in given.students if each.same_as is not None}
    if any(each.same_as in merged or each.same_as == each.person for each in given.students):
        raise ArchiveError(_("a student in it stands for a name and is another’s name, too"))
    if any(a >= b for a, b in given.partners):
        raise ArchiveError(_("partners in it are not two students"))
    for assignment in given.assignments:
        _differ([run.number for run in assignment.runs], "runs")
        _differ([(case.a, case.b) for case in assignment.cases], "cases")
        versions = [(row.person, row.version) for row in assignment.submissions]
        _differ([pair for pair in versions if None not in pair], "versions")
        if any(case.a >= case.b for case in assignment.cases):
            raise ArchiveError(_("a case in it is not about two students"))


def _differ(values: Sequence[object], what: str) -> None:
    if len(set(values)) != len(values):
        raise ArchiveError(_("it has something twice: %(what)s", what=what))


def _store_texts(session: Session, archive: Archive) -> dict[str, tuple[int, int]]:
    """Store the texts; returns the id and the length of each, by digest."""
    given = archive.course.assignments
    handed_in = {file.text for each in given for row in each.submissions for file in row.files}
    digests = sorted(handed_in.union(*(run.texts for each in given for run in each.runs)))
    kept: dict[str, tuple[int, int]] = {}
    for some in in_batches(digests, _TEXTS_AT_ONCE):
        texts = [archive.text(digest) for digest in some]
        ids = store_texts(session, texts)
        kept.update((digest_of(text), (ids[digest_of(text)], len(text))) for text in texts)
    return kept


def _add_members(
    session: Session, course: CourseRow, given: ArchivedCourse, arrivals: ImportedRows, user_id: int
) -> None:
    for member in given.members:
        if (known := arrivals.user(member.email)) is not None:
            add_member(session, course.id, known, member.role)
    add_member(session, course.id, user_id, CourseRole.INSTRUCTOR)


def _add_students(session: Session, given: ArchivedCourse, arrivals: ImportedRows) -> None:
    for each in given.students:
        person = _at(arrivals.people, each.person)
        for name, value in each.model_dump(exclude={"person", "same_as"}).items():
            setattr(person, name, value)
        person.same_as_id = arrivals.person(each.same_as)
    session.flush()
    people = arrivals.people
    session.add_all(PartnersRow(a_id=_at(people, a).id, b_id=_at(people, b).id) for a, b in given.partners)


def _add_assignment(session: Session, row: AssignmentRow, given: ArchivedAssignment, arrivals: ImportedRows) -> None:
    chosen = arrivals.assignments_at(given.archives)
    remembered = {"archives": chosen, "corpora": given.corpora}
    row.settings = _settings(given.settings) | (remembered if given.settings or any(remembered.values()) else {})
    uploads = [_upload(row, each, arrivals) for each in given.uploads]
    session.add_all(uploads)
    session.flush()
    submissions = [_submission(row, each, uploads, arrivals) for each in given.submissions]
    session.add_all(submissions)
    session.add_all(_case(row, each, arrivals) for each in given.cases)
    session.flush()
    for run in given.runs:
        _add_run(session, row, run, arrivals)
    arrivals.submissions.append([submission.id for submission in submissions])


def _add_run(session: Session, row: AssignmentRow, given: ArchivedRun, arrivals: ImportedRows) -> None:
    run = RunRow(
        assignment_id=row.id, number=given.number, created=given.created, finished=given.finished,
        user_id=arrivals.user(given.user), settings=_settings(given.settings),
        archives=arrivals.assignments_at(given.archives), corpora=list(given.corpora),
    )  # fmt: skip
    session.add(run)
    session.flush()
    ids = {arrivals.texts[digest][0] for digest in given.texts}
    session.add_all(RunTextRow(run_id=run.id, content_id=content_id) for content_id in sorted(ids))


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    try:
        Settings(**given)
    except (TypeError, SettingsError) as error:
        raise ArchiveError(_("the settings of a run are impossible: %(why)s", why=error)) from None
    return dict(given)


def _upload(row: AssignmentRow, given: ArchivedUpload, arrivals: ImportedRows) -> UploadRow:
    return UploadRow(
        assignment_id=row.id, user_id=arrivals.user(given.user), created=given.created, reading=given.reading,
        state=UploadState.CONFIRMED, problems=[list(problem) for problem in given.problems],
    )  # fmt: skip


def _submission(
    row: AssignmentRow, given: ArchivedSubmission, uploads: Sequence[UploadRow], arrivals: ImportedRows
) -> SubmissionRow:
    plain = (
        "owner", "name", "role", "language", "version", "handed_in", "created", "left_out", "section", "account",
        "local_time", "reference",
    )  # fmt: skip
    return SubmissionRow(
        assignment_id=row.id, person_id=arrivals.person(given.person), confirmed=True,
        upload_id=_at(uploads, given.upload).id if given.upload is not None else None,
        skipped=[list(problem) for problem in given.skipped], files=list(_files(given, arrivals)),
        history=given.history.model_dump(mode="json") if given.history else None,
        dated=given.dated.isoformat() if given.dated else "",
        **{name: getattr(given, name) for name in plain},
    )  # fmt: skip


def _files(given: ArchivedSubmission, arrivals: ImportedRows) -> Iterator[SubmittedFileRow]:
    for file in given.files:
        content_id, length = arrivals.texts[file.text]
        if any(not start <= end <= length for _, _, start, end in file.cells):
            raise ArchiveError(_("a cell in it lies outside of its text"))
        yield SubmittedFileRow(
            content_id=content_id, path=file.path, sha256=file.sha256, encoding=file.encoding,
            language=file.language, cells=[list(cell) for cell in file.cells],
            origins=[list(origin) for origin in file.origins],
            finding=file.finding,
        )  # fmt: skip


def _case(row: AssignmentRow, given: ArchivedCase, arrivals: ImportedRows) -> CaseRow:
    return CaseRow(
        assignment_id=row.id, a_id=arrivals.person(given.a), b_id=arrivals.person(given.b), state=given.state,
        assignee_id=arrivals.user(given.assignee), created=given.created, changed=given.changed,
        events=[_event(event, arrivals) for event in given.events],
    )  # fmt: skip


def _event(given: ArchivedEvent, arrivals: ImportedRows) -> CaseEventRow:
    plain = given.model_dump(exclude={"user"})
    return CaseEventRow(user_id=arrivals.user(given.user), **plain)


def _add_reports(session: Session, archive: Archive, arrivals: ImportedRows) -> None:
    runs = [(place, run.number) for place, each in enumerate(archive.course.assignments) for run in each.runs]
    for place, number in runs:
        assignment_id = arrivals.assignments[place].id
        run_id = session.scalars(select(RunRow.id).filter_by(assignment_id=assignment_id, number=number)).one()
        _add_report(session, run_id, archive.report(place, number), archive.ranking(place, number), arrivals)


def _at(values: Sequence[Value], place: int) -> Value:
    """The value at a place that the archive names; raises ArchiveError if there is none."""
    if not 0 <= place < len(values):
        raise ArchiveError(_("something in it refers to what is not there"))
    return values[place]


def _add_report(session: Session, run_id: int, given: ArchivedReport, ranking: bytes, arrivals: ImportedRows) -> None:
    """Store the report of a run."""
    values = given.model_dump(exclude_unset=True)
    entries, pairs = values.pop("entries"), values.pop("pairs")
    records = [from_plain(SubmissionRecord, Form.ROW, by_field(entry)) for entry in entries]
    ids = [record.id for record in records]
    try:
        check_names(ids, values["clusters"])
        columns = _ranking(ranking)
        check_ranking(columns, len(ids))
        lengths = {
            record.id: _lengths(record, entry, arrivals) for record, entry in zip(records, given.entries, strict=True)
        }
        found = [_pair_of(pair, ids) for pair in pairs]
        for pair in found:
            check_pair(pair, lengths)
    except WrongError as error:
        raise ArchiveError(_("a report in it is wrong: %(why)s", why=error)) from None
    session.add(result_row(run_id, values, columns))
    session.add_all(map(partial(_entry_row, run_id, arrivals), count(1), records, given.entries))
    people = [(arrivals.person(told.a_person), arrivals.person(told.b_person)) for told in given.pairs]
    add_pairs(session, run_id, found, records, people)
    session.flush()


def _ranking(content: bytes) -> Ranking:
    if len(content) % RANKING.itemsize:
        raise ArchiveError(_("a ranking in it is damaged"))
    table = np.frombuffer(content, RANKING)
    return Ranking(table["a"].astype(np.int64), table["b"].astype(np.int64), table["score"].astype(np.float64))


def _lengths(record: SubmissionRecord, given: ArchivedEntry, arrivals: ImportedRows) -> Lengths:
    """The lengths of a submission's files, within which its passages and cells must be."""
    lengths: dict[str, int | None] = {}
    for file, told in zip(record.files, given.files, strict=True):
        if told.text and told.text not in arrivals.texts:
            raise ArchiveError(_("a text of a report is missing"))
        lengths[file.path] = arrivals.texts[told.text][1] if told.text else None
        check_file(file, lengths[file.path])
    return lengths


def _entry_row(
    run_id: int, arrivals: ImportedRows, number: int, record: SubmissionRecord, given: ArchivedEntry
) -> RunEntryRow:
    source = SubmissionSource(arrivals.submission(given.submission), arrivals.person(given.person), given.corpus)
    return entry_row(run_id, number, record, source, [file.text for file in given.files])


def _pair_of(values: dict[str, Any], ids: Sequence[str]) -> Pair:
    """A pair, with the names of its submissions instead of their places."""
    sides = {"a": _at(ids, values["a"]), "b": _at(ids, values["b"])}
    matches = [by_field(match) for match in values["matches"]]
    return from_plain(Pair, Form.ROW, values | sides | {"matches": matches})
