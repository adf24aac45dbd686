"""Corrections that an instructor makes to what is compared, before it is confirmed or at any later time.

A submission gets another owner, role or language, or is left out. A passage of a report can be treated as starter code:
from the next run on, what matches it is ignored. It becomes a submission of its assignment that belongs to nobody, with
the text of both sides. So it is listed there, and excluding it takes it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, func, select
from sqlalchemy.orm import Session, aliased

from frontends import UnknownLanguageError, by_name
from moss.intake.names import displayable, numbered
from moss.messages import gettext as _
from moss.messages import marked
from moss.model import ReferenceKind, Role
from moss.store.submissions.contents import digest_of, read_texts, store_texts
from moss.store.tables import (
    CaseRow,
    MatchRow,
    PairRow,
    PersonRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
    SubmittedFileRow,
)
from moss.store.validation import LONGEST_NAME, RefusedError, clean_name

LEFT_OUT = "out"
ROLES = {
    Role.NEW: marked("new submission"),
    Role.ARCHIVE: marked("earlier work"),
    ReferenceKind.MODEL: marked("model solution"),
    ReferenceKind.TASK: marked("task’s statement"),
    ReferenceKind.BOOK: marked("book or published solution"),
    ReferenceKind.CHATBOT: marked("chatbot’s answer"),
    Role.BASE: marked("starter code"),
    LEFT_OUT: marked("excluded"),
}
"""The roles of a submission, with the words that readers see; what is no student's work is told by its kind."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The fields to change; None leaves a field as it is."""

    owner: str | None = None
    role: str | None = None  # one of ROLES
    language: str | None = None


def role_of(submission: SubmissionRow) -> str:
    """The role of a submission, as one of ROLES."""
    if submission.left_out:
        return LEFT_OUT
    return submission.reference if submission.role is Role.ARCHIVE and submission.reference else submission.role


def correct(session: Session, submission: SubmissionRow, correction: Correction) -> None:
    """Change a submission; raises RefusedError, and changes nothing, if the correction is not possible."""
    owner = submission.owner if correction.owner is None else clean_owner(correction.owner)
    role = role_of(submission) if correction.role is None else _clean_role(correction.role)
    language = submission.language if correction.language is None else clean_language(correction.language)
    submission.owner, submission.language = owner, language
    submission.left_out = role == LEFT_OUT
    if role != LEFT_OUT:
        submission.role = Role.ARCHIVE if role in list(ReferenceKind) else Role(role)
        submission.reference = role if role in list(ReferenceKind) else ""
    if submission.confirmed:
        _settle_again(session, submission)


def correct_all(session: Session, submissions: Sequence[SubmissionRow], correction: Correction) -> int:
    """Change several submissions alike; returns how many. A correction that is never possible is refused even if there
    are none."""
    if correction.role is not None:
        _clean_role(correction.role)
    for submission in submissions:
        correct(session, submission, correction)
    return len(submissions)


def merge(session: Session, drafts: Sequence[SubmissionRow]) -> SubmissionRow:
    """Merge several drafts into one submission that all their owners own, such as a team whose files came
    separately."""
    if len(drafts) < 2:
        raise RefusedError("", _("Select at least two submissions to merge."))
    if any(draft.confirmed for draft in drafts) or len({draft.upload_id for draft in drafts}) > 1:
        raise RefusedError("", _("Only submissions of the same upload can be merged, and only before it is confirmed."))
    first, *others = drafts
    first.owner = together([draft.owner for draft in drafts])
    for other in others:
        first.skipped = first.skipped + other.skipped
        _join_histories(first, other)
        for file in list(other.files):
            first.files.append(file)
        session.flush()
        session.delete(other)
    for file, path in zip(first.files, numbered([file.path for file in first.files]), strict=True):
        file.path = path
    session.flush()
    return first


def _join_histories(first: SubmissionRow, other: SubmissionRow) -> None:
    """Add the commits of another draft's history, to which its files then refer."""
    mine, theirs = first.history, other.history
    if not theirs:
        return
    before = len(mine["commits"]) if mine else 0
    for file in other.files:
        file.origins = [[line, commit + before if commit else 0] for line, commit in file.origins]
    first.history = theirs if not mine else {
        "commits": mine["commits"] + theirs["commits"], "count": mine["count"] + theirs["count"],
        "cut": mine["cut"] or theirs["cut"],
    }  # fmt: skip


def together(owners: Sequence[str]) -> str:
    """The name of a team that has all these owners: Ada, Bela."""
    different = list(dict.fromkeys(owners))
    name = ("; " if any("," in owner for owner in different) else ", ").join(different)
    if len(name) > LONGEST_NAME:
        raise RefusedError(
            "", _("Together these names are too long. Use at most %(most)s characters.", most=LONGEST_NAME)
        )
    return name


def clean_owner(name: str) -> str:
    """An owner's name in its stored form."""
    return displayable(clean_name(name, "owner"))


def clean_language(name: str) -> str:
    """The name of a language that can be read, or `auto`."""
    try:
        return "auto" if name == "auto" else by_name(name).name
    except UnknownLanguageError:
        raise RefusedError("language", _("moss doesn’t know the language “%(name)s”.", name=name[:50])) from None


