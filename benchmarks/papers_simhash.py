"""Manku's experiments on fingerprints, redone: precision and recall by Hamming distance, for several features.

Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling. WWW 2007.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from findings import Picture, Section, Table
from plots import Axis, Series, plot

from frontends import HTML
from moss.corpus.near.simhash import features, simhash
from moss.engine.kgrams import hash_kgrams
from moss.hashing import Hashes, mix
from moss.model import Channel

PIECE = 300  # words of a document
MOST = 10  # bits, as in the paper
SAMPLED = 500  # pairs of each distance that are judged
RESEMBLING = 0.5  # from which on a pair that nobody planted counts as near-duplicates all the same


def pieces_of(pages: list[Path], most: int) -> list[Hashes]:
    """Documents of equal length, cut from the pages: those of one page are about the same things."""
    scan = HTML.scan
    pieces: list[Hashes] = []
    for path in pages:
        words = scan(path.read_text("utf-8", "replace"))[Channel.TEXT].codes
        pieces += [words[at : at + PIECE] for at in range(0, len(words) - PIECE + 1, PIECE)]
        if len(pieces) >= most:
            break
    return pieces[:most]


def edited(words: Hashes, edits: int, vocabulary: Hashes, random: np.random.Generator) -> Hashes:
    """The document after so many edits: one to four words replaced, put in or taken out."""
    for _ in range(edits):
        at, size, kind = int(random.integers(0, len(words))), int(random.integers(1, 5)), int(random.integers(0, 3))
        new = random.choice(vocabulary, size) if kind < 2 else vocabulary[:0]
        words = np.concatenate([words[:at], new, words[at + (size if kind != 1 else 0) :]])
    return words


class Collection:
    """Documents and an edited copy of each, whose partner is known."""

    def __init__(self, pieces: Sequence[Hashes], seed: int = 1) -> None:
        random = np.random.default_rng(seed)
        vocabulary = np.concatenate(pieces)
        copies = [edited(words, 1 + number % 8, vocabulary, random) for number, words in enumerate(pieces)]
        self.documents = [*pieces, *copies]
        self.originals = len(pieces)
        self._shingles: dict[int, Hashes] = {}

    def true(self, a: int, b: int) -> bool:
        """Whether two documents are near-duplicates: one was made of the other, or they resemble each other anyway."""
        if abs(a - b) == self.originals:
            return True
        one, other = self._set(a), self._set(b)
        common = len(np.intersect1d(one, other, assume_unique=True))
        return common >= RESEMBLING * (len(one) + len(other) - common)

    def _set(self, document: int) -> Hashes:
        if document not in self._shingles:
            self._shingles[document] = np.unique(hash_kgrams(self.documents[document], 3))
        return self._shingles[document]


def judged(fingerprints: Hashes, collection: Collection, seed: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By distance from 0 to MOST: how many planted pairs are that far apart, how many pairs there are in all, and the
    share of true ones in a sample of them."""
    planted = np.bitwise_count(fingerprints[: collection.originals] ^ fingerprints[collection.originals :])
    found: list[list[tuple[int, int]]] = [[] for _ in range(MOST + 1)]
    for a in range(len(fingerprints)):
        distance = np.bitwise_count(fingerprints[a + 1 :] ^ fingerprints[a])
        for b in np.flatnonzero(distance <= MOST).tolist():
            found[distance[b]].append((a, a + 1 + b))
    random = np.random.default_rng(seed)
    share = np.zeros(MOST + 1)
    for bits, pairs in enumerate(found):
        sample = random.permutation(len(pairs))[:SAMPLED].tolist()
        share[bits] = np.mean([collection.true(*pairs[number]) for number in sample]) if sample else 1.0
    counts = np.bincount(planted, minlength=65)[: MOST + 1]
    return counts, np.array([len(pairs) for pairs in found]), share


def runs(words: Hashes, lengths: Sequence[int], weigh: Callable[[np.ndarray], np.ndarray]) -> int:
    """The fingerprint by runs of so many words, weighed by how often they occur."""
    grams, counts = np.unique(
        np.concatenate([mix(hash_kgrams(words, n) + np.uint64(n)) for n in lengths]), return_counts=True
    )
    return simhash(grams, weigh(counts))


