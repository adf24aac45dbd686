"""Lists of submissions, page by page, for drafts of an upload and for an assignment alike, and summaries of uploads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, String, cast, exists, func, or_, select
from sqlalchemy.orm import Session, aliased, defer, joinedload, selectinload

from moss.model import ReferenceKind, Role, kind_of
from moss.report.words.references import is_folded
from moss.store.submissions.contents import unpack
from moss.store.submissions.corrections import LEFT_OUT
from moss.store.tables import ContentRow, PersonRow, SubmissionRow, SubmittedFileRow, UploadRow

PAGE = 50
_PERSON, _STUDENT = aliased(PersonRow), aliased(PersonRow)  # whose name it is, and who stands for the student
NAME_OF_STUDENT = func.coalesce(_STUDENT.name, _PERSON.name, SubmissionRow.owner)
PREVIEW_LINES = 200
_PREVIEW_CHARACTERS = 100_000
_FEW_CHARACTERS = 80  # in shorter files students may well have the same by themselves


@dataclass(frozen=True, slots=True)
class SubmissionFilter:
    """The submissions to list."""

    search: str = ""  # in the owner, the name or a file's path
    role: str = ""  # one of `ROLES`; empty: all
    problems: bool = False  # only those with files that could not be read
    page: int = 1

    @property
    def narrows(self) -> bool:
        """Whether some submissions are filtered out."""
        return bool(self.search or self.role or self.problems)


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """One page of submissions."""

    rows: Sequence[SubmissionRow]
    wish: SubmissionFilter
    page: int  # counted from 1
    pages: int
    total: int


@dataclass(frozen=True, slots=True)
class LanguageShare:
    """How much of an upload is in one language."""

    language: str
    files: int
    start: float  # where it begins in a bar of length 1
    width: float


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """A class, counted as the report counts it: students by their newest version, starter code as nobody."""

    students: int
    files: int  # of the students' newest versions
    older: int  # versions of students that a newer one replaces
    earlier: int  # students of earlier work
    texts: int  # references of other kinds
    starter: int  # submissions that are starter code
    excluded: int
    languages: tuple[LanguageShare, ...]
    problems: tuple[tuple[str, tuple[str, ...]], ...]  # each reason with its paths, rarest reasons first


def drafts_of(session: Session, upload: UploadRow, wish: SubmissionFilter) -> SubmissionPage:
    """A page of an upload's drafts."""
    return _listing(session, select(SubmissionRow).filter_by(upload_id=upload.id, confirmed=False), wish)


def matching_drafts(session: Session, upload: UploadRow, wish: SubmissionFilter) -> Sequence[SubmissionRow]:
    """All drafts of an upload that pass the filter, on any page."""
    query = select(SubmissionRow).filter_by(upload_id=upload.id, confirmed=False).where(*_conditions(wish))
    return session.scalars(query.order_by(SubmissionRow.id)).all()


def chosen_drafts(session: Session, upload: UploadRow, ids: Collection[int]) -> Sequence[SubmissionRow]:
    """The submissions with these ids that are drafts of this upload."""
    query = select(SubmissionRow).filter_by(upload_id=upload.id, confirmed=False).where(SubmissionRow.id.in_(ids))
    return session.scalars(query.options(selectinload(SubmissionRow.files)).order_by(SubmissionRow.id)).all()


def submissions_of(session: Session, assignment_id: int, wish: SubmissionFilter) -> SubmissionPage:
    """A page of an assignment's submissions, the newest version of each person in each role."""
    later = aliased(SubmissionRow)
    columns = ("assignment_id", "person_id", "role", "reference")
    same = (getattr(later, name) == getattr(SubmissionRow, name) for name in columns)
    is_newest = ~exists().where(*same, later.version > SubmissionRow.version)
    query = select(SubmissionRow).filter_by(assignment_id=assignment_id, confirmed=True)
    return _listing(session, query.where(is_newest), wish)


