"""Scoring: what a shared fingerprint is worth, and what a pair's score is.

A fingerprint that everyone has says nothing; one that only two authors have says a lot. Its weight is
log2((n + 1) / m) if m of n independent authors have it: the surprise, in bits, of meeting it once more. A pair scores
2·(weight shared) / (weight of one side + weight of the other), which is 1 for equal documents and 0 for disjoint ones.
Weights are kept as whole numbers, so that sums are exact and scores do not depend on the order of anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.engine.candidates import PairValues, Weights, combine, shared_weights
from moss.engine.documents import Document
from moss.engine.index import Index, build_index, independent_authors
from moss.hashing import Hashes

_UNIT = 1 << 16  # a bit of surprise, as a whole number: finer differences are rounding


@dataclass(frozen=True, slots=True)
class Layer:
    """All submissions' documents in one channel with the same thresholds; a submission without any has an empty one."""

    documents: Sequence[Document]
    index: Index
    weights: Weights  # of the index's fingerprints; 0: common
    authors: int

    @property
    def common(self) -> Hashes:
        """The fingerprints that too many have, sorted."""
        hashes: Hashes = self.index.hashes[self.weights == 0]
        return hashes


def make_layer(owners: Sequence[str], documents: Sequence[Document], max_matches: int) -> Layer:
    """The layer of these documents; a fingerprint of more than `max_matches` authors is common."""
    author = independent_authors(owners, documents)
    index = build_index(documents, author)
    total = len(np.unique(author))
    return Layer(documents, index, rarity_weights(index.authors, total, max_matches), total)


def rarity_weights(authors: NDArray[np.int64], total: int, max_matches: int) -> Weights:
    """The weight of fingerprints that so many of all authors have; 0 for those that more than `max_matches` have."""
    surprise = np.log2((total + 1) / np.maximum(authors, 1))
    weights: Weights = np.maximum(1, np.rint(surprise * _UNIT)).astype(np.int64)
    weights[authors > max_matches] = 0
    return weights


def pair_scores(layers: Sequence[Layer]) -> PairValues:
    """The score of every pair that shares anything, over these layers together."""
    count = len(layers[0].documents)
    shared = combine([shared_weights(layer.index, layer.weights, count) for layer in layers], np.add)
    own = sum((_own_weights(layer) for layer in layers), np.zeros(count, np.int64))
    return PairValues(count, shared.keys, 2 * shared.values / np.maximum(1, own[shared.a] + own[shared.b]))


def _own_weights(layer: Layer) -> Weights:
    """The weight of each document's distinct fingerprints."""
    total = np.zeros(len(layer.documents), np.int64)
    np.add.at(total, layer.index.documents, np.repeat(layer.weights, layer.index.sizes))
    return total


def strongest(channels: Sequence[PairValues]) -> PairValues:
    """Every pair with its score in the channel in which it stands out most.

    A sum would let what everyone prints alike drown what only two wrote alike; docs/decisions.md has the figures.
    """
    return combine(channels, np.maximum)
