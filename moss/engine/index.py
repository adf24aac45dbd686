"""The index: from each fingerprint to the documents that have it, as sorted arrays.

>>> from moss.engine.documents import make_document
>>> from moss.model import TokenStream
>>> def document(*codes: int) -> Document:
...     places = np.arange(len(codes))
...     return make_document([TokenStream(np.array(codes, np.uint64), places, places + 1)], 2, 1)
>>> index = build_index([document(7, 8), document(7, 8, 9), document(8, 9)], np.arange(3))
>>> sorted(index.having(i).tolist() for i in range(len(index.hashes)))
[[0, 1], [1, 2]]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moss.engine.documents import Document
from moss.engine.sort_order import ascending
from moss.engine.union_find import components
from moss.hashing import Hashes, HashFilter, Positions, distinct
from moss.model import Codes

_TOGETHER = 512  # documents whose fingerprints are looked at together: bounds the memory


class Index(NamedTuple):
    """For the i-th of the sorted, distinct hashes, `documents[first[i]:first[i+1]]` have it, in ascending order."""

    hashes: Hashes
    first: Positions
    documents: NDArray[np.int32]
    authors: NDArray[np.int64]  # how many independent authors have each hash

    def having(self, i: int) -> NDArray[np.int32]:
        """The documents that have the i-th hash."""
        return self.documents[self.first[i] : self.first[i + 1]]

    def having_most(self, passages: Sequence[Hashes], documents: int) -> list[list[int]]:
        """For each passage, given by its fingerprints, which of the `documents` have more than half of them. All
        fingerprints are in the index. Memory is proportional to passages times documents."""
        sizes = np.array([len(hashes) for hashes in passages])
        at = self.hashes.searchsorted(np.concatenate(passages))
        first = self.first.take(at)
        entries = self.first.take(at + 1) - first
        shift = first - (np.cumsum(entries) - entries)  # from a place among all entries to its place in `documents`
        found = self.documents.take(np.repeat(shift, entries) + np.arange(int(entries.sum())))
        passage = np.repeat(np.repeat(np.arange(len(passages)), sizes), entries)
        counts = np.bincount(passage * documents + found, minlength=len(passages) * documents)
        most = np.flatnonzero(2 * counts > np.repeat(sizes, documents))
        limits = most.searchsorted(np.arange(len(passages) + 1) * documents).tolist()
        which = (most % documents).tolist()
        return [which[i:j] for i, j in pairwise(limits)]

    def rare_pairs(self, most: int, documents: int) -> Positions:
        """The pairs that share a hash which at most `most` of the documents have, each once, ascending; a pair (i, j)
        is the number i · documents + j."""
        found = [np.zeros(0, np.int64)]
        sizes = self.sizes
        for size in range(2, most + 1):
            having = self.documents[self.first[:-1][sizes == size][:, None] + np.arange(size)].astype(np.int64)
            i, j = np.triu_indices(size, 1)
            found.append(distinct((having[:, i] * documents + having[:, j]).ravel()))
        return distinct(np.concatenate(found))

    @property
    def sizes(self) -> Positions:
        """How many documents have each hash."""
        return np.diff(self.first)


def build_index(documents: Sequence[Document], author: NDArray[np.int64], only: Hashes | None = None) -> Index:
    """The index of all documents; `author` numbers their independent authors (see `independent_authors`). If sorted
    hashes are given, it has `only` these."""
    hashes, owner = _occurrences(documents, only)
    order = ascending(hashes)
    hashes = hashes[order]
    starts = np.ones(len(hashes), np.bool_)
    starts[1:] = hashes[1:] != hashes[:-1]
    group = np.cumsum(starts) - 1
    hashes = hashes[starts]
    owner = owner.take(order)  # of one hash in ascending order
    once = starts.copy()
    np.logical_or(starts[1:], owner[1:] != owner[:-1], out=once[1:])
    group, owner = group.compress(once), owner.compress(once)
    first = np.append(np.flatnonzero(starts.compress(once)), len(group))
    return Index(hashes, first, owner, count_authors(group, owner, author, len(hashes)))


def _occurrences(documents: Sequence[Document], only: Hashes | None) -> tuple[Hashes, NDArray[np.int32]]:
    """The fingerprints of one document after another, and the number of each one's document."""
    found = [(np.zeros(0, np.uint64), np.zeros(0, np.int32))]
    wanted = None if only is None else HashFilter(only)
    for first in range(0, len(documents), _TOGETHER):
        some = [document.hashes for document in documents[first : first + _TOGETHER]]
        owner = np.arange(first, first + len(some), dtype=np.int32).repeat([len(hashes) for hashes in some])
        hashes = np.concatenate(some)
        if wanted is not None:
            which = wanted.which(hashes)
            hashes, owner = hashes.take(which), owner.take(which)
        found.append((hashes, owner))
    return np.concatenate([hashes for hashes, _ in found]), np.concatenate([owner for _, owner in found])


