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
from unittest.mock import patch

import numpy as np
from labelled import EVERYTHING, Case, cases_of

from frontends.outline import outlines
from frontends.spelling import spelled
from moss.comparison.views import FileTexts
from moss.engine.ranking import score
from moss.engine.ranking.bags import NOTHING, make_bags, together
from moss.engine.ranking.candidates import PairValues, shared_weights
from moss.engine.ranking.postings import make_postings
from moss.engine.ranking.score import VIEWS, make_letter_view, make_view, pair_scores
from moss.hashing import Hashes, distinct
from moss.model import Codes

Ranker = Callable[[Case], PairValues]
Weight = Callable[[Any, int], Any]
"""What a fingerprint weighs that m of n authors have."""


def only(*names: str) -> Ranker:
    """Ranks by these views alone."""

    def ranked(case: Case) -> PairValues:
        nothing = [together([NOTHING] * len(case.members))]
        blind = {spec.name: make_view(spec, nothing, case.author, EVERYTHING) for spec in VIEWS}
        blind["letters"] = make_letter_view(nothing, case.author)
        return pair_scores(case.views()._replace(**{n: view for n, view in blind.items() if n not in names}))

    return ranked


def letters_alone(case: Case) -> PairValues:
    """Ranks all pairs by their letters, which the score compares only for those that are best without them."""
    letters = case.views().letters
    a, b = (side.astype(np.int32) for side in np.triu_indices(len(letters.own), 1))
    room = np.sqrt(letters.own[a] * letters.own[b])
    return PairValues(len(letters.own), a, b, letters.shared(a, b) / np.where(room > 0, room, 1))


def with_weight(weight: Weight) -> Ranker:
    """Ranks by all views, with another weight."""

    def weights(authors: Any, count: int, max_matches: int = EVERYTHING) -> Any:
        return np.rint((1 << 20) * weight(np.maximum(authors, 1.0), count)).astype(np.int64)

    return with_parts(rarity_weights=weights)


def with_parts(**parts: Any) -> Ranker:
    """Ranks with other constants or functions in the score."""

    def ranked(case: Case) -> PairValues:
        with patch.multiple(score, **parts):
            return pair_scores(case.views())

    return ranked


STREAMS: dict[str, Callable[[Sequence[FileTexts]], list[Codes]]] = {
    "outline": lambda files: outlines([file.structure.codes for file in files if file.structure is not None]),
    "structure": lambda files: [file.structure.codes for file in files if file.structure is not None],
    "words": lambda files: spelled([text for file in files for text in file.texts]),
}


def with_length(name: str, k: int, w: int) -> Ranker:
    """Ranks with other k-grams in one view, each of which stands for as many tokens as winnowing makes it."""
    spec = next(spec for spec in VIEWS if spec.name == name)._replace(k=k, w=w, tokens=(w + 1) / 2)

    def ranked(case: Case) -> PairValues:
        views = case.views()
        view = make_view(spec, [together(_bags(case, name, k, w))], case.author, EVERYTHING)
        return pair_scores(views._replace(**{name: view}))

    return ranked


def _bags(case: Case, name: str, k: int, w: int) -> list[Hashes]:
    streams = STREAMS[name]

    def every(given: list[list[FileTexts]]) -> Hashes:
        return distinct(make_bags([streams(files) for files in given], k, 1, NOTHING).hashes)

    base = case.handout((name, k, w), every)
    return case.made((name, k, w), lambda texts: make_bags([streams(files) for files in texts], k, w, base).split())


def winnowing(weight: Weight) -> Ranker:
    """Ranks by winnowed structure (k = 12, w = 5) or words (3, 2); `weight` is that of what m of n authors have."""

    def ranked(case: Case) -> PairValues:
        lists, authors = make_postings([together(case.winnowed())], case.author)
        found = weight(np.append(authors[lists.fingerprint], 1), len(set(case.author.tolist())))
        *weights, alone = np.rint(found * (1 << 20)).astype(np.int64).tolist()
        listed = np.array(weights, np.int64)
        own = lists.totals(listed, alone).astype(np.float64)
        shared = shared_weights(lists, listed, len(own))
        return shared.having(shared.values / np.sqrt(own[shared.a] * own[shared.b]))

    return ranked


plain_winnowing = winnowing(lambda m, n: m**0.0)
rarity_winnowing = winnowing(lambda m, n: np.log2((n + 1) / m))


ALL = [spec.name for spec in VIEWS]
ABLATIONS: dict[str, Ranker] = {
    "**moss**": lambda case: pair_scores(case.views()),
    "plain winnowing, equal weights": plain_winnowing,
    "winnowing, weight log2((n + 1) / m)": rarity_winnowing,
    **{f"{name} alone": only(name) for name in ALL if name != "letters"},
    "letters alone": letters_alone,
    **{f"without {name}": only(*(other for other in ALL if other != name)) for name in ALL},
    "without the amount": with_parts(_MOST_BY_AMOUNT=0.0),
    "all weights equal": with_weight(lambda m, n: m**0.0),
    "weight log2((n + 1) / m)": with_weight(lambda m, n: np.log2((n + 1) / m)),
    "weight m^(-2/3)": with_weight(lambda m, n: m ** (-2 / 3)),
    "outline of 4": with_length("outline", 4, 1),
    "outline of 8": with_length("outline", 8, 1),
    "structure of 8 in windows of 5": with_length("structure", 8, 5),
    "structure of 16 in windows of 5": with_length("structure", 16, 5),
    "structure of 24 in windows of 5": with_length("structure", 24, 5),
    "words of 3 in windows of 4": with_length("words", 3, 4),
    "words of 4 in windows of 4": with_length("words", 4, 4),
    "words of 8 in windows of 4": with_length("words", 8, 4),
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
