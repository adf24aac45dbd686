"""Documents a second of one core, and what is found, for one job that several programs do: MinHash at threshold 0.7.

The job: from texts to the pairs that resemble each other by at least 0.7 in their runs of five words, with 128 values
for each document. `near_duplicates.py` prints the table. A planted pair counts if it does resemble by 0.7, and a found
pair is right if it does, by comparing all runs of both texts. Times are CPU seconds of all threads of a process, so a
rate is that of one core.

All read their documents from files of JSON Lines. moss writes a corpus to disk, of which the time is part; the
libraries keep what they make in memory. text-dedup is a command for all of it, in an environment of its own (it needs
versions of other packages that we do not have); its time has starting in it, as it would for a user.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Protocol

from findings import Table

from moss.corpus.cluster.clusters import LinkCriteria, cluster
from moss.corpus.ingest.add import add, in_turn
from moss.corpus.storage.recipe import Recipe
from moss.corpus.storage.segments import Snapshot, local_engine

Pair = tuple[int, int]
RESEMBLANCE, VALUES, W = 0.7, 128, 5
LIBRARIES = ("gaoya", "rensa", "datasketch")


def lines(files: list[str]) -> Iterator[str]:
    """The texts of all documents."""
    for file in files:
        with open(file, "rb") as records:
            for record in records:
                yield json.loads(record)["text"]


class Texts(Protocol):
    """Documents with copies planted among them."""

    texts: list[str]
    files: list[str]
    planted: dict[str, set[Pair]]

    def resemblance(self, a: int, b: int) -> float:
        """The share of runs of words that two texts have in common."""


@dataclass
class Rate:
    """The pairs that a program found, and the seconds of inserting and of finding."""

    name: str
    found: set[Pair]
    inserting: float | None  # None if the program does not tell it apart
    finding: float

    @property
    def total(self) -> float:
        """The seconds from texts to pairs."""
        return (self.inserting or 0.0) + self.finding


def ours(texts: Texts, folder: Path, sketches_only: bool) -> Rate:
    """`moss corpus add` and `clusters`; members of a cluster are pairs."""
    started = time.process_time()
    add(folder, texts.files, recipe=Recipe(sample=VALUES, sketches_only=sketches_only), reader=in_turn)
    inserted = time.process_time()
    with Snapshot(folder) as snapshot:
        engine = local_engine(folder)
        try:
            label = cluster(snapshot, engine, LinkCriteria(resemblance=RESEMBLANCE)).label.tolist()
        finally:
            engine.close()
    ended = time.process_time()
    members: dict[int, list[int]] = {}
    for number, one in enumerate(label):
        members.setdefault(one, []).append(number)
    found = {pair for group in members.values() for pair in combinations(group, 2)}
    name = "moss add --sketches-only, clusters" if sketches_only else "moss add with all that it stores, clusters"
    return Rate(name, found, inserted - started, ended - inserted)


def by_gaoya(texts: Texts) -> Rate:
    """gaoya, which cuts and hashes texts itself."""
    from gaoya.minhash import MinHashStringIndex

    started = time.process_time()
    index = MinHashStringIndex(
        hash_size=32, jaccard_threshold=RESEMBLANCE, num_hashes=VALUES, analyzer="word", lowercase=True,
        ngram_range=(W, W),
    )  # fmt: skip
    for number, text in enumerate(lines(texts.files)):
        index.insert_document(number, text)
    inserted = time.process_time()
    answers = [index.query(text) for text in texts.texts]
    return Rate("gaoya", _pairs(answers), inserted - started, time.process_time() - inserted)


def by_rensa(texts: Texts) -> Rate:
    """rensa with 16 bands of 8 values, whose answers are compared by their signatures."""
    from rensa import RMinHash, RMinHashLSH

    started = time.process_time()
    signatures = RMinHash.from_token_sets([runs(text) for text in lines(texts.files)], num_perm=VALUES, seed=42)
    index = RMinHashLSH(threshold=RESEMBLANCE, num_perm=VALUES, num_bands=16)
    for number, signature in enumerate(signatures):
        index.insert(number, signature)
    inserted = time.process_time()
    answers = [
        [other for other in index.query(signature) if signatures[other].jaccard(signature) >= RESEMBLANCE]
        for signature in signatures
    ]
    return Rate("rensa", _pairs(answers), inserted - started, time.process_time() - inserted)


def by_datasketch(texts: Texts) -> Rate:
    """datasketch, whose answers are compared by their signatures."""
    from datasketch import MinHash, MinHashLSH

    started = time.process_time()
    encoded = ([run.encode() for run in runs(text)] for text in lines(texts.files))
    signatures = list(MinHash.generator(encoded, num_perm=VALUES))
    index = MinHashLSH(threshold=RESEMBLANCE, num_perm=VALUES)
    for number, signature in enumerate(signatures):
        index.insert(number, signature)
    inserted = time.process_time()
    answers = [
        [other for other in index.query(signature) if signatures[other].jaccard(signature) >= RESEMBLANCE]
        for signature in signatures
    ]
    return Rate("datasketch", _pairs(answers), inserted - started, time.process_time() - inserted)


_LABELS = """
import json, pickle, sys
found = pickle.load(open(sys.argv[1], "rb"))
print(json.dumps([[number, found.find(number)] for number in list(found.parent)]))
"""


def by_text_dedup(texts: Texts, folder: Path, python: Path) -> Rate:
    """text-dedup's command for MinHash, whose union-find tells the pairs."""
    pages = f"{Path(texts.files[0]).parent}/[ab]-*.jsonl"
    folder.mkdir(parents=True)
    command = [
        python, "-m", "text_dedup.minhash", "--path", "json", "--data_files", pages, "--split", "train",
        "--column", "text", "--ngram", str(W), "--num_perm", str(VALUES), "--threshold", str(RESEMBLANCE),
        "--hash_func", "xxh3", "--num_proc", "1", "--debug",
        "--cache_dir", folder / "cache", "--output", folder / "out",
    ]  # fmt: skip
    offline = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home"), "OMP_NUM_THREADS": "1"}
    before = os.times()
    ran = subprocess.run(list(map(str, command)), env=offline, capture_output=True, text=True)
    after = os.times()
    if ran.returncode:
        raise SystemExit(f"text-dedup failed: {ran.stderr[-2000:]}")
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    told = subprocess.run(
        [str(python), "-c", _LABELS, str(folder / "out" / "uf.pkl")], capture_output=True, text=True, check=True
    )
    members: dict[int, list[int]] = {}
    for number, label in json.loads(told.stdout.splitlines()[-1]):
        members.setdefault(label, []).append(number)
    found = {pair for group in members.values() for pair in combinations(sorted(group), 2)}
    return Rate("text-dedup", found, None, seconds)


