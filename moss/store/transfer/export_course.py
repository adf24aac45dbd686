"""Export of a course with all its submissions, reports and decisions, as one archive.

Earlier work of other courses with which its runs compared is included, as assignments of their own: without it the
reports could not be read. What belongs to this server is left out: accounts, links, tokens, the audit log, the webhook.
Reports are exported as their rows, with places instead of ids.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import IO, Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from moss.model import Match, Pair, Report, SubmissionRecord
from moss.store.courses.rights import members_of
from moss.store.courses.roster import partners_of
from moss.store.results.reports import stored_fields, unpack_ranking
from moss.store.submissions.contents import in_batches, read_texts
from moss.store.tables import (
    AssignmentRow,
    CaseEventRow,
    CaseRow,
    ContentRow,
    CourseRow,
    PairRow,
    PersonRow,
    ResultRow,
    RunEntryRow,
    RunRow,
    RunTextRow,
    SubmissionRow,
    SubmittedFileRow,
    UploadRow,
    UploadState,
    now,
)
from moss.store.transfer.archive_format import (
    COURSE,
    FORMAT,
    RANKING,
    VERSION,
    ArchivedAssignment,
    ArchivedCase,
    ArchivedCourse,
    ArchivedEntry,
    ArchivedEvent,
    ArchivedFile,
    ArchivedHistory,
    ArchivedMember,
    ArchivedModel,
    ArchivedPair,
    ArchivedReport,
    ArchivedRun,
    ArchivedStudent,
    ArchivedSubmission,
    ArchivedUpload,
    run_member,
    text_member,
)
from moss.store.transfer.archive_scope import ArchiveScope, scope_of
from moss.version import __version__

Progress = Callable[[str, int, int], None]
_TEXTS_AT_ONCE = 50


def write_archive(session: Session, course: CourseRow, file: IO[bytes], progress: Progress) -> None:
    """Write the archive of a course."""
    scope = scope_of(session, course)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        assignments = [_assignment(session, scope, each) for each in scope.assignments]
        _put(archive, COURSE, _course(session, scope, assignments))
        texts = {file.text for each in assignments for row in each.submissions for file in row.files}
        texts |= {digest for each in assignments for run in each.runs for digest in run.texts}
        runs = [(place, run) for place, each in enumerate(scope.assignments) for run in _runs(scope, each)]
        for done, (place, run) in enumerate(runs):
            progress("writing the reports", done, len(runs))
            _put(archive, run_member(place, run.number, "json"), _report(session, scope, run, texts))
            archive.writestr(run_member(place, run.number, "ranking"), _ranking_bytes(session, run))
        _put_texts(session, archive, sorted(texts), progress)


def _put(archive: zipfile.ZipFile, name: str, plain: ArchivedModel) -> None:
    archive.writestr(name, plain.model_dump_json(indent=1))


def _put_texts(session: Session, archive: zipfile.ZipFile, digests: Sequence[str], progress: Progress) -> None:
    for number, some in enumerate(in_batches(digests, _TEXTS_AT_ONCE)):
        progress("writing the texts", number * _TEXTS_AT_ONCE, len(digests))
        for digest, text in read_texts(session, some).items():
            archive.writestr(text_member(digest), text.encode("utf-8", "surrogatepass"))


def _course(session: Session, scope: ArchiveScope, assignments: list[ArchivedAssignment]) -> ArchivedCourse:
    course = scope.course
    members = [ArchivedMember(email=each.user.email, role=each.role) for each in members_of(session, course.id)]
    return ArchivedCourse(
        format=FORMAT, version=VERSION, exported=now(), tool=__version__, name=course.name, term=course.term,
        created=course.created, retention_days=course.retention_days, members=sorted(members, key=lambda m: m.email),
        people=scope.names, students=list(_students(session, scope)), partners=sorted(_partners(session, scope)),
        assignments=assignments,
    )  # fmt: skip


def _students(session: Session, scope: ArchiveScope) -> Iterator[ArchivedStudent]:
    """The people of the course about whom more is known than the name."""
    plain = ("kept_apart", "on_roster", "address", "number", "section", "other_names")
    for person in session.scalars(select(PersonRow).filter_by(course_id=scope.course.id).order_by(PersonRow.id)):
        same_as = scope.person(person.same_as_id)
        if same_as is not None or person.kept_apart or person.on_roster:
            known = {name: getattr(person, name) for name in plain}
            yield ArchivedStudent(person=scope.people[person.id], same_as=same_as, **known)


def _partners(session: Session, scope: ArchiveScope) -> Iterator[tuple[int, int]]:
    for row in partners_of(session, scope.course.id):
        a, b = sorted((scope.people[row.a_id], scope.people[row.b_id]))
        yield a, b


def _assignment(session: Session, scope: ArchiveScope, assignment: AssignmentRow) -> ArchivedAssignment:
    is_own = assignment.course_id == scope.course.id
    rows = scope.submissions_of(session, assignment)
    uploads = _uploads(session, assignment) if is_own else []
    place = {upload.id: number for number, upload in enumerate(uploads)}
    settings = dict(assignment.settings) if is_own else {}
    return ArchivedAssignment(
        name=scope.name_of(assignment), created=assignment.created, archives=scope.places(settings.pop("archives", [])),
        corpora=settings.pop("corpora", []), settings=settings, uploads=[_upload(scope, upload) for upload in uploads],
        submissions=[_submission(scope, row, place) for row in rows],
        runs=[_run(session, scope, run) for run in _runs(scope, assignment)],
        cases=[_case(scope, case) for case in _cases(session, assignment)] if is_own else [],
    )  # fmt: skip


def _runs(scope: ArchiveScope, assignment: AssignmentRow) -> list[RunRow]:
    is_own = assignment.course_id == scope.course.id
    return [run for run in assignment.runs if run.finished is not None] if is_own else []


def _run(session: Session, scope: ArchiveScope, run: RunRow) -> ArchivedRun:
    assert run.finished is not None
    texts = select(ContentRow.digest).join(RunTextRow).where(RunTextRow.run_id == run.id).order_by(ContentRow.digest)
    return ArchivedRun(
        number=run.number, created=run.created, finished=run.finished, user=scope.email(run.user_id),
        settings=run.settings, archives=scope.places(run.archives), corpora=run.corpora,
        texts=list(session.scalars(texts)),
    )  # fmt: skip


def _uploads(session: Session, assignment: AssignmentRow) -> Sequence[UploadRow]:
    query = select(UploadRow).filter_by(assignment_id=assignment.id, state=UploadState.CONFIRMED)
    return session.scalars(query.order_by(UploadRow.id)).all()


def _upload(scope: ArchiveScope, upload: UploadRow) -> ArchivedUpload:
    return ArchivedUpload(
        created=upload.created, user=scope.email(upload.user_id), reading=upload.reading,
        problems=[(path, reason) for path, reason in upload.problems],
    )  # fmt: skip


def _submission(scope: ArchiveScope, row: SubmissionRow, uploads: Mapping[int, int]) -> ArchivedSubmission:
    return ArchivedSubmission(
        person=scope.person(row.person_id), upload=uploads.get(row.upload_id or 0), owner=row.owner, name=row.name,
        role=row.role, language=row.language, version=row.version, handed_in=row.handed_in, created=row.created,
        left_out=row.left_out, skipped=[(path, reason) for path, reason in row.skipped], section=row.section,
        account=row.account, local_time=row.local_time, dated=datetime.fromisoformat(row.dated) if row.dated else None,
        reference=row.reference,
        history=ArchivedHistory.model_validate(row.history) if row.history else None,
        files=[_file(file) for file in row.files],
    )  # fmt: skip


def _file(file: SubmittedFileRow) -> ArchivedFile:
    return ArchivedFile(
        path=file.path, text=file.content.digest, sha256=file.sha256, encoding=file.encoding, language=file.language,
        cells=[(label, language, start, end) for label, language, start, end in file.cells],
        origins=[(line, commit) for line, commit in file.origins],
        finding=file.finding,
    )  # fmt: skip


def _cases(session: Session, assignment: AssignmentRow) -> Sequence[CaseRow]:
    query = select(CaseRow).filter_by(assignment_id=assignment.id).options(selectinload(CaseRow.events))
    return session.scalars(query.order_by(CaseRow.id)).all()


def _case(scope: ArchiveScope, case: CaseRow) -> ArchivedCase:
    a, b = sorted((scope.people[case.a_id], scope.people[case.b_id]))
    return ArchivedCase(
        a=a, b=b, state=case.state, assignee=scope.email(case.assignee_id), created=case.created,
        changed=case.changed, events=[_event(scope, event) for event in case.events],
    )  # fmt: skip


def _event(scope: ArchiveScope, event: CaseEventRow) -> ArchivedEvent:
    fields = {name: getattr(event, name) for name in ("author", "at", "kind", "before", "after", "note")}
    return ArchivedEvent(user=scope.email(event.user_id), **fields)


def _report(session: Session, scope: ArchiveScope, run: RunRow, texts: Collection[str]) -> ArchivedReport:
    """The report of a finished run; it names only these texts, which are in the archive."""
    result = session.get_one(ResultRow, run.id)
    entries = session.scalars(select(RunEntryRow).filter_by(run_id=run.id).order_by(RunEntryRow.number)).all()
    query = select(PairRow).filter_by(run_id=run.id).options(selectinload(PairRow.matches)).order_by(PairRow.rank)
    found: dict[str, Any] = {
        "entries": [_entry(scope, entry, texts) for entry in entries],
        "pairs": [_pair(scope, row) for row in session.scalars(query)],
    }
    return ArchivedReport(**stored_fields(Report, result), **found)


def _ranking_bytes(session: Session, run: RunRow) -> bytes:
    """The ranking of a finished run, in the columns of `RANKING`."""
    ranking = unpack_ranking(session.get_one(ResultRow, run.id).ranking)
    table = np.empty(len(ranking), RANKING)
    table["a"], table["b"], table["score"] = ranking.a, ranking.b, ranking.score
    return table.tobytes()


def _entry(scope: ArchiveScope, entry: RunEntryRow, texts: Collection[str]) -> ArchivedEntry:
    files = [file | {"text": file["text"] if file["text"] in texts else ""} for file in entry.files]
    about = {
        "submission": scope.submission(entry.submission_id), "person": scope.person(entry.person_id),
        "corpus": entry.corpus, "files": files,
    }  # fmt: skip
    return ArchivedEntry(**(stored_fields(SubmissionRecord, entry) | about))


def _pair(scope: ArchiveScope, row: PairRow) -> ArchivedPair:
    about = {
        "a": row.a - 1, "b": row.b - 1, "a_person": scope.person(row.a_person_id),
        "b_person": scope.person(row.b_person_id), "matches": [stored_fields(Match, match) for match in row.matches],
    }  # fmt: skip
    return ArchivedPair(**(stored_fields(Pair, row) | about))
