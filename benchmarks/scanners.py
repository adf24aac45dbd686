"""How fast our scanners are: both channels of each file, beside Pygments' lexing alone, on the same files in one run.

    python tests/support/fetch_real_code.py     # once: gets real code in each language
    python benchmarks/scanners.py [LANGUAGE ...] [--files FOLDER] [--rounds 5] [--keep FILE]

CPU seconds on one core, the best of some rounds in which ours and theirs take turns, so that whatever else the machine
does meets both. Ours read the files of a language together, as `moss compare` does; `alone` is one after another. The
ratio says how many times Pygments' throughput ours is. With --files the files of that folder are read, not the fetched.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import pytest
from findings import Table
from kept import add_option, show
from pygments.lexers import get_lexer_by_name
from support.real_code import PACKAGES, real_code

from frontends import by_name, for_path, scan_all

PYGMENTS_NAMES = {"cc": "cpp"}


def seconds(read: Callable[[Sequence[str]], object], texts: Sequence[str]) -> float:
    """CPU seconds for reading these texts once."""
    started = time.process_time()
    read(texts)
    return time.process_time() - started


def code_of(language: str, folder: Path | None) -> list[str]:
    """The texts in a language: of a folder, or of what was fetched."""
    if folder is not None:
        paths = sorted(path for path in folder.rglob("*") if for_path(path.name) == by_name(language))
    else:
        try:
            paths = real_code(language)
        except (pytest.skip.Exception, pytest.fail.Exception) as missing:
            sys.exit(str(missing))
    return [path.read_text("utf-8", "replace") for path in paths] or sys.exit(f"no {language} code in {folder}")


def measure(language: str, texts: Sequence[str], rounds: int) -> tuple[int, float, float, float, float]:
    """The figures of some texts in a language: files, megabytes, and megabytes a second by us, by us one by one, and
    Pygments."""
    frontend = by_name(language)
    lexer = get_lexer_by_name(PYGMENTS_NAMES.get(language, language))
    readers: tuple[Callable[[Sequence[str]], object], ...] = (
        lambda texts: scan_all(frontend, texts),
        lambda texts: [frontend.scan(text) for text in texts],
        lambda texts: [list(lexer.get_tokens_unprocessed(text)) for text in texts],
    )
    best = [min(times) for times in zip(*([seconds(r, texts) for r in readers] for _ in range(rounds)), strict=True)]
    size = sum(map(len, texts)) / 1_000_000
    ours, alone, theirs = (size / time for time in best)
    return len(texts), size, ours, alone, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--files", type=Path, metavar="FOLDER", help="read these instead of the fetched code")
    parser.add_argument("--rounds", type=int, default=5)
    add_option(parser)
    options = parser.parse_args()
    known = sorted({language for package in PACKAGES for language in package.endings})
    rows = []
    for language in options.languages or known:
        texts = code_of(language, options.files)
        files, size, ours, alone, theirs = measure(language, texts, options.rounds)
        speeds = [f"{ours:.1f}", f"{alone:.1f}", f"{theirs:.2f}", f"{ours / theirs:.1f}"]
        rows.append([language, str(files), f"{size:.2f}", *speeds])
    headings = ["language", "files", "MB", "ours, MB/s", "alone, MB/s", "Pygments, MB/s", "ratio"]
    show(options.keep, "scanners", Table(headings, rows))


if __name__ == "__main__":
    main()
