"""Scoring: what a shared fingerprint is worth, and what a pair's score is.

**Rarity.** A fingerprint that everyone has says nothing; one that only two authors have says a lot. Its weight is
m^(−2/3) if m independent authors have it, whatever the size of the class. In one **view** of the submissions a pair
resembles each other by (weight shared) / √(weight of one side · weight of the other), which is 1 for equal traces and 0
for disjoint ones, and does not forget a copy because the copier added as much again. Weights are kept as whole numbers,
so that sums are exact and depend on the order of nothing.

**Views.** Four kinds of traces, each of which survives another kind of disguise:

- `outline` and `runs`: short and long stretches of a program's outline. Short ones survive what is inserted, moved and
  cut; long ones tell the copy from the program that is merely built of the same bricks. Together they are the
  structure, √((2·outline² + runs²) / 3).
- `wording`: words and signs as written, comments and strings too; of prose `phrases`, which are shorter.
- `letters`: triples of letters, each counted once. They survive whatever leaves some of the words alone, but say little
  about long programs, in which all triples occur sooner or later.

**Which view counts.** Of structure, wording and phrases the stronger: a sum would let what everyone prints alike drown
what only two wrote alike. Letters count where a class's outlines say little (tiny programs, or programs that are all
the same one: two of them are alike by chance or by necessity) and its letters say more, so that what is left to compare
is how they are written. `voice` measures it for the whole class.

**Too little to tell.** Two short programs, or two that say the same few things over and over, are alike by chance. What
a submission has to tell by is its **variety**, the number of different stretches in its outline, or what its words
amount to if that is more. A pair with less than `ENOUGH` loses by the root of what is missing; not so a pair that is
the same in every view, which scores 1. docs/quality.md has the figures behind every number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import maxsize
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from moss.engine.candidates import Each, Numbers, PairValues, SharedBlock, Sharing, Weights, in_one, shared_weights
from moss.engine.documents import Document
from moss.engine.index import Index, build_index, independent_authors
from moss.engine.lists import Lists, make_lists
from moss.engine.ordering import median
from moss.engine.traces import Bags
from moss.hashing import Hashes, Positions

_UNIT = 1 << 20  # the weight of what one author has, as a whole number: finer differences are rounding
_SHARPNESS = 2 / 3  # how fast a fingerprint loses weight with each further author
_RARE = 30  # stretches of an outline that nobody else has, or their weight in commoner ones, tell a program
ENOUGH = 100  # different stretches of an outline: with fewer, programs are alike by chance
_PHRASES, _WORDINGS = 2, 1 / 3  # stretches of an outline that tell as much as a phrase of prose, or three words of code
_LETTERS = 2  # triples of letters that say as much as a stretch of the outline; a token has about as many

_ONE = 1 - 1e-12  # as much as equal traces resemble each other, but for rounding

Values = NDArray[np.float64]
Block = tuple[Numbers, Numbers, Values]


class Pairs(Protocol):
    """Pairs of documents."""

    @property
    def a(self) -> Numbers:
        """The first document of each."""

    @property
    def b(self) -> Numbers:
        """The second document of each."""


@dataclass(frozen=True, slots=True)
class Layer:
    """All submissions' documents in one channel with the same thresholds; a submission without any has an empty one."""

    documents: Sequence[Document]
    index: Index
    common: Hashes  # the fingerprints that too many authors have, sorted


def make_layer(owners: Sequence[str], documents: Sequence[Document], max_matches: int) -> Layer:
    """The layer of these documents; a fingerprint of more than `max_matches` authors is common."""
    index = build_index(documents, independent_authors(owners, documents))
    return Layer(documents, index, index.hashes[index.authors > max_matches])


class View(NamedTuple):
    """The traces of all submissions in one view, and what each of their fingerprints is worth."""

    lists: Lists
    weights: Weights  # of the lists' fingerprints; 0: common
    own: Weights  # of each submission's trace


def make_view(traces: Sequence[Bags], author: NDArray[np.int64], max_matches: int, room: int = maxsize) -> View:
    """The view of these traces; what more than `max_matches` authors have is common. Traces are sorted in about so many
    bytes."""
    lists, authors = make_lists(traces, author, max_matches, room)
    weights = rarity_weights(authors, max_matches)[lists.fingerprint]
    (alone,) = rarity_weights(np.ones(1, np.int64), max_matches).tolist()
    return View(lists, weights, lists.totals(weights, alone))


def rarity_weights(authors: NDArray[np.int64], max_matches: int) -> Weights:
    """The weight of fingerprints that so many authors have; 0 for those that more than `max_matches` have."""
    weights: Weights = np.maximum(1, np.rint(_UNIT * np.maximum(authors, 1.0) ** -_SHARPNESS)).astype(np.int64)
    weights[authors > max_matches] = 0
    return weights


