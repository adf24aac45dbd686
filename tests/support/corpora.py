"""Corpora for tests: small ones, read in this process."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from moss.corpus.engines.duckdb import DuckEngine
from moss.corpus.ingest.add import AddedCounts, add, in_turn
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import Snapshot
from moss.corpus.storage.tables import SCHEMAS

VOCABULARY = [
    f"{first}{middle}{last}" for first in "bdfgklmnprst" for middle in ("a", "e", "io", "ou") for last in "ldnrs"
]


def prose(seed: int, words: int = 200) -> str:
    """Words in an order that no other seed has."""
    return " ".join(random.Random(seed).choices(VOCABULARY, k=words))


def planted(count: int, words: int, lengths: Sequence[int], seed: int = 1) -> list[tuple[str, str]]:
    """Pairs of texts that share one run of so many words and nothing else: what is around it on each side is as long as
    one of these lengths, and independent."""
    chance = random.Random(seed)

    def around(run: str, number: int) -> str:
        length = chance.choice(lengths)
        before = chance.randint(0, length)
        return f"{prose(number, before)} {run} {prose(number + 1, length - before)}".strip()

    runs = [prose(10_000 * seed + n, words) for n in range(count)]
    return [(around(run, 10**6 + 4 * n), around(run, 10**6 + 4 * n + 2)) for n, run in enumerate(runs)]


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


def add_here(corpus: Path, *paths: Path, **options: object) -> AddedCounts:
    """Add to a corpus without other processes."""
    return add(corpus, [str(path) for path in paths], reader=in_turn, **options)


SMALL = Recipe(shingle=2, sample=3, noise=3, guarantee=5, code_noise=3, code_guarantee=5)
"""Sketches of so few shingles that texts which differ often have equal ones."""

PROGRAM = "def total(values):\n    result = 0\n    for value in values:\n        result += value\n    return result\n"
TEXTS = [
    "",
    prose(1, 40),
    prose(1, 40).upper(),
    prose(1, 40).replace(" ", "\n"),
    edited(prose(1, 40), 1, 1),
    edited(prose(1, 40), 2, 1),
    f"{prose(1, 40)} {prose(2, 60)}",
    prose(2, 60),
    edited(prose(2, 60), 3, 2),
    PROGRAM,
    PROGRAM.replace("value", "number"),
]
RECORDS = st.fixed_dictionaries(
    {
        "url": st.sampled_from(["a/1", "a/2", "b/1", "b/2", "c"]),
        "date": st.sampled_from(["2024-01-01", "2024-02-01", "2024-03-01"]),
        "text": st.sampled_from(TEXTS),
        "language": st.sampled_from(["text", "python", "html"]),
    }
)
ADDITIONS = st.lists(st.lists(RECORDS, min_size=1, max_size=8), min_size=1, max_size=3)


def grow(folder: Path, additions: list[list[dict[str, object]]], recipe: Recipe = SMALL) -> Path:
    """A corpus to which these records were added one after another."""
    for number, records in enumerate(additions):
        add_here(folder / "corpus", write_crawl(folder / f"{number}.jsonl", records), recipe=recipe)
    return folder / "corpus"


def tables(corpus: Path, engine: DuckEngine) -> dict[str, dict[str, list[str]]]:
    """All rows of all tables."""
    with Snapshot(corpus) as snapshot:
        snapshot.tables(engine)
        return {table: rows(engine, table) for table in SCHEMAS}


def rows(engine: DuckEngine, table: str) -> dict[str, list[str]]:
    """All rows of a table, by column, in an order that does not depend on segments."""
    columns = engine.fetch(f"SELECT * FROM {table} ORDER BY ALL")
    return {name: list(map(str, values.tolist())) for name, values in columns.items()}
