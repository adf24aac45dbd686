"""What stands out in classes drawn from labelled corpora: in those with one copied pair, and in those with none.

A class without copying is drawn from those whom no copied pair names and whom nobody doubts. But labels are incomplete:
of two who are in no label, some did copy. So each figure is given twice: **as labelled**, where whatever stands out is
a false alarm, and **as read**, without the unlabelled pairs that `reviewed.csv` lists, each with what a reader saw in
it. Only pairs that stood out were read, by one reader who knew that; pairs that the corpus' own judges called
independent are never listed, nor is what was doubtful.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from labelled import MADE, Case, Pair, honest_names, rows_of

from moss.engine.baseline import estimate
from moss.engine.scoring import ENOUGH, pair_scores, variety

SIZES, DRAWS, COPIES = (8, 15, 30), {"ljubovic-dev": 60}, 40
REVIEWED = Path(__file__).with_name("reviewed.csv")


def standing_out(case: Case, members: Sequence[int]) -> tuple[set[Pair], set[Pair]]:
    """The pairs of a class of these members that are above what is ordinary, and those far above."""
    views = case.only(members).views()
    found = pair_scores(views)
    told = variety(views)
    pairs = len(members) * (len(members) - 1) // 2
    baseline = estimate(np.sort(found.values)[::-1], pairs, bool(np.median(told[told > 0]) >= ENOUGH))
    a, b = (np.array(members)[side].tolist() for side in (found.a, found.b))
    all_pairs = [(min(pair), max(pair)) for pair in zip(a, b, strict=True)]
    above, far = (
        {pair for pair, score in zip(all_pairs, found.values.tolist(), strict=True) if score > limit}
        for limit in (baseline.limit, baseline.far)
    )
    return above, far


def honest_members(case: Case) -> list[int]:
    """The places of those who are honest as far as anybody knows."""
    names = case.names
    copied = [(names[a], names[b]) for a, b in case.level]
    honest = set(honest_names(names, copied, {names[i] for i in case.doubtful}, case.corpus in MADE))
    return [i for i, name in enumerate(names) if name in honest]


def honest_rows(corpus: str, cases: Sequence[Case], size: int, seed: int) -> list[list[bool]]:
    """For each class: is something above, far above, as labelled; and as read."""
    read = {(row["case"], row["a"], row["b"]) for row in rows_of(REVIEWED) if row["corpus"] == corpus}
    rows = []
    for case in cases:
        honest = honest_members(case)
        copied = {pair for pair in _pairs(honest) if (case.name, *(case.names[i] for i in pair)) in read}
        random = np.random.default_rng([seed, size])
        for _ in range(DRAWS.get(corpus, 20) if len(honest) >= size else 0):
            above, far = standing_out(case, sorted(random.choice(honest, size, replace=False).tolist()))
            rows.append([bool(above), bool(far), bool(above - copied), bool(far - copied)])
    return rows


def _pairs(members: Sequence[int]) -> list[Pair]:
    return [(a, b) for i, a in enumerate(members) for b in members[i + 1 :]]


def copied_rows(cases: Sequence[Case], size: int, seed: int) -> dict[str, list[list[bool]]]:
    """By level, for each copied pair put among honest submissions: is it above, is it far above."""
    rows: dict[str, list[list[bool]]] = {}
    for case in cases:
        honest = honest_members(case)
        random = np.random.default_rng([seed, size])
        pairs = [pair for pair in case.level if case.truth.get(pair)]
        for pair in [pairs[i] for i in sorted(random.permutation(len(pairs))[:COPIES].tolist())]:
            if len(honest) >= size - 2:
                others = random.choice(honest, size - 2, replace=False).tolist()
                above, far = standing_out(case, sorted([*pair, *others]))
                rows.setdefault(case.level[pair], []).append([pair in above, pair in far])
    return rows


def print_standings(corpora: Mapping[str, list[Case]], seed: int) -> None:
    """Both tables."""
    print("| corpus | class of | honest classes | above, as labelled | far above, as labelled | above, as read "
          "| far above, as read |\n|" + " --- |" * 7)  # fmt: skip
    for corpus, cases in corpora.items():
        for size in SIZES:
            _print_row([corpus, size], honest_rows(corpus, cases, size, seed))
    print("\n| corpus | level | class of | copied pairs | above | far above |\n|" + " --- |" * 6)
    for corpus, cases in corpora.items():
        for size in SIZES:
            for level, rows in sorted(copied_rows(cases, size, seed).items()):
                _print_row([corpus, level, size], rows)


def _print_row(names: Sequence[Any], rows: Sequence[Sequence[bool]]) -> None:
    if rows:
        shares = [f"{share:.1%}" for share in np.mean(rows, axis=0)]
        print("| " + " | ".join([*map(str, names), str(len(rows)), *shares]) + " |", flush=True)
