"""Ranking: which pairs may be compared, in which order they stand, and which groups they form."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from moss.comparison.reading import Read
from moss.comparison.views import make_views
from moss.engine.candidates import PairValues
from moss.engine.groups import clusters
from moss.engine.index import authors_of
from moss.engine.ordering import descending, median
from moss.engine.scoring import ENOUGH, Values, pair_scores, variety
from moss.model import Problem, Ranking, Role, Submission
from moss.workers import each_trusted

_CROWD = 4_000  # submissions: with more, what dozens have no longer counts
_WORK = 200_000
_ALONE = 1_000  # submissions: fewer are ranked faster than processes are started
_NAMED = 10  # submissions in one note: nobody reads more


def _most(submissions: int) -> int:
    """How many may have a fingerprint that still counts: in a crowd few, for the work grows with the square of it, and
    what dozens have weighs next to nothing beside what two have."""
    return submissions if submissions <= _CROWD else max(10, _WORK // submissions)


class Ranked(NamedTuple):
    """The pairs of a class in their order, and by how much each submission can be told (see `variety`)."""

    ranking: Ranking
    variety: Values

    @property
    def tells_enough(self) -> bool:
        """Whether most submissions have enough in them to tell copies from chance."""
        found = self.variety[self.variety > 0]
        return median(found) >= ENOUGH if len(found) else True


def rank(
    submissions: Sequence[Submission],
    read: Read,
    max_matches: int,
    jobs: int = 1,
    room: int = sys.maxsize,
    forget: Callable[[], None] = lambda: None,
) -> Ranked:
    """All pairs that share anything and may be compared, best first, of equal ones by name. Views are made in about
    `room` bytes, and `forget` is called when what was read is not needed for a while."""
    jobs = jobs if len(submissions) > _ALONE else 1
    contents = [scanned.content for scanned in read.scanned]
    author = authors_of([submission.owner for submission in submissions], contents)
    del contents
    forget()
    views = make_views(read.traces, author, min(max_matches, _most(len(submissions))), jobs, room)
    forget()
    found = pair_scores(views, partial(each_trusted, jobs=jobs))
    told = variety(views)
    del views
    pairs = _allowed(submissions, found)
    order = descending(pairs.values)
    return Ranked(Ranking(pairs.a.take(order), pairs.b.take(order), pairs.values.take(order)), told)


def _allowed(submissions: Sequence[Submission], pairs: PairValues) -> PairValues:
    """The pairs of different owners of whom not both are from the archive."""
    numbers = {owner: i for i, owner in enumerate(dict.fromkeys(s.owner for s in submissions))}
    archived = np.array([s.role is Role.ARCHIVE for s in submissions])
    if len(numbers) == len(submissions) and not archived.any():
        return pairs
    owner = np.array([numbers[s.owner] for s in submissions])
    allowed = np.flatnonzero((owner[pairs.a] != owner[pairs.b]) & ~(archived[pairs.a] & archived[pairs.b]))
    return PairValues(pairs.count, pairs.a[allowed], pairs.b[allowed], pairs.values[allowed])


def count_allowed(submissions: Sequence[Submission]) -> int:
    """How many pairs may be compared, whether or not they share anything."""
    owners = Counter(s.owner for s in submissions)
    archived = Counter(s.owner for s in submissions if s.role is Role.ARCHIVE)
    return _across(owners) - _across(archived)


def _across(sizes: Counter[str]) -> int:
    """How many pairs there are of members of different groups."""
    return (sizes.total() ** 2 - sum(size**2 for size in sizes.values())) // 2


def too_little(submissions: Sequence[Submission], ranked: Ranked) -> list[Problem]:
    """One note about all submissions that have too little in them, in a class in which most have enough."""
    short = [s.id for s, told in zip(submissions, ranked.variety.tolist(), strict=True) if 0 < told < ENOUGH]
    if not short or not ranked.tells_enough:
        return []
    why = "too little text to tell copies from chance, so scores with"
    if len(short) == 1:
        return [Problem(short[0], f"{why} it are lowered")]
    more = f" and {len(short) - _NAMED:,} more" if len(short) > _NAMED else ""
    return [Problem(f"{len(short):,} submissions", f"{why} them are lowered: {', '.join(short[:_NAMED])}{more}")]


def connected(submissions: Sequence[Submission], ranking: Ranking, threshold: float) -> tuple[tuple[str, ...], ...]:
    """The groups that pairs with at least this score form."""
    count = int(np.searchsorted(-ranking.score, -threshold, side="right"))
    pairs = zip(ranking.a[:count].tolist(), ranking.b[:count].tolist(), strict=True)
    return clusters((submissions[a].id, submissions[b].id) for a, b in pairs)
