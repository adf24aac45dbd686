"""Traces: what a submission leaves behind in one view of it, as a bag of fingerprints.

To rank pairs it does not matter where a fingerprint stands, but it does how often: a program with nine loops of one
kind has more in common with another of nine than with one of a single such loop. So a trace has each fingerprint as
often as it occurs, in no order. Traces are made many at a time, for the reason that documents are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.engine.documents import HANDED_OUT, Counts
from moss.engine.kgrams import hash_kgrams
from moss.engine.winnowing import winnow_all
from moss.hashing import Hashes, among
from moss.model import Codes


@dataclass(frozen=True, slots=True)
class Bags:
    """The traces of some submissions in one view, one after another."""

    hashes: Hashes
    counts: Counts
    numbers: Counts  # of these submissions in their class

    def where(self, wanted: NDArray[np.bool_]) -> Bags:
        """The same with some of the fingerprints only."""
        left = np.diff(np.append(0, np.cumsum(wanted))[np.append(0, np.cumsum(self.counts))])
        return Bags(self.hashes.compress(wanted), left, self.numbers)

    def split(self) -> list[Hashes]:
        """Each by itself."""
        return np.split(self.hashes, np.cumsum(self.counts)[:-1]) if len(self.counts) else []


def together(traces: Sequence[Hashes]) -> Bags:
    """The traces of the first, the second, the third submission of a class, and so on."""
    counts = np.array([len(hashes) for hashes in traces], np.int64)
    return Bags(np.concatenate([*traces, np.zeros(0, np.uint64)]), counts, np.arange(len(traces)))


def make_bags(many: Sequence[Sequence[Codes]], k: int, w: int, base: Hashes) -> Bags:
    """The traces of submissions with these streams: the k-grams that winnowing selects, those in `base` left out."""
    streams = [codes for submission in many for codes in submission]
    sizes = np.array([len(codes) for codes in streams], np.int64)
    ends = np.cumsum(sizes)
    h = hash_kgrams(np.concatenate([*streams, np.zeros(0, np.uint64)]), k)
    begin, count = ends - sizes, np.maximum(0, sizes - k + 1)
    if len(base):
        h = np.where(among(h, base), HANDED_OUT, h)
    position = winnow_all(h, w, begin, count)
    if len(base):
        position = position[h[position] != HANDED_OUT]
    last = np.cumsum([len(submission) for submission in many])  # stream of each submission, and one more
    bounds = np.searchsorted(position, np.append(0, ends)[last]) if len(many) else np.zeros(0, np.int64)
    return Bags(h[position], np.diff(bounds, prepend=0), np.arange(len(many)))
