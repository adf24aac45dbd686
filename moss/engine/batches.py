"""Batches: what `documents` and `traces` make of one submission, made of many at once.

Programs are short, and an operation on an array costs about a microsecond however short the array is. So the streams
of many submissions stand one after another in one array, each operation runs over all of them, and what belongs to
whom is told by counts. The result is the same to the bit; the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.engine.documents import BREAK, Document, Mask
from moss.engine.kgrams import covered, hash_kgrams, ranges
from moss.engine.winnowing import winnow_all
from moss.hashing import Hashes, Positions, among
from moss.model import Codes

_HANDED_OUT = np.uint64(2**64 - 1)  # winnowing selects it only where nothing else is
_BREAKS = np.array([BREAK])

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents one after another; positions and first tokens count from the beginning of the first of them."""

    streams: Counts  # of each document
    first: Positions  # where each stream begins in `codes`, one more entry than streams
    codes: Codes
    hashes: Hashes
    positions: Positions
    base: Mask

    def split(self) -> Iterator[Document]:
        """Each by itself; its arrays are parts of these."""
        ends = np.cumsum(self.streams)
        begins = self.first[ends - self.streams]
        bounds = np.searchsorted(self.positions, np.append(begins, self.first[-1])).tolist()
        for number, (end, count, begin) in enumerate(
            zip(ends.tolist(), self.streams.tolist(), begins.tolist(), strict=True)
        ):
            tokens = slice(begin, int(self.first[end]))
            found = slice(bounds[number], bounds[number + 1])
            yield Document(
                self.codes[tokens],
                self.first[end - count : end + 1] - begin,
                self.hashes[found],
                self.positions[found] - begin,
                self.base[tokens],
            )


def make_documents(many: Sequence[Sequence[Codes]], k: int, w: int, base: Hashes) -> Documents:
    """The documents that have these streams of codes; `base` are the sorted hashes of all k-grams handed out."""
    streams = [codes for document in many for codes in document]
    sizes = np.array([len(codes) for codes in streams], np.int64)
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes + 1)])
    codes = np.concatenate([*(part for stream in streams for part in (stream, _BREAKS)), np.zeros(0, np.uint64)])
    h = hash_kgrams(codes, k)
    begin, count = first[:-1], np.maximum(0, sizes - k + 1)
    handed_out = np.zeros(len(codes), np.bool_)
    if not len(base):
        position = winnow_all(h, w, begin, count)
    else:
        in_base = among(h, base)
        position = winnow_all(np.where(in_base, _HANDED_OUT, h), w, begin, count)
        position = position[~in_base[position]]
        within = ranges(begin, count)
        handed_out = covered(within[in_base[within]], k, len(codes))
    numbers = np.array([len(document) for document in many], np.int64)
    return Documents(numbers, first, codes, h[position], position, handed_out)


@dataclass(frozen=True, slots=True)
class Bags:
    """The traces of some submissions in one view, one after another."""

    hashes: Hashes
    counts: Counts

    def split(self) -> list[Hashes]:
        """Each by itself."""
        return np.split(self.hashes, np.cumsum(self.counts)[:-1]) if len(self.counts) else []


def make_bags(many: Sequence[Sequence[Codes]], k: int, w: int, base: Hashes) -> Bags:
    """The traces of submissions with these streams: the k-grams that winnowing selects, those in `base` left out."""
    streams = [codes for submission in many for codes in submission]
    sizes = np.array([len(codes) for codes in streams], np.int64)
    ends = np.cumsum(sizes)
    h = hash_kgrams(np.concatenate([*streams, np.zeros(0, np.uint64)]), k)
    begin, count = ends - sizes, np.maximum(0, sizes - k + 1)
    if len(base):
        h = np.where(among(h, base), _HANDED_OUT, h)
    position = winnow_all(h, w, begin, count)
    if len(base):
        position = position[h[position] != _HANDED_OUT]
    last = np.cumsum([len(submission) for submission in many])  # stream of each submission, and one more
    bounds = np.searchsorted(position, np.append(0, ends)[last]) if len(many) else np.zeros(0, np.int64)
    return Bags(h[position], np.diff(bounds, prepend=0))
