"""Near-duplicates, beside datasketch's MinHash LSH and the simhash library from PyPI, on the same documents in one run.

    pip install -e ".[bench]"
    python benchmarks/near_duplicates.py [--documents 4000] [--many 30000] [--write docs/near-duplicates.md]

The documents are generated from real text, with copies planted (`generated_pages.py`): edited (1 to 4 % of the words),
moved (unchanged), contained in others. Each program gets the texts and gives pairs. Two ways of finding them are
compared, each with the library that does the same:

    by simhash       `moss corpus near`, 3 and 6 bits       the simhash library, its own features, and given words
    by resemblance   `moss corpus add` and `clusters`, 0.5  datasketch MinHash LSH, 128 permutations, threshold 0.5
    rates            `moss corpus add --sketches-only`, 0.7 gaoya, rensa, datasketch, text-dedup (`minhash_rates.py`)

Recall is the share of planted pairs that are found. A found pair is wrong if it was not planted and the documents share
less than half of their runs of five words. Times are CPU seconds of one process.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from findings import Section, Table, printed, written
from generated_pages import address, generate
from minhash_rates import LIBRARIES, measured

from moss.corpus.cluster.clusters import LinkCriteria, cluster
from moss.corpus.ingest.add import add, in_turn
from moss.corpus.ingest.documents import CorpusDocument
from moss.corpus.near.duplicates import fingerprints_of
from moss.corpus.near.hamming_tables import pairs
from moss.corpus.storage.segments import Snapshot, local_engine

Pair = tuple[int, int]
W = 5  # words of a run
RESEMBLANCE = 0.5


@dataclass
class Corpus:
    """Texts, the files they are in, and what was planted: pairs of numbers of texts, by kind."""

    texts: list[str]
    files: list[str]
    planted: dict[str, set[Pair]]

    def resemblance(self, a: int, b: int) -> float:
        """The share of runs of words that two texts have in common."""
        one, other = (set(shingles(self.texts[number])) for number in (a, b))
        return len(one & other) / max(len(one | other), 1)

    def is_wrong(self, pair: Pair) -> bool:
        """Whether a pair is nothing but chance."""
        return not any(pair in known for known in self.planted.values()) and self.resemblance(*pair) < RESEMBLANCE


def shingles(text: str) -> list[str]:
    """The runs of W words."""
    words = text.lower().split()
    return [" ".join(words[at : at + W]) for at in range(max(1, len(words) - W + 1))]


def read(folder: Path, documents: int, seed: int) -> Corpus:
    """Generate the pages and read them again."""
    generate(folder, documents, seed)
    files = sorted(str(path) for path in folder.glob("[ab]-*.jsonl"))
    records = [json.loads(line) for file in files for line in Path(file).read_text().splitlines()]
    first = {record["url"]: number for number, record in reversed(list(enumerate(records)))}
    last = {record["url"]: number for number, record in enumerate(records)}
    planted: dict[str, set[Pair]] = {}
    for line in (folder / "truth.jsonl").read_text().splitlines():
        truth = json.loads(line)
        kind = "edited" if truth["kind"] == "version" else truth["kind"]
        pair = first[address(truth["original"])], last[address(truth["copy"])]
        planted.setdefault(kind, set()).add((min(pair), max(pair)))
    return Corpus([record["text"] for record in records], files, planted)


class Clock:
    """CPU seconds since it was last asked."""

    def __init__(self) -> None:
        self._last = time.process_time()

    def __call__(self) -> float:
        now = time.process_time()
        self._last, passed = now, now - self._last
        return passed


@dataclass
class Outcome:
    """The pairs that a program found, and how long it took."""

    name: str
    found: set[Pair]
    fingerprinting: float
    finding: float


def ours_by_simhash(corpus: Corpus, bits: Iterable[int]) -> list[Outcome]:
    """The functions behind `moss corpus near`."""
    clock = Clock()
    documents = [CorpusDocument(str(number), text, 0, len(text)) for number, text in enumerate(corpus.texts)]
    fingerprints, _ = fingerprints_of(documents)
    fingerprinting = clock()
    outcomes = []
    for k in bits:
        clock()
        with_it: dict[int, list[int]] = {}
        for number, value in enumerate(fingerprints.tolist()):
            with_it.setdefault(value, []).append(number)
        found = {pair for numbers in with_it.values() for pair in combinations(numbers, 2)}
        for low, high in pairs(fingerprints, k):
            for a, b in zip(low.tolist(), high.tolist(), strict=True):
                found |= {(min(x, y), max(x, y)) for x in with_it[a] for y in with_it[b]}
        outcomes.append(Outcome(f"moss near, {k} bits", found, fingerprinting, clock()))
    return outcomes


def library_simhash(corpus: Corpus, name: str, features: Callable[[str], object], bits: Iterable[int]) -> list[Outcome]:
    """The simhash library: its index gives what is near each document in turn."""
    from simhash import Simhash, SimhashIndex

    logging.getLogger("simhash").setLevel(logging.ERROR)  # it warns of every large bucket
    clock = Clock()
    hashes = [Simhash(features(text)) for text in corpus.texts]
    fingerprinting = clock()
    outcomes = []
    for k in bits:
        clock()
        index = SimhashIndex([], k=k)
        found = set()
        for number, value in enumerate(hashes):
            found |= {(int(other), number) for other in index.get_near_dups(value)}
            index.add(str(number), value)
        outcomes.append(Outcome(f"simhash library, {k} bits{name}", found, fingerprinting, clock()))
    return outcomes


def ours_by_resemblance(corpus: Corpus, folder: Path) -> Outcome:
    """`moss corpus add` with all it stores, and `clusters`; members of a cluster are pairs."""
    clock = Clock()
    added = add(folder, corpus.files, reader=in_turn)
    if added.documents != len(corpus.texts):
        raise SystemExit("not all documents were added")
    fingerprinting = clock()
    with Snapshot(folder) as snapshot:
        engine = local_engine(folder)
        try:
            label = cluster(snapshot, engine, LinkCriteria(resemblance=RESEMBLANCE)).label.tolist()
        finally:
            engine.close()
    members: dict[int, list[int]] = {}
    for number, one in enumerate(label):
        members.setdefault(one, []).append(number)
    found = {pair for group in members.values() for pair in combinations(group, 2)}
    return Outcome("moss add, clusters 0.5", found, fingerprinting, clock())


def library_lsh(corpus: Corpus) -> Outcome:
    """datasketch: candidates by LSH, kept if their signatures' resemblance is at least one half."""
    from datasketch import MinHash, MinHashLSH

    clock = Clock()
    runs = ([run.encode() for run in shingles(text)] for text in corpus.texts)
    signatures = list(MinHash.generator(runs, num_perm=128))
    fingerprinting = clock()
    index = MinHashLSH(threshold=RESEMBLANCE, num_perm=128)
    found = set()
    for number, signature in enumerate(signatures):
        near = (int(other) for other in index.query(signature))
        found |= {(other, number) for other in near if signatures[other].jaccard(signature) >= RESEMBLANCE}
        index.insert(number, signature)
    return Outcome("datasketch MinHash LSH", found, fingerprinting, clock())


