"""How well copied pairs are ranked, on labelled corpora, and which part of the detector does it.

    python benchmarks/quality.py CORPUS...            per corpus, language and level of disguise, and ablations
    python benchmarks/quality.py --honest CORPUS...   how often something stands out in a class where nobody copied

A corpus is a folder of cases, each with `submissions/<id>/...`, `truth.csv` (a, b, label, perhaps level), `case.json`
(language; negatives explicit or implicit) and perhaps `boilerplate/`, `exclude.csv`, `uncertain.txt`. None is part of
this project. AP is the mean over the cases of the average precision of the ranking; of equal scores the independent
pair comes first, and a pair that is not ranked counts as missed.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from moss.comparison.planning import plan_all
from moss.comparison.scanning import Scanner, _passages
from moss.comparison.views import READERS, Passages, make_traces, united
from moss.engine.baseline import estimate
from moss.engine.candidates import PairValues, aligned
from moss.engine.documents import Document, base_hashes, make_document
from moss.engine.index import authors_of
from moss.engine.scoring import View, Views, make_view, pair_scores, resemblance
from moss.hashing import Hashes
from moss.intake import collect
from moss.model import Role, Standing

EVERYTHING = 1 << 30
SIZES, DRAWS = (8, 15, 30), 20


@dataclass(frozen=True)
class Case:
    """A class, read once: what was read of each submission, and what is known about its pairs."""

    language: str
    names: list[str]
    passages: list[list[Passages]]
    handed_out: list[list[Passages]]
    author: np.ndarray[Any, Any]
    truth: dict[tuple[int, int], int]
    level: dict[tuple[int, int], str]


def read_case(folder: Path) -> Case:
    """The class in a folder."""
    about = json.loads((folder / "case.json").read_text())
    language = "auto" if about["language"].startswith("mix") else about["language"]
    base = [folder / "boilerplate"] if (folder / "boilerplate").is_dir() else []
    intake = sorted(collect([folder / "submissions"], [], base).submissions, key=lambda s: s.id)
    read: dict[Role, list[list[Passages]]] = {Role.NEW: [], Role.BASE: []}
    contents = []
    scanner = Scanner(None, {}, None)
    for submission, plans in zip(intake, plan_all(intake, language), strict=True):
        _, streams = scanner._read(plans)
        read[submission.role].append(_passages(plans, streams))
        if submission.role is Role.NEW:
            contents.append(b"".join(s.codes.tobytes() for key in streams if key.own for _, _, s in streams[key]))
    names = [s.id for s in intake if s.role is Role.NEW]
    truth, level = judged(folder, {name: i for i, name in enumerate(names)}, about["negatives"] == "implicit")
    return Case(about["language"], names, read[Role.NEW], read[Role.BASE], authors_of(names, contents), truth, level)


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table, if there is one."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def judged(
    folder: Path, place: Mapping[str, int], implicit: bool
) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], str]]:
    """The label of each pair that has one, and the level of disguise of the copied ones."""

    def pair(row: Mapping[str, str]) -> tuple[int, int]:
        a, b = sorted((place[row["a"]], place[row["b"]]))
        return a, b

    listed = rows_of(folder / "truth.csv")
    truth = dict.fromkeys(combinations(range(len(place)), 2), 0) if implicit else {}
    truth |= {pair(row): int(row["label"]) for row in listed}
    for row in rows_of(folder / "exclude.csv"):
        truth.pop(pair(row), None)
    doubtful = folder / "uncertain.txt"
    unsure = {place[name] for name in (doubtful.read_text().split() if doubtful.exists() else []) if name in place}
    truth = {key: label for key, label in truth.items() if unsure.isdisjoint(key)}
    return truth, {pair(row): row.get("level") or "" for row in listed if row["label"] == "1"}


def views_of(case: Case, members: Sequence[int] | None = None, **changed: tuple[int, int]) -> Views:
    """The views of a class, or of some of its members; `changed` has other k and w for some of them."""
    readers = [replace(r, k=changed[r.name][0], w=changed[r.name][1]) if r.name in changed else r for r in READERS]
    base = united([make_traces(files, None, readers) for files in case.handed_out])
    chosen = range(len(case.names)) if members is None else members
    traces = [make_traces(case.passages[i], base, readers) for i in chosen]
    author = case.author[list(chosen)]
    return Views(**{r.name: make_view([found[r.name] for found in traces], author, EVERYTHING) for r in READERS})


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
    nothing = make_view([np.zeros(0, np.uint64)] * count, np.arange(count), EVERYTHING)
    return replace(views, **dict.fromkeys(names, nothing))


def added(views: Views) -> PairValues:
    """The mean of structure and words, instead of the stronger."""
    pairs, values = aligned([resemblance(v) for v in (views.outline, views.runs, views.wording, views.phrases)])
    structure, words = np.sqrt((2 * values[0] ** 2 + values[1] ** 2) / 3), np.maximum(values[2], values[3])
    return pairs.having((structure + words) / 2)


def plain_winnowing(case: Case) -> PairValues:
    """Winnowed structure (12/16) or words (3/4), all weights equal: what the paper does."""
    prose = all(file.structure is None for files in case.passages for file in files)
    k, w = (3, 2) if prose else (12, 5)

    def document(files: Sequence[Passages], base: Hashes) -> Document:
        return make_document([file.words if prose else file.structure or file.words for file in files], k, w, base)

    base = base_hashes([document(files, np.zeros(0, np.uint64)) for files in case.handed_out], k)
    traces = [np.unique(document(files, base).hashes) for files in case.passages]
    return resemblance(reweighted_view(make_view(traces, np.arange(len(traces)), EVERYTHING)))


def reweighted_view(view: View) -> View:
    """The view with equal weights."""
    equal = np.ones(len(view.lists.sizes), np.int64)
    return View(view.lists, equal, view.lists.totals(equal, 1))


Ranker = Callable[[Case], PairValues]
ALL = ("outline", "runs", "wording", "phrases", "letters")


def only(*names: str) -> Ranker:
    """Ranks by these views alone."""
    return lambda case: pair_scores(without(views_of(case), *(name for name in ALL if name not in names)))


def with_weight(weight: Callable[[Any, int], Any]) -> Ranker:
    """Ranks by all views, with another weight."""
    return lambda case: pair_scores(reweighted(views_of(case), weight))


def with_lengths(**changed: tuple[int, int]) -> Ranker:
    """Ranks by all views, some of them with other k and w."""
    return lambda case: pair_scores(views_of(case, **changed))


ABLATIONS: dict[str, Ranker] = {
    "**moss**": lambda case: pair_scores(views_of(case)),
    "plain winnowing, equal weights": plain_winnowing,
    "structure alone": only("outline", "runs"),
    "words alone": only("wording", "phrases"),
    "letters alone": lambda case: resemblance(views_of(case).letters),
    "without letters": only("outline", "runs", "wording", "phrases"),
    "without words": only("outline", "runs", "letters"),
    "without long stretches": lambda case: pair_scores(replace(v := views_of(case), runs=v.outline)),
    "mean of structure and words": lambda case: added(views_of(case)),
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


def cases_of(corpus: Path) -> list[Case]:
    """The cases of a corpus that have both copied and independent pairs."""
    folders = [corpus] if (corpus / "truth.csv").exists() else sorted(p.parent for p in corpus.glob("*/truth.csv"))
    cases = [read_case(folder) for folder in folders]
    return [case for case in cases if 0 < sum(case.truth.values()) < len(case.truth)]


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
            for level, found in above_independent(case, pair_scores(views_of(case))).items():
                shares.setdefault((case.language, level), []).extend(found)
        for (language, level), found in sorted(shares.items()):
            print(f"| {name} | {language} | {level} | {len(found)} | {np.mean(found):.1%} |", flush=True)


def print_honest(corpora: Mapping[str, list[Case]]) -> None:
    """How often a class of honest submissions has a pair that stands out."""
    print("| corpus | class of | classes | something above | something far above | pairs above |\n|" + " --- |" * 6)
    for name, cases in corpora.items():
        for size in SIZES:
            drawn = [standing for case in cases for standing in honest_standings(case, size)]
            if drawn:
                above, far, share = (np.mean([found[i] for found in drawn]) for i in range(3))
                print(f"| {name} | {size} | {len(drawn)} | {above:.0%} | {far:.0%} | {share:.2%} |", flush=True)


def honest_standings(case: Case, size: int) -> list[tuple[bool, bool, float]]:
    """For classes drawn from those that no copied pair names: is a pair above, far above, and which share is above."""
    suspects = {member for pair, label in case.truth.items() if label for member in pair}
    honest = [i for i in range(len(case.names)) if i not in suspects]
    random = np.random.default_rng(1)
    results = []
    for _ in range(DRAWS if len(honest) >= size else 0):
        views = views_of(case, sorted(random.choice(honest, size, replace=False).tolist()))
        scores = pair_scores(views).values
        baseline = estimate(scores, size * (size - 1) // 2)
        standings = [baseline.standing(score) for score in scores.tolist()]
        out = sum(standing is not Standing.ORDINARY for standing in standings)
        results.append((out > 0, Standing.FAR in standings, out / (size * (size - 1) / 2)))
    return results


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--honest", action="store_true", help="classes in which nobody copied, instead of the ranking")
    options = parser.parse_args()
    corpora = {corpus.name: cases_of(corpus) for corpus in options.corpora}
    (print_honest if options.honest else print_figures)(corpora)


if __name__ == "__main__":
    main()
