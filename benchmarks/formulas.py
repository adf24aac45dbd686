"""The family of formulas that the score was chosen from. `quality.py` judges all of them.

Members differ in the weight of a fingerprint, the power in which views are joined, how often structure counts, how
little a view may have in it, and in what the amount is counted; `FAMILY` lists them. The formula of
`moss.engine.ranking.score` is one of them, `CHOSEN`, and a test holds that it gives the same scores. Like the score,
each member compares letters only for the pairs that it ranks best without them.

What all pairs of a class share is summed up once for each weighting (`sums_of`). A member only combines these sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from labelled import EVERYTHING, Case
from numpy.typing import NDArray

from moss.engine.ranking import score
from moss.engine.ranking.candidates import PairValues, Weights, shared_weights
from moss.engine.ranking.score import VIEWS, View, Views, rarity_weights

Values = NDArray[np.float64]
Weighting = Callable[[NDArray[np.int64], int], Any]
"""The weights, in bits, of fingerprints that m of n authors have."""

WEIGHTINGS: dict[str, Weighting] = {
    "half": lambda m, n: rarity_weights(m, n) / score.UNIT,  # moss's own: what half of the class has says nothing
    "log2((n+1)/m)": lambda m, n: np.log2((n + 1) / m),
    "m^(-2/3)": lambda m, n: m ** (-2 / 3),
}


class Formula(NamedTuple):
    """One member of the family."""

    weight: str = "half"
    power: int = 2
    structure: int = 2  # times that structure counts
    little: float = 0.1  # of the mean weight over the views, that a view with less in it is held against
    amount: tuple[str, ...] = ("long", "long_words")  # in which views it is counted; in whichever it is more
    tokens: int = 200  # that make half of what an amount can make

    def cells(self) -> list[str]:
        """The formula as cells of a table."""
        kinds = {"long": "24-grams", "structure": "12-grams", "words": "6 words", "long_words": "24 words"}
        amount = " or ".join(kinds[name] for name in self.amount) or "none"
        tokens = str(self.tokens) if self.amount else "–"
        return [self.weight, str(self.power), f"{self.structure}×", f"{self.little:g}", amount, tokens]


CHOSEN = Formula()
NONE: tuple[str, ...] = ()
LONG_ONLY, SHORT, SHORT_OR_WORDS = ("long",), ("structure",), ("structure", "long_words")
FEWER_WORDS = ("long", "words")
FAMILY = [
    CHOSEN,
    *(Formula(power=power) for power in (3, 5)),
    *(Formula(structure=times) for times in (1, 4)),
    *(Formula(power=power, structure=times) for power in (3, 5) for times in (1, 4)),
    *(Formula(little=little) for little in (0, 0.3)),
    *(Formula(power=3, little=little) for little in (0, 0.3)),
    *(Formula(tokens=tokens) for tokens in (100, 400)),
    *(Formula(amount=amount) for amount in (LONG_ONLY, SHORT, SHORT_OR_WORDS, FEWER_WORDS)),
    *(Formula(amount=amount, structure=1) for amount in (LONG_ONLY, SHORT)),
    *(Formula(amount=NONE, power=power) for power in (2, 3, 5)),
    *(Formula(weight, power) for weight in list(WEIGHTINGS)[1:] for power in (2, 3, 5)),
    *(Formula(weight, amount=SHORT) for weight in list(WEIGHTINGS)[1:]),
    *(Formula(weight, amount=NONE) for weight in list(WEIGHTINGS)[1:]),
]

RIVALS = {
    "power 5": Formula(power=5),
    "structure 1×": Formula(structure=1),
    "structure 4×": Formula(structure=4),
    "little 0.3": Formula(little=0.3),
    "no amount": Formula(amount=NONE),
    "6 words": Formula(amount=FEWER_WORDS),
    "24-grams": Formula(amount=LONG_ONLY),
    "12-grams": Formula(amount=SHORT),
    "400 tokens": Formula(tokens=400),
}
"""Members that rank corpora as well as the chosen one, by how they differ from it. `attacks.py` tells them apart."""


class Sums(NamedTuple):
    """The sums of what pairs share, in tokens times bits, for all pairs of a class by ascending a and then b."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    shared: list[Values]  # in each view
    own: list[Values]  # of each submission in each view
    rare: dict[str, Values]  # tokens that few others have, by view


