"""The score: how much a pair of submissions shares, weighted by how few others have it. All of the formula is here.

**Views.** A submission is looked at in four ways, each of which survives another kind of disguise, as a bag of
fingerprints (`VIEWS`): k-grams of its *outline* survive renaming and what is inserted, moved or cut; longer ones of its
*structure* tell a copy from a program that is merely built of the same bricks; *words* and signs as written survive
restructuring, and are all there is of prose; triples of *letters* survive rewording.

**Rarity.** A fingerprint that m of n authors have weighs log2((n + 1) / m) − 1 bits: what half of the class has says
nothing, and each halving of those who have it says one bit more. So that two or three submissions can be compared, and
classes in which most copied, it never weighs less than log2((n + 1) / n) among fewer than `_CROWD` authors. Equal
submissions have one author, however many hand them in. Weights count in tokens: a fingerprint weighs as many times the
bits as the tokens that it stands for in its view (`ViewSpec.tokens`), so that each view counts a token about once.

**Proportion.** In a view S is the weight that two submissions share, O that of one of them, g = √(O_a·O_b). T is the
mean of a submission's O over the views, t = √(T_a·T_b). The view says x = S / (g + t/10), and could have said
y = g / (g + t/10): a view with little in it can say little. The proportion is P = √(Σx² / Σy²), in which structure,
the view that is hardest to change, counts twice.

**Amount.** A part that only these two have is a finding in a program of any length. The amount is the number of tokens
shared in long k-grams of the structure or of the words (`RARE`), in whichever it is more, each counted (2/m)² times if
m authors have it; A = amount / (amount + 200). Text that has no structure counts in the k-grams of `WORDS`: prose is
reworded where programs are renamed.

**Score** = 1 − (1 − P)·(1 − A/2).

    >>> _score(square=np.array([0.25, 0.25, 1.0, 0.0]), amount=np.array([0, 200, 0, 0])).tolist()
    [0.5, 0.625, 1.0, 0.0]
    >>> (rarity_weights(np.array([1, 2, 4]), count=15) / UNIT).tolist()  # bits, if 1, 2 or 4 of 15 authors have it
    [3.0, 2.0, 1.0]
    >>> (amount_weights(np.array([1, 2, 4, 9]), max_matches=15) / UNIT).tolist()
    [1.0, 1.0, 0.25, 0.0]

**Laws**, which tests/engine/test_score.py checks: a score lies between 0 and 1; identical submissions score 1, however
many there are; submissions that share nothing, or starter code only, score 0; the order of the input changes nothing;
copying more never scores less; what few have weighs more than what many have; a part that only two have is a finding in
programs of any length, and unrelated text of a hundred times its length does not hide it.

**Letters cost most and matter least**, so they are compared for the `_LETTER_PAIRS`·n pairs that rank best without
them (all pairs, in a class of up to 21), and count as not shared elsewhere.

What 0.5 means, how this was chosen and what each part contributes: docs/quality.md. Weights are whole numbers, so sums
of them are exact and no order of anything changes a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import maxsize
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.engine.ranking.bags import Bags
from moss.engine.ranking.candidates import (
    Each,
    Numbers,
    PairValues,
    Sharing,
    Weights,
    columns_of,
    shared_by,
)
from moss.engine.ranking.letters import Letters, make_letters
from moss.engine.ranking.postings import Postings, make_postings
from moss.hashing import among


class ViewSpec(NamedTuple):
    """One way to look at a submission: the length k of its k-grams, and the window w from which winnowing selects."""

    name: str
    k: int
    w: int
    tokens: float  # that a fingerprint stands for
    times: int = 1  # that it counts in the proportion


OUTLINE = ViewSpec("outline", 6, 1, 1)
STRUCTURE = ViewSpec("structure", 12, 5, 3, times=2)  # windows of 5 select one k-gram in three
WORDS = ViewSpec("words", 6, 4, 2.5)  # windows of 4 select two in five
LETTERS = ViewSpec("letters", 3, 1, 0.3)  # each triple once; a token has about three characters
VIEWS = (OUTLINE, STRUCTURE, WORDS, LETTERS)
LONG = ViewSpec("long", 24, 5, 3)  # of the structure
LONG_WORDS = ViewSpec("long_words", 24, 4, 2.5)
RARE = (LONG, LONG_WORDS)  # what the amount is counted in

_CROWD = 256  # authors: among so many there is always something rarer to tell by than what half of them have
_LITTLE = 0.1  # of the mean weight over the views: a view with less in it can say little
AMOUNT = 200  # tokens that two have alone and that make half of what an amount can make: one or two dozen lines
_MOST_BY_AMOUNT = 0.5  # of what is missing to 1, the most that an amount can add
_FEW = 8  # authors: what more of them have adds nothing to the amount
_LETTER_PAIRS = 10  # for each submission, pairs of which the letters are compared

_AT_ONCE = 1 << 14  # pairs that are scored in one go, or whose letters are compared, on whichever core

UNIT = 1 << 20  # one bit of rarity, as a whole number: finer differences are rounding
_ONE = 1 - 1e-12  # a proportion of 1, but for rounding

Values = NDArray[np.float64]


def rarity_weights(authors: NDArray[np.int64], count: int, max_matches: int = maxsize) -> Weights:
    """The weight of fingerprints that so many of `count` authors have; 0 if more than `max_matches` have them."""
    least = np.log2((count + 1) / count) if count < _CROWD else 0
    bits = np.maximum(least, np.log2((count + 1) / np.maximum(authors, 1.0)) - 1)
    weights: Weights = np.rint(UNIT * bits).astype(np.int64)
    weights[authors > max_matches] = 0
    return weights


def amount_weights(authors: NDArray[np.int64], max_matches: int) -> Weights:
    """How much each token counts for the amount that two of so many authors share."""
    weights: Weights = np.rint(UNIT * np.minimum(1, (2 / np.maximum(authors, 1.0)) ** 2)).astype(np.int64)
    weights[authors > min(_FEW, max_matches)] = 0
    return weights


class View(NamedTuple):
    """The bags of all submissions in one view, and the weight of each fingerprint."""

    spec: ViewSpec
    postings: Postings
    weights: Weights  # of the postings' fingerprints; 0: common
    amounts: Weights  # of them for the amount
    own: Values  # of each submission, in tokens times bits


def make_view(
    spec: ViewSpec, bags: Sequence[Bags], author: NDArray[np.int64], max_matches: int, room: int = maxsize
) -> View:
    """The view of these bags; what more than `max_matches` authors have is common. Bags are sorted in about so many
    bytes."""
    postings, authors = make_postings(bags, author, max_matches, room)
    count = count_of(author)
    weights = rarity_weights(authors, count, max_matches)[postings.fingerprint]
    (alone,) = rarity_weights(np.ones(1, np.int64), count).tolist()
    own: Values = postings.totals(weights, alone) * np.float64(spec.tokens / UNIT)
    return View(spec, postings, weights, amount_weights(authors, max_matches)[postings.fingerprint], own)


def count_of(author: NDArray[np.int64]) -> int:
    """How many authors there are."""
    return int(author.max(initial=0)) + 1


class Views(NamedTuple):
    """A class in all views."""

    outline: View
    structure: View
    words: View
    letters: Letters
    long: View
    long_words: View


def make_letter_view(bags: Sequence[Bags], author: NDArray[np.int64]) -> Letters:
    """The view of letters; a submission has each triple once."""
    weights = rarity_weights(np.arange(count_of(author) + 1), count_of(author))
    return make_letters(bags, author, weights, LETTERS.tokens / UNIT)


class Terms(NamedTuple):
    """The terms of the proportions of some pairs, in tokens times bits: one row for each view, one column for each
    pair."""

    shared: Values  # S
    g: Values
    room: Values  # g + t/10, by which S and g are divided

    @property
    def x(self) -> Values:
        """x, which each view says."""
        return self.shared / self.room

    @property
    def y(self) -> Values:
        """y, which each view could have said."""
        return self.g / self.room


class PairReason(NamedTuple):
    """The parts that a pair's score is made of."""

    alike: tuple[float, ...]  # in each view, S / g
    parts: tuple[float, ...]  # of each view in the proportion's square
    proportion: float
    amount: float  # tokens


