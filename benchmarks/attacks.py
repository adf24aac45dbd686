"""How much rewriting a copy survives: honest programs are copied, rewritten by force, and looked for among the honest.

    python benchmarks/attacks.py [LANGUAGE=FOLDER ...] [--trials N] [--picture FILE]

FOLDER has one folder or file for each honest program of a class; of the sample classes those are taken that no planted
pair names. For each trial one program is copied and rewritten: up a ladder, each step with all before it, and by other
attacks, each by itself. The copy is **found** if of all pairs of the class the one with its original ranks first (if it
has two sources, the two with them rank first and second), **flagged** if it stands out from what is ordinary. Beside
it, found by plain winnowing (structure, k = 12, w = 5, equal weights). Rewriting keeps to what an editor can do without
understanding the program; whether the result still compiles does not matter here.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from labelled import make_case, rows_of
from quality import plain_winnowing

from frontends import by_name
from moss.engine.baseline import estimate
from moss.engine.candidates import PairValues
from moss.engine.scoring import ENOUGH, Views, pair_scores, variety
from moss.model import Baseline, Role, SourceFile, Standing, Submission

SAMPLES = Path(__file__).parents[1] / "sample_submissions"
DEFAULTS = {"java": SAMPLES / "java-library", "python": SAMPLES / "python-textstats"}
CLASS = 16
_STRINGS = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
_KEPT = """
if else for while do switch case return break continue new try catch finally throw import from as def class in not and
or is None True False self with lambda yield pass elif except raise print public private protected static final void int
long double float char boolean String struct const unsigned sizeof printf scanf include define main System out println
true false null this
"""
_FREE = frozenset(_KEPT.split())

Rewrite = Callable[[str, random.Random], str]


def renamed(text: str, chance: random.Random) -> str:
    """Every name another one, the same everywhere; comments gone, laid out anew."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL) if "{" in text else re.sub(r"#[^\n]*", "", text)
    new: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        word = match[0]
        return word if word[0] in "\"'" or word in _FREE else new.setdefault(word, f"q{len(new)}{chance.choice('abc')}")

    text = re.sub(rf"{_STRINGS}|\b[A-Za-z_]\w*\b", name, text)
    return "\n".join(line.replace("    ", "\t") for line in text.splitlines() if line.strip())


def relabelled(text: str, chance: random.Random) -> str:
    """Other strings, numbers and types."""
    text = re.sub(_STRINGS, lambda m: f'"{chance.randrange(10**6)}"', text)
    text = re.sub(r"\b\d+\b", lambda m: str(chance.randrange(100)), text)
    return re.sub(r"\b(int|float)\b", lambda m: {"int": "long", "float": "double"}[m[1]], text)


def split(text: str, chance: random.Random) -> str:
    """Declarations apart from their first values; in Python values by way of another name."""
    if "{" in text:
        return re.sub(r"^(\s*)(\w+) (\w+) = ([^;\n]+);", r"\1\2 \3;\n\1\3 = \4;", text, flags=re.MULTILINE)
    return re.sub(r"^(\s*)(\w+) = ([^\n\[({]+)$", r"\1held = \3\n\1\2 = held", text, flags=re.MULTILINE)


def reordered(text: str, chance: random.Random) -> str:
    """Functions in another order."""
    lines = text.splitlines()
    depth = 1 if re.search(r"^\S*.*\bclass\b[^\n]*\{", text, re.MULTILINE) else 0
    start = re.compile(rf"^(?:    |\t){{{depth}}}(?:def |[A-Za-z_][\w<>\[\], ]* \**\w+\s*\([^;]*$)")
    cuts = [i for i, line in enumerate(lines) if start.match(line)]
    if len(cuts) < 3:
        return text
    blocks = [lines[a:b] for a, b in pairwise(cuts)]
    chance.shuffle(blocks)
    return "\n".join([*lines[: cuts[0]], *(line for block in blocks for line in block), *lines[cuts[-1] :]])


def turned(text: str, chance: random.Random) -> str:
    """for becomes while, comparisons change sides, x += y becomes x = x + y."""
    text = re.sub(r"\bfor \(([^;()]*);([^;()]*);([^;()]*)\) \{", r"\1; while (\2) { \3;", text)
    text = re.sub(r"\bfor (\w+) in range\((\w+)\):", r"\1 = -1\n\twhile \1 + 1 < \2:", text)
    text = re.sub(r"\b(\w+) < (\w+)\b", r"\2 > \1", text)
    return re.sub(r"\b(\w+) ([+\-*/])= ", r"\1 = \1 \2 ", text)


def padded(every: int) -> Rewrite:
    """A dead statement behind every so many lines."""

    def pad(text: str, chance: random.Random) -> str:
        return "\n".join(_with_dead(text.splitlines(), every, "{" in text, chance))

    return pad


def _with_dead(lines: list[str], every: int, braces: bool, chance: random.Random) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield line
        if number % every == 0 and (line.rstrip().endswith((";", "{")) or not braces):
            x, y, z = (chance.randrange(50) for _ in range(3))
            kind = chance.choice([f"z{x} = {y} + z{z}", f"f{x}(z{y}, {z})", f"z{x} = f{y}({z}) * {x} - z{z}"])
            yield re.match(r"\s*", line)[0] + kind + (";" if braces else "")  # type: ignore[index]


def switched(text: str, chance: random.Random) -> str:
    """if becomes switch, in Python match."""
    if "{" not in text:
        text = re.sub(r"^(\s*)if (.+):$", r"\1match bool(\2):\n\1 case True:", text, flags=re.MULTILINE)
        text = re.sub(r"^(\s*)elif (.+):$", r"\1 case _ if \2:", text, flags=re.MULTILINE)
        return re.sub(r"^(\s*)else:$", r"\1 case _:", text, flags=re.MULTILINE)
    text = re.sub(r"\}\s*else if \((.*)\) \{", r"break; default: switch (\1 ? 1 : 0) { case 1:", text)
    text = re.sub(r"\bif \((.*)\) \{", r"switch (\1 ? 1 : 0) { case 1:", text)
    return re.sub(r"\}\s*else \{", "break; default:", text)


def extracted(text: str, chance: random.Random) -> str:
    """Every three statements in a row become a function of their own, which is called in their place. (Putting
    functions in the place of their calls is the same, with original and copy exchanged.)"""
    lines, moved, i = text.splitlines(), list[str](), 0
    kept = list[str]()
    while i < len(lines):
        three = lines[i : i + 3]
        if len(three) == 3 and all(_is_statement(line, "{" in text) for line in three) and _level(three):
            name = f"part{len(moved)}"
            end = "}" if "{" in text else ""
            moved += [f"void {name}() {{" if end else f"def {name}():", *three, end]
            kept.append(re.match(r"\s*", three[0])[0] + f"{name}()" + (";" if end else ""))  # type: ignore[index]
            i += 3
        else:
            kept.append(lines[i])
            i += 1
    return "\n".join([*kept, *moved])


def _is_statement(line: str, braces: bool) -> bool:
    return line.rstrip().endswith(";") if braces else bool(re.match(r"\s+[a-z_][\w.]*(\(| [-+*]?= )[^:]*$", line))


def _level(lines: list[str]) -> bool:
    return len({len(line) - len(line.lstrip()) for line in lines}) == 1


def translated(text: str, chance: random.Random) -> str:
    """Every word of the comments another one, as in another language."""
    words: dict[str, str] = {}

    def other(match: re.Match[str]) -> str:
        return re.sub(r"[A-Za-z]{2,}", lambda m: words.setdefault(m[0], f"w{len(words)}o"), match[0])

    comment = r"/\*.*?\*/|//[^\n]*" if "{" in text else r"#[^\n]*|\"\"\".*?\"\"\""
    return re.sub(comment, other, text, flags=re.DOTALL)


LADDER: list[tuple[str, Rewrite]] = [
    ("verbatim", lambda text, chance: text),
    ("renamed, reformatted, comments gone", renamed),
    ("other strings, numbers, types", relabelled),
    ("declarations split", split),
    ("functions reordered", reordered),
    ("loops and comparisons turned", turned),
    *((f"dead statement every {n} lines", padded(n)) for n in (8, 4, 2)),
    ("dead statement after each line", padded(1)),
]
ALONE: list[tuple[str, Rewrite]] = [
    ("comments translated", translated),
    ("renamed; if turned into switch", lambda text, chance: switched(renamed(text, chance), chance)),
    ("renamed; every three statements extracted", lambda text, chance: extracted(renamed(text, chance), chance)),
]
PARTS = (0.6, 0.4, 0.2)


def honest_programs(folder: Path, language: str) -> list[str]:
    """The texts of the programs of a class that nobody copied."""
    named = {row[side] for row in rows_of(folder / "truth.csv") for side in "ab" if row["label"] == "1"}
    named |= {row[side] for row in rows_of(folder / "exclude.csv") for side in "ab"}
    unsure = folder / "uncertain.txt"
    named |= set(unsure.read_text().split() if unsure.exists() else ())
    root = folder / "submissions" if (folder / "submissions").is_dir() else folder
    endings = by_name(language).endings
    chosen = [entry for entry in sorted(root.iterdir()) if entry.name not in named]
    texts = [_text(entry, endings) for entry in chosen]
    return [text for text in texts if len(text) > 500]


def _text(entry: Path, endings: tuple[str, ...]) -> str:
    files = [entry] if entry.is_file() else sorted(path for path in entry.rglob("*") if path.is_file())
    return "\n".join(path.read_text("utf-8", "replace") for path in files if path.suffix in endings)


def ranked(texts: list[str], language: str, handout: str) -> tuple[Views, PairValues]:
    """The class in all views, and the scores of plain winnowing."""
    class_ = [Submission(f"{i:03}", f"{i:03}", (SourceFile("a", text),), Role.NEW) for i, text in enumerate(texts)]
    base = [Submission("base", "base", (SourceFile("a", handout),), Role.BASE)] if handout else []
    case = make_case([*class_, *base], language)
    return case.views(), plain_winnowing(case)


Outcome = tuple[bool, bool, bool]


def outcome(texts: list[str], sources: int, language: str, handout: str) -> Outcome:
    """Whether the last text is found to be a copy of the first so many; flagged; found by plain winnowing."""
    views, plain = ranked(texts, language, handout)
    ours = pair_scores(views)
    keys = {i * len(texts) + len(texts) - 1 for i in range(sources)}
    found, found_plainly = (
        set(each.keys[np.argsort(-each.values)[:sources]].tolist()) == keys for each in (ours, plain)
    )
    baseline = _baseline(views, ours)
    scores = ours.values[np.isin(ours.keys, list(keys))].tolist()
    flagged = len(scores) == sources and all(baseline.standing(s) is not Standing.ORDINARY for s in scores)
    return found, flagged, found_plainly


def _baseline(views: Views, scores: PairValues) -> Baseline:
    told = variety(views)
    return estimate(scores.values, scores.count * (scores.count - 1) // 2, bool(np.median(told[told > 0]) >= ENOUGH))


def trials(programs: list[str], handout: str, language: str, count: int) -> dict[str, list[Outcome]]:
    """The outcomes for each attack."""
    results: dict[str, list[Outcome]] = {}
    for seed in range(count):
        chance = random.Random(seed)
        class_ = chance.sample(programs, min(CLASS, len(programs)))
        copy = class_[0]
        for name, rewrite in LADDER:
            copy = rewrite(copy, chance)
            results.setdefault(name, []).append(outcome([*class_, copy], 1, language, handout))
        for name, rewrite in ALONE:
            copy = rewrite(class_[0], chance)
            results.setdefault(name, []).append(outcome([*class_, copy], 1, language, handout))
        for part in PARTS:
            copy = _lines(renamed(class_[0], chance), 0, part) + _lines(class_[1], part, 1)
            name = f"{part:.0%} copied and renamed, the rest another program"
            results.setdefault(name, []).append(outcome([class_[0], *class_[2:], copy], 1, language, handout))
        both = _lines(renamed(class_[0], chance), 0, 0.5) + _lines(renamed(class_[1], chance), 0.5, 1)
        results.setdefault("half of each of two sources, renamed", []).append(
            outcome([*class_, both], 2, language, handout)
        )
    return results


def _lines(text: str, first: float, last: float) -> str:
    """A part of a text, from one share of its lines to another."""
    lines = text.splitlines(True)
    return "".join(lines[int(len(lines) * first) : int(len(lines) * last)])


def picture(table: dict[str, dict[str, list[float]]], path: Path) -> None:
    """Detection against strength of attack, as a drawing."""
    width, height, left = 860, 300, 50
    step = (width - left - 270) / (len(LADDER) - 1)
    colours = ("#0b6", "#c33", "#36c", "#a60")
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 40}" font-family="sans-serif" '
             f'font-size="11"><rect width="{width}" height="{height + 40}" fill="#fff"/>']  # fmt: skip
    for share in (0, 50, 100):
        y = height - 24 - share * 2.5
        parts.append(f'<text x="5" y="{y + 4}">{share}%</text><path stroke="#ddd" d="M{left} {y}H{width - 270}"/>')
    lines = [(f"{language}, {kind}", figures[kind]) for language, figures in table.items() for kind in figures]
    for number, (label, values) in enumerate(lines):
        dash = ' stroke-dasharray="5 4"' if "winnowing" in label else ""
        points = " ".join(f"{left + i * step:.0f},{height - 24 - v * 250:.0f}" for i, v in enumerate(values))
        colour = colours[number // 2 % len(colours)]
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dash} points="{points}"/>')
        parts.append(f'<path stroke="{colour}" stroke-width="2"{dash} d="M{width - 260} {30 + 18 * number}h24"/>'
                     f'<text x="{width - 230}" y="{34 + 18 * number}">{label}</text>')  # fmt: skip
    parts += [
        f'<text x="{left + i * step:.0f}" y="{height}" text-anchor="middle">{i}</text>' for i in range(len(LADDER))
    ]
    parts.append(f'<text x="{left}" y="{height + 25}">strength of attack, each with all before it; share of copies '
                 "ranked first in their class</text></svg>")  # fmt: skip
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")


def main() -> None:
    """Print the table, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", metavar="LANGUAGE=FOLDER")
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    given = [(name, Path(folder)) for name, _, folder in (text.partition("=") for text in options.classes)]
    table: dict[str, dict[str, list[float]]] = {}
    print("| class | attack | found | flagged | found by plain winnowing |\n|" + " --- |" * 5)
    for language, folder in given or DEFAULTS.items():
        name = f"{language}, {folder.name}"
        handout = _text(folder / "starter", by_name(language).endings) if (folder / "starter").is_dir() else ""
        found = trials(honest_programs(folder, language), handout, language, options.trials)
        for attack, results in found.items():
            shares = np.mean(results, axis=0)
            print(f"| {name} | {attack} | " + " | ".join(f"{share:.0%}" for share in shares) + " |", flush=True)
        ladder = [np.mean(found[attack], axis=0) for attack, _ in LADDER]
        table[name] = {"moss": [f[0] for f in ladder], "plain winnowing": [f[2] for f in ladder]}
    if options.picture:
        picture(table, options.picture)


if __name__ == "__main__":
    main()
