"""Alignment: from shared fingerprints to exact, disjoint passages.

A **run** is a maximal stretch of equal tokens around a shared fingerprint. Tokens are compared, not hashes, so a hash
collision can never become an accusation. Runs may overlap each other; **tiles** (`moss.engine.tiles`) do not.
**Passages** are tiles that follow each other in both documents with small gaps, joined: an inserted statement does not
split a copy in two.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from moss.engine.documents import BREAK, Document
from moss.engine.seeds import find_seeds
from moss.engine.tiles import Tile, tile
from moss.engine.token_spans import FREE, TokenSpans
from moss.hashing import Hashes, Positions
from moss.model import Codes

_NOWHERE = np.zeros(0, np.int64)
_AT_ONCE = 1 << 16  # tokens that are compared at a time: bounds the memory


Passage = tuple[Tile, ...]


class DocumentPair(NamedTuple):
    """Two documents that are to be aligned; tokens that are `taken`, on either side, are in no passage."""

    a: Document
    b: Document
    taken: tuple[TokenSpans, TokenSpans] = (FREE, FREE)


def align(a: Document, b: Document, common: Hashes, k: int, gap: int, promised: int) -> list[Passage]:
    """The passages that two documents share, in the order of the first. `common` (sorted) are fingerprints that prove
    nothing. Of a shared run of `promised` tokens all tokens of one side are in passages (see `moss.engine.tiles`)."""
    (passages,) = align_all([DocumentPair(a, b)], common, k, gap, promised)
    return passages


def align_all(pairs: Sequence[DocumentPair], common: Hashes, k: int, gap: int, promised: int) -> list[list[Passage]]:
    """The same for each of several pairs. Programs are short, and an operation on an array costs about a microsecond
    however short the array is; so the pairs stand one after another, and runs are found in all of them at once. None
    reaches into the next pair, because every document ends with a break."""
    a = _in_line([(both.a, both.taken[0]) for both in pairs])
    b = _in_line([(both.b, both.taken[1]) for both in pairs])
    found = [find_seeds(both.a, both.b, common, k) for both in pairs]
    places = (
        np.concatenate([i + first for (i, _), first in zip(found, a.first[:-1], strict=True)]),
        np.concatenate([j + first for (_, j), first in zip(found, b.first[:-1], strict=True)]),
    )
    i, j, length = maximal_runs(a.codes, b.codes, places, k, (a.taken, b.taken))
    bounds = i.searchsorted(a.first)
    counts = np.diff(bounds)
    i, j = i - np.repeat(a.first[:-1], counts), j - np.repeat(b.first[:-1], counts)
    runs = list(map(Tile, i.tolist(), j.tolist(), length.tolist()))
    return [
        _passages(both, runs[begin:end], k, gap, promised)
        for both, (begin, end) in zip(pairs, pairwise(bounds.tolist()), strict=True)
    ]


class _Line(NamedTuple):
    """Documents one after another, and what of them is taken."""

    codes: Codes
    first: Positions  # where each begins, and where the last one ends
    taken: TokenSpans


def _in_line(documents: Sequence[tuple[Document, TokenSpans]]) -> _Line:
    codes = [document.open_codes for document, _ in documents]
    first = np.cumsum([0, *map(len, codes)])
    if len(documents) == 1:
        return _Line(codes[0], first, documents[0][1])
    starts = [taken.start + begin for (_, taken), begin in zip(documents, first[:-1], strict=True)]
    ends = [taken.end + begin for (_, taken), begin in zip(documents, first[:-1], strict=True)]
    return _Line(np.concatenate(codes), first, TokenSpans(np.concatenate(starts), np.concatenate(ends)))


def _passages(both: DocumentPair, runs: list[Tile], k: int, gap: int, promised: int) -> list[Passage]:
    if not runs:
        return []
    tiles = tile(runs, (len(both.a.codes), len(both.b.codes)), k, promised)
    return join(tiles, _obstacles(both.a, both.taken[0]), _obstacles(both.b, both.taken[1]), gap)


def _obstacles(document: Document, taken: TokenSpans) -> list[int]:
    """Where there is what no passage may cross: ends of files, and the first of tokens that are taken."""
    return sorted([*(document.first[1:] - 1).tolist(), *taken.start.tolist()])


def maximal_runs(
    a: Codes,
    b: Codes,
    places: tuple[Positions, Positions],
    k: int,
    taken: tuple[TokenSpans, TokenSpans],
) -> tuple[Positions, Positions, Positions]:
    """The maximal runs of equal tokens around these k-grams, without those shorter than k: where each begins in a and
    in b, ascending, and how long it is.

    k-grams on one diagonal, that is with the same distance between their places, may be in one run. Each is followed
    only to the next one of its diagonal, so no token is looked at twice; and nothing is looked at but what is around
    the k-grams, so two large documents that share little cost little.
    """
    i, j = _by_diagonals(a, places, k, taken)
    if not len(i):
        return _NOWHERE, _NOWHERE, _NOWHERE
    diagonal = j - i
    distance = np.minimum(len(a) - i, len(b) - j)
    follows = diagonal[1:] == diagonal[:-1]
    distance[:-1][follows] = (i[1:] - i[:-1])[follows]
    room = np.minimum(distance, np.minimum(taken[0].free_from(i), taken[1].free_from(j)))
    forward = _extension(a, b, i, j, room)
    goes_on = np.zeros(len(i) + 1, np.bool_)  # whether the run of the k-gram before has come to this one
    goes_on[1:-1] = follows & (forward == distance)[:-1]
    first, last = np.flatnonzero(~goes_on[:-1]), np.flatnonzero(~goes_on[1:])
    a_start, b_start, end = i[first], j[first], i[last] + forward[last]
    before = np.minimum(taken[0].free_before(a_start), taken[1].free_before(b_start))
    backward = _extension(a, b, a_start - 1, b_start - 1, before, step=-1)
    length = end - a_start + backward
    a_start, b_start = a_start - backward, b_start - backward
    order = np.lexsort((b_start, a_start))
    order = order[length[order] >= k]
    return a_start[order], b_start[order], length[order]


def _by_diagonals(
    a: Codes, places: tuple[Positions, Positions], k: int, taken: tuple[TokenSpans, TokenSpans]
) -> tuple[Positions, Positions]:
    """A token of each k-gram that can match, in a and in b, one diagonal after another: its first, or its last if it
    begins in base code or with a token that is taken, of which nothing may match."""
    inner = np.where((a.take(places[0]) == BREAK) | taken[0].contain(places[0]), k - 1, 0)
    i, j = places[0] + inner, places[1] + inner
    free = np.flatnonzero(~(taken[0].contain(i) | taken[1].contain(j)))
    i, j = i[free], j[free]
    order = np.lexsort((i, j - i))
    return i[order], j[order]


def _extension(a: Codes, b: Codes, i: Positions, j: Positions, room: Positions, step: int = 1) -> Positions:
    """How many tokens, at most `room`, are equal from a[i] and b[j] on (or back), for each pair of positions: looked at
    some at a time, and if all are equal twice as many."""
    length = np.zeros(len(i), np.int64)
    going = np.flatnonzero(room > 0)
    size = 16
    while len(going):
        ahead = np.arange(size)
        at = length[going][:, None] + ahead
        inside = at < room[going][:, None]
        at = np.minimum(at, room[going][:, None] - 1) * step
        ours = a.take(i[going][:, None] + at)
        equal = (ours == b.take(j[going][:, None] + at)) & inside & (ours != BREAK)
        count = np.where(equal.all(axis=1), size, equal.argmin(axis=1))
        length[going] += count
        going = going[count == size]
        size = min(2 * size, _AT_ONCE // max(1, len(going)) + 8)
    return length


def join(tiles: list[Tile], a_obstacles: list[int], b_obstacles: list[int], gap: int) -> list[Passage]:
    """The tiles, those joined that follow each other in both documents with at most `gap` tokens, and none of the
    obstacles (ascending), between them."""
    next_in_b = _successors(tiles)
    passages: list[list[Tile]] = []
    for t in tiles:
        last = passages[-1][-1] if passages else None
        if (
            last is not None
            and next_in_b.get(last) == t
            and t.a - last.a_end <= gap
            and t.b - last.b_end <= gap
            and bisect_left(a_obstacles, last.a_end) == bisect_left(a_obstacles, t.a)
            and bisect_left(b_obstacles, last.b_end) == bisect_left(b_obstacles, t.b)
        ):
            passages[-1].append(t)
        else:
            passages.append([t])
    return [tuple(passage) for passage in passages]


def _successors(tiles: list[Tile]) -> dict[Tile, Tile]:
    """For each tile the one that follows it in the second document."""
    by_b = sorted(tiles, key=lambda t: t.b)
    return dict(pairwise(by_b))


def split(passage: Passage, a_joints: Positions, b_joints: Positions) -> list[Passage]:
    """The passage cut where a joint of either document lies in or between its tiles."""
    if not len(a_joints) and not len(b_joints):
        return [passage]
    pieces: list[list[Tile]] = []
    for t in passage:
        cuts = {int(j) - t.a for j in a_joints if t.a < j < t.a_end} | {
            int(j) - t.b for j in b_joints if t.b < j < t.b_end
        }
        for start, end in pairwise([0, *sorted(cuts), t.length]):
            part = Tile(t.a + start, t.b + start, end - start)
            last = pieces[-1][-1] if pieces else None
            if last and not (_between(last.a_end, part.a, a_joints) or _between(last.b_end, part.b, b_joints)):
                pieces[-1].append(part)
            else:
                pieces.append([part])
    return [tuple(piece) for piece in pieces]


def _between(end: int, start: int, joints: Positions) -> bool:
    """Whether a joint lies between one token's end and another's start."""
    return bool(((joints >= end) & (joints <= start)).any())
