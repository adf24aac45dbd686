"""How often a shared run of the guaranteed length is not shown whole on one side, in texts of few different tokens.

    python benchmarks/promise.py [--trials N]

Two independent texts get the same run of `guarantee` tokens each, at any place. All runs of that length or more that
the two share then are looked for by hand, in quadratic time, and held against the passages. In small texts all tilings
are tried as well, to tell how many runs no tiling of disjoint passages can show: those are broken in any case.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from support.shared_runs import Run, broken, fewest_broken, planted, shared_runs, used_by
from support.strategies import stream

from frontends import by_name
from moss.engine.alignment import align
from moss.engine.documents import make_document
from moss.model import Channel

SAMPLE = Path(__file__).parents[1] / "sample_submissions" / "java-library" / "submissions"
ALPHABETS = (2, 3, 5, 20)
SMALL = 12  # tokens around a run where all tilings are tried
LARGE = 300
Source = Callable[[random.Random, int], Sequence[int]]
"""Gives so many tokens."""


def of_few(tokens: int) -> Source:
    """Texts of so many different tokens, each as likely."""
    return lambda chance, count: chance.choices(range(1, tokens + 1), k=count)


def of_programs() -> Source:
    """Pieces of real programs: the structure of the sample's Java."""
    scan = by_name("java").scan
    streams = (scan(path.read_text())[Channel.STRUCTURE].codes.tolist() for path in sorted(SAMPLE.glob("*/*.java")))
    programs = [codes for codes in streams if len(codes) > LARGE]

    def piece(chance: random.Random, count: int) -> Sequence[int]:
        program = chance.choice(programs)
        start = chance.randrange(len(program) - count + 1)
        return program[start : start + count]

    return piece


def tiles_of(a: Sequence[int], b: Sequence[int], k: int, promised: int) -> list[Run]:
    """The tiles of two texts as the program shows them."""
    first, second = (make_document([stream(tokens)], k, promised - k + 1) for tokens in (a, b))
    return [tile for passage in align(first, second, np.zeros(0, np.uint64), k, k, promised) for tile in passage]


def measure(source: Source, size: int, k: int, promised: int, trials: int) -> tuple[int, int, int, int]:
    """Planted runs that are broken, all runs, those that are broken, and those that must be, if all tilings are
    tried."""
    chance = random.Random(1)
    lost = count = ours = least = 0
    for _ in range(trials):
        a, b, run = planted(chance, source(chance, size), source(chance, size), source(chance, promised))
        runs, used = shared_runs(a, b, promised), used_by(tiles_of(a, b, k, promised))
        lost += len(broken([run], used))
        count += len(runs)
        ours += len(broken(runs, used))
        least += fewest_broken(a, b, k, promised) if size == SMALL else 0
    return lost, count, ours, least


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200, help="for each row of small texts; a tenth of it for others")
    trials = parser.parse_args().trials
    sources = {f"{tokens} different": of_few(tokens) for tokens in ALPHABETS} | {"Java, structure": of_programs()}
    print(f"All tilings tried: a run and {SMALL} tokens, in {trials} pairs of texts\n")
    print("| tokens | noise, guarantee | planted, not shown | runs | broken | in the best tiling |\n|" + " --- |" * 6)
    for name, source in sources.items():
        for k, promised in ((3, 4), (4, 6)):
            lost, count, ours, least = measure(source, SMALL, k, promised, trials)
            print(f"| {name} | {k}, {promised} | {lost} of {trials} | {count} | {ours} | {least} |", flush=True)
    trials = max(1, trials // 10)
    print(f"\nA run and {LARGE} tokens, in {trials} pairs of texts\n")
    print("| tokens | noise, guarantee | planted, not shown | runs | broken |\n|" + " --- |" * 5)
    for name, source in sources.items():
        for k, promised in ((12, 16), (6, 9), (4, 8)):
            lost, count, ours, _ = measure(source, LARGE, k, promised, trials)
            print(f"| {name} | {k}, {promised} | {lost} of {trials} | {count} | {ours} |", flush=True)


if __name__ == "__main__":
    main()
