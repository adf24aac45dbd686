"""A family of rules for what is far above in a class, judged on classes drawn from labelled corpora.

    python benchmarks/standing_rules.py CORPUS... [--seed N]

Members differ in what they look at (`SIGNS`), in the constants of `moss.engine.ranking.baseline`, or in both; `FAMILY`
lists them, and the first is moss's own. The classes are those of `standing.py`. A rule is worth the share of planted
copies that it finds, less `COST` times the share of honest classes, as labelled, in which it finds anything. As in
`quality.py`, the **left-out choice** of a corpus is the member that is best on the mean of all others.

The last table is hindsight: how many planted copies would one limit for each corpus and size find, that passes no more
honest classes than moss's own rule does? What no sign finds even so, no rule that looks at these signs can find.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from formulas import Values
from labelled import Case, cases_of
from standing import SIZES, Drawn, has_long_twins, honest_classes, planted_classes

from moss.engine.ranking import baseline, score
from moss.engine.ranking.candidates import PairValues
from moss.engine.ranking.score import pair_scores

COST = 2  # copies that have to be found to make up for a false alarm, each in a hundred classes

Table = Values
"""A value for each pair of a class, as a symmetric matrix."""


def _places(scores: Table) -> Table:
    """Scores on the scale on which the upper tail is exponential; nobody is paired with himself."""
    places: Table = -np.log(np.maximum(1e-6, 1 - scores))
    np.fill_diagonal(places, np.nan)
    return places


def _less(places: Table, own: Table) -> Table:
    """Scores again, of places less what is usual for the two; the least is 0, for limits depend on distances alone."""
    rest = places - own
    return 1 - np.exp(np.nanmin(rest) - rest)


def above_medians(scores: Table) -> Table:
    """How far a pair is above the median pair of either."""
    places = _places(scores)
    median = np.nanmedian(places, axis=1)
    return _less(places, median[:, None] + median)


def above_next_best(scores: Table) -> Table:
    """How far a pair is above the best other pair of either."""
    places = _places(scores)
    second, best = np.sort(np.nan_to_num(places, nan=-1), axis=1)[:, -2:].T
    other = np.where(places >= best[:, None], second[:, None], best[:, None])
    return _less(places, (other + other.T) / 2)


class Signs(NamedTuple):
    """The values of all pairs of a class that rules may use."""

    score: Table
    proportion: Table  # the score without the amount
    above_medians: Table
    above_next_best: Table


SIGNS = Signs._fields


def signs_of(case: Case) -> tuple[Signs, bool]:
    """The signs of a class, and whether there are long programs in it that are identical."""
    views = case.views()
    found = pair_scores(views)
    scores = _table(found)
    with patch.object(score, "_MOST_BY_AMOUNT", 0.0):
        proportion = _table(pair_scores(views))
    return Signs(scores, proportion, above_medians(scores), above_next_best(scores)), has_long_twins(case, found)


def _table(found: PairValues) -> Table:
    table = np.zeros((found.count, found.count))
    table[found.a, found.b] = table[found.b, found.a] = found.values
    return table


class Rule(NamedTuple):
    """One member of the family; None is what moss has."""

    sign: str = "score"
    tail: float | None = None  # of all pairs, from where on it is exponential
    stretch: float | None = None
    least: float | None = None
    expected: float | None = None  # pairs that pass by chance

    def far(self, values: Values, same: bool) -> float:
        """The value above which a pair is far above, if all pairs of a class have these."""
        expected = self.expected and (1.0, self.expected)
        changed = {"_TAIL": self.tail, "_STRETCH": self.stretch, "_LEAST": self.least, "_EXPECTED": expected}
        with ExitStack() as changes:
            for name, value in changed.items():
                if value is not None:
                    changes.enter_context(patch.object(baseline, name, value))
            return baseline.estimate(values, len(values), same).far

    def cells(self) -> list[str]:
        """The rule as cells of a table."""
        ours = (baseline._TAIL, baseline._STRETCH, baseline._LEAST, baseline._EXPECTED[-1])
        given = [own if value is None else value for own, value in zip(ours, self[1:], strict=True)]
        return [self.sign.replace("_", " "), *(f"{value:g}" for value in given)]


OURS = Rule()
FAMILY = [
    OURS,
    *(Rule(stretch=stretch) for stretch in (0, 1, 2, 2.5)),
    *(Rule(least=least) for least in (0.12, 0.14, 0.18, 0.2)),
    *(Rule(expected=expected) for expected in (0.05, 0.2)),
    *(Rule(stretch=stretch, expected=0.2) for stretch in (2, 2.5)),
    *(Rule(tail=0.25, stretch=stretch) for stretch in (3, 5)),
    *(Rule(tail=0.025, stretch=stretch) for stretch in (0.5, 1)),
    *(Rule("proportion", least=least) for least in (None, 0.14, 0.12)),
    Rule("proportion", stretch=2.5, least=0.14, expected=0.2),
    *(Rule("above_medians", least=least) for least in (None, 0.12)),
    *(Rule("above_next_best", least=least) for least in (None, 0.12)),
]


class Outcome(NamedTuple):
    """The outcome of a class: for each rule, whether its planted pair is far above, or anything if there is none; and
    by each sign, the value of that pair, or the greatest."""

    is_planted: bool
    far: list[bool]
    value: list[float]


def outcome(drawn: Drawn) -> Outcome:
    """The verdict of each rule on a class."""
    signs, same = signs_of(drawn.case)
    pairs = np.triu_indices(len(drawn.case.members), 1)
    values = {name: table[pairs] for name, table in zip(SIGNS, signs, strict=True)}
    asked = {
        name: float(table[drawn.planted] if drawn.planted else values[name].max())
        for name, table in zip(SIGNS, signs, strict=True)
    }
    far = [asked[rule.sign] > rule.far(values[rule.sign], same) for rule in FAMILY]
    return Outcome(drawn.planted is not None, far, list(asked.values()))


Cell = tuple[str, int]
"""A corpus, and the size of a class."""


def outcomes(corpora: Sequence[list[Case]], seed: int) -> Iterator[tuple[Cell, list[Outcome]]]:
    """The outcomes of the classes of each corpus and size."""
    for cases in corpora:
        for size in SIZES:
            drawn = [
                outcome(each)
                for case in cases
                for make in (honest_classes, planted_classes)
                for each in make(case, size, seed)
            ]
            if {each.is_planted for each in drawn} == {True, False}:
                yield (cases[0].corpus, size), drawn


def shares(drawn: Sequence[Outcome], is_planted: bool, column: Callable[[Outcome], Sequence[Any]]) -> Values:
    """The mean over honest or over planted classes."""
    found: Values = np.mean([column(each) for each in drawn if each.is_planted is is_planted], axis=0)
    return found


def print_family(found: Mapping[Cell, list[Outcome]]) -> None:
    """Each rule with the shares of honest and planted classes of each corpus, and what it is worth; and left out."""
    names = list(dict.fromkeys(corpus for corpus, _ in found))
    both = np.array([
        [np.mean([shares(drawn, planted, lambda each: each.far) for (corpus, _), drawn in found.items()
                  if corpus == name], axis=0) for name in names]
        for planted in (False, True)
    ])  # fmt: skip
    worth = 100 * (both[1] - COST * both[0])
    print("| looks at | tail | stretch | least | expected | " + " | ".join(names) + " | worth |")
    print("|" + " --- |" * (6 + len(names)))
    for member in np.argsort(-worth.mean(axis=0), kind="stable"):
        rule, bold = FAMILY[member], "**" if FAMILY[member] == OURS else ""
        cells = [f"{bold}{cell}{bold}" for cell in rule.cells()]
        cells += [f"{honest:.0%} / {planted:.0%}" for honest, planted in both[:, :, member].T]
        print("| " + " | ".join([*cells, f"{worth[:, member].mean():.1f}"]) + " |")
    chosen = [int(np.argmax(np.delete(worth, place, axis=0).mean(axis=0))) for place in range(len(names))]
    print("\n| left out | looks at | tail | stretch | least | expected | worth | moss |\n|" + " --- |" * 8)
    for place, member in enumerate(chosen):
        figures = [f"{worth[place, one]:.1f}" for one in (member, 0)]
        print("| " + " | ".join([names[place], *FAMILY[member].cells(), *figures]) + " |")
    means = [np.mean([worth[place, member] for place, member in enumerate(chosen)]), worth[:, 0].mean()]
    print("| mean | | | | | | " + " | ".join(f"{mean:.1f}" for mean in means) + " |")


def print_hindsight(found: Mapping[Cell, list[Outcome]]) -> None:
    """Print what a limit of its own for each corpus and size would find with no more false alarms."""
    signs = [name.replace("_", " ") for name in SIGNS]
    print("\n| corpus | class of | honest classes, moss | copies, moss | " + " | ".join(signs) + " |")
    print("|" + " --- |" * (4 + len(signs)))
    for (corpus, size), drawn in found.items():
        honest, planted = (shares(drawn, which, lambda each: each.far[:1])[0] for which in (False, True))
        limits = [_limit(drawn, sign) for sign in range(len(SIGNS))]
        copies = shares(drawn, True, lambda each, limits=limits: np.greater(each.value, limits))  # type: ignore[misc]
        cells = [corpus, str(size), *(f"{share:.1%}" for share in (honest, planted, *copies))]
        print("| " + " | ".join(cells) + " |")


def _limit(drawn: Sequence[Outcome], sign: int) -> float:
    """The value of a sign that no more honest classes pass than have something far above."""
    honest = [each for each in drawn if not each.is_planted]
    return sorted((each.value[sign] for each in honest), reverse=True)[
        min(len(honest) - 1, sum(each.far[0] for each in honest))
    ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1, help="which classes are drawn (1)")
    options = parser.parse_args()
    found = dict(outcomes([cases for cases in map(cases_of, options.corpora) if cases], options.seed))
    print_family(found)
    print_hindsight(found)


if __name__ == "__main__":
    main()
