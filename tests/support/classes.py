"""Classes in a store: what an instructor has uploaded and confirmed, put there without the pages."""

from __future__ import annotations

from pathlib import Path

from moss.intake import collect
from moss.model import Role
from moss.store import Store
from moss.store.submissions.contents import digest_of, store_texts
from moss.store.tables import AssignmentRow, PersonRow, RunRow, SubmissionRow, SubmittedFileRow

SAMPLES = Path(__file__).parents[2] / "sample_submissions"


def add_class(store: Store, course_id: int, folder: Path, name: str = "Homework 1") -> int:
    """An assignment with the submissions of a sample folder (starter/, submissions/, archive/), confirmed."""
    given = {Role.NEW: folder / "submissions", Role.ARCHIVE: folder / "archive", Role.BASE: folder / "starter"}
    paths = {role: [path] if path.is_dir() else [] for role, path in given.items()}
    intake = collect(paths[Role.NEW], paths[Role.ARCHIVE], paths[Role.BASE])
    with store.session() as session:
        assignment = AssignmentRow(course_id=course_id, name=name)
        session.add(assignment)
        session.flush()
        for each in intake.submissions:
            add_submission(session, assignment, each)
        return assignment.id


def add_submission(session, assignment, given) -> SubmissionRow:
    """One confirmed submission, of a person who is made if there is none of the name."""
    person = None
    if given.role is not Role.BASE:
        person = session.query(PersonRow).filter_by(course_id=assignment.course_id, name=given.owner).one_or_none()
        person = person or PersonRow(course_id=assignment.course_id, name=given.owner)
        session.add(person)
        session.flush()
    earlier = (
        session.query(SubmissionRow).filter_by(assignment_id=assignment.id, person_id=person and person.id).count()
    )
    ids = store_texts(session, [file.text for file in given.files])
    row = SubmissionRow(
        assignment_id=assignment.id,
        person_id=person.id if person else None,
        owner=given.owner,
        name=given.id,
        role=given.role,
        version=earlier + 1 if person else None,
        confirmed=True,
        files=[
            SubmittedFileRow(
                path=file.path,
                content_id=ids[digest_of(file.text)],
                sha256=file.digest,
                encoding=file.encoding,
                cells=[[cell.label, cell.language, cell.start, cell.end] for cell in file.cells],
            )
            for file in given.files
        ],
    )
    session.add(row)
    session.flush()
    return row


def add_run(
    store: Store, assignment_id: int, *, archives: tuple[int, ...] = (), corpora: tuple[str, ...] = (), **settings
) -> int:
    """A run of an assignment, with its job queued; the id of the run."""
    from moss.jobs.ledger import add_job

    with store.session() as session:
        assignment = session.get_one(AssignmentRow, assignment_id)
        number = session.query(RunRow).filter_by(assignment_id=assignment_id).count() + 1
        run = RunRow(
            assignment_id=assignment_id,
            number=number,
            settings=settings,
            archives=list(archives),
            corpora=list(corpora),
        )
        session.add(run)
        session.flush()
        run.job_id = add_job(session, "run", {"run": run.id}, course_id=assignment.course_id).id
        return run.id
