"""Times as people say them; pages give the exact moment beside."""

from __future__ import annotations

from datetime import datetime

from moss.store.tables import now

_UNITS = ((86400 * 365, "year"), (86400 * 30, "month"), (86400, "day"), (3600, "hour"), (60, "minute"))


def day(time: datetime) -> str:
    """The date, as 16 November 2026."""
    return f"{time.day} {time.strftime('%B %Y')}"


def moment(time: datetime) -> str:
    """The date and the time."""
    return f"{day(time)}, {time.strftime('%H:%M')} UTC"


def ago(time: datetime) -> str:
    """How long ago it was, or how soon it will be."""
    seconds = (now() - time).total_seconds()
    for length, unit in _UNITS:
        number = int(abs(seconds) // length)
        if number:
            words = f"{number} {unit}{'s' * (number > 1)}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now" if seconds >= 0 else "in a moment"