def count_authors(
    group: Positions, document: NDArray[np.int32], author: NDArray[np.int64], groups: int = 0
) -> NDArray[np.int64]:
    """How many different authors are in each group of documents. Entry i says that `document[i]` is in `group[i]`;
    there are at least `groups` groups. Few authors have several documents, so only theirs are sorted."""
    count = np.bincount(group, minlength=groups)
    several = np.flatnonzero((np.bincount(author)[author] > 1)[document])
    width = int(author.max(initial=0)) + 1
    pairs = np.sort(group[several] * width + author[document[several]])
    again = pairs[1:][pairs[1:] == pairs[:-1]] // width
    return count - np.bincount(again, minlength=len(count))


def independent_authors(owners: Sequence[str], documents: Sequence[Document]) -> NDArray[np.int64]:
    """A number for each document's author, the same for documents of one owner and for documents with equal tokens.

    Identical submissions must not make their own passages look common: however many hand in the same text, it was
    written once.
    """
    return authors_of(owners, [(document.codes,) if document.size else () for document in documents])


def authors_of(owners: Sequence[str], contents: Sequence[Sequence[Codes]]) -> NDArray[np.int64]:
    """A number for each submission's author, the same for submissions of one owner and for those whose contents are
    equal if they are joined; submissions without any are not alike.

    >>> x, y = np.array([7], np.uint64), np.array([8], np.uint64)
    >>> authors_of(["ada", "bo", "ada", "cy", "di"], [[x], [y, y], [y, y], [], []]).tolist()
    [0, 0, 0, 1, 2]
    """
    number = {owner: i for i, owner in enumerate(dict.fromkeys(owners))}
    mine = [number[owner] for owner in owners]
    alike: dict[tuple[int, int], list[int]] = {}  # the submissions of so many codes with the same sum
    for i, parts in enumerate(contents):
        if parts:
            alike.setdefault((sum(map(len, parts)), sum(int(part.sum()) for part in parts) % (1 << 64)), []).append(i)
    links: list[tuple[int, int]] = []
    for some in alike.values():
        first: dict[bytes, int] = {}  # the first owner of each content
        if len(some) > 1:  # of most contents there is one, which need not be looked at
            links += ((first.setdefault(_joined(contents[i]), mine[i]), mine[i]) for i in some)
    a, b = np.array(links, np.int64).reshape(-1, 2).T
    root = components(len(number), a, b)[mine]
    return distinct(root).searchsorted(root)


def _joined(parts: Sequence[Codes]) -> bytes:
    return b"".join(part.tobytes() for part in parts)


@dataclass(frozen=True, slots=True)
class Layer:
    """All submissions' documents in one channel with the same thresholds, as far as somebody asks for them."""

    index: Index
    common: Hashes  # the fingerprints of the index that too many authors have, sorted


def make_layer(
    owners: Sequence[str], documents: Sequence[Document], max_matches: int, asked: Sequence[Document] | None = None
) -> Layer:
    """The layer of these documents; a fingerprint of more than `max_matches` authors is common. If only the
    fingerprints of some documents will be `asked` for, the index has no others, which in a large class saves nearly all
    of the work."""
    only = (
        None if asked is None else distinct(np.concatenate([*(each.hashes for each in asked), np.zeros(0, np.uint64)]))
    )
    index = build_index(documents, independent_authors(owners, documents), only)
    return Layer(index, index.hashes[index.authors > max_matches])
