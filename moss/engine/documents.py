"""Documents: all files of one submission in one layer, as one array of codes.

The files' streams stand one after another with a BREAK between them, so no k-gram and no passage spans two files.

Documents are made many at a time. Programs are short, and an operation on an array costs about a microsecond however
short the array is; so the documents stand one after another, too, and each operation runs over all of them.

    >>> one, other = np.array([7, 8, 9], np.uint64), np.array([7, 8], np.uint64)
    >>> made = make_documents([[one, other], [other]], k=2, w=1, base=np.zeros(0, np.uint64))
    >>> made.codes.tolist(), made.first.tolist(), made.positions.tolist()
    ([7, 8, 9, 0, 7, 8, 0, 7, 8, 0], [0, 4, 7, 10], [0, 1, 4, 7])
    >>> [document.size for document in made.split()]
    [5, 2]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from moss.engine.kgrams import covered, hash_kgrams, ranges
from moss.engine.winnowing import winnow_all
from moss.hashing import Hashes, Positions, among, distinct
from moss.model import Codes, TokenStream

BREAK = np.uint64(0)
"""The code behind each stream, which is no token. A real token has it with a chance of 1 in 2^64, and would merely
match nothing."""

HANDED_OUT = np.uint64(2**64 - 1)
"""The hash that stands for starter code, the largest: winnowing selects it only where there is nothing else."""

Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]
TokenPlaces = NDArray[np.int32]
"""Places of tokens that are kept for a whole class: half as large as other numbers of this program."""
_NO_HASHES = np.zeros(0, np.uint64)
_LONG = 1 << 15  # tokens of documents that take long to put in order
_BREAKS = np.array([BREAK])


@dataclass(frozen=True)
class Document:
    """The tokens of all files of one submission, and the fingerprints that winnowing selected."""

    codes: Codes
    first: Positions  # where each file begins in `codes`; one more entry than files, past the end
    hashes: Hashes  # of the fingerprints, without starter code
    positions: TokenPlaces  # of their first tokens, ascending
    base: Mask  # which tokens are starter code

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(self.codes) - len(self.first) + 1

    @cached_property
    def by_hash(self) -> tuple[Hashes, Positions]:
        """The fingerprints in the order of their hashes, of equal ones in that of their positions."""
        order = np.argsort(self.hashes, kind="stable")
        return self.hashes[order], self.positions[order].astype(np.int64)

    @cached_property
    def open_codes(self) -> Codes:
        """The codes, with breaks in place of starter code."""
        return np.where(self.base, BREAK, self.codes) if self.base.any() else self.codes

    def with_all_kgrams(self, k: int) -> Document:
        """This document with all its k-grams as fingerprints, not only those that winnowing selected, without those
        that have a break or starter code. A long document keeps it, to be put in order once for all its pairs."""
        if k in self._with_all_kgrams:
            return self._with_all_kgrams[k]
        until = np.concatenate(([0], np.cumsum(self.open_codes == BREAK)))
        positions = np.flatnonzero(until[k:] == until[:-k]).astype(np.int32)
        made = replace(self, hashes=hash_kgrams(self.open_codes, k)[positions], positions=positions)
        if len(self.codes) >= _LONG:
            self._with_all_kgrams[k] = made
        return made

    @cached_property
    def _with_all_kgrams(self) -> dict[int, Document]:
        return {}

    def in_own_runs_of(self, k: int) -> Mask:
        """Which tokens stand among at least k in a row that are not starter code."""
        obstacle = np.concatenate([[True], self.base | (self.codes == BREAK), [True]])
        edge = np.flatnonzero(obstacle)
        length = np.diff(edge) - 1  # how many tokens are behind each obstacle
        return (np.repeat(length, np.diff(edge)) >= k)[1:] & ~obstacle[1:-1] if len(self.codes) else self.base


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents one after another; positions and first tokens count from the beginning of the first of them."""

    streams: Counts  # of each document
    first: Positions  # where each stream begins in `codes`, one more entry than streams
    codes: Codes
    hashes: Hashes
    positions: TokenPlaces
    base: Mask

    def split(self) -> Iterator[Document]:
        """Each document; its arrays are views into these."""
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
    """The documents that have these streams of codes; `base` are the sorted hashes of all k-grams of starter code."""
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
        position = winnow_all(np.where(in_base, HANDED_OUT, h), w, begin, count)
        position = position[~in_base[position]]
        within = ranges(begin, count)
        handed_out = covered(within[in_base[within]], k, len(codes))
    numbers = np.array([len(document) for document in many], np.int64)
    return Documents(numbers, first, codes, h[position], position.astype(np.int32), handed_out)


def make_document(streams: Sequence[TokenStream], k: int, w: int, base: Hashes = _NO_HASHES) -> Document:
    """The document of one submission that has these files."""
    (document,) = make_documents([[stream.codes for stream in streams]], k, w, base).split()
    return document


def base_hashes(documents: Sequence[Document], k: int) -> Hashes:
    """The sorted hashes of every k-gram of starter code, not only of the winnowed ones: in other surroundings other
    k-grams are selected. (K-grams across a break are among them, and match nothing.)"""
    return distinct(np.concatenate([*(hash_kgrams(document.codes, k) for document in documents), _NO_HASHES]))
