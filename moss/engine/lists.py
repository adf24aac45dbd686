"""Lists: from each fingerprint of a view to the submissions that have it, made by sorting whole numbers once.

A fingerprint and the number of its submission are packed into one number, the latter below; sorted, these stand in
lists. The few bits of the hash that go lost make two fingerprints one in a class out of many thousands, and shift a
score by next to nothing if they do: scores only rank, passages are compared token by token.

How often a submission has a fingerprint counts: its second, its third occurrence are in lists of their own, and weigh
as much as the first. What is repeated more often than a few times is a habit or a table, and counts no further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.hashing import Hashes

Counts = NDArray[np.int64]
_MOST = 8  # occurrences of one fingerprint in one submission that count


@dataclass(frozen=True, slots=True)
class Lists:
    """The i-th list is `documents[first[i]:first[i+1]]`, ascending, and of the fingerprint number `fingerprint[i]`."""

    first: Counts
    documents: Counts
    fingerprint: Counts

    @property
    def sizes(self) -> Counts:
        """How many documents are in each list."""
        return np.diff(self.first)


def make_lists(traces: Sequence[Hashes], author: Counts) -> tuple[Lists, Counts]:
    """The lists of all occurrences, first ones before second ones; and how many authors have each fingerprint."""
    packed = np.sort(_packed(traces))
    new = np.flatnonzero(_changes(packed))
    count = np.minimum(np.diff(np.append(new, len(packed))), _MOST)
    bits = np.uint64(_bits(traces))
    document = (packed[new] & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    fingerprint = np.cumsum(_changes(packed[new] >> bits)) - 1
    levels = [np.flatnonzero(count > level) for level in range(int(count.max(initial=0)))]
    entry = np.concatenate([*levels, np.zeros(0, np.int64)])
    level = np.repeat(np.arange(len(levels)), [len(found) for found in levels])
    starts = _changes(fingerprint[entry]) | _changes(level)
    first = np.append(np.flatnonzero(starts), len(entry))
    lists = Lists(first, document[entry], fingerprint[entry[first[:-1]]])
    return lists, _authors(fingerprint, document, author)


def _bits(traces: Sequence[Hashes]) -> int:
    """How many bits a submission's number needs."""
    return max(1, (len(traces) - 1).bit_length())


def _packed(traces: Sequence[Hashes]) -> Hashes:
    bits = np.uint64(_bits(traces))
    hashes = np.concatenate([*traces, np.zeros(0, np.uint64)])
    numbers = np.repeat(np.arange(len(traces), dtype=np.uint64), [len(found) for found in traces])
    return (hashes >> bits << bits) | numbers


def _changes(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a value differs from the one before; the first always does."""
    result = np.ones(len(values), np.bool_)
    result[1:] = values[1:] != values[:-1]
    return result


def _authors(fingerprint: Counts, document: Counts, author: Counts) -> Counts:
    """How many authors have each fingerprint; few have several submissions, so only theirs are looked at."""
    count = np.bincount(fingerprint)
    several = np.flatnonzero((np.bincount(author)[author] > 1)[document])
    width = int(author.max(initial=0)) + 1
    pairs = np.sort(fingerprint[several] * width + author[document[several]])
    again = pairs[1:][pairs[1:] == pairs[:-1]] // width
    return count - np.bincount(again, minlength=len(count))
