"""Erasure of a person: everything that the store knows of them is deleted, wherever it is.

This covers all names of a student and what the roster says of them, all versions of their submissions, the texts that
nobody else handed in and all data about these, their cases, and their pairs in every report. Texts that others wrote
stay, but their name is removed from them: notes of other cases, logs, and commits in the git histories of others. What
others handed in is theirs, and stays even if it names somebody.

A commit that the person made in a repository that somebody else handed in stays with its dates, without a name. All
commits with an address that occurs beside the person's name are taken for theirs.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, delete, or_, select, update
from sqlalchemy.orm import Session, joinedload

from moss.store.courses.merges import names_of_student
from moss.store.deletion.withdrawal import NOBODY, Mentions, delete_abandoned_pages, entries_from, withdraw
from moss.store.results.reports import delete_pages
from moss.store.submissions.contents import delete_unused_texts, in_batches
from moss.store.tables import (
    AssignmentRow,
    CaseEventRow,
    CaseRow,
    CourseArchiveRow,
    JobRow,
    LogLineRow,
    NoticeRow,
    PersonRow,
    ResultRow,
    RunEntryRow,
    RunRow,
    ShareLinkRow,
    SubmissionRow,
    SubmittedFileRow,
    UploadPartRow,
    UploadRow,
    UploadState,
)

_HISTORY = "history"
StoredHistory = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PersonTraces:
    """Everything that the store has of a person."""

    person: PersonRow
    submissions: dict[str, int]  # how many in each assignment, by its name
    runs: tuple[RunRow, ...]  # runs that have them in their reports
    cases: int
    uploads: tuple[UploadRow, ...]  # unconfirmed uploads with something of theirs, which are deleted as a whole
    notes: int  # notes of other cases that name them


@dataclass(frozen=True, slots=True)
class Erased:
    """How much was erased, and the runs whose pages must be rendered again."""

    submissions: int
    cases: int
    runs: tuple[int, ...]


def traces_of(session: Session, person: PersonRow) -> PersonTraces:
    """Everything that would be erased with a student."""
    person = person.student
    rows = _submissions(session, person)
    counts = Counter(row.assignment.name for row in rows if row.confirmed)
    runs = session.scalars(
        select(RunRow).where(RunRow.id.in_({entry.run_id for entry in _entries(session, person, rows)}))
    )
    mentions = _mentions(session, person, rows)
    return PersonTraces(
        person, dict(counts), tuple(runs), len(_cases(session, person)), tuple(_uploads(session, person, rows)),
        sum(any(map(mentions.within, _words(event))) for event in _notes_of_others(session, person)),
    )  # fmt: skip


def erase_person(session: Session, person: PersonRow) -> Erased:
    """Erase a student, under all their names."""
    person = person.student
    rows = _submissions(session, person)
    entries = _entries(session, person, rows)
    mentions = _mentions(session, person, rows)
    ids = [row.id for row in rows]
    cases = _cases(session, person)
    for upload in _uploads(session, person, rows):
        ids += session.scalars(select(SubmissionRow.id).filter_by(upload_id=upload.id, confirmed=False))
        session.execute(delete(UploadRow).where(UploadRow.id == upload.id))
    runs = withdraw(session, entries)
    runs += [run for run in _erase_author(session, person.course_id, mentions, runs) if run not in runs]
    delete_abandoned_pages(session)
    _forget_archives(session, {person.course_id, *_courses_of(session, runs)})
    _name_no_more(session, person, mentions, runs)
    session.execute(delete(CaseRow).where(CaseRow.id.in_(cases)))
    delete_submissions(session, ids)
    session.execute(delete(PersonRow).where(or_(PersonRow.id == person.id, PersonRow.same_as_id == person.id)))
    session.expire_all()
    return Erased(sum(row.confirmed for row in rows), len(cases), tuple(runs))


def delete_submissions(session: Session, ids: Collection[int]) -> None:
    """Delete submissions with those of their texts that nobody else handed in."""
    texts: set[int] = set()
    for some in in_batches(sorted(ids)):
        texts.update(
            session.scalars(select(SubmittedFileRow.content_id).where(SubmittedFileRow.submission_id.in_(some)))
        )
        session.execute(delete(SubmissionRow).where(SubmissionRow.id.in_(some)))
    delete_unused_texts(session, texts)


def people_named(session: Session, name: str) -> Sequence[PersonRow]:
    """The students of all courses who have all words of this name in one of theirs, or in their address or number, in
    any order and case."""
    asked = _key(name)
    named = {
        person.student.id
        for person in session.scalars(select(PersonRow).options(joinedload(PersonRow.same_as)))
        if asked
        and any(asked <= _key(found) for found in (person.name, person.address, person.number, *person.other_names))
    }
    query = select(PersonRow).where(PersonRow.id.in_(named)).options(joinedload(PersonRow.course))
    return session.scalars(query.order_by(PersonRow.course_id.desc(), PersonRow.name)).all()


def _key(name: str) -> frozenset[str]:
    """The words of a name without case, accents and the signs between them."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return frozenset("".join(c if c.isalnum() else " " for c in plain).split())


