"""Hearings: what the students of a case said, when they were heard, and what came of it, as lines of its history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sqlalchemy.orm import Session

from moss.messages import gettext as _
from moss.messages import number
from moss.store.results.cases import NOTE_LENGTH, DecisionError, add_event, last_of
from moss.store.tables import CaseEventKind, CaseEventRow, CaseRow, UserRow, now


@dataclass(frozen=True, slots=True)
class Hearing:
    """Everything about the hearing of a case that is known so far."""

    statements: tuple[CaseEventRow, ...]  # what each student said, oldest first; `after` is the student's name
    day: date | None
    outcome: CaseEventRow | None


def hearing_of(case: CaseRow) -> Hearing:
    """The hearing of a case; of several days or outcomes the one that was written down last."""
    statements = tuple(event for event in case.events if event.kind == CaseEventKind.STATEMENT)
    day = last_of(case, CaseEventKind.HEARING)
    return Hearing(statements, date.fromisoformat(day.after) if day and day.after else None,
                   last_of(case, CaseEventKind.OUTCOME))  # fmt: skip


def add_statement(session: Session, case: CaseRow, user: UserRow, student: str, text: str) -> None:
    """Write down what one of the two students said."""
    if student not in (case.a.name, case.b.name):
        raise DecisionError(_("The statement must be of one of the two students."))
    _add(session, case, user, CaseEventKind.STATEMENT, after=student, note=_whole(text))


def set_hearing(session: Session, case: CaseRow, user: UserRow, day: str) -> None:
    """Write down the day of the hearing; an empty one says that there is none."""
    try:
        chosen = date.fromisoformat(day).isoformat() if day else ""
    except ValueError:
        raise DecisionError(_("The day of the hearing must be a date, such as 2026-11-30.")) from None
    before = last_of(case, CaseEventKind.HEARING)
    if chosen != (before.after if before else ""):
        _add(session, case, user, CaseEventKind.HEARING, before=before.after if before else "", after=chosen)


def set_outcome(session: Session, case: CaseRow, user: UserRow, text: str) -> None:
    """Write down what the hearing decided."""
    _add(session, case, user, CaseEventKind.OUTCOME, note=_whole(text))


def _whole(text: str) -> str:
    """A text that says something, and is not too long."""
    text = text.strip()
    if not text:
        raise DecisionError(_("Write down what was said."))
    if len(text) > NOTE_LENGTH:
        raise DecisionError(_("The text is too long. Use at most %(most)s characters.", most=number(NOTE_LENGTH)))
    return text


def _add(session: Session, case: CaseRow, user: UserRow, kind: CaseEventKind, **columns: str) -> None:
    add_event(session, case, user, kind, **columns)
    case.changed = now()
    session.flush()
    session.refresh(case)