def runs(text: str) -> list[str]:
    """The runs of W words."""
    words = text.lower().split()
    return [" ".join(words[at : at + W]) for at in range(max(1, len(words) - W + 1))]


def _pairs(answers: Iterable[Iterable[int]]) -> set[Pair]:
    return {
        (min(number, other), max(number, other))
        for number, found in enumerate(answers)
        for other in found
        if other != number
    }


def measured(texts: Texts, folder: Path, text_dedup: Path | None = None) -> Table:
    """All programs that are installed, one after another; text-dedup if we are told the Python that has it."""
    programs: dict[str, Callable[[Texts], Rate]] = {
        "gaoya": by_gaoya, "rensa": by_rensa, "datasketch": by_datasketch,
    }  # fmt: skip
    rates = [ours(texts, folder / "sketches", True), ours(texts, folder / "all", False)]
    rates += [programs[name](texts) for name in LIBRARIES if find_spec(name) is not None]
    if text_dedup is not None:
        rates.append(by_text_dedup(texts, folder / "text-dedup", text_dedup))
    alike = {pair for pairs in texts.planted.values() for pair in pairs if texts.resemblance(*pair) >= RESEMBLANCE}
    rows = []
    for rate in rates:
        right = sum(pair in alike or texts.resemblance(*pair) >= RESEMBLANCE for pair in rate.found)
        rows.append(
            (
                rate.name,
                "–" if rate.inserting is None else f"{len(texts.texts) / rate.inserting:,.0f}",
                f"{len(texts.texts) / rate.total:,.0f}",
                f"{len(rate.found & alike) / max(len(alike), 1):.4f}",
                f"{right / max(len(rate.found), 1):.4f}",
            )
        )
    return Table(("", "inserted a second", "with pairs, a second", "recall", "precision"), rows)
