"""Attempts: counts things that may be done only so often, such as failed log-ins or uploads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from moss.store.tables import AttemptRow, now

_KEPT = timedelta(days=1)  # nothing is counted over a longer time
_LONGEST_PAUSE = 60  # seconds
_DOUBLED = 6  # times that a second is doubled to get there


class TooOftenError(Exception):
    """Raised if something was tried too often; `wait` is how many seconds to wait."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"wait {wait} seconds")
        self.wait = wait


def count_attempt(session: Session, key: str, most: int, within: timedelta) -> int:
    """Count one more attempt and return its id; raises TooOftenError if there were `most` of them in that time."""
    times = _latest(session, key, most, within)
    if len(times) >= most:
        _wait_until(times[-1] + within)
    return _add(session, key)


def pace_attempt(session: Session, key: str, free: int, within: timedelta) -> int:
    """Count one more attempt and return its id; raises TooOftenError if it comes too soon. After so many free ones in
    that time, each must wait longer after the last, up to a minute. Nothing is locked: whoever waits can try again."""
    times = _latest(session, key, free + _DOUBLED, within)
    if len(times) >= free:
        _wait_until(times[0] + timedelta(seconds=min(2 ** (len(times) - free), _LONGEST_PAUSE)))
    return _add(session, key)


def _latest(session: Session, key: str, most: int, within: timedelta) -> Sequence[datetime]:
    query = select(AttemptRow.at).where(AttemptRow.key == key, AttemptRow.at > now() - within)
    return session.scalars(query.order_by(AttemptRow.at.desc()).limit(most)).all()


def _wait_until(moment: datetime) -> None:
    left = (moment - now()).total_seconds()
    if left > 0:
        raise TooOftenError(math.ceil(left))


def _add(session: Session, key: str) -> int:
    moment = now()
    session.execute(delete(AttemptRow).where(AttemptRow.at < moment - _KEPT))
    attempt = AttemptRow(key=key, at=moment)
    session.add(attempt)
    session.flush()
    return attempt.id


def delete_attempts(session: Session, ids: list[int]) -> None:
    """Count these attempts no more, because they succeeded."""
    session.execute(delete(AttemptRow).where(AttemptRow.id.in_(ids)))
