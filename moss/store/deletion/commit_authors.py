"""Authors of commits: removing a person's name and mail addresses from the git histories of others.

A person can have made commits in a repository that somebody else handed in. Such a commit stays with its dates, without
a name. All commits with an address that occurs beside the person's name are taken for theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from moss.store.deletion.mentions import NOBODY, Mentions
from moss.store.results.pages import delete_pages
from moss.store.tables import AssignmentRow, ResultRow, RunEntryRow, RunRow, SubmissionRow

_HISTORY = "history"
StoredHistory = Mapping[str, Any]


def erase_author(session: Session, course_id: int, mentions: Mentions, runs: Collection[int]) -> list[int]:
    """Remove whoever is mentioned from the histories in a course and in these runs; returns the runs that changed,
    whose pages must be made anew."""
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
