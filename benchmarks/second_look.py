"""Whether a second look at the best pairs, at their aligned passages, would rank copied pairs better.

    python benchmarks/second_look.py CORPUS...

The best pairs of each class (four for each submission, 250 at least) are aligned as the report does, with small gaps
bridged, and ranked anew by their score together with the similarity that their passages give; all other pairs keep
their score. "Finer" aligns with k = 6 and t = 8 instead of the language's own thresholds. `labelled.py` says what a
corpus is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from labelled import Case, read_case
from quality import average_precision

import moss
from moss.engine.ranking.candidates import PairValues
from moss.model import Report

RULES: dict[str, Callable[[float, float], float]] = {
    "score alone": lambda score, similarity: score,
    "score + 0.1 similarity": lambda score, similarity: score + 0.1 * similarity,
    "score + 0.2 similarity": lambda score, similarity: score + 0.2 * similarity,
    "score + 0.3 similarity": lambda score, similarity: score + 0.3 * similarity,
    "the greater of score and 0.8 similarity": lambda score, similarity: max(score, 0.8 * similarity),
    "similarity alone": lambda score, similarity: similarity,
}
LOOKS: dict[str, dict[str, int]] = {"usual": {}, "finer": {"noise": 6, "guarantee": 8}}


def look(folder: Path, case: Case, **thresholds: int) -> Report:
    """The report of a class whose best pairs are aligned with these thresholds."""
    base = [folder / "boilerplate"] if (folder / "boilerplate").is_dir() else []
    language = "auto" if case.language.startswith("mix") else case.language
    settings = moss.Settings(jobs=1, language=language, show=max(250, 4 * len(case.names)), **thresholds)
    return moss.compare([folder / "submissions"], base=base, settings=settings)


def ranked_anew(case: Case, report: Report, rule: Callable[[float, float], float]) -> PairValues:
    """All pairs, the best of them ranked by the rule."""
    place = {name: i for i, name in enumerate(case.names)}
    count, ranking = len(place), report.ranking
    found = dict(zip((ranking.a.astype(int) * count + ranking.b).tolist(), ranking.score.tolist(), strict=True))
    for pair in report.pairs:
        a, b = sorted((place[pair.a], place[pair.b]))
        found[a * count + b] = rule(pair.score, pair.similarity)
    a, b = np.divmod(np.array(list(found)), count)
    return PairValues(count, a.astype(np.int32), b.astype(np.int32), np.array(list(found.values())))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    corpora = parser.parse_args().corpora
    figures: dict[tuple[str, str], dict[str, list[float]]] = {}
    for corpus in corpora:
        for folder in sorted(path.parent for path in corpus.glob("*/truth.csv")):
            case = read_case(folder)
            if not 0 < sum(case.truth.values()) < len(case.truth):
                continue
            for kind, thresholds in LOOKS.items():
                report = look(folder, case, **thresholds)
                for name, rule in RULES.items():
                    row = figures.setdefault((kind, name), {}).setdefault(corpus.name, [])
                    row.append(average_precision(case, ranked_anew(case, report, rule)))
    print(
        "| mean AP | look | " + " | ".join(corpus.name for corpus in corpora) + " |\n|" + " --- |" * (len(corpora) + 2)
    )
    for (kind, name), by_corpus in figures.items():
        print(f"| {name} | {kind} | " + " | ".join(f"{np.mean(row):.3f}" for row in by_corpus.values()) + " |")


if __name__ == "__main__":
    main()
