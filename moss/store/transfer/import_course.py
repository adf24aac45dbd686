"""Import of a course from its archive, with new ids and everything else as it was; all of it, or nothing.

Accounts are recognised by their addresses: members who have one here are members as before. Whoever imports the course
becomes an instructor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.settings import Settings, SettingsError
from moss.store.courses.memberships import add_member
from moss.store.submissions.contents import digest_of, in_batches, store_texts
from moss.store.tables import (
    AssignmentRow,
    CaseEventRow,
    CaseRow,
    CourseRole,
    CourseRow,
    PartnersRow,
    PersonRow,
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
    ArchivedAssignment,
    ArchivedCase,
    ArchivedCourse,
    ArchivedEvent,
    ArchivedRun,
    ArchivedSubmission,
    ArchivedUpload,
)
from moss.store.transfer.archive_reader import Archive, ArchiveError, open_archive
from moss.store.transfer.import_reports import ImportedRows, add_report, at

_TEXTS_AT_ONCE = 50


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
    arrivals = ImportedRows(course.people, course.assignments, users, _keep(session, archive))
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


def _keep(session: Session, archive: Archive) -> dict[str, tuple[int, int]]:
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
        person = at(arrivals.people, each.person)
        for name, value in each.model_dump(exclude={"person", "same_as"}).items():
            setattr(person, name, value)
        person.same_as_id = arrivals.person(each.same_as)
    session.flush()
    people = arrivals.people
    session.add_all(PartnersRow(a_id=at(people, a).id, b_id=at(people, b).id) for a, b in given.partners)


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
        upload_id=at(uploads, given.upload).id if given.upload is not None else None,
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
        add_report(session, run_id, archive.report(place, number), archive.ranking(place, number), arrivals)
