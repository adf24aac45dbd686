"""The baseline: how alike two submissions of this class are when nobody copied, estimated from the class itself.

A score is a proportion, so it is looked at through the transform that makes the spread of proportions the same
everywhere, the angle asin √score. On that scale the scores of honest pairs are close to normal: measured on classes of
17 to 1,000, their upper quantiles lie on a straight line, and only copying leaves it. So the estimate is

1. a rough one, from the quarters around the median, to set aside what is plainly out of the ordinary;
2. of the rest, the median, and the spread that its upper quantile gives. How high a quantile depends on the size of the
   class: copied pairs grow with the number of submissions and all pairs with its square, so a large class leaves more
   of the tail untouched;
3. two limits: scores that the greatest of so many ordinary pairs passes in one class of ten and in one of a hundred,
   with Student's correction, since the spread of a small class is itself uncertain.

It takes copying of a quarter of all pairs, that is of half of the class from one source. Beyond, or when a task leaves
so little freedom that all solutions are alike, or when there are only a handful of pairs, or when most submissions are
so short that they are alike by chance, the limits are 1 and nothing can stand out; the reader is told.
Pairs are not independent, and the tails of real classes are heavier than normal, so the upper limit is moved out by a
tenth. docs/quality.md says how often the limits are passed in classes that nobody is known to have copied in. They
order what to look at first; they are no p-values.
"""

from __future__ import annotations

from math import isqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from moss.model import FEWEST_PAIRS, Baseline, angle, score_at

Angles = NDArray[np.float64]

_LEAST = 0.06  # of a spread: a class in which nothing is shared must not make every shared line an outlier
_CHANCES = (1 / 10, 1 / 100)  # classes in which an ordinary pair passes the limits, were pairs normal
_TAIL = 1.1  # how much further out than normal the greatest of real classes lie
_QUARTER = 0.6745  # a normal quartile's distance from the median, in standard deviations
_NORMAL = NormalDist()


def estimate(scores: NDArray[np.float64], pairs: int, enough: bool = True) -> Baseline:
    """What is ordinary among so many pairs, of which those that share anything have these scores; without `enough` text
    in most submissions nothing stands out."""
    if pairs < len(scores):
        raise ValueError("there are more scores than pairs")
    if not pairs:
        return Baseline()
    reach = [_reach(pairs, chance) for chance in _CHANCES]
    angles = np.sort(angle(scores))[::-1]
    low, middle, high = (_passed_by(angles, pairs, share) for share in (0.75, 0.5, 0.25))
    rough = max(_LEAST, min(high - middle, middle - low) / _QUARTER)
    aside = int(np.count_nonzero(angles > middle + reach[-1] * rough))
    typical, spread = _typical_and_spread(angles[aside:], pairs - aside)
    if pairs < FEWEST_PAIRS or not enough:
        return Baseline(pairs, score_at(typical), spread, enough=enough)
    limit, far = (score_at(typical + spreads * spread) for spreads in (reach[0], _TAIL * reach[1]))
    return Baseline(pairs, score_at(typical), spread, limit, far)


def _passed_by(angles: Angles, pairs: int, share: float) -> float:
    """The angle that this share of all pairs passes; those not among the angles, greatest first, are zeros."""
    place = int(share * pairs)
    return float(angles[place]) if place < len(angles) else 0.0


def _typical_and_spread(angles: Angles, pairs: int) -> tuple[float, float]:
    """The median, and the standard deviation of normal values with this upper tail."""
    share = min(0.25, max(0.02, 2 / _submissions(pairs)))
    middle, upper = (_passed_by(angles, pairs, part) for part in (0.5, share))
    return middle, max(_LEAST, (upper - middle) / _NORMAL.inv_cdf(1 - share))


def _reach(pairs: int, chance: float) -> float:
    """How many spreads above the median the greatest of so many values lies, or more, with this chance."""
    normal = _NORMAL.inv_cdf(1 - chance / pairs)
    return normal * (1 + (normal**2 + 1) / (4 * max(1, _submissions(pairs) - 1)))


def _submissions(pairs: int) -> int:
    """The size of a class with so many pairs."""
    return max(2, (1 + isqrt(1 + 8 * pairs)) // 2)