def _submissions(session: Session, person: PersonRow) -> Sequence[SubmissionRow]:
    """A person's submissions, also those that were left out or not confirmed yet, which belong to nobody."""
    everyone = names_of_student(session, person)
    named = SubmissionRow.owner.in_([each.name for each in everyone])
    drafted = and_(SubmissionRow.person_id.is_(None), AssignmentRow.course_id == person.course_id, named)
    theirs = SubmissionRow.person_id.in_([each.id for each in everyone])
    query = select(SubmissionRow).join(AssignmentRow).where(or_(theirs, drafted))
    return session.scalars(query.options(joinedload(SubmissionRow.assignment)).order_by(SubmissionRow.id)).all()


def _entries(session: Session, person: PersonRow, rows: Sequence[SubmissionRow]) -> list[RunEntryRow]:
    """A person's entries in reports, also those that do not name them."""
    theirs = select(RunEntryRow).where(RunEntryRow.person_id == person.id)  # who stands for all names in reports
    found = {entry.id: entry for entry in (*session.scalars(theirs), *entries_from(session, [row.id for row in rows]))}
    return list(found.values())


def _cases(session: Session, person: PersonRow) -> list[int]:
    names = [each.id for each in names_of_student(session, person)]
    return list(session.scalars(select(CaseRow.id).where(or_(CaseRow.a_id.in_(names), CaseRow.b_id.in_(names)))))


def _uploads(session: Session, person: PersonRow, rows: Sequence[SubmissionRow]) -> list[UploadRow]:
    """Unconfirmed uploads in which something of the person was recognised, or which are named after them."""
    mentions = _mentions(session, person, rows)
    drafted = {row.upload_id for row in rows if not row.confirmed}
    query = select(UploadRow).join(AssignmentRow).where(AssignmentRow.course_id == person.course_id)
    waiting = session.scalars(query.where(UploadRow.state != UploadState.CONFIRMED)).all()
    paths = session.execute(
        select(UploadPartRow.upload_id, UploadPartRow.path).where(
            UploadPartRow.upload_id.in_([upload.id for upload in waiting])
        )
    )
    named = {upload_id for upload_id, path in paths if mentions.within(path)}
    return [upload for upload in waiting if upload.id in drafted | named]


def _mentions(session: Session, person: PersonRow, rows: Sequence[SubmissionRow]) -> Mentions:
    everyone = names_of_student(session, person)
    known = {text for each in everyone for text in (each.name, each.address, each.number, *each.other_names)}
    return Mentions.of(known | {row.name for row in rows if row.person_id is not None})


def _notes_of_others(session: Session, person: PersonRow) -> list[CaseEventRow]:
    """The history of the course's other cases."""
    query = select(CaseEventRow).join(CaseRow).join(AssignmentRow).where(
        AssignmentRow.course_id == person.course_id, CaseRow.a_id != person.id, CaseRow.b_id != person.id
    )  # fmt: skip
    return list(session.scalars(query))


def _words(event: CaseEventRow) -> Iterator[str]:
    yield from (event.note, event.before, event.after)


