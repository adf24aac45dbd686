"""Jobs that are added once a day: every worker asks often, and one of them adds each."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from moss import version
from moss.jobs.ledger import add_job
from moss.store.submissions.fingerprints import count_behind
from moss.store.tables import ServerValueRow, now

# Names of the server values that say for which day each job was last added.
_FORGOTTEN = "forgotten on"
_REINDEXED = "fingerprints made anew on"


def add_daily_jobs(session: Session) -> None:
    """Add the jobs that delete expired data and read texts again by newer rules, unless they were added today."""
    if is_due(session, now()):
        add_job(session, "forget", {})
    if count_behind(session) and _is_new(session, _REINDEXED, f"{now().date()}, {_rules()}"):
        add_job(session, "reindex", {})


def _rules() -> str:
    return f"scan {version.SCAN_VERSION}, hash {version.HASH_VERSION}"


def is_due(session: Session, moment: datetime) -> bool:
    """Whether nobody has asked yet on this day in UTC; asking counts once the transaction is committed."""
    return _is_new(session, _FORGOTTEN, moment.date().isoformat())


def _is_new(session: Session, name: str, value: str) -> bool:
    """Set a server value; False if it was set already. Of several processes that set it at once, one gets True."""
    if session.scalar(select(ServerValueRow.value).filter_by(name=name)) == value:
        return False
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    session.execute(insert(ServerValueRow).values(name=name, value="").on_conflict_do_nothing(index_elements=["name"]))
    taken = update(ServerValueRow).where(ServerValueRow.name == name, ServerValueRow.value != value).values(value=value)
    return session.connection().execute(taken).rowcount == 1
