"""Seeds: the places in two documents at which they have the same fingerprint, from which runs of equal tokens grow.

A fingerprint that is at m places here and at n there makes m × n seeds, so two documents that repeat one thing would
have more than anybody can follow. All of them are followed as long as they are in proportion to the shorter document.
Where they are not, two things keep their number linear and lose hardly a run:

  - Where a document repeats itself with a period of at most k tokens, only the first two and the last two places of a
    fingerprint count. Of two such repetitions the shorter is covered whole, wherever the longer is entered.
  - If there are still too many, each place of the document that has fewer meets those places of the other one that have
    the longest context in common with it, to the right and to the left.

    >>> _all_pairs(Places(np.array([0, 5]), np.array([2])), Places(np.array([3]), np.array([1])))[:2]
    (array([0, 5]), array([3, 3]))
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from moss.engine.documents import Document, Mask
from moss.engine.kgrams import ranges
from moss.hashing import Hashes, Positions, SpanHasher, among
from moss.model import Codes

_SEEDS = 16  # seeds for each fingerprint of the shorter document that are followed,
_FREE = 1 << 12  # and so many in any case,
_MOST = 1 << 18  # but no more than these
_CONTEXTS = (2, 4, 8)  # times k tokens of context are told apart
_NONE = np.zeros(0, np.uint64)
_NOWHERE = np.zeros(0, np.int64)
_CROWD = 1 << 18  # places beyond which contexts are not looked at: their order decides


class Seeds(NamedTuple):
    """Positions in the first document, and in the second."""

    here: Positions
    there: Positions
    are_all: bool = True  # whether all places of shared fingerprints are among them


class Places(NamedTuple):
    """The places of some fingerprints in a document: `counts` of each, one fingerprint after another."""

    at: Positions
    counts: Positions

    @property
    def first(self) -> Positions:
        """Where the places of each fingerprint begin."""
        return self.counts.cumsum() - self.counts

    def only(self, chosen: Mask) -> Places:
        """The places of some of the fingerprints."""
        return Places(self.at[ranges(self.first[chosen], self.counts[chosen])], self.counts[chosen])

    def without_inner(self, k: int) -> Places:
        """The places without those inside repetitions, where the two before and the two behind are equally far
        apart."""
        number = np.arange(len(self.counts)).repeat(self.counts)
        gap = np.diff(self.at)
        even = (gap[1:] == gap[:-1]) & (gap[1:] <= k) & (number[2:] == number[:-2])  # around the second of three
        inner = np.zeros(len(self.at), np.bool_)
        inner[2:-2] = even[:-2] & even[1:-1] & even[2:]
        return self.where(~inner)

    def where(self, chosen: Mask) -> Places:
        """Some of the places."""
        number = np.arange(len(self.counts)).repeat(self.counts)
        return Places(self.at[chosen], np.bincount(number[chosen], minlength=len(self.counts)))


def find_seeds(a: Document, b: Document, common: Hashes, k: int) -> Seeds:
    """The places of equal k-grams from which runs are to grow, without those of common hashes (sorted)."""
    shared = _shared(a.by_hash[0], b.by_hash[0], common)
    ours, theirs = _places(*a.by_hash, shared), _places(*b.by_hash, shared)
    most = _FREE + min(_MOST, _SEEDS * min(len(a.hashes), len(b.hashes)))
    if int((ours.counts * theirs.counts).sum()) <= most:
        return _all_pairs(ours, theirs)
    ours, theirs = ours.without_inner(k), theirs.without_inner(k)
    few = _cheapest(ours.counts * theirs.counts, most)
    some = _all_pairs(ours.only(few), theirs.only(few))
    crowd = ours.only(~few), theirs.only(~few)
    more = [some, _in_order(*crowd)]
    if 0 < len(crowd[0].at) + len(crowd[1].at) <= _CROWD:
        more += [_by_context(a, b, *crowd, k, step) for step in (1, -1)]
    return Seeds(np.concatenate([each.here for each in more]), np.concatenate([each.there for each in more]), False)


def repeated(codes: Codes, places: tuple[Positions, Positions], k: int, w: int) -> tuple[Positions, Positions]:
    """More places for seeds: where the first document, whose codes these are, repeats a seed's k-gram fewer than w
    tokens away. Of equal k-grams in a window winnowing selects one, and which one depends on what is around; if the two
    documents select different ones of a run, only these seeds find it.

    >>> repeated(np.array([7, 7, 7, 9], np.uint64), (np.array([1]), np.array([5])), k=1, w=2)
    (array([0, 2]), array([5, 5]))
    """
    here, there = [_NOWHERE], [_NOWHERE]
    for distance in (*range(1 - w, 0), *range(1, w)):
        other = places[0] + distance
        inside = np.flatnonzero((other >= 0) & (other <= len(codes) - k))
        for token in range(k):
            inside = inside[codes.take(other[inside] + token) == codes.take(places[0][inside] + token)]
        here.append(other[inside])
        there.append(places[1][inside])
    return np.concatenate(here), np.concatenate(there)


def pair_in_order(a: Document, b: Document, open_in_b: Mask, turn: int) -> Seeds:
    """Each place of a fingerprint with one in the other document that is open, in each turn with the next."""
    shared = _shared(a.by_hash[0], b.by_hash[0], _NONE)
    ours, theirs = _places(*a.by_hash, shared), _places(*b.by_hash, shared)
    return _in_order(ours, theirs.where(open_in_b[theirs.at]), turn)


def _shared(ours: Hashes, theirs: Hashes, common: Hashes) -> Hashes:
    """The hashes that both have, each once."""
    fewer, more = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
    shared = fewer[among(fewer, more)]
    shared = shared[np.concatenate([[True], shared[1:] != shared[:-1]])[: len(shared)]]
    telling: Hashes = shared[~among(shared, common)] if len(common) else shared
    return telling


def _places(ordered: Hashes, places: Positions, hashes: Hashes) -> Places:
    """Where a document has each of some (sorted) hashes."""
    first = ordered.searchsorted(hashes)
    count = ordered.searchsorted(hashes, side="right") - first
    return Places(places[ranges(first, count)], count)


def _all_pairs(ours: Places, theirs: Places) -> Seeds:
    """Each place of a fingerprint with each in the other document."""
    pairs = ours.counts * theirs.counts
    which = np.arange(len(pairs)).repeat(pairs)
    number = np.arange(len(which)) - (pairs.cumsum() - pairs).repeat(pairs)  # of the pair among its fingerprint's
    others = theirs.counts[which]
    return Seeds(ours.at[ours.first[which] + number // others], theirs.at[theirs.first[which] + number % others])


def _cheapest(pairs: Positions, most: int) -> Mask:
    """Which fingerprints, those with the fewest pairs first, have at most so many together."""
    order = pairs.argsort(kind="stable")
    few = np.zeros(len(pairs), np.bool_)
    few[order[pairs[order].cumsum() <= most]] = True
    return few


def _in_order(ours: Places, theirs: Places, turn: int = 0) -> Seeds:
    """The first place of a fingerprint with the first, the second with the second, and so on; in later turns the first
    with the second, or with the third."""
    count = np.minimum(ours.counts, theirs.counts)
    number = ranges(np.zeros(len(count), np.int64), count)
    others = (number + turn) % theirs.counts.repeat(count)
    return Seeds(ours.at[ours.first.repeat(count) + number], theirs.at[theirs.first.repeat(count) + others])


def _by_context(a: Document, b: Document, ours: Places, theirs: Places, k: int, step: int) -> Seeds:
    """Each place of the document that has fewer, with the two of the other one that are nearest to it if all places of
    a fingerprint are sorted by the tokens behind them (or, with a step of -1, before them)."""
    is_ours = np.repeat([True, False], [len(ours.at), len(theirs.at)])
    place = np.concatenate([ours.at, theirs.at])
    which = np.concatenate([np.arange(len(each.counts)).repeat(each.counts) for each in (ours, theirs)])
    contexts = [
        np.concatenate([_contexts(document, each.at, k, size * k, step) for document, each in ((a, ours), (b, theirs))])
        for size in _CONTEXTS
    ]
    order = np.lexsort((place, *reversed(contexts), which))
    is_ours, place, which = is_ours[order], place[order], which[order]
    is_fewer = is_ours if len(ours.at) <= len(theirs.at) else ~is_ours
    number = np.arange(len(order))
    before = np.maximum.accumulate(np.where(is_fewer, 0, number))
    behind = np.minimum.accumulate(np.where(is_fewer, len(order) - 1, number)[::-1])[::-1]
    fewer = np.tile(np.flatnonzero(is_fewer), 2)
    other = np.concatenate([before[is_fewer], behind[is_fewer]])
    meets = np.flatnonzero((is_fewer[other] != is_fewer[fewer]) & (which[other] == which[fewer]))
    fewer, other = fewer[meets], other[meets]
    here, there = (fewer, other) if is_fewer is is_ours else (other, fewer)
    return Seeds(place[here], place[there])


def _contexts(document: Document, places: Positions, k: int, size: int, step: int) -> Hashes:
    """A hash of so many tokens from the beginning of each k-gram on, or up to its end."""
    codes = document.open_codes
    start = places if step > 0 else np.maximum(0, places + k - size)
    end = np.minimum(len(codes), places + size) if step > 0 else places + k
    return SpanHasher(codes).polynomial(start, end)
