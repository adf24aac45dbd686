"""What is to be done once a day: whoever looks after the jobs asks often, and one of them all adds it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from moss.jobs.ledger import add_job
from moss.store.tables import Secret, now

_DAY = "forgotten on"  # the name of the record that has the day for which it was last added


def add_daily_jobs(session: Session) -> None:
    """Let what has expired be deleted, unless somebody has asked for it today."""
    if is_due(session, now()):
        add_job(session, "forget", {})


def is_due(session: Session, moment: datetime) -> bool:
    """True once a day in UTC, whoever asks and however often, if the transaction is committed."""
    today = moment.date().isoformat()
    if session.scalar(select(Secret.value).filter_by(name=_DAY)) == today:
        return False
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    session.execute(insert(Secret).values(name=_DAY, value="").on_conflict_do_nothing(index_elements=["name"]))
    taken = update(Secret).where(Secret.name == _DAY, Secret.value != today).values(value=today)
    return session.connection().execute(taken).rowcount == 1
