"""Passages that an instructor treats as starter code: from the next run on, what matches them is ignored.

Such a passage becomes starter code like any other, a submission of its assignment that belongs to nobody, with the text
of both sides. So it is listed there, and excluding it takes it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.model import Role
from moss.store.submissions.contents import digest_of, read_texts, store_texts
from moss.store.tables import MatchRow, PairRow, RunEntryRow, RunRow, SubmissionRow, SubmittedFileRow


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