def table(corpus: Corpus, outcomes: list[Outcome]) -> Table:
    """Quality, and times as multiples of those of the first."""
    base = outcomes[0].fingerprinting + outcomes[0].finding
    rows = []
    for one in outcomes:
        recall = [f"{len(one.found & known) / max(len(known), 1):.3f}" for _, known in sorted(corpus.planted.items())]
        wrong = sum(corpus.is_wrong(pair) for pair in one.found)
        total = one.fingerprinting + one.finding
        rows.append(
            (one.name, *recall, str(wrong), f"{one.fingerprinting:.2f}", f"{one.finding:.2f}", f"{total / base:.1f}")
        )
    kinds = [f"recall, {kind}" for kind in sorted(corpus.planted)]
    return Table(("", *kinds, "wrong", "fingerprints, s", "pairs, s", "times ours"), rows)


HEADING = """# Near-duplicates, beside other libraries

Made by `python benchmarks/near_duplicates.py --write docs/near-duplicates.md`: {count:,} documents generated from real
text, with copies planted among them: {planted}. Each program gets the texts and gives pairs, in one run. Recall is the
share of planted pairs that are found. A found pair is wrong if it was not planted and the documents share less than
half of their runs of five words. Times are CPU seconds of one process, and as multiples of those in the first row."""


