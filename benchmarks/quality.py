"""How well copied pairs are ranked on labelled corpora, how the score was chosen, and which part of it does what.

    python benchmarks/quality.py CORPUS...

prints the average precision of `moss compare` and of the **left-out choice**: for each corpus the member of a family of
formulas (`formulas.py`) that is best on the mean of all *other* corpora, judged on this one. Then every member of the
family, what each part of the score contributes, what scores of 0.3, 0.5 and 0.7 mean, and levels of disguise.

AP is the mean over the cases of the average precision of the ranking; of equal scores the independent pair comes first,
and a pair that is not ranked counts as missed. `labelled.py` says what a corpus is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from formulas import CHOSEN, FAMILY, Formula, Values, Weighting, scores_by, sums_of, with_weighting
from labelled import EVERYTHING, Case, cases_of
from numpy.typing import NDArray

from frontends.normalise.outline import outlines
from frontends.normalise.verbatim import spelled
from moss.comparison.views import FileTexts
from moss.engine.ranking import score
from moss.engine.ranking.bags import NOTHING, make_bags, together
from moss.engine.ranking.candidates import PairValues, shared_weights
from moss.engine.ranking.postings import make_postings
from moss.engine.ranking.score import RARE, VIEWS, Views, make_letter_view, make_view, pair_scores
from moss.hashing import Hashes, distinct
from moss.model import Codes

Ranker = Callable[[Case], PairValues]
NEAR = 0.003  # AP: members so near to the best are as good as it
MEANINGS = (0.3, 0.5, 0.7)  # scores whose meaning is asked for


@lru_cache(maxsize=1)
def views_of(case: Case) -> Views:
    """A class in all views; the last one is kept."""
    return case.views()


def moss_scores(case: Case) -> PairValues:
    """Ranks as `moss compare` does."""
    return pair_scores(views_of(case))


def only(*names: str) -> Ranker:
    """Ranks by these views alone; long k-grams belong to what they are of."""
    long = {"structure": "long", "words": "long_words"}
    seen = {*names, *(long[name] for name in names if name in long)}

    def ranked(case: Case) -> PairValues:
        nothing = [together([NOTHING] * len(case.members))]
        blind = {spec.name: make_view(spec, nothing, case.author, EVERYTHING) for spec in (*VIEWS, *RARE)}
        blind["letters"] = make_letter_view(nothing, case.author)
        return pair_scores(views_of(case)._replace(**{n: view for n, view in blind.items() if n not in seen}))

    return ranked


def letters_alone(case: Case) -> PairValues:
    """Ranks all pairs by their letters, which the score compares only for those that are best without them."""
    letters = views_of(case).letters
    a, b = (side.astype(np.int32) for side in np.triu_indices(len(letters.own), 1))
    room = np.sqrt(letters.own[a] * letters.own[b])
    return PairValues(len(letters.own), a, b, letters.shared(a, b) / np.where(room > 0, room, 1))


def all_equal(case: Case) -> PairValues:
    """Ranks with equal weights in the proportion."""
    return pair_scores(with_weighting(_equal, case))


def without_rarity(case: Case) -> PairValues:
    """Ranks with equal weights in the proportion and in the amount."""

    def weights(authors: NDArray[np.int64], max_matches: int) -> NDArray[np.int64]:
        return np.full(len(authors), score.UNIT)

    with patch.object(score, "amount_weights", weights):
        return all_equal(case)


def _equal(authors: Any, count: int) -> Any:
    return authors**0.0


def without_amount(case: Case) -> PairValues:
    """Ranks by the proportion alone."""
    with patch.object(score, "_MOST_BY_AMOUNT", 0.0):
        return moss_scores(case)


STREAMS: dict[str, Callable[[Sequence[FileTexts]], list[Codes]]] = {
    "outline": lambda files: outlines([file.structure.codes for file in files if file.structure is not None]),
    "structure": lambda files: [file.structure.codes for file in files if file.structure is not None],
    "words": lambda files: spelled([text for file in files for text in file.texts]),
}


def with_length(name: str, k: int, w: int) -> Ranker:
    """Ranks with other k-grams in one view, each of which stands for as many tokens as winnowing makes it."""
    spec = next(spec for spec in VIEWS if spec.name == name)._replace(k=k, w=w, tokens=(w + 1) / 2)

    def ranked(case: Case) -> PairValues:
        view = make_view(spec, [together(_bags(case, name, k, w))], case.author, EVERYTHING)
        return pair_scores(views_of(case)._replace(**{name: view}))

    return ranked


def _bags(case: Case, name: str, k: int, w: int) -> list[Hashes]:
    streams = STREAMS[name]

    def every(given: list[list[FileTexts]]) -> Hashes:
        return distinct(make_bags([streams(files) for files in given], k, 1, NOTHING).hashes)

    base = case.handout((name, k, w), every)
    return case.made((name, k, w), lambda texts: make_bags([streams(files) for files in texts], k, w, base).split())


def winnowing(weight: Weighting) -> Ranker:
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
    "**moss**": moss_scores,
    "plain winnowing, equal weights": plain_winnowing,
    "winnowing, weight log2((n + 1) / m)": rarity_winnowing,
    **{f"without {name}": only(*(other for other in ALL if other != name)) for name in ALL},
    "without the amount": without_amount,
    "without rarity in the proportion": all_equal,
    "without rarity": without_rarity,
    **{f"{name} alone": only(name) for name in ALL if name != "letters"},
    "letters alone": letters_alone,
    "outline of 4": with_length("outline", 4, 1),
    "outline of 8": with_length("outline", 8, 1),
    "structure of 8 in windows of 5": with_length("structure", 8, 5),
    "structure of 16 in windows of 5": with_length("structure", 16, 5),
    "structure of 24 in windows of 5": with_length("structure", 24, 5),
    "words of 3 in windows of 4": with_length("words", 3, 4),
    "words of 4 in windows of 4": with_length("words", 4, 4),
    "words of 8 in windows of 4": with_length("words", 8, 4),
}


def judged_scores(case: Case, ranked: PairValues) -> tuple[Values, NDArray[np.int64]]:
    """The scores of the pairs that have a label, 0 for those that are not ranked, and the labels."""
    a, b, label = case.judged
    table = np.zeros((ranked.count, ranked.count))
    table[ranked.a, ranked.b] = ranked.values
    return table[a, b], label


def average_precision(case: Case, ranked: PairValues) -> float:
    """The average precision of a ranking."""
    scores, label = judged_scores(case, ranked)
    order = np.lexsort((label, -scores))
    label = label[order]
    counted = label * (scores[order] > 0)
    return float((counted * np.cumsum(label) / np.arange(1, len(label) + 1)).sum() / label.sum())


def above_independent(case: Case, ranked: PairValues) -> dict[str, list[float]]:
    """For each level of disguise, the share of independent pairs that each copied pair is ranked above."""
    scores, label = judged_scores(case, ranked)
    independent = np.sort(scores[label == 0])
    place = {pair: number for number, pair in enumerate(case.truth)}
    shares: dict[str, list[float]] = {}
    for pair, level in case.level.items():
        if pair in place:
            below = np.searchsorted(independent, scores[place[pair]])
            shares.setdefault(level, []).append(float(below / len(independent)))
    return shares


Corpora = Mapping[str, list[Case]]
Table = NDArray[np.float64]
"""AP by row and corpus."""


def family_table(corpora: Corpora) -> Table:
    """The AP of each member of the family."""
    columns = []
    for cases in corpora.values():
        found = np.zeros((len(cases), len(FAMILY)))
        for row, case in zip(found, cases, strict=True):
            sums = sums_of(case)
            row[:] = [average_precision(case, scores_by(formula, sums[formula.weight])) for formula in FAMILY]
        columns.append(found.mean(axis=0))
    return np.array(columns).T


def left_out(table: Table) -> list[int]:
    """For each corpus the member that is best on the mean of the others; if there are no others, the first."""
    return [int(np.argmax(np.delete(table, corpus, axis=1).sum(axis=1))) for corpus in range(table.shape[1])]


def print_row(cells: Sequence[str], figures: Sequence[float]) -> None:
    """A row of a table, with the mean of its figures behind them."""
    print("| " + " | ".join([*cells, *(f"{figure:.3f}" for figure in figures), f"{np.mean(figures):.4f}"]) + " |")


def print_head(*headings: str) -> None:
    """The head of a table."""
    print("\n| " + " | ".join(headings) + " |\n|" + " --- |" * len(headings), flush=True)


def print_choice(corpora: Corpora, table: Table) -> None:
    """Print the chosen formula beside the left-out choice and the best, then the whole family, best first."""
    means, chosen = table.mean(axis=1), left_out(table)
    print_head("mean AP", *corpora, "mean")
    print_row(["**moss**"], table[FAMILY.index(CHOSEN)])
    print_row(["left-out choice"], [table[member, corpus] for corpus, member in enumerate(chosen)])
    print_row(["best of the family on all of them"], table[np.argmax(means)])
    print_head("left out", *Formula._fields)
    for name, member in zip(corpora, chosen, strict=True):
        print("| " + " | ".join([name, *FAMILY[member].cells()]) + " |")
    near = int(np.count_nonzero(means >= means.max() - NEAR))
    print(f"\n{len(FAMILY)} formulas; the first {near} are within {NEAR} of the best.")
    print_head(*Formula._fields, *corpora, "mean")
    for member in np.argsort(-means, kind="stable"):
        bold = "**" if FAMILY[member] == CHOSEN else ""
        print_row([f"{bold}{cell}{bold}" for cell in FAMILY[member].cells()], table[member])


def print_parts(corpora: Corpora) -> None:
    """Print the contribution of each part of the score."""
    found = [
        np.mean([[average_precision(case, ranker(case)) for ranker in ABLATIONS.values()] for case in cases], axis=0)
        for cases in corpora.values()
    ]
    print_head("mean AP", *corpora, "mean")
    for name, *row in zip(ABLATIONS, *found, strict=True):
        print_row([name], row)


def print_meanings(corpora: Corpora) -> None:
    """How many of the judged pairs with such a score are copied, and how many of the copied have it."""
    titles = [f"{what} ≥ {limit}" for limit in MEANINGS for what in ("pairs", "of them copied", "of all copied")]
    print_head("corpus", "copied pairs", *titles)
    for name, cases in corpora.items():
        judged = [judged_scores(case, moss_scores(case)) for case in cases]
        scores, label = (np.concatenate(column) for column in zip(*judged, strict=True))
        cells = [name, str(label.sum())]
        for limit in MEANINGS:
            hits = label[scores >= limit]
            cells += [str(len(hits)), f"{hits.mean():.0%}" if len(hits) else "–", f"{hits.sum() / label.sum():.0%}"]
        print("| " + " | ".join(cells) + " |", flush=True)


def print_levels(corpora: Corpora) -> None:
    """How far copied pairs of each level of disguise stand above independent ones."""
    print_head("corpus", "language", "level", "copied pairs", "ranked above so many independent pairs")
    for name, cases in corpora.items():
        shares: dict[tuple[str, str], list[float]] = {}
        for case in cases:
            for level, found in above_independent(case, moss_scores(case)).items():
                shares.setdefault((case.language, level), []).extend(found)
        for (language, level), found in sorted(shares.items()):
            print(f"| {name} | {language} | {level} | {len(found)} | {np.mean(found):.1%} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    corpora = {}
    for corpus in parser.parse_args().corpora:
        if cases := cases_of(corpus):
            corpora[corpus.name] = cases
        else:
            print(f"{corpus}: no class with both copied and independent pairs", file=sys.stderr)
    if not corpora:
        parser.error("nothing to judge")
    print_choice(corpora, family_table(corpora))
    print_parts(corpora)
    print_meanings(corpora)
    print_levels(corpora)


if __name__ == "__main__":
    main()
