"""How well copied pairs are ranked, on labelled corpora, and which part of the detector does it.

    python benchmarks/quality.py CORPUS...    per corpus, language and level of disguise, and ablations

AP is the mean over the cases of the average precision of the ranking; of equal scores the independent pair comes first,
and a pair that is not ranked counts as missed. `labelled.py` says what a corpus is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from labelled import EVERYTHING, Case, cases_of

from moss.comparison.views import READERS
from moss.engine.candidates import PairValues, shared_weights
from moss.engine.lists import make_lists
from moss.engine.scoring import ENOUGH, View, Views, make_view, pair_scores, resemblance, variety, voice
from moss.engine.traces import together

Ranker = Callable[[Case], PairValues]


def reweighted(views: Views, weight: Callable[[Any, int], Any]) -> Views:
    """The same views with another weight for what m of n submissions have."""

    def again(view: View) -> View:
        m, n = view.lists.sizes, len(view.own)
        *weights, alone = np.maximum(1, np.rint(weight(np.append(m, 1), n) * (1 << 20))).astype(np.int64).tolist()
        found = np.array(weights, np.int64)
        return View(view.lists, found, view.lists.totals(found, alone))

    return Views(**{r.name: again(getattr(views, r.name)) for r in READERS})


def without(views: Views, *names: str) -> Views:
    """The same views, but these see nothing."""
    count = len(views.outline.own)
    nothing = make_view([together([np.zeros(0, np.uint64)] * count)], np.arange(count), EVERYTHING)
    return views._replace(**dict.fromkeys(names, nothing))


def aligned(parts: Sequence[PairValues]) -> tuple[PairValues, list[Any]]:
    """All pairs that are in any part, and each part's values for all of them, 0 where it has none."""
    count = parts[0].count
    keys = np.unique(np.concatenate([part.keys for part in parts]))
    values = [np.zeros(len(keys)) for _ in parts]
    for found, part in zip(values, parts, strict=True):
        found[np.searchsorted(keys, part.keys)] = part.values
    a, b = np.divmod(keys, max(1, count))
    return PairValues(count, a.astype(np.int32), b.astype(np.int32), values[0]), values


def added(views: Views) -> PairValues:
    """The mean of structure and words, instead of the stronger."""
    pairs, values = aligned([resemblance(v) for v in (views.outline, views.runs, views.wording, views.phrases)])
    structure, words = np.sqrt((2 * values[0] ** 2 + values[1] ** 2) / 3), np.maximum(values[2], values[3])
    return pairs.having((structure + words) / 2)


def contained(views: Views) -> PairValues:
    """Long stretches by how much of the smaller side is shared, so that a part copied into more counts fully; where
    that raises the score. All else as in the score: discount, and letters where outlines say little."""
    runs, own = views.runs, views.runs.own.astype(np.float64)
    shared = shared_weights(runs.lists, runs.weights, len(own))
    part = shared.having(shared.values / np.minimum(own[shared.a], own[shared.b]))
    seen = [pair_scores(views), resemblance(views.outline), part, resemblance(views.letters)]
    pairs, (score, outline, long, letters) = aligned(seen)
    share = voice(views)
    raised = share * np.sqrt((2 * outline**2 + long**2) / 3) + (1 - share) * letters
    return pairs.having(np.maximum(score, raised * discounts(views, pairs)))


def discounts(views: Views, pairs: PairValues) -> Any:
    """What the score leaves of each pair for want of variety."""
    told = np.maximum(1, variety(views))
    return np.sqrt(np.minimum(1, np.sqrt(told[pairs.a] * told[pairs.b]) / ENOUGH))


def undiscounted(views: Views) -> PairValues:
    """The score without regard to how little there is to tell."""
    found = pair_scores(views)
    return found.having(np.where(found.values < 1, found.values / discounts(views, found), 1.0))


def winnowing(weight: Callable[[Any, int], Any]) -> Ranker:
    """Ranks by winnowed structure (k = 12, w = 5) or words (3, 2); `weight` is that of what m of n authors have."""

    def ranked(case: Case) -> PairValues:
        lists, authors = make_lists([together(case.winnowed())], case.author)
        found = weight(np.append(authors[lists.fingerprint], 1), len(set(case.author.tolist())))
        *weights, alone = np.rint(found * (1 << 20)).astype(np.int64).tolist()
        listed = np.array(weights, np.int64)
        own = lists.totals(listed, alone).astype(np.float64)
        shared = shared_weights(lists, listed, len(own))
        return shared.having(shared.values / np.sqrt(own[shared.a] * own[shared.b]))

    return ranked


plain_winnowing = winnowing(lambda m, n: m**0.0)
rarity_winnowing = winnowing(lambda m, n: np.log2((n + 1) / m))


