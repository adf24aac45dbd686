"""Submissions that are added to corpora, under addresses that lead back to them.

A corpus consists of files that can be carried to another server, where the same number belongs to another submission.
So addresses begin with a name that only this server's database has: moss://NAME/submissions/17/main.py.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.model import Role
from moss.store.results.run_input import current_submissions
from moss.store.submissions.contents import in_batches, read_texts
from moss.store.tables import AssignmentRow, ServerValueRow, SubmissionRow
from moss.store.validation import RefusedError

_NAME = "name in corpora"
_CORPUS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of this server's submissions."""

    server: str  # empty: nothing was ever added to a corpus

    def of(self, submission_id: int, path: str) -> str:
        """The address of a file."""
        return f"moss://{self.server}/submissions/{submission_id}/{path}"

    def submission(self, address: str) -> int | None:
        """The number of the submission at an address; None if it is not one of this server's."""
        start = f"moss://{self.server}/submissions/"
        number = address[len(start) :].partition("/")[0] if self.server and address.startswith(start) else ""
        return int(number) if number.isascii() and number.isdigit() else None


def addresses_of(session: Session) -> Addresses:
    """The addresses of this server's submissions."""
    found = session.get(ServerValueRow, _NAME)
    return Addresses(found.value if found else "")


def make_addresses(session: Session) -> Addresses:
    """The addresses of this server's submissions, with a name for the server if it has none yet."""
    if session.get(ServerValueRow, _NAME) is None:
        session.add(ServerValueRow(name=_NAME, value=secrets.token_hex(8)))
        session.flush()
    return addresses_of(session)


def clean_corpus(session: Session, assignment: AssignmentRow, name: str) -> str:
    """The name of the corpus to which an assignment is to be added, in its stored form."""
    if not _CORPUS.fullmatch(name.strip()):
        raise RefusedError(
            "corpus", _("The name of a corpus has letters and digits, with dots, dashes or _ between them.")
        )
    if not any(True for _ in _kept(session, assignment.id)):
        raise RefusedError("corpus", _("There is nothing to keep yet. Upload submissions and confirm them first."))
    return name.strip()


def texts_to_archive(session: Session, assignment_id: int) -> Iterator[tuple[SubmissionRow, str, str]]:
    """The newest version of each person's submission, with the path and text of each file."""
    for row in _kept(session, assignment_id):
        texts = read_texts(session, {file.content.digest for file in row.files})
        for file in row.files:
            yield row, file.path, texts[file.content.digest]


def _kept(session: Session, assignment_id: int) -> Iterator[SubmissionRow]:
    rows = current_submissions(session, assignment_id)
    return (row for row in rows if row.role is not Role.BASE and row.person_id is not None)


def deleted_among(session: Session, submission_ids: Collection[int]) -> set[int]:
    """The ids among these of submissions that no longer exist."""
    there: set[int] = set()
    for some in in_batches(sorted(submission_ids)):
        there.update(session.scalars(select(SubmissionRow.id).where(SubmissionRow.id.in_(some))))
    return set(submission_ids) - there
