"""Pages generated from real text, with copies planted among them: any number, the same for the same seed.

    python benchmarks/generated_pages.py FOLDER [--documents 100000] [--seed 1] [--separate N]

The words of the licences, documentation and programs that are installed on this machine become a chain: every word is
followed by one that follows it somewhere in that text. Such pages have the words and common phrases of real ones, there
can be millions of them, and no two are alike by accident. With `--separate`, every so many pages have words of their
own, as if they were in another language: then phrases that recur grow with the pages, and not faster. Copies are
planted:

    edited     a page with 1 to 4 % of its words replaced, at another address
    moved      a page unchanged, at another address, later
    version    a page with 1 to 4 % of its words replaced, at its own address, later
    contained  a page with a whole other page in it

Files are JSON Lines, originals (a-….jsonl) apart from what was planted (b-….jsonl), so that the latter are added later;
truth.jsonl says which are which. A page's number is in its address.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

CHUNK = 10_000  # pages generated at once, planted ones included
KINDS = {"edited": 0.12, "moved": 0.06, "version": 0.06, "contained": 0.06}
SHORTEST, LONGEST = 150, 300  # words of a page
SEPARATE = "give every N pages (a multiple of 10,000) words of their own"
_TEXT = 24_000_000  # characters of real text
_ENOUGH = 6_000  # of them for each page: for a few pages, fewer will do
_WORD = re.compile(r"(?<!\S)[A-Z]?[a-z]{1,18}(?:['-][a-z]{1,12})?[.,;:!?]?(?!\S)")
_BEGINNING = datetime(2024, 1, 1)
_ROOTS = ("/usr/share/common-licenses", Path(os.__file__).parent, "/usr/share/doc", "/usr/share/perl")


@dataclass(frozen=True)
class Chain:
    """Words, and for each the words that follow it in real text."""

    vocabulary: np.ndarray  # of strings
    followers: np.ndarray  # numbers of words, by the word before
    first: np.ndarray  # where a word's followers begin

    def walk(self, count: int, length: int, random: np.random.Generator) -> np.ndarray:
        """So many pages of so many words, as numbers."""
        pages = np.empty((count, length), np.int32)
        pages[:, 0] = self.followers[random.integers(0, len(self.followers), count)]
        for at in range(1, length):
            before = pages[:, at - 1]
            low, high = self.first[before], self.first[before + 1]
            pages[:, at] = self.followers[low + (random.random(count) * (high - low)).astype(np.int64)]
        return pages


def real_text(most: int = _TEXT) -> str:
    """Text that is installed here, in a fixed order."""
    pieces: list[str] = []
    size = 0
    for root in _ROOTS:
        for path in sorted(Path(root).rglob("*")):
            if size >= most:
                return "\n".join(pieces)
            if path.is_file() and not path.is_symlink():
                text = _read(path)
                pieces.append(text)
                size += len(text)
    return "\n".join(pieces)


def _read(path: Path) -> str:
    try:
        if path.name.endswith((".txt.gz", ".md.gz", "README.gz", "NEWS.gz", "FAQ.gz")):
            return gzip.decompress(path.read_bytes()).decode("ascii", "ignore")
        if (
            path.suffix in ("", ".txt", ".md", ".rst", ".html", ".py", ".pod", ".pm")
            and path.stat().st_size < 2_000_000
        ):
            return path.read_text("ascii", "ignore")
    except (OSError, EOFError, gzip.BadGzipFile):
        pass
    return ""


def make_chain(text: str) -> Chain:
    """The chain of a text's words, as far as they are written like words. Its end is followed by its beginning."""
    places: dict[str, int] = {}
    numbers = np.array([places.setdefault(word, len(places)) for word in _WORD.findall(text)], np.int64)
    followers = np.roll(numbers, -1)[np.argsort(numbers, kind="stable")].astype(np.int32)
    first = np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=len(places)))])
    return Chain(np.array(list(places), object), followers, first)


def address(number: int) -> str:
    """A page's address."""
    return f"https://www.site{number % 2003}.example/pages/{number}.html"


def generate(
    folder: Path,
    documents: int,
    seed: int = 1,
    jobs: int | None = None,
    text: str | None = None,
    separate: int | None = None,
) -> None:
    """Write so many pages, planted ones included."""
    folder.mkdir(parents=True, exist_ok=True)
    chain = make_chain(real_text(min(_TEXT, documents * _ENOUGH)) if text is None else text)
    chunks = [
        (folder, start, min(CHUNK, documents - start), seed, _mark(start // separate) if separate else "")
        for start in range(0, documents, CHUNK)
    ]
    if jobs == 1:
        _inherit(chain)
        truths = [_write_chunk(chunk) for chunk in chunks]
    else:
        with ProcessPoolExecutor(jobs, initializer=_inherit, initargs=(chain,)) as pool:
            truths = list(pool.map(_write_chunk, chunks))
    (folder / "truth.jsonl").write_text("".join(truths))


_chain: Chain


def _inherit(chain: Chain) -> None:
    global _chain
    _chain = chain


def _mark(number: int) -> str:
    """Letters that no word begins with, different for each number."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number)) + "qx"


def _write_chunk(chunk: tuple[Path, int, int, int, str]) -> str:
    folder, start, count, seed, mark = chunk
    random = np.random.default_rng([seed, start])
    planted = {kind: int(count * share) for kind, share in KINDS.items()}
    originals = count - sum(planted.values())
    pages = _chain.walk(count, LONGEST, random)
    lengths = random.integers(SHORTEST, LONGEST + 1, count)
    sources = random.permutation(originals)[: count - originals]  # each is copied once at most
    lines, truth = [_line(start + n, _words(pages[n, : lengths[n]], mark), n % 365) for n in range(originals)], []
    (folder / f"a-{start:09}.jsonl").write_text("".join(lines))
    lines = []
    kinds = [kind for kind, number in planted.items() for _ in range(number)]
    for n, (kind, source) in enumerate(zip(kinds, sources.tolist(), strict=False), originals):
        words = _planted(kind, pages[source, : lengths[source]], pages[n], random)
        number = start + (source if kind == "version" else n)
        lines.append(_line(number, _words(words, mark), source % 365 + 40 + n % 200))
        truth.append(json.dumps({"kind": kind, "original": start + source, "copy": number}) + "\n")
    (folder / f"b-{start:09}.jsonl").write_text("".join(lines))
    return "".join(truth)


def _planted(kind: str, original: np.ndarray, other: np.ndarray, random: np.random.Generator) -> np.ndarray:
    if kind == "moved":
        return original
    if kind == "contained":
        before, after = random.integers(20, 120, 2)
        return np.concatenate([other[:before], original, other[-after:]])
    words = original.copy()
    edits = max(1, int(len(words) * random.uniform(0.01, 0.04)))
    words[random.choice(len(words), edits, replace=False)] = other[:edits]
    return words


def _words(numbers: np.ndarray, mark: str) -> str:
    return mark + f" {mark}".join(_chain.vocabulary[numbers].tolist())


def _line(number: int, text: str, day: int) -> str:
    date = (_BEGINNING + timedelta(days=day, hours=day % 7)).isoformat()
    return json.dumps({"url": address(number), "date": date, "text": text}) + "\n"


def main() -> None:
    """Write pages as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--separate", type=int, metavar="N", help=SEPARATE)
    options = parser.parse_args()
    generate(options.folder, options.documents, options.seed, separate=options.separate)
    print(f"{options.documents:,} pages in {options.folder}", file=sys.stderr)


if __name__ == "__main__":
    main()
