"""Erasing: everything that the store knows of one person goes, wherever it is.

A person goes with what they handed in, in all versions, with the texts that nobody else handed in and all that was kept
about them, with their cases and with their pairs in every report. Texts that others wrote stay, but name them no more:
notes of other cases, and what was logged. What others handed in is theirs, and stays even if it names somebody.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session, joinedload

from moss.store.deletion.mentions import Mentions
from moss.store.deletion.withdrawal import entries_from, forget_abandoned_pages, withdraw
from moss.store.submissions.contents import forget_unused, in_batches
from moss.store.tables import (
    Assignment,
    Case,
    CaseEvent,
    CourseArchive,
    Entry,
    File,
    Job,
    LogLine,
    Notice,
    Person,
    Run,
    ShareLink,
    Submission,
    Upload,
    UploadPart,
    UploadState,
)


@dataclass(frozen=True, slots=True)
class Traces:
    """What there is of a person."""

    person: Person
    submissions: dict[str, int]  # the number in each assignment, by its name
    runs: tuple[Run, ...]  # in whose reports they stand
    cases: int
    uploads: tuple[Upload, ...]  # that are not confirmed and hold something of theirs; they go as a whole
    notes: int  # of other cases in which they are named


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, in numbers, and the runs whose pages have to be made anew."""

    submissions: int
    cases: int
    runs: tuple[int, ...]


def traces_of(session: Session, person: Person) -> Traces:
    """What would go with a person."""
    rows = _submissions(session, person)
    counts = Counter(row.assignment.name for row in rows if row.confirmed)
    runs = session.scalars(select(Run).where(Run.id.in_({entry.run_id for entry in _entries(session, person, rows)})))
    mentions = _mentions(person, rows)
    return Traces(
        person, dict(counts), tuple(runs), len(_cases(session, person)), tuple(_uploads(session, person, rows)),
        sum(any(map(mentions.within, _words(event))) for event in _notes_of_others(session, person)),
    )  # fmt: skip


def erase_person(session: Session, person: Person) -> Erased:
    """Erase a person."""
    rows = _submissions(session, person)
    entries = _entries(session, person, rows)
    mentions = _mentions(person, rows)
    ids = [row.id for row in rows]
    cases = _cases(session, person)
    for upload in _uploads(session, person, rows):
        ids += session.scalars(select(Submission.id).filter_by(upload_id=upload.id, confirmed=False))
        session.execute(delete(Upload).where(Upload.id == upload.id))
    runs = withdraw(session, entries)
    forget_abandoned_pages(session)
    _forget_archives(session, {person.course_id, *_courses_of(session, runs)})
    _name_no_more(session, person, mentions, runs)
    session.execute(delete(Case).where(Case.id.in_(cases)))
    delete_submissions(session, ids)
    session.execute(delete(Person).where(Person.id == person.id))
    session.expire_all()
    return Erased(sum(row.confirmed for row in rows), len(cases), tuple(runs))


def delete_submissions(session: Session, ids: Collection[int]) -> None:
    """Delete submissions with those of their texts that nobody else handed in."""
    texts: set[int] = set()
    for some in in_batches(sorted(ids)):
        texts.update(session.scalars(select(File.content_id).where(File.submission_id.in_(some))))
        session.execute(delete(Submission).where(Submission.id.in_(some)))
    forget_unused(session, texts)


def people_named(session: Session, name: str) -> Sequence[Person]:
    """The people of all courses who may be meant: all the words of the name are in theirs, in any order and case."""
    asked = _key(name)
    named = {
        id for id, found in session.execute(select(Person.id, Person.name)).all() if asked and asked <= _key(found)
    }
    query = select(Person).where(Person.id.in_(named)).options(joinedload(Person.course))
    return session.scalars(query.order_by(Person.course_id.desc(), Person.name)).all()


