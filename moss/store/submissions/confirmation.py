"""Confirmation: the drafts of an upload become submissions of their owners.

An owner who has handed in before gets the next version. A draft that equals the newest version is not stored again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, selectinload

from moss.messages import counted, listed, ngettext, number
from moss.messages import gettext as _
from moss.model import Role
from moss.report.words.references import is_folded
from moss.store.courses.roster import match_names
from moss.store.submissions.corrections import is_personal, settle
from moss.store.tables import AssignmentRow, PersonRow, SubmissionRow, UploadPartRow, UploadRow, UploadState
from moss.store.validation import RefusedError

Signature = tuple[tuple[str, int], ...]
"""The paths and texts of a submission, by which equal ones are recognised."""

VersionsKey = tuple[Role, str, int | None]
"""A role, the kind of a reference, and a person: their submissions of these are versions of one."""


@dataclass
class Confirmed:
    """The result of confirming an upload."""

    added: int = 0
    again: int = 0  # those among the added that are newer versions
    starter: int = 0  # those among the added that are starter code
    students: set[str] = field(default_factory=set)  # owners of the added that were handed in now
    earlier: set[str] = field(default_factory=set)  # owners of the added that are earlier work
    texts: int = 0  # those among the added that are references of other kinds
    left_out: int = 0
    unchanged: list[str] = field(default_factory=list)  # owners whose submission was stored already

    def add(self, draft: SubmissionRow) -> None:
        """Count a draft that has become a submission."""
        self.added += 1
        self.starter += draft.role is Role.BASE
        self.texts += is_folded(draft.kind)
        if draft.role is Role.NEW:
            self.students.add(draft.owner)
        elif draft.kind and not is_folded(draft.kind):
            self.earlier.add(draft.owner)

    def sentence(self) -> str:
        """The result in words."""
        said = []
        if self.students or not (self.earlier or self.texts or self.starter):
            said.append(_("%(students)s added.", students=counted(self.students, "student")))
        if self.earlier:
            said.append(_("Earlier work of %(students)s added.", students=counted(self.earlier, "student")))
        if self.texts:
            said.append(
                ngettext("%(n)s other text added.", "%(n)s other texts added.", self.texts, n=number(self.texts))
            )
        if self.starter:
            said.append(_("Starter code added."))
        if self.again:
            said.append(
                ngettext("%(n)s replaces an older version.", "%(n)s replace older versions.", self.again,
                         n=number(self.again))
            )  # fmt: skip
        if self.left_out:
            said.append(_("%(n)s excluded.", n=number(self.left_out)))
        if self.unchanged:
            some = listed(self.unchanged[:3]) if len(self.unchanged) < 4 else ", ".join(self.unchanged[:3]) + ", …"
            said.append(_("%(n)s already here and unchanged: %(names)s.", n=number(len(self.unchanged)), names=some))
        return " ".join(said)


def confirm(session: Session, upload: UploadRow) -> Confirmed:
    """Make an upload's drafts submissions of the assignment, and delete the files as they were sent."""
    session.refresh(upload, with_for_update=True)
    if upload.state is not UploadState.READY:
        raise RefusedError("", _("This upload is not ready to be confirmed."))
    drafts = session.scalars(
        select(SubmissionRow)
        .filter_by(upload_id=upload.id, confirmed=False)
        .options(selectinload(SubmissionRow.files))
        .order_by(SubmissionRow.id)
    ).all()
    if not drafts:
        raise RefusedError("", _("There is nothing in this upload to confirm."))
    outcome = _settle_all(session, upload.assignment, drafts)
    session.execute(delete(UploadPartRow).where(UploadPartRow.upload_id == upload.id))
    upload.state = UploadState.CONFIRMED
    session.flush()
    match_names(session, upload.assignment.course_id)
    return outcome


def _settle_all(session: Session, assignment: AssignmentRow, drafts: Iterable[SubmissionRow]) -> Confirmed:
    given = list(drafts)
    session.execute(select(AssignmentRow.id).where(AssignmentRow.id == assignment.id).with_for_update())
    people = _people(session, assignment.course_id, {draft.owner for draft in given if is_personal(draft)})
    versions = _versions(session, assignment.id)
    known = _signatures(session, assignment.id)
    again = _sent_again(given, people, known)
    outcome = Confirmed()
    for draft in given:
        person = people[draft.owner] if is_personal(draft) else None
        key = _key(draft, person)
        there = known.get(key, [])[-1:] if person else known.get(key, [])
        if not draft.left_out and (draft.id in again or _signature(draft) in there):
            outcome.unchanged.append(draft.owner)
            session.delete(draft)
            continue
        version = versions.get(person.id, 0) + 1 if person else None
        settle(session, draft, person, version)
        outcome.left_out += draft.left_out
        if not draft.left_out:
            outcome.add(draft)
        if person and version:
            outcome.again += key in known
            versions[person.id] = version
        if not draft.left_out:
            known.setdefault(key, []).append(_signature(draft))
    session.flush()
    return outcome


def _sent_again(
    drafts: Sequence[SubmissionRow], people: Mapping[str, PersonRow], known: Mapping[VersionsKey, list[Signature]]
) -> set[int]:
    """The drafts that are stored already, because a platform's download has all versions each time: for an owner with
    several drafts, the first ones that equal the first stored versions."""
    mine: dict[VersionsKey, list[SubmissionRow]] = {}
    for draft in drafts:
        if is_personal(draft):
            mine.setdefault(_key(draft, people[draft.owner]), []).append(draft)
    again: set[int] = set()
    for key, versions in mine.items():
        stored, place = known.get(key, []), 0
        for draft in versions if len(versions) > 1 else ():
            if _signature(draft) in stored[place : place + 1]:
                place += 1
            elif _signature(draft) not in stored[place - 1 : place] or not place:
                break
            again.add(draft.id)
    return again


def _people(session: Session, course_id: int, names: set[str]) -> dict[str, PersonRow]:
    """The people with these names, who are added if they are new."""
    people = {person.name: person for person in session.scalars(select(PersonRow).filter_by(course_id=course_id))}
    new = [PersonRow(course_id=course_id, name=name) for name in sorted(names - people.keys())]
    session.add_all(new)
    session.flush()
    return people | {person.name: person for person in new}


def _versions(session: Session, assignment_id: int) -> dict[int, int]:
    """The number of each person's newest version."""
    query = select(SubmissionRow.person_id, func.max(SubmissionRow.version)).where(
        SubmissionRow.assignment_id == assignment_id
    )
    rows = session.execute(query.where(SubmissionRow.person_id.is_not(None)).group_by(SubmissionRow.person_id))
    return {person: version or 0 for person, version in rows if person is not None}


def _signatures(session: Session, assignment_id: int) -> dict[VersionsKey, list[Signature]]:
    """The stored versions of each person, newest last, and all starter code."""
    query = select(SubmissionRow).filter_by(assignment_id=assignment_id, confirmed=True, left_out=False)
    found: dict[VersionsKey, list[Signature]] = {}
    for row in session.scalars(query.options(selectinload(SubmissionRow.files)).order_by(SubmissionRow.version)):
        found.setdefault((row.role, row.reference, row.person_id), []).append(_signature(row))
    return found


def _key(draft: SubmissionRow, person: PersonRow | None) -> VersionsKey:
    return draft.role, draft.reference, person.id if person else None


def _signature(submission: SubmissionRow) -> Signature:
    return tuple(sorted((file.path, file.content_id) for file in submission.files))
