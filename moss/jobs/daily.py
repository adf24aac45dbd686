"""What is to be done once a day: whoever looks after the jobs asks often, and one of them all adds it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from moss import version
from moss.jobs.ledger import add_job
from moss.store.submissions.fingerprints import count_behind
from moss.store.tables import ServerValueRow, now

# The names of the records that have the day for which each was last added.
_FORGOTTEN = "forgotten on"
_REINDEXED = "fingerprints made anew on"


def add_daily_jobs(session: Session) -> None:
    """Let what has expired be deleted, and what was read by earlier rules be read again, unless somebody has asked for
    it today."""
    if is_due(session, now()):
        add_job(session, "forget", {})
    if count_behind(session) and _is_new(session, _REINDEXED, f"{now().date()}, {_rules()}"):
        add_job(session, "reindex", {})


def _rules() -> str:
    return f"scan {version.SCAN_VERSION}, hash {version.HASH_VERSION}"


def is_due(session: Session, moment: datetime) -> bool:
    """True once a day in UTC, whoever asks and however often, if the transaction is committed."""
    return _is_new(session, _FORGOTTEN, moment.date().isoformat())


def _is_new(session: Session, name: str, value: str) -> bool:
    """Whether a record has another value; it has this one then, and of all who ask at once one is told so."""
    if session.scalar(select(ServerValueRow.value).filter_by(name=name)) == value:
        return False
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    session.execute(insert(ServerValueRow).values(name=name, value="").on_conflict_do_nothing(index_elements=["name"]))
    taken = update(ServerValueRow).where(ServerValueRow.name == name, ServerValueRow.value != value).values(value=value)
    return session.connection().execute(taken).rowcount == 1