def _courses_of(session: Session, runs: Collection[int]) -> set[int]:
    query = select(AssignmentRow.course_id).join(RunRow).where(RunRow.id.in_(runs))
    return set(session.scalars(query))


def _forget_archives(session: Session, courses: Collection[int]) -> None:
    """Delete archives that were made of these courses, because they hold everything."""
    session.execute(delete(CourseArchiveRow).where(CourseArchiveRow.course_id.in_(courses)))


def _name_no_more(session: Session, person: PersonRow, mentions: Mentions, runs: Collection[int]) -> None:
    for event in _notes_of_others(session, person):
        if any(map(mentions.within, _words(event))):
            event.note, event.before, event.after = map(mentions.removed, _words(event))
    for upload in session.scalars(select(UploadRow).join(AssignmentRow).filter_by(course_id=person.course_id)):
        upload.problems = [problem for problem in upload.problems if not mentions.within(problem[0])]
        upload.reason = mentions.removed(upload.reason)
    for link in session.scalars(select(ShareLinkRow).where(ShareLinkRow.run_id.in_(runs))):
        link.label = mentions.removed(link.label)
    _name_no_more_in_jobs(session, person, mentions)
    session.flush()


def _name_no_more_in_jobs(session: Session, person: PersonRow, mentions: Mentions) -> None:
    """Remove the names from jobs: a job's reason, its log and its notices can name the people who were compared."""
    jobs = session.scalars(select(JobRow).filter_by(course_id=person.course_id)).all()
    for job in jobs:
        job.reason = mentions.removed(job.reason)
        job.payload = {k: mentions.removed(v) if isinstance(v, str) else v for k, v in job.payload.items()}
    for line in session.scalars(select(LogLineRow).join(JobRow).where(JobRow.course_id == person.course_id)):
        line.text = mentions.removed(line.text)
    for notice in session.scalars(select(NoticeRow).where(NoticeRow.user_id.in_({job.user_id for job in jobs}))):
        notice.text = mentions.removed(notice.text)


def _erase_author(session: Session, course_id: int, mentions: Mentions, runs: Collection[int]) -> list[int]:
    """Remove the people who are mentioned from the histories in a course and in these runs; returns the runs that
    changed, whose pages must be rendered again."""
    rows = session.scalars(select(SubmissionRow).join(AssignmentRow).where(AssignmentRow.course_id == course_id)).all()
    own = select(RunRow.id).join(AssignmentRow).where(AssignmentRow.course_id == course_id)
    entries = session.scalars(
        select(RunEntryRow).where(RunEntryRow.run_id.in_(own) | RunEntryRow.run_id.in_(runs))
    ).all()
    histories = [row.history for row in rows] + [entry.figures.get(_HISTORY) for entry in entries]
    mails = set(_mails(mentions, histories))
    for row in rows:
        row.history = _without(mentions, mails, row.history)
    changed = set()
    for entry in entries:
        before = entry.figures.get(_HISTORY)
        if (after := _without(mentions, mails, before)) != before:
            entry.figures = {**entry.figures, _HISTORY: after}
            changed.add(entry.run_id)
    for run_id in sorted(changed):
        session.execute(update(ResultRow).where(ResultRow.run_id == run_id).values(edition=ResultRow.edition + 1))
        delete_pages(session, run_id)
    return sorted(changed)


def _mails(mentions: Mentions, histories: Collection[StoredHistory | None]) -> Iterator[str]:
    for history in histories:
        for commit in history["commits"] if history else ():
            if commit["mail"] and (mentions.within(commit["author"]) or mentions.within(commit["mail"])):
                yield commit["mail"]


def _without(mentions: Mentions, mails: Collection[str], history: StoredHistory | None) -> dict[str, Any] | None:
    if history is None:
        return None
    return {**history, "commits": [_commit(mentions, mails, commit) for commit in history["commits"]]}


def _commit(mentions: Mentions, mails: Collection[str], commit: Mapping[str, Any]) -> dict[str, Any]:
    kept = {**commit, "subject": mentions.removed(commit["subject"])}
    if commit["mail"] in mails or mentions.within(commit["author"]):
        return kept | {"author": NOBODY, "mail": ""}
    return kept
