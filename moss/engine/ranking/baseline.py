"""The baseline: how alike two submissions of this class are when nobody copied, estimated from the class itself.

What two do not share, 1 − score, is looked at in halvings: on the scale −ln(1 − score) the upper tail of honest classes
is exponential, so that each further halving of what two do not share leaves the same small part of the pairs. From the
top tenth on, of N pairs

    N / 10 · exp(−(place − tenth) / scale)

lie above a place by chance. The scale is one and a half times the distance from the median to the tenth, and at least
`_LEAST`: two who share a library or know each other are found in any class, however little all others have in common.
Turned around, this gives the place that so many pairs are expected to pass: one for the lower limit, a tenth of one for
the upper.

Copied pairs must not raise their own limit. So the same is first reckoned from the median and the lower quartile, which
copies do not reach, and what is far above by that is set aside. It takes copying of a quarter of all pairs, that is of
half of the class from one source.

Identical programs can be the outcome of chance if they are short; of longer ones the caller says so, and they stand out
in any class. Pairs are not independent, and some who did not copy share what they found elsewhere: docs/quality.md says
how often the limits are passed in classes that nobody is known to have copied in. They order what to look at first;
they are no p-values.
"""

from __future__ import annotations

from math import ceil, exp, log

import numpy as np
from numpy.typing import NDArray

from moss.model import FEWEST_PAIRS, FINEST, Baseline, angle

Scores = NDArray[np.float64]

_EXPECTED = (1.0, 0.1)  # pairs of a class that pass the limits by chance
_TAIL = 0.1  # of all pairs: from here on the tail is exponential
_STRETCH = 1.5  # of the scale: tails are heavier than the stretch from the median to the tenth has it
_LEAST = 0.16  # of the scale: a further halving of what two do not share leaves one pair in 76
_SKEW = 4  # times as far as the lower quartile lies below the median, the tenth lies above it in honest classes
_NORMAL_TENTH = 1.2816  # a normal tenth's distance from the median, in standard deviations
_LEAST_SPREAD = 0.06  # of angles: a class in which nothing is shared must not make a little look like a lot


def estimate(scores: Scores, pairs: int, same: bool = False) -> Baseline:
    """The baseline of so many pairs, of which those that share anything have these scores. If there are `same`
    ones, identical and too long for chance, then identical ones stand out whatever the others score."""
    if pairs < len(scores):
        raise ValueError("there are more scores than pairs")
    if not pairs:
        return Baseline()
    scores = np.sort(scores)[::-1]
    aside = int(np.count_nonzero(scores > _rough_limit(scores, pairs)))
    typical, tenth = (_passed_by(scores[aside:], pairs - aside, share) for share in (0.5, _TAIL))
    scale, most = _STRETCH * (_place(tenth) - _place(typical)), 1 - FINEST if same else 1.0
    limit, far = (
        min(most, _limit(tenth, _TAIL * pairs / expected, scale)) if pairs >= FEWEST_PAIRS else most
        for expected in _EXPECTED
    )
    return Baseline(pairs, typical, _spread(typical, tenth), limit, far, expected=_EXPECTED[-1])


def _rough_limit(scores: Scores, pairs: int) -> float:
    """The score above which pairs are set aside, reckoned from the lower half of all."""
    low, middle = (_passed_by(scores, pairs, share) for share in (0.75, 0.5))
    return _limit(middle, pairs / 2 / _EXPECTED[-1], _SKEW * (_place(middle) - _place(low)))


def _limit(start: float, rarer: float, scale: float) -> float:
    """The score that so many times fewer pairs pass than pass the start, rounded up as reports round it."""
    place = _place(start) + max(_LEAST, scale) * log(max(1, rarer))
    return round(min(1.0, ceil((1 - exp(-place)) / FINEST) * FINEST), 6)


def _place(score: float) -> float:
    """A score on the scale on which the upper tail is exponential."""
    return -log(max(FINEST, 1 - score))


def _passed_by(scores: Scores, pairs: int, share: float) -> float:
    """The score that this share of all pairs passes; those not among the given, greatest first, are zeros."""
    at = int(share * pairs)
    return float(scores[at]) if at < len(scores) else 0.0


def _spread(typical: float, tenth: float) -> float:
    """The standard deviation of normal angles with this median and this upper tenth."""
    middle, upper = angle(np.array([typical, tenth])).tolist()
    return float(max(_LEAST_SPREAD, (upper - middle) / _NORMAL_TENTH))