def with_weighting(weighting: Weighting, case: Case) -> Views:
    """A class in all views, in which fingerprints have these weights."""

    def weights(authors: NDArray[np.int64], count: int, max_matches: int = EVERYTHING) -> Weights:
        bits = weighting(np.maximum(authors, 1.0), count)
        found: Weights = np.rint(score.UNIT * bits).astype(np.int64)
        return found

    with patch.object(score, "rarity_weights", weights):
        return case.views()


def sums_of(case: Case, weightings: Iterable[str] = tuple(WEIGHTINGS)) -> dict[str, Sums]:
    """The sums of a class for each weighting, or for some."""
    count = len(case.members)
    a, b = (side.astype(np.int32) for side in np.triu_indices(count, 1))
    rare: dict[str, Values] = {}
    found: dict[str, Sums] = {}
    for name in weightings:
        views = with_weighting(WEIGHTINGS[name], case)
        code = (views.outline, views.structure, views.words)
        shared = [*(_shared(view, view.weights, count) for view in code), views.letters.shared(a, b)]
        rare = rare or {
            view.spec.name: _shared(view, view.amounts, count)
            for view in (views.long, views.structure, views.words, views.long_words)
        }
        found[name] = Sums(a, b, shared, [*(view.own for view in code), views.letters.own], rare)
    return found


def _shared(view: View, weights: Weights, count: int) -> Values:
    """The sum that each pair of a class shares in a view, in tokens times bits."""
    table = np.zeros(count * count)
    pairs = shared_weights(view.postings, weights, count)
    table[pairs.keys] = pairs.values * (view.spec.tokens / score.UNIT)
    found: Values = table.reshape(count, count)[np.triu_indices(count, 1)]
    return found


def scores_by(formula: Formula, sums: Sums) -> PairValues:
    """The scores of all pairs of a class by one member of the family."""
    count = len(sums.own[0])
    said, possible = _terms(formula, sums)
    amount = np.maximum.reduce([np.zeros(len(sums.a)), *(sums.rare[name] for name in formula.amount)])
    by_amount = score._MOST_BY_AMOUNT * amount / (amount + formula.tokens)

    def joined(terms: Values) -> Values:
        proportion = np.divide(terms, possible, out=np.zeros_like(terms), where=possible > 0) ** (1 / formula.power)
        scores: Values = 1 - (1 - proportion) * (1 - by_amount)
        return scores

    first = joined(sum(said[:-1], np.zeros(len(sums.a))))
    lettered = score._best(first, score._LETTER_PAIRS * count)
    if len(first) > score._LETTER_PAIRS * count:
        lettered = lettered[first[lettered] > 0]  # a pair that shares nothing else is not looked at
    first[lettered] = joined(sum(said, np.zeros(len(sums.a))))[lettered]
    return PairValues(count, sums.a, sums.b, first)


def _terms(formula: Formula, sums: Sums) -> tuple[list[Values], Values]:
    """Each pair's term of each view, and the largest possible terms, both raised to the formula's power."""
    mean = np.mean(sums.own, axis=0)
    little = formula.little * np.sqrt(mean[sums.a] * mean[sums.b])
    said: list[Values] = []
    possible = np.zeros(len(sums.a))
    for spec, shared, own in zip(VIEWS, sums.shared, sums.own, strict=True):
        g = np.sqrt(own[sums.a] * own[sums.b])
        room = g + little
        room[room == 0] = 1
        times = formula.structure if spec.name == "structure" else 1
        said.append(times * (shared / room) ** formula.power)
        possible += times * (g / room) ** formula.power
    return said, possible
