"""Bags: the fingerprints that submissions have in one view, without their places.

To rank pairs it does not matter where a fingerprint stands, but it does how often: a program with nine loops of one
kind has more in common with another of nine than with one that has a single such loop. So a bag holds each fingerprint
as often as it occurs. Bags are made many at a time, because an operation on an array costs about a microsecond however
short the array is.

    >>> made = make_bags([[np.array([1, 2, 3], np.uint64)], [np.array([1, 2], np.uint64)]], k=2, w=1, base=NOTHING)
    >>> made.counts.tolist(), bool(made.hashes[0] == made.hashes[2])
    ([2, 1], True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.engine.documents import HANDED_OUT, Counts
from moss.engine.kgrams import hash_kgrams
from moss.engine.winnowing import winnow_all
from moss.hashing import Hashes, Positions, among
from moss.model import Codes

NOTHING = np.zeros(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Bags:
    """One bag after another; `numbers` says which submission of the class each belongs to."""

    hashes: Hashes
    counts: Counts
    numbers: Counts

    def where(self, wanted: NDArray[np.bool_]) -> Bags:
        """These bags with only the wanted fingerprints in them."""
        left = np.diff(np.append(0, np.cumsum(wanted))[np.append(0, np.cumsum(self.counts))])
        return Bags(self.hashes.compress(wanted), left, self.numbers)

    def of(self, submissions: NDArray[np.int64]) -> Bags:
        """These bags, given that the submission with number i here is number `submissions[i]` of the class."""
        return Bags(self.hashes, self.counts, submissions[self.numbers])

    def split(self) -> list[Hashes]:
        """The fingerprints of each bag."""
        return np.split(self.hashes, np.cumsum(self.counts)[:-1]) if len(self.counts) else []

    @property
    def submissions(self) -> NDArray[np.int64]:
        """The number of the submission of each fingerprint."""
        return np.repeat(self.numbers, self.counts)


def together(bags: Sequence[Hashes]) -> Bags:
    """The bags of submissions 0, 1, 2 and so on, given one by one."""
    counts = np.array([len(hashes) for hashes in bags], np.int64)
    return Bags(np.concatenate([*bags, NOTHING]), counts, np.arange(len(bags)))


def joined(bags: Sequence[Bags]) -> Bags:
    """Several sets of bags as one."""
    return Bags(
        np.concatenate([*(some.hashes for some in bags), NOTHING]),
        np.concatenate([*(some.counts for some in bags), np.zeros(0, np.int64)]),
        np.concatenate([*(some.numbers for some in bags), np.zeros(0, np.int64)]),
    )


class Selected(NamedTuple):
    """The hashes of all k-grams of streams that stand one after another, by their first token, and the `positions` of
    the fingerprints among them, none of which spans two streams."""

    hashes: Hashes
    positions: Positions
    ends: Counts  # of the streams


def select(streams: Sequence[Codes], k: int, w: int, base: Hashes) -> Selected:
    """The k-grams that winnowing selects, stream by stream, without those in `base`."""
    sizes = np.array([len(codes) for codes in streams], np.int64)
    ends = np.cumsum(sizes)
    h = hash_kgrams(np.concatenate([*streams, NOTHING]), k)
    begin, count = ends - sizes, np.maximum(0, sizes - k + 1)
    if len(base):
        h = np.where(among(h, base), HANDED_OUT, h)
    position = winnow_all(h, w, begin, count)
    if len(base):
        position = position[h[position] != HANDED_OUT]
    return Selected(h, position, ends)


def make_bags(many: Sequence[Sequence[Codes]], k: int, w: int, base: Hashes) -> Bags:
    """The bags of submissions with these streams: the k-grams that winnowing selects, without those in `base`."""
    h, position, ends = select([codes for submission in many for codes in submission], k, w, base)
    last = np.cumsum([len(submission) for submission in many])  # stream of each submission, and one more
    bounds = np.searchsorted(position, np.append(0, ends)[last]) if len(many) else np.zeros(0, np.int64)
    return Bags(h[position], np.diff(bounds, prepend=0), np.arange(len(many)))