def resemblance(view: View) -> PairValues:
    """How alike the traces of each pair are that share anything in this view."""
    shared = shared_weights(view.lists, view.weights, len(view.own))
    return shared.having(_resemblance(view, shared, shared.values))


def _resemblance(view: View, pairs: Pairs, shared: Values) -> Values:
    own = view.own.astype(np.float64)
    result: Values = own.take(pairs.a)
    result *= own.take(pairs.b)
    np.sqrt(result, out=result)
    return np.divide(shared, result, out=result, where=result > 0)  # nothing on one side: nothing shared, hence 0


class Views(NamedTuple):
    """A class in all views."""

    outline: View
    runs: View
    wording: View
    phrases: View
    letters: View


def pair_scores(views: Views, each: Each = map) -> PairValues:
    """The score of every pair that shares anything; `each` is the quickest way to do several things."""
    scoring = Scoring(views, each)
    return in_one(len(views.outline.own), list(each(scoring, scoring.blocks)))


class Scoring:
    """Scores the pairs of a class, block by block."""

    def __init__(self, views: Views, each: Each) -> None:
        self._views = views
        self._share = voice(views)
        self._seen = [views.outline, views.runs, views.wording, views.phrases]
        if self._share < 1:
            self._seen.append(views.letters)
        self._variety = variety(views)
        self._sharing = Sharing([(view.lists, view.weights) for view in self._seen], len(views.outline.own), each)

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """All blocks that have pairs."""
        return self._sharing.blocks()

    def __call__(self, block: tuple[int, int]) -> Block:
        """The pairs of a block, and their scores."""
        pairs = self._sharing.of(block)
        values = [_resemblance(view, pairs, shared) for view, shared in zip(self._seen, pairs.sums, strict=True)]
        score = self._combined(pairs, *values)
        score *= _discount(self._variety, pairs)
        score[self._same(pairs, values)] = 1.0
        return pairs.a, pairs.b, score

    def _combined(
        self,
        pairs: Pairs,
        outline: Values,
        runs: Values,
        wording: Values,
        phrases: Values,
        letters: Values | None = None,
    ) -> Values:
        """What the views say together."""
        views = self._views
        runs = np.where(_any(views.runs, pairs), runs, outline)  # too short for long stretches, both of them
        score: Values = np.maximum.reduce([np.sqrt((2 * outline**2 + runs**2) / 3), wording, phrases])
        if letters is None:
            return score
        told = _any(views.outline, pairs) | _any(views.wording, pairs) | _any(views.phrases, pairs)
        part = np.where(_any(views.letters, pairs), np.where(told, self._share, 0), 1)
        return part * score + (1 - part) * letters

    def _same(self, pairs: SharedBlock, values: Sequence[Values]) -> Positions:
        """The pairs whose two no view tells apart."""
        same = np.flatnonzero(np.maximum.reduce(values) >= _ONE)
        for view, value in zip(self._seen, values, strict=True):
            alike = value[same] >= _ONE
            neither = (view.own[pairs.a[same]] == 0) & (view.own[pairs.b[same]] == 0)
            same = same[alike | neither]
        return same


def variety(views: Views) -> Values:
    """How many different things each submission has to be told by, counted as stretches of an outline."""
    prose, words = _PHRASES * views.phrases.lists.different, _WORDINGS * views.wording.lists.different
    found: Values = np.maximum.reduce([views.outline.lists.different.astype(np.float64), prose, words])
    return found


def _discount(found: Values, pairs: Pairs) -> Values:
    """What is left of a pair's score if there is too little to tell."""
    found = np.maximum(1, found)
    told = found.take(pairs.a)
    told *= found.take(pairs.b)
    np.sqrt(told, out=told)
    told /= ENOUGH
    np.minimum(told, 1.0, out=told)
    return np.sqrt(told, out=told)


def _any(view: View, pairs: Pairs) -> NDArray[np.bool_]:
    """Whether at least one of each pair has a trace in this view."""
    has = view.own > 0
    if has.all():
        return np.ones(len(pairs.a), np.bool_)
    found: NDArray[np.bool_] = has.take(pairs.a) | has.take(pairs.b)
    return found


def voice(views: Views) -> float:
    """How much of the score is left to all that is not letters, for this class: 1 if its programs say enough by their
    outlines, or more by them than by their letters; less the further they are from either."""
    outline, letters = views.outline.own, views.letters.own
    told = outline > 0
    if not told.any():
        return 1.0
    enough = median(outline[told]) / (_RARE * _UNIT)
    more = _LETTERS / max(_LETTERS, median(letters[told] / outline[told]))
    return min(1.0, max(enough, more) ** 2)