def _key(name: str) -> frozenset[str]:
    """The words of a name without case, accents and what stands between them."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return frozenset("".join(c if c.isalnum() else " " for c in plain).split())


def _submissions(session: Session, person: Person) -> Sequence[Submission]:
    """What is theirs, also what was left out or is not confirmed yet, and so belongs to nobody."""
    theirs = (Assignment.course_id == person.course_id) & (Submission.owner == person.name)
    query = select(Submission).join(Assignment).where(
        or_(Submission.person_id == person.id, theirs & Submission.person_id.is_(None))
    )  # fmt: skip
    return session.scalars(query.options(joinedload(Submission.assignment)).order_by(Submission.id)).all()


def _entries(session: Session, person: Person, rows: Sequence[Submission]) -> list[Entry]:
    """Their places in reports, also those in which they are not named."""
    theirs = select(Entry).where(Entry.person_id == person.id)
    found = {entry.id: entry for entry in (*session.scalars(theirs), *entries_from(session, [row.id for row in rows]))}
    return list(found.values())


def _cases(session: Session, person: Person) -> list[int]:
    return list(session.scalars(select(Case.id).where(or_(Case.a_id == person.id, Case.b_id == person.id))))


def _uploads(session: Session, person: Person, rows: Sequence[Submission]) -> list[Upload]:
    """Uploads that wait to be confirmed, if something of the person was recognised in them or is named after them."""
    mentions = _mentions(person, rows)
    drafted = {row.upload_id for row in rows if not row.confirmed}
    query = select(Upload).join(Assignment).where(Assignment.course_id == person.course_id)
    waiting = session.scalars(query.where(Upload.state != UploadState.CONFIRMED)).all()
    paths = session.execute(
        select(UploadPart.upload_id, UploadPart.path).where(UploadPart.upload_id.in_([upload.id for upload in waiting]))
    )
    named = {upload_id for upload_id, path in paths if mentions.within(path)}
    return [upload for upload in waiting if upload.id in drafted | named]


def _mentions(person: Person, rows: Sequence[Submission]) -> Mentions:
    return Mentions.of({person.name} | {row.name for row in rows if row.person_id == person.id})


def _notes_of_others(session: Session, person: Person) -> list[CaseEvent]:
    """The history of the course's other cases."""
    query = select(CaseEvent).join(Case).join(Assignment).where(
        Assignment.course_id == person.course_id, Case.a_id != person.id, Case.b_id != person.id
    )  # fmt: skip
    return list(session.scalars(query))


def _words(event: CaseEvent) -> Iterator[str]:
    yield from (event.note, event.before, event.after)


def _courses_of(session: Session, runs: Collection[int]) -> set[int]:
    query = select(Assignment.course_id).join(Run).where(Run.id.in_(runs))
    return set(session.scalars(query))


def _forget_archives(session: Session, courses: Collection[int]) -> None:
    """Delete archives that were made of these courses: they hold everything."""
    session.execute(delete(CourseArchive).where(CourseArchive.course_id.in_(courses)))


def _name_no_more(session: Session, person: Person, mentions: Mentions, runs: Collection[int]) -> None:
    for event in _notes_of_others(session, person):
        if any(map(mentions.within, _words(event))):
            event.note, event.before, event.after = map(mentions.removed, _words(event))
    for upload in session.scalars(select(Upload).join(Assignment).filter_by(course_id=person.course_id)):
        upload.problems = [problem for problem in upload.problems if not mentions.within(problem[0])]
        upload.reason = mentions.removed(upload.reason)
    for link in session.scalars(select(ShareLink).where(ShareLink.run_id.in_(runs))):
        link.label = mentions.removed(link.label)
    _name_no_more_in_jobs(session, person, mentions)
    session.flush()


def _name_no_more_in_jobs(session: Session, person: Person, mentions: Mentions) -> None:
    """A job's reason can name who was compared, and so can its log and what its user was told."""
    jobs = session.scalars(select(Job).filter_by(course_id=person.course_id)).all()
    for job in jobs:
        job.reason = mentions.removed(job.reason)
        job.payload = {k: mentions.removed(v) if isinstance(v, str) else v for k, v in job.payload.items()}
    for line in session.scalars(select(LogLine).join(Job).where(Job.course_id == person.course_id)):
        line.text = mentions.removed(line.text)
    for notice in session.scalars(select(Notice).where(Notice.user_id.in_({job.user_id for job in jobs}))):
        notice.text = mentions.removed(notice.text)
