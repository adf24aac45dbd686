"""The timeline of a class: when submissions were handed in, and when those that are alike were.

Bars count all submissions; below them each cluster has a row with a dot for each member, and so has each unusual pair
that is in no cluster. Across, everything is in percent, so that it fits any screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from moss.messages import date_without_year, duration, listed
from moss.messages import gettext as _
from moss.model import Report, Role, Standing
from moss.report.page_templates import numbers
from moss.report.words.hand_in_times import HandInTime, hand_in_times, in_order

BARS_HEIGHT = 72  # pixels
ROW_HEIGHT = 40
_BINS = 30
_MOST_ROWS = 40
_MOST_TICKS = 5
_STEPS = [timedelta(minutes=m) for m in (1, 5, 15, 30)] + [timedelta(hours=h) for h in (1, 3, 6, 12)]
_STEPS += [timedelta(days=d) for d in (1, 2, 7, 14, 30, 91, 182, 365, 1825)]


@dataclass(frozen=True, slots=True)
class TimelineBar:
    """How many submissions were handed in within a stretch of time, and how many of them are alike to others."""

    start: HandInTime
    end: HandInTime
    count: int
    alike: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class TimelineDot:
    """A submission of a row; `number` is its place in the report, from 1."""

    id: str
    number: int
    time: HandInTime
    x: float


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """Submissions that are alike: those of a cluster, or of a pair in none, by their numbers."""

    cluster: int | None
    pair: int | None
    name: str
    dots: tuple[TimelineDot, ...]
    size: int
    y: int

    @property
    def within(self) -> str:
        """How long it took from the first to the last."""
        return duration(self.dots[-1].time.plain - self.dots[0].time.plain)


@dataclass(frozen=True, slots=True)
class Timeline:
    """When a class handed in; `untimed` new submissions have no time that can be shown here."""

    bars: tuple[TimelineBar, ...]
    rows: tuple[TimelineRow, ...]
    ticks: tuple[tuple[float, str], ...]
    first: HandInTime
    last: HandInTime
    untimed: int
    more: int  # rows that are left out

    @property
    def top(self) -> int:
        """The most submissions of a bar."""
        return max(bar.count for bar in self.bars)

    @property
    def height(self) -> int:
        """The height of the whole picture, in pixels."""
        return BARS_HEIGHT + 24 + ROW_HEIGHT * len(self.rows)


@dataclass(frozen=True, slots=True)
class _Scale:
    """From times to percent of the width."""

    first: datetime
    length: timedelta

    def x(self, time: datetime) -> float:
        return round(100 * ((time - self.first) / self.length), 2)


def make_timeline(report: Report) -> Timeline | None:
    """The timeline of the new submissions of a report; None if not even two of them have times to compare."""
    new = [record for record in report.submissions if record.role is Role.NEW]
    times = _comparable(hand_in_times(new))
    order = in_order(list(times), times)
    if len(order) < 2 or times[order[0]].plain == times[order[-1]].plain:
        return None
    first, last = times[order[0]], times[order[-1]]
    scale = _Scale(first.plain, last.plain - first.plain)
    rows = list(_rows(report, times, scale))
    alike = {dot.id for row in rows for dot in row.dots}
    ticks = tuple((scale.x(moment), word) for moment, word in _ticks(first.plain, last.plain))
    bars = tuple(_bars(times, alike, scale))
    return Timeline(bars, tuple(rows[:_MOST_ROWS]), ticks, first, last, len(new) - len(times), len(rows[_MOST_ROWS:]))


def _comparable(times: Mapping[str, HandInTime]) -> dict[str, HandInTime]:
    """The times that can be compared with each other: with or without a zone, whichever are more."""
    zoned = {id: time for id, time in times.items() if time.zoned}
    local = {id: time for id, time in times.items() if not time.zoned}
    return zoned if len(zoned) >= len(local) else local


def _rows(report: Report, times: dict[str, HandInTime], scale: _Scale) -> Iterator[TimelineRow]:
    number = numbers(report)
    y = BARS_HEIGHT + 24
    for cluster, pair, name, members in _alike(report):
        order = in_order([id for id in members if id in times], times)
        dots = tuple(TimelineDot(id, number[id], times[id], scale.x(times[id].plain)) for id in order)
        if len(dots) > 1:
            yield TimelineRow(cluster, pair, name, dots, len(members), y)
            y += ROW_HEIGHT


def _alike(report: Report) -> Iterator[tuple[int | None, int | None, str, Sequence[str]]]:
    """The clusters, then the unusual pairs that are in none, best first."""
    cluster = {id: n for n, members in enumerate(report.clusters, 1) for id in members}
    for number, members in enumerate(report.clusters, 1):
        yield number, None, _("Cluster %(number)s", number=number), members
    for rank, pair in enumerate(report.pairs, 1):
        together = pair.a in cluster and cluster[pair.a] == cluster.get(pair.b)
        if not together and report.baseline.standing(pair.score) is not Standing.ORDINARY:
            yield None, rank, listed((pair.a, pair.b)), (pair.a, pair.b)


def _bars(times: Mapping[str, HandInTime], alike: Iterable[str], scale: _Scale) -> Iterator[TimelineBar]:
    """Stretches of equal length in which something was handed in."""
    some = next(iter(times.values()))
    found: dict[int, list[str]] = {}
    for id, time in times.items():
        found.setdefault(min(_BINS - 1, int(_BINS * ((time.plain - scale.first) / scale.length))), []).append(id)
    for place, ids in sorted(found.items()):
        start, end = (
            HandInTime((scale.first + scale.length * edge / _BINS).replace(tzinfo=some.moment.tzinfo), some.source)
            for edge in (place, place + 1)
        )
        both = len(ids), len(set(ids) & set(alike))
        yield TimelineBar(start, end, *both, round(100 * place / _BINS, 2), round(100 / _BINS, 2))


def _ticks(first: datetime, last: datetime) -> Iterator[tuple[datetime, str]]:
    """Round moments between two, few enough to be told apart: days, and hours between them if there is room."""
    step = next((step for step in _STEPS if (last - first) / step <= _MOST_TICKS), (last - first) / _MOST_TICKS)
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    moment = midnight + step * ceil((first - midnight) / step)
    while moment <= last:
        hour = f"{moment:%H:%M}"
        yield moment, date_without_year(moment) if hour == "00:00" else hour
        moment += step
