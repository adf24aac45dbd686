"""How many phrases recur in a collection that grows, in real text and in the pages that we generate from it.

    python benchmarks/recurring_phrases.py [--pages 1000 3000 10000 30000] [--megabytes N]

Phases of clustering that look at shingles which more than two documents have grow with these, and not with documents.
Real text is what is installed on this machine, each line once, cut into pages of 225 words in any order. Generated
pages are walks of as many words through the chain of that text (generated_pages.py). All shingles of five words are
counted, by how many pages have them; a row is a shingle of a page.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from generated_pages import _WORD, make_chain, real_text

WORDS, SHINGLE = 225, 5


def real_pages(text: str) -> np.ndarray:
    """Pages cut from text, as numbers of words; every line counts once."""
    places: dict[str, int] = {}
    lines = dict.fromkeys(line.strip() for line in text.splitlines())
    words = (word.lower().strip(".,;:!?") for line in lines for word in _WORD.findall(line))
    numbers = np.array([places.setdefault(word, len(places)) for word in words], np.int64)
    pages = numbers[: len(numbers) // WORDS * WORDS].reshape(-1, WORDS)
    return np.random.default_rng(1).permutation(pages)


def shares(pages: np.ndarray) -> list[float]:
    """The rows of shingles in one page, in two and in more, as shares of all rows, and the number of the last."""
    weights = np.random.default_rng(2).integers(1, 2**63, SHINGLE).astype(np.uint64) | np.uint64(1)
    places = WORDS - SHINGLE + 1
    words = pages.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    words ^= words >> np.uint64(29)
    hashes = sum(words[:, at : at + places] * weights[at] for at in range(SHINGLE))
    rows = np.concatenate([np.unique(page) for page in hashes])
    rows.sort()
    first = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
    holders = np.diff(first, append=len(rows))
    more = int(holders[holders > 2].sum())
    return [*(float(holders[holders == n].sum()) / len(rows) for n in (1, 2)), more / len(rows), more]


def show(sizes: Sequence[int], most: int) -> None:
    """Print a table, from so many characters of real text."""
    text = real_text(most)
    chain = make_chain(text[:24_000_000])
    generated = chain.walk(max(sizes), WORDS, np.random.default_rng(3)).astype(np.int64)
    print("| pages | text | in one page | in two | in more | rows in more |")
    print("| ---: | --- |" + " ---: |" * 4)
    for name, pages in (("real", real_pages(text)), ("generated", generated)):
        for size in (size for size in sizes if size <= len(pages)):
            one, two, more, rows = shares(pages[:size])
            print(f"| {size:,} | {name} | {one:.1%} | {two:.1%} | {more:.1%} | {rows:,} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="+", default=[1000, 3000, 10_000, 30_000])
    parser.add_argument("--megabytes", type=int, default=200, metavar="N", help="of real text that are read at most")
    given = parser.parse_args()
    show(given.pages, given.megabytes * 1_000_000)