_TUNED = (
    "We chose the weights of our features on other pages of this generator (seed 1); the library's were not chosen on "
    "them. If it is given the words, its recall differs from ours for this reason alone, which says nothing against it."
)


def sections(corpus: Corpus, folder: Path) -> list[Section]:
    """Both ways of finding, each beside its library."""
    by_bits = ours_by_simhash(corpus, (3, 6))
    if "simhash" not in missing():
        by_bits += library_simhash(corpus, "", lambda text: text, (3, 6))
        by_bits += library_simhash(corpus, ", words", lambda text: sorted(set(text.lower().split())), (3, 6))
    by_shingles = [ours_by_resemblance(corpus, folder)]
    if "datasketch" not in missing():
        by_shingles.append(library_lsh(corpus))
    return [
        Section(
            "By simhash",
            [
                "The functions behind `moss corpus near`, and the simhash library from PyPI "
                "with its "
                "index: with its own features, which are runs of four characters, and given the words.",
                _TUNED,
                table(corpus, by_bits),
            ],
        ),
        Section(
            "By resemblance",
            [
                "`moss corpus add`, which also stores the texts, their winnowed fingerprints and their simhashes, and "
                "`moss corpus clusters --resemblance 0.5`; and datasketch's MinHash LSH with 128 permutations and "
                "the same "
                "threshold. A page that holds another resembles it by about one half, so that sampling decides.",
                table(corpus, by_shingles),
            ],
        ),
    ]


def rates(corpus: Corpus, folder: Path, text_dedup: Path | None) -> Section:
    """Documents a second of one core, beside the libraries that do the same job."""
    return Section(
        "Documents a second",
        [
            f"One job for all: files of JSON Lines are read, runs of five words, 128 values for each document, "
            f"resemblance of at least 0.7, {len(corpus.texts):,} documents. Rates are documents for each second of one "
            "core, over all threads. moss writes a corpus to disk; the libraries keep what they make in memory. The "
            "second row has what storing the rest costs: texts, fingerprints for "
            "passages, simhashes. Recall is of planted pairs that do resemble by 0.7, and a found pair is right if it "
            "does, by all runs of both texts. text-dedup is measured if `--text-dedup` names the Python of an "
            "environment that has it, because it needs versions of packages that cannot be installed beside ours. "
            "It is one command for all, which takes a few seconds to start.",
            measured(corpus, folder, text_dedup),
        ],
    )


def missing() -> list[str]:
    """The libraries that are not installed."""
    return [name for name in (*LIBRARIES, "simhash") if find_spec(name) is None]


def main() -> None:
    """Run all, print two tables, and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--many", type=int, default=30_000, help="documents for rates")
    parser.add_argument("--text-dedup", type=Path, metavar="PYTHON", help="of an environment that has text-dedup")
    parser.add_argument("--seed", type=int, default=2, help="of the pages; those of 1 were looked at to choose weights")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write a page of documentation")
    options = parser.parse_args()
    if missing():
        said = f'{" and ".join(missing())} not installed, so not measured: pip install -e ".[bench]"'
        if options.write:
            sys.exit(said)
        print(said)
    with TemporaryDirectory() as folder:
        corpus = read(Path(folder, "pages"), options.documents, options.seed)
        planted = ", ".join(f"{len(known):,} {kind}" for kind, known in sorted(corpus.planted.items()))
        print(f"{len(corpus.texts):,} documents; planted: {planted}\n")
        found = sections(corpus, Path(folder, "corpus"))
        many = read(Path(folder, "many"), options.many, options.seed)
        found.append(rates(many, Path(folder, "rates"), options.text_dedup))
    for section in found:
        print(printed(section))
    if options.write:
        heading = HEADING.format(count=len(corpus.texts), planted=planted)
        written(found, heading, options.write, options.write.parent / "images")


if __name__ == "__main__":
    main()
