"""Postings: for each fingerprint of a view the list of submissions that have it, made by sorting whole numbers once.

A fingerprint and the number of its submission are packed into one number, the submission in the lowest bits; sorted,
equal fingerprints stand together. The few bits of the hash that are lost make two fingerprints one in a class out of
many thousands, and shift a score by next to nothing when they do: scores only rank, passages are compared token by
token.

It counts how often a submission has a fingerprint: the second and the third occurrence are in lists of their own, and
weigh as much as the first. A fingerprint that is repeated more often is a habit or a table, and counts no further.

    >>> hashes = np.array([1 << 60, 2 << 60, 1 << 60, 1 << 60, 1 << 60, 3 << 60], np.uint64)
    >>> lists, authors = make_postings([Bags(hashes, np.array([2, 3, 1]), np.arange(3))], author=np.arange(3))
    >>> [part.tolist() for part in np.split(lists.documents, lists.first[1:-1])], authors.tolist()
    ([[0, 1], [1], [1]], [2])
    >>> lists.alone.tolist()  # fingerprints 2 and 3 are in one document each
    [1, 0, 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from sys import maxsize
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.engine.index import count_authors
from moss.engine.ranking.bags import Bags
from moss.hashing import Hashes

Counts = NDArray[np.int64]
_SLICE = 1 << 18  # occurrences that are looked at together: what is made of them stays in the processor's cache
_PARTS = 64  # times that the bags are read, at most
MOST = 8  # occurrences of one fingerprint in one submission that count


class Postings(NamedTuple):
    """The i-th list is `documents[first[i]:first[i+1]]`, ascending, and of the fingerprint number `fingerprint[i]`.

    Most fingerprints are in one document alone. These need no list; only how many each document has.
    """

    first: Counts
    documents: NDArray[np.int32]
    fingerprint: Counts
    alone: Counts  # how many occurrences each document has of fingerprints that no other document has

    @property
    def sizes(self) -> Counts:
        """How many documents are in each list."""
        return np.diff(self.first)

    def totals(self, weights: Counts, alone: int) -> Counts:
        """For each document the summed weights of its lists and of fingerprints that no other document has, each of
        which counts `alone`. The sums are of whole numbers far below 2^53, so they are exact."""
        listed = np.bincount(self.documents, np.repeat(weights, self.sizes), len(self.alone))
        return listed.astype(np.int64) + alone * self.alone


def make_postings(
    bags: Sequence[Bags], author: Counts, most: int | None = None, room: int = maxsize
) -> tuple[Postings, Counts]:
    """The lists of all occurrences, and how many authors have each fingerprint that is in a list. Fingerprints of more
    than `most` authors have no lists. `author` numbers the authors of all submissions. The bags are read as often as is
    needed to sort them in about `room` bytes."""
    bits = bits_of(len(author))
    alone = np.zeros(len(author), np.int64)
    parts: list[_Part] = []
    documents = fingerprints = 0
    for some in (some for packed in _sorted(bags, bits, room) for some in _slices(packed, bits)):
        part = _make_part(some, bits, author, alone, most)
        part.first += documents
        part.fingerprint += fingerprints
        documents, fingerprints = documents + len(part.documents), fingerprints + len(part.authors)
        parts.append(part)
    return (
        Postings(
            np.concatenate([*(part.first for part in parts), [documents]]),
            np.concatenate([*(part.documents for part in parts), np.zeros(0, np.int32)]),
            np.concatenate([*(part.fingerprint for part in parts), np.zeros(0, np.int64)]),
            alone,
        ),
        np.concatenate([*(part.authors for part in parts), np.zeros(0, np.int64)]),
    )


def bits_of(submissions: int) -> int:
    """The bits that the number of a submission needs, and that the hashes of a class of so many lose."""
    return max(1, (submissions - 1).bit_length())


def _slices(packed: Hashes, bits: int) -> Iterator[Hashes]:
    """The sorted numbers in slices, which bound the memory; no fingerprint is in two of them."""
    first = 0
    while first < len(packed):
        last = min(first + _SLICE, len(packed)) - 1
        end = int(np.searchsorted(packed, packed[last] | np.uint64((1 << bits) - 1), side="right"))
        yield packed[first:end]
        first = end


@dataclass(slots=True)
class _Part:
    """The lists of some fingerprints."""

    first: Counts
    documents: NDArray[np.int32]
    fingerprint: Counts
    authors: Counts


def _make_part(packed: Hashes, bits: int, author: Counts, alone: Counts, most: int | None) -> _Part:
    """The lists of the fingerprints in a slice, first occurrences before second ones; `alone` grows by how many each
    document has that no other has."""
    single = _singles(packed, bits)
    alone += np.bincount((packed.compress(single) & np.uint64((1 << bits) - 1)).view(np.int64), minlength=len(alone))
    document, count, begins = _entries(packed.compress(~single), bits)
    having = np.diff(begins, append=len(document))  # how many documents have each fingerprint
    shared = np.repeat(having > 1, having)
    alone += np.bincount(document[~shared], count[~shared], len(alone)).astype(np.int64)
    document, count, having = document[shared], count[shared], having[having > 1]
    fingerprint = np.repeat(np.arange(len(having)), having)
    authors = count_authors(fingerprint, document, author)
    if most is not None and (common := authors > most).any():
        rare = np.repeat(~common, having)
        document, count, having, authors = document[rare], count[rare], having[~common], authors[~common]
        fingerprint = np.repeat(np.arange(len(having)), having)
    levels = [np.flatnonzero(count > level) for level in range(1, int(count.max(initial=1)))]
    firsts = [np.cumsum(having) - having]
    places = len(document)
    for entry in levels:
        firsts.append(np.flatnonzero(_changes(fingerprint[entry])) + places)
        places += len(entry)
    first = np.concatenate(firsts)
    documents = np.concatenate([document, *(document[entry] for entry in levels)])
    numbers = np.concatenate([fingerprint, *(fingerprint[entry] for entry in levels)])[first]
    return _Part(first, documents, numbers, authors)


def _sorted(bags: Sequence[Bags], bits: int, room: int) -> Iterator[Hashes]:
    """All fingerprints, each with the number of its submission in its last bits, sorted, in arrays of about `room`
    bytes at most: first those that begin with the smallest bits, then the next, and so on."""
    size = sum(len(some.hashes) for some in bags)
    wanted = min(_PARTS, max(1, 8 * size // max(1, room)))
    parts = 1 << (wanted - 1).bit_length()  # hashes fall equally often into each
    if parts == 1:
        yield _packed(bags, bits)
        return
    shift = np.uint64(65 - parts.bit_length())
    for part in range(parts):
        yield _packed([some.where(some.hashes >> shift == np.uint64(part)) for some in bags], bits)


def _packed(bags: Sequence[Bags], bits: int) -> Hashes:
    """These fingerprints, each with the number of its submission in its last bits, sorted."""
    packed = np.empty(sum(len(some.hashes) for some in bags), np.uint64)
    at = 0
    for some in bags:
        here = packed[at : at + len(some.hashes)]
        np.bitwise_and(some.hashes, np.uint64((1 << 64) - (1 << bits)), out=here)
        here |= some.submissions.astype(np.uint64)
        at += len(here)
    packed.sort()
    return packed


def _singles(packed: Hashes, bits: int) -> NDArray[np.bool_]:
    """Which fingerprints occur once in the whole class, as most do."""
    equal = np.zeros(len(packed) + 1, np.bool_)  # to the one before
    np.less(packed[1:] ^ packed[:-1], np.uint64(1 << bits), out=equal[1:-1])
    return ~(equal[1:] | equal[:-1])


def _entries(packed: Hashes, bits: int) -> tuple[NDArray[np.int32], NDArray[np.int32], Counts]:
    """Each fingerprint of each document once: the document, how often it has it; and where each fingerprint begins."""
    differ = packed[1:] ^ packed[:-1]
    entry = np.flatnonzero(np.concatenate([np.ones(min(1, len(packed)), np.bool_), differ != 0]))
    document = (packed[entry] & np.uint64((1 << bits) - 1)).astype(np.int32)
    count = np.minimum(np.diff(entry, append=len(packed)), MOST).astype(np.int32)
    another = np.ones(len(entry), np.bool_)
    another[1:] = differ[entry[1:] - 1] >> np.uint64(bits) != 0
    return document, count, np.flatnonzero(another)


def _changes(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a value differs from the one before; the first always does."""
    result = np.ones(len(values), np.bool_)
    result[1:] = values[1:] != values[:-1]
    return result