def _clean_role(role: str) -> str:
    if role not in ROLES:
        raise RefusedError("role", _("There is no role “%(name)s”.", name=role[:50]))
    return role


def settle(session: Session, submission: SubmissionRow, person: PersonRow | None, version: int | None) -> None:
    """Set the person and version of a submission; None for starter code and what was left out."""
    submission.confirmed = True
    submission.person_id = person.id if person else None
    submission.version = version


def is_personal(submission: SubmissionRow) -> bool:
    """Whether it is somebody's work that is compared: neither starter code nor left out."""
    return submission.role is not Role.BASE and not submission.left_out


def person_of(session: Session, course_id: int, name: str) -> PersonRow:
    """The person with this name in a course, who is added if there is none."""
    person = session.scalar(select(PersonRow).filter_by(course_id=course_id, name=name))
    if person is None:
        person = PersonRow(course_id=course_id, name=name)
        session.add(person)
        session.flush()
    return person


def _settle_again(session: Session, submission: SubmissionRow) -> None:
    """Set the person and version again after a confirmed submission has changed: the newest version, unless it was
    theirs before."""
    before = submission.person_id
    if submission.role is Role.BASE:
        settle(session, submission, None, None)
    elif not submission.left_out or before is not None:
        person = person_of(session, submission.assignment.course_id, submission.owner)
        if person.id != before:
            settle(session, submission, person, latest_version(session, submission.assignment_id, person.id) + 1)
    session.flush()
    if before is not None and submission.person_id != before:
        delete_person_without_work(session, before)


def latest_version(session: Session, assignment_id: int, person_id: int) -> int:
    """The number of a person's newest version in an assignment, or 0."""
    mine = (SubmissionRow.assignment_id == assignment_id, SubmissionRow.person_id == person_id)
    return session.scalar(select(func.max(SubmissionRow.version)).where(*mine)) or 0


def delete_person_without_work(session: Session, person_id: int) -> None:
    """Delete a person who has no submissions and no cases, is not on the roster, and stands for no other name."""
    works = exists().where(SubmissionRow.person_id == PersonRow.id)
    thought_of = exists().where((CaseRow.a_id == PersonRow.id) | (CaseRow.b_id == PersonRow.id))
    idle = (~works, ~thought_of, ~PersonRow.on_roster, ~stands_for_others())
    session.execute(delete(PersonRow).where(PersonRow.id == person_id, *idle))


def stands_for_others() -> ColumnElement[bool]:
    """Whether other names were merged into a person."""
    other = aliased(PersonRow)
    return exists().where(other.same_as_id == PersonRow.id)


def treat_as_starter_code(session: Session, run: RunRow, pair: PairRow, match: MatchRow) -> SubmissionRow:
    """Make a passage starter code of the run's assignment; if it is already, what was made then."""
    files = _files(session, run, pair, match)
    made = _made_before(session, run.assignment_id, {file.content_id for file in files})
    if made is None:
        name = _("Passage %(passage)s of pair %(rank)s, run %(run)s",
                 passage=match.number, rank=pair.rank, run=run.number)  # fmt: skip
        made = SubmissionRow(
            assignment_id=run.assignment_id, owner=name, name=name, role=Role.BASE, confirmed=True, files=files
        )
        session.add(made)
    made.left_out = False
    session.flush()
    return made


def _made_before(session: Session, assignment_id: int, contents: set[int]) -> SubmissionRow | None:
    """The starter code with just these texts. Its name does not tell: after an erasure other pairs have that rank."""
    starters = session.scalars(select(SubmissionRow).filter_by(assignment_id=assignment_id, role=Role.BASE))
    return next(
        (row for row in starters if row.confirmed and {file.content_id for file in row.files} == contents), None
    )


def _files(session: Session, run: RunRow, pair: PairRow, match: MatchRow) -> list[SubmittedFileRow]:
    """The passage as it stands on each side; sides that write it alike are one file."""
    texts = {side: _text(session, run, number, region) for side, number, region in (
        ("a", pair.a, match.a), ("b", pair.b, match.b)
    )}  # fmt: skip
    ids = store_texts(session, texts.values())
    regions: dict[str, Mapping[str, Any]] = {"a": match.a, "b": match.b}
    files: dict[str, SubmittedFileRow] = {}
    for side, text in texts.items():
        digest = digest_of(text)
        path = f"{side}/{PurePosixPath(regions[side]['file']).name}"
        files.setdefault(digest, SubmittedFileRow(path=path, content_id=ids[digest], sha256=digest, encoding="utf-8"))
    return list(files.values())


def _text(session: Session, run: RunRow, number: int, region: Mapping[str, Any]) -> str:
    """The text of a region in a submission of the run."""
    entry = session.scalars(select(RunEntryRow).filter_by(run_id=run.id, number=number)).one()
    digest = next((file["text"] for file in entry.files if file["path"] == region["file"]), "")
    return read_texts(session, [digest]).get(digest, "")[region["start"] : region["end"]]
