"""What a run compares: the newest version of each person's submission, earlier work, and what was handed out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, selectinload

from moss.model import Cell, Problem, Role, SourceFile
from moss.model import Submission as Compared
from moss.store.contents import forget_unused, in_batches, keep_texts, read_texts, texts_of_runs
from moss.store.reports import Source
from moss.store.tables import Assignment, Content, File, Person, Run, RunText, Submission


@dataclass(frozen=True, slots=True)
class Material:
    """The submissions to compare, where each came from, and the content of each of its files."""

    submissions: tuple[Compared, ...]
    sources: dict[str, Source]
    contents: dict[str, int]  # the ids of the texts, by their digests


def material_of(session: Session, run: Run) -> Material:
    """All that a run compares, with its texts."""
    rows = list(_rows(session, run))
    digests = {file.content.digest: file.content_id for row, _, _ in rows for file in row.files}
    texts = read_texts(session, digests)
    compared, sources = [], {}
    for row, role, label in _told_apart(rows):
        submission = _compared(row, role, label, texts)
        compared.append(submission)
        sources[submission.id] = Source(row.id, row.person_id)
    return Material(tuple(compared), sources, digests)


Contents = Mapping[str, int]
Row = tuple[Submission, Role, str]


def _rows(session: Session, run: Run) -> Iterable[Row]:
    """Each submission with its role in this run and what it is called."""
    for row in current_submissions(session, run.assignment_id):
        yield row, row.role, row.person.name if row.person else row.name
    for assignment_id in run.archives:
        assignment = session.get(Assignment, assignment_id)
        if assignment is None or assignment_id == run.assignment_id:
            continue
        for row in current_submissions(session, assignment_id):
            if row.role is not Role.BASE and row.person:
                yield row, Role.ARCHIVE, f"{row.person.name} ({assignment.course.title}: {assignment.name})"


Found = Sequence[tuple[str, Compared]]
"""Earlier work from corpora, each with the name of its corpus; owned by its address, and called as nothing else is."""


def with_earlier_work(session: Session, run: Run, material: Material, found: Found, contents: Contents) -> Material:
    """The same with earlier work from corpora, of whose texts these are stored. Of whom something was decided in an
    earlier run, that person it is."""
    people: dict[str, int] = {}
    for some in in_batches(sorted({submission.owner for _, submission in found})):
        query = select(Person.name, Person.id).where(Person.name.in_(some))
        people.update(session.execute(query.filter_by(course_id=run.assignment.course_id)).all())
    sources = {each.id: Source(None, people.get(each.owner), corpus) for corpus, each in found}
    submissions = (*material.submissions, *(each for _, each in found))
    return Material(submissions, material.sources | sources, {**material.contents, **contents})


def keep_earlier_work(session: Session, run_id: int, found: Found) -> Contents:
    """Store the texts of earlier work from corpora for a run, instead of those that it may have."""
    before = texts_of_runs(session, [run_id])
    session.execute(delete(RunText).where(RunText.run_id == run_id))
    kept = keep_texts(session, (file.text for _, submission in found for file in submission.files))
    session.add_all(RunText(run_id=run_id, content_id=content_id) for content_id in sorted(set(kept.values())))
    session.flush()
    forget_unused(session, before)
    return kept


def current_submissions(session: Session, assignment_id: int) -> list[Submission]:
    """Of each person in an assignment the newest version, and everything handed out; not what was left out."""
    query = (
        select(Submission)
        .filter_by(assignment_id=assignment_id, confirmed=True, left_out=False)
        .options(
            selectinload(Submission.files).joinedload(File.content, innerjoin=True).load_only(Content.digest),
            selectinload(Submission.person),
        )
        .order_by(Submission.id)
    )
    newest: dict[tuple[int | None, Role] | int, Submission] = {}
    for row in sorted(session.scalars(query), key=lambda row: row.version or 0):  # of equal ones the later stays
        newest[(row.person_id, row.role) if row.person_id else -row.id] = row
    return list(newest.values())


def _told_apart(rows: list[Row]) -> Iterable[Row]:
    """The same, with a number behind names that occur more than once."""
    seen: Counter[str] = Counter()
    for row, role, label in rows:
        seen[label] += 1
        yield row, role, f"{label} ({seen[label]})" if seen[label] > 1 else label


def _compared(row: Submission, role: Role, label: str, texts: dict[str, str]) -> Compared:
    files = tuple(
        SourceFile(
            file.path, texts[file.content.digest], file.sha256, file.encoding, tuple(Cell(*cell) for cell in file.cells)
        )
        for file in row.files
    )
    owner = row.person.name if row.person else row.owner
    skipped = tuple(Problem(path, reason) for path, reason in row.skipped)
    version = str(row.version) if row.version else None
    return Compared(label, owner, files, role, skipped, version, row.handed_in, row.language)
