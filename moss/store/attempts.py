"""Attempts: things that may be done only so often, as log-ins that fail or uploads."""

from __future__ import annotations

import math
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from moss.store.tables import Attempt, now

_KEPT = timedelta(days=1)  # nothing is counted over a longer time


class TooOftenError(Exception):
    """Something was tried too often; `wait` is how many seconds to wait."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"wait {wait} seconds")
        self.wait = wait


def count_attempt(session: Session, key: str, most: int, within: timedelta) -> int:
    """Count one more attempt, by its id; raises TooOftenError if there were that many in that time."""
    moment = now()
    session.execute(delete(Attempt).where(Attempt.at < moment - _KEPT))
    latest = select(Attempt.at).where(Attempt.key == key, Attempt.at > moment - within)
    times = session.scalars(latest.order_by(Attempt.at.desc()).limit(most)).all()
    if len(times) >= most:
        raise TooOftenError(max(1, math.ceil((times[-1] + within - moment).total_seconds())))
    attempt = Attempt(key=key, at=moment)
    session.add(attempt)
    session.flush()
    return attempt.id


def forget_attempts(session: Session, ids: list[int]) -> None:
    """Do not count these attempts any more: they succeeded."""
    session.execute(delete(Attempt).where(Attempt.id.in_(ids)))