CHOICES: dict[str, Callable[[Hashes], int]] = {
    "words, 1 + log2(n)/2 (ours)": lambda words: simhash(*features(words)),
    "words, 1": lambda words: runs(words, [1], lambda n: np.ones(len(n))),
    "words, 1 + log2(n)": lambda words: runs(words, [1], lambda n: 1 + np.log2(n)),
    "words, n": lambda words: runs(words, [1], lambda n: n.astype(np.float64)),
    "words and pairs, 1 + log2(n)": lambda words: runs(words, [1, 2], lambda n: 1 + np.log2(n)),
    "runs of three words, 1": lambda words: runs(words, [3], lambda n: np.ones(len(n))),
}


Curve = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Precision, recall and the number of wrong pairs, by the number of bits that may differ."""


def curve_of(collection: Collection, fingerprint: Callable[[Hashes], int]) -> Curve:
    """How well a fingerprint tells near-duplicates."""
    fingerprints = np.array([fingerprint(words) for words in collection.documents], np.uint64)
    planted, pairs, share = judged(fingerprints, collection)
    precision = np.cumsum(pairs * share) / np.maximum(np.cumsum(pairs), 1)
    return precision, np.cumsum(planted) / collection.originals, np.cumsum(pairs * (1 - share))


def precision_and_recall(collection: Collection, unseen: Collection | None) -> Section:
    """Figure 1, also on documents that had no part in the choice of features; and the same for other features."""
    curves = {name: curve_of(collection, fingerprint) for name, fingerprint in CHOICES.items()}
    ours = next(iter(CHOICES))
    other = curve_of(unseen, CHOICES[ours]) if unseen else None
    return Section(
        "Precision and recall by Hamming distance (Manku, Figure 1)",
        [
            _how(collection),
            _on_what(unseen),
            _by_bits(curves[ours], other),
            _drawn(curves[ours]),
            "The choice of features matters more than anything else (measured on the manual):",
            _by_features(curves),
        ],
    )


def _how(collection: Collection) -> str:
    return (
        f"{collection.originals:,} pieces of {PIECE} words from the pages, and a copy of each after one to eight edits "
        "of one to four words. All pairs are compared; a pair is right if one was made of the other, or if at least "
        f"half of their runs of three words are the same (judged for a sample of {SAMPLED} at each distance). The "
        "paper's pairs were sampled among 2^34 web pages and judged by people; with more documents there are more "
        f"unlike ones to confuse ({len(collection.documents):,} here), and with longer documents the same edit changes "
        "fewer bits."
    )


def _on_what(unseen: Collection | None) -> str:
    elsewhere = (
        f"The columns for other pages are from {unseen.originals:,} pieces of HTML pages elsewhere in Debian's "
        "documentation, which we did not look at when choosing."
        if unseen
        else "There were no other pages here to measure on."
    )
    return (
        "Our features were chosen among those below and some others by looking at this manual and at generated pages, "
        f"so the first two columns look better than they should. {elsewhere}"
    )


def _by_bits(ours: Curve, other: Curve | None) -> Table:
    rows = [
        (
            str(k),
            *(f"{values[k]:.3f}" for curve in (ours, other) if curve for values in curve[:2]),
            *(("about 0.75",) * 2 if k == 3 else ("", "")),
        )
        for k in range(MOST + 1)
    ]
    columns = ["ours", *(["other pages"] if other else []), "paper's"]
    return Table(("bits", *(f"{measure}, {column}" for column in columns for measure in ("precision", "recall"))), rows)


def _by_features(curves: Mapping[str, Curve]) -> Table:
    rows = [
        (name, f"{recall[3]:.2f}", f"{wrong[3]:,.0f}", f"{recall[6]:.2f}", f"{wrong[6]:,.0f}")
        for name, (_, recall, wrong) in curves.items()
    ]
    return Table(("features, weight", "recall, 3 bits", "wrong pairs", "recall, 6 bits", "wrong pairs "), rows)


def _drawn(ours: Curve) -> Picture:
    precision, recall, _ = ours
    bits = list(range(MOST + 1))
    return Picture(
        "papers-precision-recall.svg",
        "Precision and recall by the number of bits that may differ: recall rises as precision falls.",
        plot(
            "Near-duplicates by Hamming distance",
            [
                Series("precision, ours", bits, precision.tolist()),
                Series("recall, ours", bits, recall.tolist()),
                Series("both, paper's at 3 bits", [3], [0.75], marked=True),
            ],
            Axis("bits that may differ"),
            Axis("share"),
        ),
    )
