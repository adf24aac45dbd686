"""The ranking of a class: which pairs may be compared, in which order they stand, and which groups they form.

The score itself is in `moss.engine.ranking.score`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.comparison.notes import common_programs, common_text, content_of
from moss.comparison.scan_pool import ScannedClass
from moss.comparison.scanned_files import ScannedSubmission
from moss.comparison.views import make_views
from moss.engine.index import authors_of
from moss.engine.ranking.candidates import PairValues
from moss.engine.ranking.score import VIEWS, PairReason, Scoring
from moss.engine.sort_order import descending
from moss.engine.union_find import clusters
from moss.hashing import Positions
from moss.model import Problem, Ranking, Reasons, Role, Submission, ViewReason
from moss.processes.pool import each_trusted

_CROWD = 4_000  # submissions: in a larger class, fingerprints of dozens do not count
_WORK = 200_000
_ALONE = 1_000  # submissions: fewer are ranked faster than processes are started


def most_counted(max_matches: int, submissions: int) -> int:
    """How many authors may have a fingerprint that counts. In a large class it is few: the work grows with the square
    of their number, and a fingerprint of dozens weighs next to nothing beside one of two."""
    return min(max_matches, submissions if submissions <= _CROWD else max(10, _WORK // submissions))


def number_authors(submissions: Sequence[Submission], scanned: Sequence[ScannedSubmission]) -> NDArray[np.int64]:
    """A number for each submission's author; equal programs have one."""
    return authors_of([submission.owner for submission in submissions], [each.content for each in scanned])


class RankedPair(NamedTuple):
    """The numbers of two submissions, their score, and the reasons for it."""

    a: int
    b: int
    score: float
    reasons: Reasons


class Ranked(NamedTuple):
    """The pairs of a class in their order, and notes that a reader needs to judge it."""

    ranking: Ranking
    notes: list[Problem]
    scoring: Scoring

    def explain(self, places: Positions) -> list[RankedPair]:
        """The pairs at these places of the ranking, with the reasons for their scores."""
        a, b = (side[places].astype(np.int32) for side in (self.ranking.a, self.ranking.b))
        scores = self.ranking.score[places].tolist()
        return list(map(RankedPair, a.tolist(), b.tolist(), scores, self.reasons(a, b)))

    def reasons(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> list[Reasons]:
        """The reasons for the scores of some pairs of submissions, a < b."""
        return list(map(_described, self.scoring.reasons(a, b)))


def _described(reason: PairReason) -> Reasons:
    views = zip((spec.name for spec in VIEWS), reason.alike, reason.parts, strict=True)
    return Reasons(tuple(ViewReason(*view) for view in views), reason.proportion, reason.amount)


def rank(
    submissions: Sequence[Submission],
    read: ScannedClass,
    max_matches: int,
    jobs: int = 1,
    room: int = sys.maxsize,
    forget: Callable[[], None] = lambda: None,
) -> Ranked:
    """All pairs that share anything and may be compared, best first. Views are made in about `room` bytes, and the bags
    that they are made of are taken away; `forget` is called when scanned files are not needed for a while."""
    jobs = jobs if len(submissions) > _ALONE else 1
    author = number_authors(submissions, read.scanned)
    forget()
    views, beside = make_views(read.bags, author, most_counted(max_matches, len(submissions)), jobs, room)
    forget()
    scoring = Scoring(views, partial(each_trusted, jobs=jobs))
    pairs = _allowed(submissions, scoring.scores())
    order = _order(submissions, read.scanned, pairs)
    ranking = Ranking(pairs.a.take(order), pairs.b.take(order), pairs.values.take(order))
    notes = [*common_text(submissions, read, beside), *common_programs(submissions, read.scanned)]
    return Ranked(ranking, notes, scoring)


def _order(submissions: Sequence[Submission], scanned: Sequence[ScannedSubmission], pairs: PairValues) -> Positions:
    """The order of the pairs: the best first; of equal ones those that are identical to the byte, then the larger, then
    the first by name."""
    order = descending(pairs.values)
    score = pairs.values.take(order)
    equal = np.zeros(len(order) + 1, np.bool_)
    equal[1:-1] = score[1:] == score[:-1]
    tied = np.flatnonzero(equal[1:] | equal[:-1])
    if len(tied):
        here = order[tied]
        a, b = pairs.a.take(here), pairs.b.take(here)
        bytes_of = _numbered([tuple(sorted(map(content_of, s.files))) for s in submissions])
        size = np.array([read.size for read in scanned])
        differ, smaller = bytes_of[a] != bytes_of[b], np.minimum(size[a], size[b])
        order[tied] = here[np.lexsort((here, -smaller, differ, -score[tied]))]
    return order


def _numbered(keys: Sequence[Hashable]) -> Positions:
    """A number for each key, the same for equal ones."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


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


def connected(submissions: Sequence[Submission], ranking: Ranking, count: int) -> tuple[tuple[str, ...], ...]:
    """The groups that so many of the best pairs form."""
    pairs = zip(ranking.a[:count].tolist(), ranking.b[:count].tolist(), strict=True)
    return clusters((submissions[a].id, submissions[b].id) for a, b in pairs)
