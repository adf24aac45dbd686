"""Corpora for tests: small ones, read in this process."""

from __future__ import annotations

import json
import random
from pathlib import Path

from moss.corpus.adding import Added, add, in_turn

VOCABULARY = [
    f"{first}{middle}{last}" for first in "bdfgklmnprst" for middle in ("a", "e", "io", "ou") for last in "ldnrs"
]


def prose(seed: int, words: int = 200) -> str:
    """Words in an order that no other seed has."""
    return " ".join(random.Random(seed).choices(VOCABULARY, k=words))


def edited(text: str, seed: int, places: int) -> str:
    """The text with some words replaced by words that occur nowhere else."""
    words = text.split()
    for number, at in enumerate(random.Random(seed).sample(range(len(words)), places)):
        words[at] = f"changed{seed}x{number}"
    return " ".join(words)


def write_files(folder: Path, texts: dict[str, str]) -> Path:
    """A folder of files."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def write_crawl(path: Path, records: list[dict[str, object]]) -> Path:
    """A file of JSON Lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def add_here(corpus: Path, *paths: Path, **options: object) -> Added:
    """Add to a corpus without other processes."""
    return add(corpus, [str(path) for path in paths], reader=in_turn, **options)
