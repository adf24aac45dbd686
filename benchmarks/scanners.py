"""How fast our scanners are: both channels of each file, beside Pygments' lexing alone, on the same files in one run.

    python tests/support/fetch_real_code.py     # once: gets real code in each language
    python benchmarks/scanners.py [LANGUAGE ...]

CPU seconds on one core, the best of three; the ratio says how many times Pygments' throughput ours is.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from pygments.lexers import get_lexer_by_name
from support.real_code import PACKAGES, real_code

from frontends import by_name

PYGMENTS_NAMES = {"cc": "cpp"}


def megabytes_a_second(scan: Callable[[str], object], texts: list[str]) -> float:
    """The best throughput of three runs over these texts, in millions of characters a second of CPU."""
    best = min(_seconds(scan, texts) for _ in range(3))
    return sum(map(len, texts)) / 1_000_000 / best


def _seconds(scan: Callable[[str], object], texts: list[str]) -> float:
    started = time.process_time()
    for text in texts:
        scan(text)
    return time.process_time() - started


def main() -> None:
    known = sorted({language for package in PACKAGES for language in package.endings})
    print(f"{'language':12} {'files':>6} {'MB':>6} {'ours MB/s':>10} {'Pygments MB/s':>14} {'ratio':>6}")
    for language in sys.argv[1:] or known:
        texts = [path.read_text("utf-8", "replace") for path in real_code(language)]
        lexer = get_lexer_by_name(PYGMENTS_NAMES.get(language, language))
        ours = megabytes_a_second(by_name(language).scan, texts)
        theirs = megabytes_a_second(lambda text, lexer=lexer: list(lexer.get_tokens_unprocessed(text)), texts)
        size = sum(map(len, texts)) / 1_000_000
        print(f"{language:12} {len(texts):6} {size:6.2f} {ours:10.1f} {theirs:14.2f} {ours / theirs:6.1f}", flush=True)


if __name__ == "__main__":
    main()
