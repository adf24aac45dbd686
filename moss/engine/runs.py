"""Runs: the maximal stretches of equal tokens that two documents share, around places where k-grams are equal.

Fingerprints are a choice of k-grams, made so that every run of the guaranteed length has one. Two questions need more
than that choice: which runs of k tokens there are at all, and which runs of the guaranteed length a tiling does not
show although not all places were tried.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from moss.engine.documents import BREAK, Document, Mask
from moss.engine.kgrams import covered, ranges
from moss.engine.seeds import Seeds, find_seeds, pair_in_order
from moss.engine.tiles import Tile
from moss.engine.token_spans import FREE, TokenSpans
from moss.hashing import Hashes, Positions, among
from moss.model import Codes

_NOWHERE = np.zeros(0, np.int64)
_NO_HASHES = np.zeros(0, np.uint64)
_AT_ONCE = 1 << 16  # tokens that are compared at a time: bounds the memory
_AHEAD = 16  # tokens that are compared first


class DocumentPair(NamedTuple):
    """Two documents that are to be aligned; tokens that are `taken`, on either side, are in no passage."""

    a: Document
    b: Document
    taken: tuple[TokenSpans, TokenSpans] = (FREE, FREE)

    @property
    def longer_first(self) -> bool:
        """Whether the first document has more tokens."""
        return len(self.a.codes) > len(self.b.codes)

    @property
    def swapped(self) -> DocumentPair:
        """The pair the other way round."""
        return DocumentPair(self.b, self.a, (self.taken[1], self.taken[0]))


def maximal_runs(
    a: Codes,
    b: Codes,
    places: tuple[Positions, Positions],
    k: int,
    taken: tuple[TokenSpans, TokenSpans],
) -> tuple[Positions, Positions, Positions]:
    """The maximal runs of equal tokens around these k-grams, without those shorter than k: where each begins in a and
    in b, ascending, and how long it is.

    k-grams on one diagonal, that is with the same distance between their places, may be in one run. Each is followed
    only to the next one of its diagonal, so no token is looked at twice; and nothing is looked at but what is around
    the k-grams, so two large documents that share little cost little.
    """
    i, j = _by_diagonals(a, places, k, taken)
    if not len(i):
        return _NOWHERE, _NOWHERE, _NOWHERE
    diagonal = j - i
    distance = np.minimum(len(a) - i, len(b) - j)
    follows = diagonal[1:] == diagonal[:-1]
    distance[:-1][follows] = (i[1:] - i[:-1])[follows]
    room = np.minimum(distance, np.minimum(taken[0].free_from(i), taken[1].free_from(j)))
    forward = _extension(a, b, i, j, room)
    goes_on = np.zeros(len(i) + 1, np.bool_)  # whether the run of the k-gram before has come to this one
    goes_on[1:-1] = follows & (forward == distance)[:-1]
    first, last = np.flatnonzero(~goes_on[:-1]), np.flatnonzero(~goes_on[1:])
    a_start, b_start, end = i[first], j[first], i[last] + forward[last]
    before = np.minimum(taken[0].free_before(a_start), taken[1].free_before(b_start))
    backward = _extension(a, b, a_start - 1, b_start - 1, before, step=-1)
    length = end - a_start + backward
    a_start, b_start = a_start - backward, b_start - backward
    order = np.lexsort((b_start, a_start))
    order = order[length[order] >= k]
    return a_start[order], b_start[order], length[order]


def _by_diagonals(
    a: Codes, places: tuple[Positions, Positions], k: int, taken: tuple[TokenSpans, TokenSpans]
) -> tuple[Positions, Positions]:
    """A token of each k-gram that can match, in a and in b, one diagonal after another: its first, or its last if it
    begins in base code or with a token that is taken, of which nothing may match."""
    inner = np.where((a.take(places[0]) == BREAK) | taken[0].contain(places[0]), k - 1, 0)
    i, j = places[0] + inner, places[1] + inner
    free = np.flatnonzero(~(taken[0].contain(i) | taken[1].contain(j)))
    i, j = i[free], j[free]
    order = np.lexsort((i, j - i))
    return i[order], j[order]


def _extension(a: Codes, b: Codes, i: Positions, j: Positions, room: Positions, step: int = 1) -> Positions:
    """How many tokens, at most `room`, are equal from a[i] and b[j] on (or back), for each pair of positions."""
    length = np.zeros(len(i), np.int64)
    for first in range(0, len(i), _AT_ONCE // _AHEAD):
        some = slice(first, first + _AT_ONCE // _AHEAD)
        _extend(length[some], a, b, (i[some], j[some], room[some]), step)
    return length


def _extend(length: Positions, a: Codes, b: Codes, places: tuple[Positions, Positions, Positions], step: int) -> None:
    """Count tokens that are equal from a[i] and b[j] on: looked at some at a time, and if all are equal twice as
    many."""
    i, j, room = places
    going = np.flatnonzero(room > 0)
    size = _AHEAD
    while len(going):
        ahead = np.arange(size)
        at = length[going][:, None] + ahead
        inside = at < room[going][:, None]
        at = np.minimum(at, room[going][:, None] - 1) * step
        ours = a.take(i[going][:, None] + at)
        equal = (ours == b.take(j[going][:, None] + at)) & inside & (ours != BREAK)
        count = np.where(equal.all(axis=1), size, equal.argmin(axis=1))
        length[going] += count
        going = going[count == size]
        size = min(2 * size, _AT_ONCE // max(1, len(going)) + 8)


def all_runs(both: DocumentPair, common: Hashes, k: int) -> list[Tile]:
    """The runs around any equal k-grams, whether these are fingerprints or not, and not only around common ones."""
    if both.longer_first:
        return _swapped(all_runs(both.swapped, common, k))
    is_common = covered(both.a.positions[among(both.a.hashes, common)], k, len(both.a.codes))
    ours = _only(both.a.with_all_kgrams(k), _any_within(~is_common, k))
    return _runs_at(both, find_seeds(ours, both.b.with_all_kgrams(k), _NO_HASHES, k), k)


def broken_runs(
    both: DocumentPair, common: Hashes, k: int, promised: int, free: tuple[Mask, Mask], turn: int
) -> list[Tile]:
    """Runs of at least `promised` tokens that have free tokens on both sides, and a fingerprint that is not common.
    Where a stretch of that many tokens is at several places not all pairs of places are looked at, in each turn
    others. The longer document is asked only for what the shorter one has: its order is known from other pairs."""
    if both.longer_first:
        return _swapped(broken_runs(both.swapped, common, k, promised, (free[1], free[0]), turn))
    telling = np.zeros(len(both.a.codes), np.bool_)
    telling[both.a.positions[~among(both.a.hashes, common)]] = True
    broken = _any_within(telling[: len(telling) - k + 1], promised - k + 1) & _any_within(free[0], promised)
    ours = _only(both.a.with_all_kgrams(promised), broken & _untaken(both.taken[0], promised, len(broken)))
    if not len(ours.hashes):
        return []
    theirs = _any_within(free[1], promised)
    seeds = pair_in_order(
        ours, both.b.with_all_kgrams(promised), theirs & _untaken(both.taken[1], promised, len(theirs)), turn
    )
    return _runs_at(both, seeds, promised)


def _runs_at(both: DocumentPair, seeds: Seeds, k: int) -> list[Tile]:
    found = maximal_runs(both.a.open_codes, both.b.open_codes, (seeds.here, seeds.there), k, both.taken)
    return list(map(Tile, *(each.tolist() for each in found)))


def _swapped(runs: list[Tile]) -> list[Tile]:
    return [Tile(b, a, length) for a, b, length in runs]


def _only(document: Document, which: Mask) -> Document:
    """A document with those of its fingerprints that begin at some of its tokens."""
    chosen = which[document.positions]
    return replace(document, hashes=document.hashes[chosen], positions=document.positions[chosen])


def _untaken(taken: TokenSpans, size: int, count: int) -> Mask:
    """Whether none of `size` tokens is taken, for each of the first `count` stretches of that many."""
    closed = np.zeros(count + size - 1, np.bool_)
    closed[ranges(taken.start, taken.end - taken.start)] = True
    return ~_any_within(closed, size)


def _any_within(tokens: Mask, size: int) -> Mask:
    """Whether one of these is among `size` tokens, for each stretch of that many."""
    until = np.concatenate(([0], np.cumsum(tokens)))
    found: Mask = until[size:] > until[:-size]
    return found
