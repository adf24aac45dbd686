"""When submissions were handed in, and how pages say it.

The platform's time counts where there is one. Otherwise the date of the last commit that added to a submission stands
for it, or the newest date that its files had in their archive; both are set by the student's machine, so every place
that shows one says where it is from. A time without a zone is the platform's local time: it is never compared with one
that names a zone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from moss.messages import duration, gettext, marked
from moss.model import ReferenceKind, SubmissionRecord

CAUTION = marked(
    "Times can be wrong: clocks differ, platforms note the last version only, and whoever handed in first need not "
    "have written it first."
)


class TimeSource(StrEnum):
    """Who says when something was handed in."""

    PLATFORM = "platform"
    COMMIT = "commit"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class HandInTime:
    """The time of a submission, and who says so."""

    moment: datetime
    source: TimeSource

    @property
    def zoned(self) -> bool:
        """Whether it names its zone."""
        return self.moment.tzinfo is not None

    @property
    def plain(self) -> datetime:
        """The moment without its zone, in UTC if it names one: what times are sorted by."""
        return self.moment.astimezone(UTC).replace(tzinfo=None) if self.zoned else self.moment

    @property
    def in_words(self) -> str:
        """Where it is from, if that is not the platform."""
        if self.source is TimeSource.COMMIT:
            return gettext("last commit")
        return gettext("newest file") if self.source is TimeSource.FILES else ""

    def after(self, other: HandInTime) -> timedelta | None:
        """How much later than the other it is; None if nobody can tell, because only one of them names a zone."""
        return self.plain - other.plain if self.zoned is other.zoned else None


def hand_in_time(record: SubmissionRecord) -> HandInTime | None:
    """When a submission was handed in, as far as anybody says. A chatbot's answer or a book was not: its date is that
    of the instructor's file."""
    if record.kind not in (None, ReferenceKind.EARLIER):
        return None
    if time := _moment(record.handed_in):
        return HandInTime(time, TimeSource.PLATFORM)
    last = record.history.commits[-1] if record.history and record.history.commits else None
    if last and (time := _moment(last.committed or last.time)):
        return HandInTime(time, TimeSource.COMMIT)
    time = _moment(record.dated)
    return HandInTime(time, TimeSource.FILES) if time else None


def _moment(written: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(written) if written else None
        return moment.astimezone(UTC) if moment and moment.tzinfo else moment
    except (ValueError, OverflowError):  # of a report that somebody else wrote
        return None


def hand_in_times(records: Iterable[SubmissionRecord]) -> dict[str, HandInTime]:
    """The times that are known, by the ids of the submissions."""
    found = {record.id: hand_in_time(record) for record in records}
    return {id: time for id, time in found.items() if time}


def in_order(ids: Sequence[str], times: dict[str, HandInTime]) -> list[str]:
    """The submissions in the order in which they were handed in; those without a time come last, by name."""
    return sorted(ids, key=lambda id: (id not in times, times[id].plain if id in times else datetime.min, id))


def order_in_words(a: str, b: str, times: dict[str, HandInTime]) -> str:
    """A sentence on which of two submissions came first, and by how much; empty if that is not known."""
    if a not in times or b not in times:
        return ""
    first, second = sorted((a, b), key=lambda id: times[id].plain)
    gap = times[second].after(times[first])
    if gap is None:
        return ""
    sources = {times[first].source, times[second].source}
    names = {"first": first, "second": second, "length": duration(gap)}
    if not gap:
        return gettext("%(first)s and %(second)s have the same time.", **names)
    if sources == {TimeSource.PLATFORM}:
        return gettext("%(first)s was handed in %(length)s before %(second)s.", **names)
    if sources == {TimeSource.COMMIT}:
        return gettext("The last commit of %(first)s is %(length)s before that of %(second)s.", **names)
    if sources == {TimeSource.FILES}:
        return gettext("The newest file of %(first)s is dated %(length)s before that of %(second)s.", **names)
    return gettext("%(first)s is dated %(length)s before %(second)s, by dates of different kinds.", **names)