ALL = ("outline", "runs", "wording", "phrases", "letters")


def only(*names: str) -> Ranker:
    """Ranks by these views alone."""
    return lambda case: pair_scores(without(case.views(), *(name for name in ALL if name not in names)))


def with_weight(weight: Callable[[Any, int], Any]) -> Ranker:
    """Ranks by all views, with another weight."""
    return lambda case: pair_scores(reweighted(case.views(), weight))


def with_lengths(**changed: tuple[int, int]) -> Ranker:
    """Ranks by all views, some of them with other k and w."""
    return lambda case: pair_scores(case.views(**changed))


ABLATIONS: dict[str, Ranker] = {
    "**moss**": lambda case: pair_scores(case.views()),
    "plain winnowing, equal weights": plain_winnowing,
    "winnowing, weight log2((n + 1) / m)": rarity_winnowing,
    "structure alone": only("outline", "runs"),
    "words alone": only("wording", "phrases"),
    "letters alone": lambda case: resemblance(case.views().letters),
    "without letters": only("outline", "runs", "wording", "phrases"),
    "without words": only("outline", "runs", "letters"),
    "without long stretches": lambda case: pair_scores((v := case.views())._replace(runs=v.outline)),
    "mean of structure and words": lambda case: added(case.views()),
    "long stretches by the smaller side": lambda case: contained(case.views()),
    "without regard to variety": lambda case: undiscounted(case.views()),
    "all weights equal": with_weight(lambda m, n: m**0.0),
    "weight log2((n + 1) / m)": with_weight(lambda m, n: np.log2((n + 1) / m)),
    "weight m^(-1/2)": with_weight(lambda m, n: m**-0.5),
    "weight 1/m": with_weight(lambda m, n: 1.0 / m),
    "outline of 4": with_lengths(outline=(4, 1)),
    "outline of 8": with_lengths(outline=(8, 1)),
    "outline of 6, window 3": with_lengths(outline=(6, 3)),
    "long stretches of 12": with_lengths(runs=(12, 4)),
    "long stretches of 24": with_lengths(runs=(24, 4)),
    "long stretches of 32": with_lengths(runs=(32, 4)),
    "words of 2": with_lengths(wording=(2, 1)),
    "words of 4": with_lengths(wording=(4, 1)),
}


def average_precision(case: Case, ranked: PairValues) -> float:
    """The average precision of a ranking."""
    found = dict(zip(ranked.keys.tolist(), ranked.values.tolist(), strict=True))
    rows = sorted(((found.get(a * ranked.count + b, 0.0), label) for (a, b), label in case.truth.items()),
                  key=lambda row: (-row[0], row[1]))  # fmt: skip
    label = np.array([label for _, label in rows])
    counted = label * (np.array([score for score, _ in rows]) > 0)
    return float((counted * np.cumsum(label) / np.arange(1, len(label) + 1)).sum() / label.sum())


def above_independent(case: Case, ranked: PairValues) -> dict[str, list[float]]:
    """For each level of disguise, the share of independent pairs that each copied pair is ranked above."""
    found = dict(zip(ranked.keys.tolist(), ranked.values.tolist(), strict=True))
    score = {pair: found.get(pair[0] * ranked.count + pair[1], 0.0) for pair in case.truth}
    independent = np.sort([score[pair] for pair, label in case.truth.items() if not label])
    shares: dict[str, list[float]] = {}
    for pair, level in case.level.items():
        if pair in score:
            shares.setdefault(level, []).append(float(np.searchsorted(independent, score[pair]) / len(independent)))
    return shares


def print_figures(corpora: Mapping[str, list[Case]]) -> None:
    """The tables of ranking quality."""
    print("| " + " | ".join(["mean AP", *corpora]) + " |\n|" + " --- |" * (len(corpora) + 1))
    for name, ranker in ABLATIONS.items():
        row = [np.mean([average_precision(case, ranker(case)) for case in cases]) for cases in corpora.values()]
        print("| " + " | ".join([name, *(f"{figure:.3f}" for figure in row)]) + " |", flush=True)
    print("\n| corpus | language | level | copied pairs | ranked above so many independent pairs |\n|" + " --- |" * 5)
    for name, cases in corpora.items():
        shares: dict[tuple[str, str], list[float]] = {}
        for case in cases:
            for level, found in above_independent(case, pair_scores(case.views())).items():
                shares.setdefault((case.language, level), []).extend(found)
        for (language, level), found in sorted(shares.items()):
            print(f"| {name} | {language} | {level} | {len(found)} | {np.mean(found):.1%} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    print_figures({corpus.name: cases_of(corpus) for corpus in parser.parse_args().corpora})


if __name__ == "__main__":
    main()
