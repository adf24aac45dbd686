"""How `moss compare` takes what is made to be hard on it, beside an ordinary class of the same size.

    python benchmarks/shapes.py [WORD ...] [--shrink N]     # those whose names have one of these words, or all

All programs are written by a seeded generator, so nothing but this project is needed. Each line is the shape, and an
ordinary class with as many submissions and bytes; the ratios say what the shape costs. With --shrink there are an N-th
as many programs, or repetitions: to see that it works, not to be quoted.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from compare import MEGABYTE, Cost, measure
from findings import Table
from kept import add_option, show

Class = Iterator[tuple[str, str]]
"""The names and texts of a class's programs."""

WORDS = ["count", "total", "index", "value", "item", "list", "node", "left", "right", "size", "name", "data", "key"]
SIGNS = ["+", "-", "*", "/", "%", "<", ">", "==", "!=", "<=", ">=", "&&", "||"]


def program(chance: random.Random, size: int) -> str:
    """A program of about so many characters, in a language like Java."""
    lines = ["public class Main {"]
    length = 0
    while length < size:
        name = f"{chance.choice(WORDS)}{chance.randrange(1000)}"
        lines.append(f"    static int {name}(int {chance.choice(WORDS)}, int[] {chance.choice(WORDS)}) {{")
        lines += [f"        {statement(chance)}" for _ in range(chance.randrange(3, 15))]
        lines.append("    }")
        length = sum(map(len, lines)) if size < 20_000 else length + 500
    return "\n".join([*lines, "}", ""])


def statement(chance: random.Random) -> str:
    a, b, c = (chance.choice(WORDS) for _ in range(3))
    sign, other = chance.choice(SIGNS), chance.choice(SIGNS)
    return chance.choice(
        [
            f"int {a} = {b} {sign} {chance.randrange(100)};",
            f"if ({a} {sign} {b} {other} {c}) {{ return {chance.choice(WORDS)}; }}",
            f"for (int i = 0; i < {a}.length; i++) {{ {b} += {c}[i] {sign} {chance.randrange(9)}; }}",
            f"while ({a} {sign} {b}) {{ {c} = {a}({b}, {c}); }}",
            f'System.out.println("{a} {b}" + {c});',
            f"{a}[{b}] = new int[{c} {sign} {chance.randrange(50)}];",
        ]
    )


def ordinary(count: int, size: int) -> Class:
    return ((f"s{n:05}", program(random.Random(n), size)) for n in range(count))


def one_kgram(shrink: int) -> Class:
    """200 ordinary programs, and two that say one thing a hundred thousand times."""
    yield from ordinary(200 // shrink, 8000)
    for n in range(2):
        yield f"t{n}", "x = x + 1;\n" * (100_000 // shrink)


def identical(shrink: int) -> Class:
    text = program(random.Random(1), 8000)
    return ((f"s{n:05}", text) for n in range(2000 // shrink))


def generated(shrink: int) -> Class:
    """200 ordinary programs, and two of 20 MB."""
    yield from ordinary(200 // shrink, 8000)
    size = 20_000_000 // shrink
    for n in range(2):
        yield f"t{n}", program(random.Random(n), size)[:size]


def template(shrink: int) -> Class:
    """5,000 programs of which two thirds are the same, which nobody said is handed out."""
    same = program(random.Random(0), 6000)
    return ((f"s{n:05}", same + program(random.Random(n + 1), 3000)) for n in range(5000 // shrink))


SHAPES: dict[str, Callable[[int], Class]] = {
    "one k-gram 100,000 times": one_kgram,
    "2,000 identical": identical,
    "two files of 20 MB": generated,
    "5,000 with a template": template,
}


def run(programs: Class, folder: Path) -> tuple[int, float, Cost | None]:
    """How many there are, how many megabytes, and what comparing them takes."""
    count = size = 0
    for name, text in programs:
        (folder / "class" / name).mkdir(parents=True)
        size += (folder / "class" / name / "Main.java").write_text(text)
        count += 1
    options = ["--quiet", "--no-cache", "--max-file-size", "32MB", "--json", str(folder / "report.json")]
    cost = measure([sys.executable, "-m", "moss", "compare", *options, str(folder / "class")], folder)
    return count, size / MEGABYTE, cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", default=[""], metavar="WORD")
    parser.add_argument("--shrink", type=int, default=1, metavar="N")
    add_option(parser)
    options = parser.parse_args()
    rows = []
    chosen = {name: s for name, s in SHAPES.items() if any(word in name for word in options.words)}
    for name, shape in chosen.items():
        with tempfile.TemporaryDirectory() as folder:
            count, megabytes, hostile = run(shape(options.shrink), Path(folder))
        with tempfile.TemporaryDirectory() as folder:
            _, _, usual = run(ordinary(count, int(megabytes * MEGABYTE / count)), Path(folder))
        if hostile is None or usual is None:
            continue
        figures = [f"{megabytes:.1f}", f"{hostile.seconds:.2f}", f"{hostile.cpu:.2f}", f"{hostile.megabytes:.0f}"]
        ratios = [f"{hostile.cpu / usual.cpu:.2f}", f"{hostile.megabytes / usual.megabytes:.2f}"]
        rows.append([name, *figures, *ratios])
        print(f"{name}: {hostile.cpu:.2f} CPU s", flush=True)
    beside = ["CPU, times an ordinary class", "memory, times an ordinary class"]
    show(options.keep, "shapes", Table(["shape", "MB", "seconds", "CPU s", "peak MB", *beside], rows))


if __name__ == "__main__":
    main()
