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
from moss.engine.kgrams import covered, hash_kgrams, ranges
from moss.engine.seeds import Seeds, find_seeds, pair_in_order
from moss.engine.tiles import Tile, Tiling
from moss.engine.token_spans import FREE, TokenSpans
from moss.hashing import Hashes, Positions, among
from moss.model import Codes

_NOWHERE = np.zeros(0, np.int64)
_AT_ONCE = 1 << 16  # tokens that are compared at a time: bounds the memory


class DocumentPair(NamedTuple):
    """Two documents that are to be aligned; tokens that are `taken`, on either side, are in no passage."""

    a: Document
    b: Document
    taken: tuple[TokenSpans, TokenSpans] = (FREE, FREE)


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
    """How many tokens, at most `room`, are equal from a[i] and b[j] on (or back), for each pair of positions: looked at
    some at a time, and if all are equal twice as many."""
    length = np.zeros(len(i), np.int64)
    going = np.flatnonzero(room > 0)
    size = 16
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
    return length


def all_runs(both: DocumentPair, common: Hashes, k: int) -> list[Tile]:
    """The runs around any equal k-grams, whether these are fingerprints or not, and not only around common ones."""
    documents = (_with_all_kgrams(both.a, both.taken[0], common, k), _with_all_kgrams(both.b, both.taken[1], common, k))
    return _runs_at(both, find_seeds(*documents, common, k), k)


def broken_runs(both: DocumentPair, common: Hashes, k: int, promised: int, tiling: Tiling, turn: int) -> list[Tile]:
    """Runs of at least `promised` tokens of which a tiling has not all tokens on one side, and which hold a fingerprint
    that is not common. Where a stretch of that many tokens is at several places not all pairs of places are looked at,
    in each turn others."""
    documents = (
        _with_broken_stretches(both.a, both.taken[0], common, (k, promised), tiling.free(0)),
        _with_broken_stretches(both.b, both.taken[1], common, (k, promised), tiling.free(1)),
    )
    return _runs_at(both, pair_in_order(*documents, turn), promised)


def _runs_at(both: DocumentPair, seeds: Seeds, k: int) -> list[Tile]:
    found = maximal_runs(both.a.open_codes, both.b.open_codes, (seeds.here, seeds.there), k, both.taken)
    return list(map(Tile, *(each.tolist() for each in found)))


def _with_all_kgrams(document: Document, taken: TokenSpans, common: Hashes, k: int) -> Document:
    """A document with all its k-grams as fingerprints, without those that lie in what is taken or common."""
    is_common = covered(document.positions[among(document.hashes, common)], k, len(document.codes))
    whole = ~_any_within(_closed(document, taken), k) & _any_within(~is_common, k)
    return _with_fingerprints(document, k, whole)


def _with_broken_stretches(
    document: Document, taken: TokenSpans, common: Hashes, sizes: tuple[int, int], free: Mask
) -> Document:
    """A document with all stretches of `promised` tokens as fingerprints that have a token which is in no tile, and a
    fingerprint that is not common."""
    k, promised = sizes
    telling = np.zeros(len(document.codes), np.bool_)
    telling[document.positions[~among(document.hashes, common)]] = True
    inside = _any_within(telling, promised - k + 1)[: max(0, len(telling) - promised + 1)]
    whole = ~_any_within(_closed(document, taken), promised)
    return _with_fingerprints(document, promised, whole & inside & _any_within(free, promised))


def _with_fingerprints(document: Document, size: int, which: Mask) -> Document:
    positions = np.flatnonzero(which)
    return replace(document, hashes=hash_kgrams(document.open_codes, size)[positions], positions=positions)


def _closed(document: Document, taken: TokenSpans) -> Mask:
    """The tokens that no run can have."""
    closed: Mask = document.open_codes == BREAK
    closed[ranges(taken.start, taken.end - taken.start)] = True
    return closed


def _any_within(tokens: Mask, size: int) -> Mask:
    """Whether one of these is among `size` tokens, for each stretch of that many."""
    until = np.concatenate(([0], np.cumsum(tokens)))
    found: Mask = until[size:] > until[:-size]
    return found