def _listing(session: Session, query: Select[SubmissionRow], wish: SubmissionFilter) -> SubmissionPage:
    query = query.where(*_conditions(wish))
    total = session.scalar(select(func.count()).select_from(query.subquery())) or 0
    pages = max(1, -(-total // PAGE))
    page = min(max(wish.page, 1), pages)
    files = (
        selectinload(SubmissionRow.files)
        .joinedload(SubmittedFileRow.content, innerjoin=True)
        .options(defer(ContentRow.packed))
    )
    order = (func.lower(SubmissionRow.owner), SubmissionRow.id)
    rows = session.scalars(query.options(files).order_by(*order).limit(PAGE).offset((page - 1) * PAGE)).all()
    return SubmissionPage(rows, wish, page, pages, total)


def _conditions(wish: SubmissionFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wish.search:
        in_files = select(SubmittedFileRow.submission_id).where(
            SubmittedFileRow.path.icontains(wish.search, autoescape=True)
        )
        columns = (SubmissionRow.owner, SubmissionRow.name)
        here = [column.icontains(wish.search, autoescape=True) for column in columns]
        found.append(or_(*here, SubmissionRow.id.in_(in_files)))
    if wish.role == LEFT_OUT:
        found.append(SubmissionRow.left_out.is_(True))
    elif wish.role in list(Role):
        found += [
            SubmissionRow.left_out.is_(False),
            SubmissionRow.role == Role(wish.role),
            SubmissionRow.reference == "",
        ]
    elif wish.role in list(ReferenceKind):
        found += [SubmissionRow.left_out.is_(False), SubmissionRow.reference == wish.role]
    if wish.problems:
        has_files = select(SubmittedFileRow.submission_id)
        found.append(or_(cast(SubmissionRow.skipped, String) != "[]", SubmissionRow.id.not_in(has_files)))
    return found


def version_counts(session: Session, rows: Sequence[SubmissionRow]) -> dict[int, int]:
    """How many versions each person of these submissions has handed in."""
    people = {row.person_id for row in rows if row.person_id}
    assignments = {row.assignment_id for row in rows}
    query = select(SubmissionRow.person_id, func.count()).where(
        SubmissionRow.person_id.in_(people), SubmissionRow.assignment_id.in_(assignments)
    )
    counted = session.execute(query.group_by(SubmissionRow.person_id))
    return {person: number for person, number in counted if person is not None}


def people_of(session: Session, course_id: int) -> Sequence[str]:
    """The names of a course's people, in order."""
    return session.scalars(select(PersonRow.name).filter_by(course_id=course_id).order_by(PersonRow.name)).all()


def summary_of(session: Session, upload: UploadRow) -> ClassSummary:
    """The figures of an upload after recognition."""
    drafts = (SubmissionRow.upload_id == upload.id, SubmissionRow.confirmed.is_(False))
    return _summary(session, drafts, upload)


def summary_of_assignment(session: Session, assignment_id: int, upload: UploadRow | None) -> ClassSummary:
    """The figures of an assignment's submissions, with the problems of one of its uploads, and the files of all others
    that could not be read."""
    confirmed = (SubmissionRow.assignment_id == assignment_id, SubmissionRow.confirmed.is_(True))
    return _summary(session, confirmed, upload)


class StoredVersion(NamedTuple):
    """A submission, by what decides whether it counts or another one of its student."""

    id: int
    name: Hashable  # under which it was handed in, with its role
    student: Hashable  # the same for a student who has several names
    number: int
    moment: datetime


def newest_of_each(versions: Iterable[StoredVersion]) -> list[int]:
    """The ids of the submissions that count: under each name the newest version, and of a student who handed in under
    several names what was handed in last."""
    under_names = {each.name: each for each in sorted(versions, key=lambda each: each.number)}
    newest: dict[Hashable, StoredVersion] = {}
    for each in under_names.values():
        known = newest.get(each.student)
        if known is None or (known.moment, known.id) <= (each.moment, each.id):
            newest[each.student] = each
    return [each.id for each in newest.values()]


def files_of_everyone(session: Session, assignment_id: int) -> tuple[int, list[str]]:
    """How many students have files, and the paths of those files that all of them have alike, if it is three or more.
    They may be starter code that nobody named; what is starter code already is not among them."""
    which = (SubmissionRow.assignment_id == assignment_id, SubmissionRow.confirmed.is_(True), ~SubmissionRow.left_out)
    newest = set(newest_of_each(map(_version, session.execute(_versions(which)))))
    query = (
        select(SubmissionRow.role, SubmissionRow.id, SubmittedFileRow.content_id, SubmittedFileRow.path,
               ContentRow.characters)
        .join(SubmittedFileRow, SubmittedFileRow.submission_id == SubmissionRow.id)
        .join(ContentRow, ContentRow.id == SubmittedFileRow.content_id)
        .where(*which)
    )  # fmt: skip
    starter: set[int] = set()
    found: dict[int, dict[int, str]] = {}
    for role, id, content, path, characters in session.execute(query):
        if role is Role.BASE:
            starter.add(content)
        elif role is Role.NEW and id in newest:
            paths = found.setdefault(id, {})
            if characters >= _FEW_CHARACTERS:
                paths[content] = path
    files = list(found.values())
    if len(files) < 3:
        return len(files), []
    shared = set(files[0]).intersection(*files[1:]) - starter
    return len(files), sorted(files[0][content] for content in shared)


def with_students(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """A query for submissions, joined with their people for `NAME_OF_STUDENT`."""
    return query.outerjoin(_PERSON, _PERSON.id == SubmissionRow.person_id).outerjoin(
        _STUDENT, _STUDENT.id == _PERSON.same_as_id
    )


def comparable_owners(session: Session, assignment_id: int) -> dict[Role, set[str]]:
    """The owners of an assignment's submissions that have files to compare, by role: new ones and earlier work."""
    query = (
        with_students(select(SubmissionRow.role, NAME_OF_STUDENT))
        .where(SubmissionRow.assignment_id == assignment_id, SubmissionRow.confirmed, ~SubmissionRow.left_out)
        .where(SubmissionRow.id.in_(select(SubmittedFileRow.submission_id)))
    )
    found: dict[Role, set[str]] = {Role.NEW: set(), Role.ARCHIVE: set()}
    for role, owner in session.execute(query.where(SubmissionRow.role.in_(list(found))).distinct()):
        found[role].add(owner)
    return found


def _summary(session: Session, which: Sequence[ColumnElement[bool]], upload: UploadRow | None) -> ClassSummary:
    rows = session.execute(_versions(which)).all()
    count = Counter("out" if row.left_out else row.role for row in rows)
    ids = set(newest_of_each(_version(row) for row in rows if not row.left_out))
    newest = [row for row in rows if row.id in ids]
    students = {row.id for row in newest if row.role is Role.NEW}
    texts = sum(is_folded(kind_of(row.role, row.reference)) for row in newest)
    languages = _languages(session, which, students)
    return ClassSummary(
        students=len(students),
        files=languages.total(),
        older=count[Role.NEW] - len(students),
        earlier=sum(row.role is Role.ARCHIVE for row in newest) - texts,
        texts=texts,
        starter=count[Role.BASE],
        excluded=count["out"],
        languages=_shares(languages),
        problems=_grouped([*(upload.problems if upload else ()), *_unread(session, which, ids, upload)]),
    )


def _versions(which: Sequence[ColumnElement[bool]]) -> Select[*tuple[Any, ...]]:
    """The query for what `_version` needs of some submissions."""
    columns = (SubmissionRow.id, SubmissionRow.owner, SubmissionRow.role, SubmissionRow.reference,
               SubmissionRow.left_out, SubmissionRow.person_id, SubmissionRow.version,
               func.coalesce(_PERSON.same_as_id, _PERSON.id).label("student"),
               func.coalesce(SubmissionRow.handed_in, SubmissionRow.created).label("moment"))  # fmt: skip
    return with_students(select(*columns)).where(*which).order_by(SubmissionRow.id)


def _version(row: Any) -> StoredVersion:
    """A row as a version. Drafts are nobody's yet, and are told apart by their owners' names."""
    name, student = ((row.role, row.reference, who or row.owner) for who in (row.person_id, row.student))
    return StoredVersion(row.id, name, student, row.version or 0, row.moment)


def _unread(
    session: Session, which: Sequence[ColumnElement[bool]], newest: Collection[int], upload: UploadRow | None
) -> list[tuple[str, str]]:
    """The files that could not be read, and why, of the newest ones of some submissions; without those of this upload,
    whose own problems say it."""
    query = select(SubmissionRow.id, SubmissionRow.owner, SubmissionRow.skipped, SubmissionRow.upload_id)
    rows = session.execute(query.where(*which, cast(SubmissionRow.skipped, String) != "[]")).all()
    return [
        (f"{row.owner}/{path}", reason)
        for row in rows
        if row.id in newest and (upload is None or row.upload_id != upload.id)
        for path, reason in row.skipped
    ]


def _languages(session: Session, which: Sequence[ColumnElement[bool]], submissions: Collection[int]) -> Counter[str]:
    """How many files of some submissions are in each language."""
    query = select(SubmittedFileRow.submission_id, SubmittedFileRow.language, func.count()).join(SubmissionRow)
    rows = session.execute(
        query.where(*which).group_by(SubmittedFileRow.submission_id, SubmittedFileRow.language)
    ).all()
    found: Counter[str] = Counter()
    for submission, language, files in rows:
        found[language] += files if submission in submissions else 0
    return +found


def _shares(languages: Counter[str]) -> tuple[LanguageShare, ...]:
    total, before = languages.total(), 0
    shares = []
    for language, files in sorted(languages.items(), key=lambda pair: (-pair[1], pair[0])):
        shares.append(LanguageShare(language, files, before / total, files / total))
        before += files
    return tuple(shares)


def _grouped(problems: Sequence[Sequence[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    groups: dict[str, list[str]] = {}
    for path, reason in problems:
        groups.setdefault(reason, []).append(path)
    return tuple((reason, tuple(paths)) for reason, paths in sorted(groups.items(), key=lambda pair: len(pair[1])))


def languages_of(submission: SubmissionRow) -> list[tuple[str, int]]:
    """The languages of a submission's files with the number of files, most common first."""
    found = Counter(file.language for file in submission.files)
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))


def preview_of(session: Session, submission: SubmissionRow, file_id: int) -> tuple[SubmittedFileRow, str, int] | None:
    """A file of a submission with the beginning of its text, and how many lines follow."""
    query = (
        select(SubmittedFileRow)
        .filter_by(id=file_id, submission_id=submission.id)
        .options(joinedload(SubmittedFileRow.content))
    )
    file = session.scalar(query)
    if file is None:
        return None
    text = unpack(file.content.packed)
    lines = text.splitlines(keepends=True)
    shown = "".join(lines[:PREVIEW_LINES])[:_PREVIEW_CHARACTERS]
    return file, shown, max(0, len(lines) - PREVIEW_LINES)
