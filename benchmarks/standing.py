"""Which pairs stand out in classes drawn from labelled corpora, some with one copied pair and some with none.

    python benchmarks/standing.py CORPUS... [--seed N] [--levels]

A class without copying is drawn from those who are honest as far as anybody knows (`labelled.py`). But labels are
incomplete: of two who are in no label, some did copy. So each figure is given twice: **as labelled**, where whatever
stands out is a false alarm, and **as read**, without the unlabelled pairs that `reviewed.csv` lists, each with what a
reader saw in it. Only pairs that stood out were read, by one reader who knew that; pairs that the corpus' own judges
called independent are never listed, nor is what was doubtful.

A planted class has one copied pair, and others who are honest and have nothing to do with it. Clusters are those of
whole classes, with all their copies: of each corpus, the class that would be the largest lump if they were made at 0.5.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from labelled import MADE, Case, Member, Pair, cases_of, honest_names, rows_of

from moss.comparison.describe import SHORT
from moss.engine.ranking.baseline import estimate
from moss.engine.ranking.candidates import PairValues
from moss.engine.ranking.score import pair_scores
from moss.engine.union_find import clusters
from moss.model import Baseline, Ranking

SIZES = (8, 15, 30, 90, 100)
DRAWS, MANY = 20, {"ljubovic-dev": 60}  # honest classes from each case, and where there are more
COPIES = 40  # copied pairs of each case that are planted
REVIEWED = Path(__file__).with_name("reviewed.csv")


class Drawn(NamedTuple):
    """A class that was drawn from a case, in which this pair is copied, if any, and those were read as copies."""

    case: Case
    planted: Pair | None
    level: str = ""
    read: frozenset[Pair] = frozenset()


def ranked_with_baseline(case: Case) -> tuple[PairValues, Baseline]:
    """The scores of a class, and what is ordinary in it."""
    found = pair_scores(case.views())
    return found, estimate(found.values, found.count * (found.count - 1) // 2, has_long_twins(case, found))


def has_long_twins(case: Case, found: PairValues) -> bool:
    """Whether a class has identical programs that are too long for chance."""
    same = found.values == 1
    long = np.array([_lines(member) > SHORT for member in case.members])
    return bool((long[found.a[same]] & long[found.b[same]]).any())


def _lines(member: Member) -> int:
    """How many lines of a submission have something in them."""
    return sum(bool(line.strip()) for file in member.texts for text, _ in file.texts for line in text.splitlines())


def standing_out(case: Case) -> tuple[set[Pair], set[Pair]]:
    """The pairs of a class that are above what is ordinary, and those far above."""
    found, baseline = ranked_with_baseline(case)
    above, far = (
        set(zip(found.a[some].tolist(), found.b[some].tolist(), strict=True))
        for some in (found.values > limit for limit in (baseline.limit, baseline.far))
    )
    return above, far


def honest_members(case: Case) -> list[int]:
    """The places of those who are honest as far as anybody knows. Where copies were made, nobody looked for others; of
    those who say the same, only one is taken."""
    names, made = case.names, case.corpus in MADE
    honest = set(honest_names(names, _copied(case), {names[i] for i in case.doubtful}, made))
    found = [i for i, name in enumerate(names) if name in honest]
    return [found[i] for i in case.only(found).first_of_each] if made else found


def _copied(case: Case) -> list[tuple[str, str]]:
    return [(case.names[a], case.names[b]) for a, b in case.level]


def honest_classes(case: Case, size: int, seed: int) -> Iterator[Drawn]:
    """Classes of honest members; none if there are too few of them."""
    honest = honest_members(case)
    if len(honest) < size:
        return
    read = {
        (row["a"], row["b"]) for row in rows_of(REVIEWED) if (row["corpus"], row["case"]) == (case.corpus, case.name)
    }
    random = np.random.default_rng([seed, size])
    for _ in range(MANY.get(case.corpus, DRAWS)):
        drawn = case.only(sorted(random.choice(honest, size, replace=False).tolist()))
        known = [(a, b) for b in range(size) for a in range(b) if (drawn.names[a], drawn.names[b]) in read]
        yield Drawn(drawn, None, read=frozenset(known))


def planted_classes(case: Case, size: int, seed: int) -> Iterator[Drawn]:
    """Classes of a copied pair and of honest members who are in no group of copies with it."""
    honest = honest_members(case)
    group = {name: number for number, names in enumerate(clusters(_copied(case))) for name in names}
    random = np.random.default_rng([seed, size])
    pairs = [pair for pair in case.level if case.truth.get(pair)]
    for pair in [pairs[i] for i in sorted(random.permutation(len(pairs))[:COPIES].tolist())]:
        others = [i for i in honest if group.get(case.names[i]) != group[case.names[pair[0]]]]
        if len(others) >= size - 2:
            chosen = sorted([*pair, *random.choice(others, size - 2, replace=False).tolist()])
            yield Drawn(case.only(chosen), (chosen.index(pair[0]), chosen.index(pair[1])), case.level[pair])


def honest_row(drawn: Drawn) -> list[bool]:
    """Whether something is above or far above, as labelled, and as read."""
    above, far = standing_out(drawn.case)
    return [bool(above), bool(far), bool(above - drawn.read), bool(far - drawn.read)]


def planted_row(drawn: Drawn) -> list[bool]:
    """Whether the copied pair is above, and whether it is far above."""
    above, far = standing_out(drawn.case)
    return [drawn.planted in above, drawn.planted in far]


def print_honest(corpora: Sequence[list[Case]], seed: int) -> None:
    """The table of classes without copying."""
    print("| corpus | class of | honest classes | above, as labelled | far above, as labelled | above, as read "
          "| far above, as read |\n|" + " --- |" * 7)  # fmt: skip
    for cases in corpora:
        for size in SIZES:
            rows = [honest_row(drawn) for case in cases for drawn in honest_classes(case, size, seed)]
            _print_row([cases[0].corpus, size], rows)


def print_planted(corpora: Sequence[list[Case]], seed: int, levels: bool) -> None:
    """The table of classes with a copied pair, perhaps by level of disguise."""
    headings = ["corpus", "class of", *(["level"] if levels else []), "copied pairs", "above", "far above"]
    print("\n| " + " | ".join(headings) + " |\n|" + " --- |" * len(headings))
    for cases in corpora:
        for size in SIZES:
            rows: dict[tuple[str, ...], list[list[bool]]] = {}
            for drawn in (drawn for case in cases for drawn in planted_classes(case, size, seed)):
                rows.setdefault((drawn.level,) if levels else (), []).append(planted_row(drawn))
            for level, found in sorted(rows.items()):
                _print_row([cases[0].corpus, size, *level], found)


def print_clusters(corpora: Sequence[list[Case]]) -> None:
    """The table of whole classes: how large the largest cluster of each corpus is, by what is far above and by one
    score for all."""
    print("\n| corpus | class of | its largest cluster | largest at score 0.5 |\n|" + " --- |" * 4)
    for cases in corpora:
        found = [(largest_cluster(case, None), largest_cluster(case, 0.5), len(case.names)) for case in cases]
        largest, fixed, size = max(found, key=lambda one: (one[1] / one[2], one))
        print(f"| {cases[0].corpus} | {size} | {largest} | {fixed} |", flush=True)


def largest_cluster(case: Case, chosen: float | None) -> int:
    """How many submissions the largest cluster of a class has."""
    found, baseline = ranked_with_baseline(case)
    order = np.argsort(-found.values)
    ranking = Ranking(found.a[order], found.b[order], found.values[order])
    count = baseline.count_linked(ranking, chosen)
    names = zip(ranking.a[:count].tolist(), ranking.b[:count].tolist(), strict=True)
    return max((len(group) for group in clusters((str(a), str(b)) for a, b in names)), default=1)


def _print_row(names: Sequence[Any], rows: Sequence[Sequence[bool]]) -> None:
    if rows:
        shares = [f"{share:.1%}" for share in np.mean(rows, axis=0)]
        print("| " + " | ".join([*map(str, names), str(len(rows)), *shares]) + " |", flush=True)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1, help="which classes are drawn (1)")
    parser.add_argument("--levels", action="store_true", help="copied pairs by level of disguise")
    options = parser.parse_args()
    corpora = [cases for cases in map(cases_of, options.corpora) if cases]
    print_honest(corpora, options.seed)
    print_planted(corpora, options.seed, options.levels)
    print_clusters(corpora)


if __name__ == "__main__":
    main()