def pair_scores(views: Views, each: Each = map) -> PairValues:
    """The score of every pair that shares anything; `each` calls a function for several tasks, as `map` does."""
    return Scoring(views, each).scores()


class Scoring:
    """Scores the pairs of a class, block by block."""

    def __init__(self, views: Views, each: Each = map) -> None:
        self._views, self._each = views, each
        self._code = (views.outline, views.structure, views.words)
        self._count = len(views.outline.own)
        own = [*(view.own for view in self._code), views.letters.own]
        self._roots = [np.sqrt(weights) for weights in own]
        self._little = np.sqrt(_LITTLE * np.mean(own, axis=0)) if self._count else np.zeros(0)
        self._lettered = np.zeros(0, np.int64)  # the pairs whose letters were compared, ascending

    def scores(self) -> PairValues:
        """All pairs that share anything, with their scores."""
        views = [(view.postings, view.weights) for view in self._code]
        sharing = Sharing([*views, *self._rare], self._count)
        blocks: list[tuple[NDArray[Any], ...]] = list(
            self._each(lambda block: self._block(sharing, block), sharing.blocks())
        )
        a, b, square, amount = columns_of(blocks, (np.int32, np.int32, np.float64, np.float32))
        if self._count * (self._count - 1) // 2 <= _LETTER_PAIRS * self._count:
            a, b, square, amount = self._with_all_pairs(a, b, square, amount)
        score = _score(square, amount)
        best = _best(score, _LETTER_PAIRS * self._count)
        score[best] = _score(self._with_letters(a.take(best), b.take(best), square.take(best)), amount.take(best))
        some = np.flatnonzero(score)
        return PairValues(self._count, a.take(some), b.take(some), score.take(some))

    def reasons(self, a: Numbers, b: Numbers) -> list[PairReason]:
        """The parts of the scores of some pairs; letters that were not compared count as not shared."""
        terms = self.terms(a, b)
        times = np.array([[spec.times] for spec in VIEWS])
        said, possible = times * terms.x**2, times * terms.y**2
        alike = np.minimum(1, _ratio(terms.shared, terms.g))
        proportion = np.sqrt(np.minimum(1, _ratio(said.sum(axis=0), possible.sum(axis=0))))
        parts = _ratio(said, np.broadcast_to(said.sum(axis=0), said.shape))
        amount = _amount(*(shared_by(postings, weights, a, b) for postings, weights in self._rare))
        columns = (alike.T.tolist(), parts.T.tolist(), proportion.tolist(), amount.tolist())
        return [PairReason(tuple(v), tuple(part), p, s) for v, part, p, s in zip(*columns, strict=True)]

    def terms(self, a: Numbers, b: Numbers) -> Terms:
        """The terms of the proportions of some pairs, a < b; letters that were not compared count as not shared."""
        shared = [shared_by(view.postings, view.weights, a, b) * (view.spec.tokens / UNIT) for view in self._code]
        lettered = among(a * np.int64(self._count) + b, self._lettered)
        shared.append(np.where(lettered, self._views.letters.shared(a, b), 0))
        little = self._little.take(a) * self._little.take(b)
        g, room = np.array([self._room(number, a, b, little) for number in range(len(VIEWS))]).transpose(1, 0, 2)
        return Terms(np.array(shared), g, room)

    @property
    def _rare(self) -> list[tuple[Postings, Weights]]:
        """The postings in which the amount is counted, with the weights for it."""
        return [(view.postings, view.amounts) for view in (self._views.long, self._views.long_words)]

    def _block(self, sharing: Sharing, block: tuple[int, int]) -> tuple[NDArray[Any], ...]:
        """The pairs of a block, the squares of their proportions without letters, and their amounts."""
        pairs = sharing.of(block)
        a, b, sums = pairs.a, pairs.b, pairs.sums
        little = self._little.take(a) * self._little.take(b)
        said, possible = np.zeros(len(a)), np.zeros(len(a))
        for number in range(len(VIEWS)):
            g, room = self._room(number, a, b, little)
            possible += VIEWS[number].times * (g / room) ** 2
            if number < len(self._code):
                said += VIEWS[number].times * (sums[number] * (VIEWS[number].tokens / UNIT) / room) ** 2
        return a, b, _ratio(said, possible), _amount(*sums[len(self._code) :])

    def _room(self, number: int, a: Numbers, b: Numbers, little: Values) -> tuple[Values, Values]:
        """g and g + t/10 of each pair in one view; `little` is t/10."""
        root = self._roots[number]
        g = root.take(a) * root.take(b)
        room = g + little
        room[room == 0] = 1
        return g, room

    def _with_all_pairs(self, a: Numbers, b: Numbers, *columns: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """All pairs of the class with their columns, which are 0 for pairs that were not given."""
        all_a, all_b = (side.astype(np.int32) for side in np.triu_indices(self._count, 1))
        place = np.flatnonzero(among(all_a * np.int64(self._count) + all_b, a * np.int64(self._count) + b))
        filled = [np.zeros(len(all_a), column.dtype) for column in columns]
        for new, column in zip(filled, columns, strict=True):
            new[place] = column
        return all_a, all_b, *filled

    def _with_letters(self, a: Numbers, b: Numbers, square: Values) -> Values:
        """The squares of the pairs whose letters are compared, with the letters' part."""
        self._lettered = np.sort(a * np.int64(self._count) + b)
        little = self._little.take(a) * self._little.take(b)
        rooms = [self._room(number, a, b, little) for number in range(len(VIEWS))]
        possible = np.sum([spec.times * (g / room) ** 2 for spec, (g, room) in zip(VIEWS, rooms, strict=True)], axis=0)
        return square + _ratio((self._letters_shared(a, b) / rooms[-1][1]) ** 2, possible)

    def _letters_shared(self, a: Numbers, b: Numbers) -> Values:
        """The weight of the letters that the two of each pair share, some pairs at a time."""
        some = [slice(first, first + _AT_ONCE) for first in range(0, len(a), _AT_ONCE)]
        shared = self._each(lambda part: self._views.letters.shared(a[part], b[part]), some)
        return np.concatenate([np.zeros(0), *shared])


def _amount(structure: Values, words: Values) -> Values:
    """The tokens that the two of each pair share and few others have, from their summed weights."""
    return np.maximum(structure * (LONG.tokens / UNIT), words * (LONG_WORDS.tokens / UNIT))


def _score(square: Values, amount: NDArray[Any]) -> Values:
    """The score of pairs with this square of the proportion and this amount; some pairs at a time, so that what is made
    in between stays in the processor's cache."""
    score = np.sqrt(square)
    for first in range(0, len(score), _AT_ONCE):
        proportion, tokens = score[first : first + _AT_ONCE], amount[first : first + _AT_ONCE].astype(np.float64)
        proportion[proportion >= _ONE] = 1
        tokens /= tokens + AMOUNT
        proportion[:] = 1 - (1 - proportion) * (1 - _MOST_BY_AMOUNT * tokens)
    return score


def _ratio(some: Values, whole: Values) -> Values:
    """Each value divided by the other, 0 where that is 0."""
    return np.divide(some, whole, out=np.zeros_like(some), where=whole > 0)


def _best(scores: Values, count: int) -> NDArray[np.int64]:
    """The positions of the `count` highest scores, and of all that equal the last of them."""
    if len(scores) <= count:
        return np.arange(len(scores))
    limit = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores >= limit)
