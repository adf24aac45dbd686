"""How much rewriting a copy survives: honest programs are copied, rewritten by force, and looked for among the honest.

    python benchmarks/attacks.py [LANGUAGE=FOLDER ...] [--trials N] [--seed N] [--picture FILE] [--rivals]

FOLDER has one folder or file for each program of a class, or `submissions/` with them; `labelled.py` says who counts as
honest. For each trial some programs are drawn, one is copied and rewritten (`rewrites.py`): up a
ladder, each step with all before it, and by other attacks, each by itself. Two measures: is the original the copy's
**best match**, and is their pair among the **first five** of the class. (A copy of two sources has two of each; of
equal scores the wrong one comes first.) Beside moss stand winnowed structure with rarity weights, and without any. A
last table has the means over classes, and how many points moss is above or below the better of these two. With
`--rivals` there are columns for other formulas that rank corpora as well (`formulas.py`).

A column is a function from a class to the scores of its pairs. To try another one:

    import attacks
    attacks.COLUMNS["mine"] = lambda case: ...   # `case.bags()`, `case.views()`, `case.winnowed()`, `case.made(...)`
    attacks.main()

or go through `attacks.trials(class_, count, seed)`: each has a class, the copy last, and the places of its sources.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import rewrites
from formulas import CHOSEN, RIVALS, Formula, Sums, scores_by, sums_of
from labelled import MADE, Case, Member, doubted, honest_names, make_case, rows_of
from plots import Axis, Series, plot
from quality import Ranker, plain_winnowing, rarity_winnowing
from rewrites import Rewrite, part_of, renamed

from frontends import by_name
from frontends.lexing.scanner import LexiconScanner
from moss.engine.ranking.candidates import PairValues
from moss.engine.ranking.score import pair_scores
from moss.model import Role, SourceFile, Submission

SAMPLES = Path(__file__).parents[1] / "sample_submissions"
DEFAULTS = [f"java={SAMPLES / 'java-library'}", f"python={SAMPLES / 'python-textstats'}"]
CLASS, FIRST, SHORT = (
    30,
    5,
    500,
)  # programs in a class, pairs that a reader looks at, characters too few to be a program

COLUMNS: dict[str, Ranker] = {"moss": lambda case: pair_scores(case.views())}
REFERENCES: dict[str, Ranker] = {"rarity": rarity_winnowing, "plain": plain_winnowing}
MEASURES = ("best match", f"first {FIRST}")

LADDER: dict[str, Rewrite] = {
    "verbatim": rewrites.verbatim,
    "renamed, reformatted, comments gone": renamed,
    "other strings, numbers, types": rewrites.relabelled,
    "declarations split": rewrites.split,
    "functions reordered": rewrites.reordered,
    "loops and comparisons turned": rewrites.turned,
    **{f"dead statement every {n} lines": rewrites.padded(n) for n in (8, 4, 2)},
    "dead statement after each line": rewrites.padded(1),
}
ALONE: dict[str, Sequence[Rewrite]] = {
    "comments translated": [rewrites.translated],
    "renamed; if turned into switch": [renamed, rewrites.switched],
    "renamed; every three statements extracted": [renamed, rewrites.extracted],
}
BY_MACROS = "renamed; keywords and signs by #define"  # where the language has a preprocessor
PARTS = (0.6, 0.4, 0.2)


class Programs(NamedTuple):
    """The honest programs of a class: their texts, and the class as it was read."""

    name: str
    case: Case
    texts: dict[str, str]
    braces: bool


class Trial(NamedTuple):
    """A copy among honest programs."""

    attack: str
    case: Case  # the copy is the last
    sources: tuple[int, ...]


def read_programs(language: str, folder: Path) -> Programs:
    """The honest programs in a folder."""
    roots = [folder / name for name in ("submissions", "archive") if (folder / name).is_dir()] or [folder]
    entries = {entry.name: entry for root in roots for entry in sorted(root.iterdir())}
    copied = [(row["a"], row["b"]) for row in rows_of(folder / "truth.csv") if row["label"] == "1"]
    honest = honest_names(entries, copied, doubted(folder, entries), folder.parent.name in MADE)
    endings = by_name(language).endings
    texts = {name: _text(entries[name], endings) for name in honest}
    texts = {name: text for name, text in texts.items() if len(text) > SHORT}
    handouts = [folder / name for name in ("starter", "boilerplate") if (folder / name).is_dir()]
    base = [_submission(handout.name, _text(handout, endings), Role.BASE) for handout in handouts]
    case = make_case([*(_submission(name, text) for name, text in texts.items()), *base], language)
    return Programs(f"{language}, {folder.name}", case.only(case.first_of_each), texts, language != "python")


def _text(entry: Path, endings: tuple[str, ...]) -> str:
    files = [entry] if entry.is_file() else sorted(path for path in entry.rglob("*") if path.is_file())
    return "\n".join(path.read_text("utf-8", "replace") for path in files if path.suffix in endings)


def _submission(name: str, text: str, role: Role = Role.NEW) -> Submission:
    return Submission(name, name, (SourceFile("program", text),), role)


def trials(programs: Programs, count: int, seed: int) -> Iterator[Trial]:
    """So many trials of each attack. Only the copies are read; what is made of all others is made once."""
    for number in range(count):
        chance = random.Random(f"{seed} {programs.name} {number}")
        drawn = chance.sample(programs.case.members, min(CLASS, len(programs.case.members)))
        yield from _one_of_each(programs, drawn, chance)


def _one_of_each(programs: Programs, drawn: list[Member], chance: random.Random) -> Iterator[Trial]:
    first, second = (programs.texts[member.name] for member in drawn[:2])
    braces = programs.braces

    def trial(attack: str, copy: str, others: list[Member] = drawn, sources: tuple[int, ...] = (0,)) -> Trial:
        (member,) = make_case([_submission("the copy", copy)], programs.case.language).members
        return Trial(attack, programs.case.having([*others, member]), sources)

    copy = first
    for attack, rewrite in LADDER.items():
        copy = rewrite(copy, chance, braces)
        yield trial(attack, copy)
    for attack, steps in ALONE.items():
        copy = first
        for rewrite in steps:
            copy = rewrite(copy, chance, braces)
        yield trial(attack, copy)
    if _has_macros(programs.case.language):
        yield trial(BY_MACROS, rewrites.disguised(renamed(first, chance, braces), chance, braces))
    for part in PARTS:
        copy = part_of(renamed(first, chance, braces), 0, part) + part_of(second, part, 1)
        yield trial(f"{part:.0%} copied and renamed, the rest another program", copy, [drawn[0], *drawn[2:]])
    copy = part_of(renamed(first, chance, braces), 0, 0.5) + part_of(renamed(second, chance, braces), 0.5, 1)
    yield trial("half of each of two sources, renamed", copy, sources=(0, 1))


def _has_macros(language: str) -> bool:
    scan = by_name(language).scan
    return isinstance(scan, LexiconScanner) and scan.lexicon.macros


def found(ranked: PairValues, sources: Sequence[int]) -> tuple[bool, bool]:
    """Whether the sources are the best matches of the last member, and whether their pairs are among the first."""
    copy = ranked.count - 1
    true = np.isin(ranked.a, sources) & (ranked.b == copy)
    if np.count_nonzero(true) < len(sources):
        return False, False
    least = ranked.values[true].min()
    wrong = ranked.values[~true] >= least
    return not wrong[ranked.b[~true] == copy].any(), int(np.count_nonzero(wrong)) + len(sources) <= FIRST


Shares = dict[str, np.ndarray]
"""For each attack the share of copies found, by measure and column."""


def shares_of(programs: Programs, count: int, seed: int) -> Shares:
    """How many of so many copies are found."""
    results: dict[str, list[list[tuple[bool, bool]]]] = {}
    for trial in trials(programs, count, seed):
        results.setdefault(trial.attack, []).append(
            [found(rank(trial.case), trial.sources) for rank in (*COLUMNS.values(), *REFERENCES.values())]
        )
        if trial.attack == next(iter(LADDER)):
            print(f"{programs.name}: {len(results[trial.attack])} of {count}", end="\r", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return {attack: np.mean(rows, axis=0).T for attack, rows in results.items()}


@lru_cache(maxsize=1)
def _sums(case: Case) -> Sums:
    return sums_of(case, [CHOSEN.weight])[CHOSEN.weight]


def rival(formula: Formula) -> Ranker:
    """Ranks by another formula with the same weights."""
    return lambda case: scores_by(formula, _sums(case))


def print_class(name: str, shares: Shares) -> None:
    """The rows of one class."""
    for attack, by_measure in shares.items():
        print(f"| {name} | {attack} | " + " | ".join(f"{share:.0%}" for share in by_measure.flat) + " |", flush=True)


def print_means(means: Shares) -> None:
    """The rows of all classes, with how far each column is from the better of the references."""
    print()
    _print_head(["mean over classes", *_headings(*(f"{name}, difference" for name in COLUMNS))])
    for attack, by_measure in means.items():
        cells = [attack]
        for row in by_measure:
            differences = 100 * (row[: len(COLUMNS)] - max(row[len(COLUMNS) :]))
            cells += [*(f"{share:.0%}" for share in row), *(f"{round(points):+d}" for points in differences)]
        print("| " + " | ".join(cells) + " |")


def _headings(*more: str) -> list[str]:
    return [f"{measure}: {name}" for measure in MEASURES for name in (*COLUMNS, *REFERENCES, *more)]


def _print_head(headings: Sequence[str]) -> None:
    print("| " + " | ".join(headings) + " |\n|" + " --- |" * len(headings))


def picture(means: Mapping[str, np.ndarray]) -> str:
    """The share of copies found against the strength of the attack, as a drawing."""
    steps = range(len(LADDER))
    lines = [
        Series(name, steps, [100 * float(means[attack][1][column]) for attack in LADDER])
        for column, name in enumerate([*COLUMNS, *REFERENCES])
    ]
    return plot(
        f"Copies whose pair is among the first {FIRST} of their class",
        lines,
        Axis("steps of rewriting, each with all before it"),
        Axis("percent of copies, mean over classes"),
    )


def main() -> None:
    """Print the tables, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", default=DEFAULTS, metavar="LANGUAGE=FOLDER")
    parser.add_argument("--trials", type=int, default=100, help="copies for each attack and class (100)")
    parser.add_argument("--seed", type=int, default=1, help="which programs are drawn (1)")
    parser.add_argument("--picture", type=Path, help="an SVG file")
    parser.add_argument("--rivals", action="store_true", help="also rank by other formulas")
    options = parser.parse_args()
    if options.rivals:
        COLUMNS.update({name: rival(formula) for name, formula in RIVALS.items()})
    _print_head(["class", "attack", *_headings()])
    all_shares: list[Shares] = []
    for language, _, folder in (text.partition("=") for text in options.classes):
        programs = read_programs(language, Path(folder))
        all_shares.append(shares_of(programs, options.trials, options.seed))
        print_class(f"{programs.name} ({len(programs.case.members)})", all_shares[-1])
    attacks = dict.fromkeys(attack for shares in all_shares for attack in shares)
    means = {attack: np.mean([each[attack] for each in all_shares if attack in each], axis=0) for attack in attacks}
    print_means(means)
    if options.picture:
        options.picture.write_text(picture(means), encoding="utf-8")


if __name__ == "__main__":
    main()
