"""Whether copied pairs are shown with passages, and how much of the copy those cover, by level of disguise.

    python benchmarks/passages.py CORPUS...

`labelled.py` says what a corpus is. Each class goes through `moss.compare` as a user's would.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from labelled import rows_of

import moss


def rows_in(case: Path) -> dict[str, list[tuple[bool, float, float]]]:
    """By level, for each listed pair: is it shown with a passage, and which part of either side is matched."""
    base = [case / "boilerplate"] if (case / "boilerplate").is_dir() else []
    report = moss.compare([case / "submissions"], base=base, settings=moss.Settings(jobs=1, show=100_000))
    shown = {frozenset((pair.a, pair.b)): {pair.a: pair.share_a, pair.b: pair.share_b} for pair in report.pairs}
    rows: dict[str, list[tuple[bool, float, float]]] = {}
    for row in rows_of(case / "truth.csv"):
        shares = shown.get(frozenset((row["a"], row["b"])), {})
        level = row.get("level") if row["label"] == "1" else "independent"
        sides = sorted(shares.get(row[side], 0.0) for side in "ab")
        rows.setdefault(level or "copied", []).append((bool(shares), sides[0], sides[1]))
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    print("| corpus | level | pairs | shown with passages | matched of one side | of the other |\n|" + " --- |" * 6)
    for corpus in parser.parse_args().corpora:
        all_rows: dict[str, list[tuple[bool, float, float]]] = {}
        for case in sorted(path.parent for path in corpus.glob("*/truth.csv")):
            for level, rows in rows_in(case).items():
                all_rows.setdefault(level, []).extend(rows)
        for level, rows in sorted(all_rows.items()):
            shown, less, more = np.mean(rows, axis=0)
            print(f"| {corpus.name} | {level} | {len(rows)} | {shown:.0%} | {less:.0%} | {more:.0%} |", flush=True)


if __name__ == "__main__":
    main()
