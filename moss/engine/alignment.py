"""Alignment: from shared fingerprints to exact, disjoint passages.

A **run** is as many equal tokens in a row as there are around a shared fingerprint. Tokens are compared, not hashes, so
a hash collision can never become an accusation. Runs may overlap each other; **tiles** (`moss.engine.tiles`) do not.
**Passages** are tiles that follow each other in both documents with small gaps, joined: an inserted statement does not
split a copy in two.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from moss.engine.documents import Document
from moss.engine.promise import keep
from moss.engine.runs import DocumentPair, all_runs, broken_runs, maximal_runs
from moss.engine.seeds import find_seeds, repeated
from moss.engine.tiles import Tile, Tiling
from moss.engine.token_spans import TokenSpans
from moss.hashing import Hashes, Positions
from moss.model import Codes

WORK = 1 << 24  # to keep the promise for one pair, about half a second: bounds the time for hostile documents
_TOKEN = 1 << 6  # units of work that it costs to find all runs, for each token of the shorter document
_TURNS = 4  # in which runs are looked for that a tiling does not show because not all places were tried

Passage = tuple[Tile, ...]


def align(a: Document, b: Document, common: Hashes, k: int, gap: int, promised: int) -> list[Passage]:
    """The passages that two documents share, in the order of the first. `common` (sorted) are fingerprints that prove
    nothing. Of a shared run of `promised` tokens all tokens of one side are in passages (see `moss.engine.promise`)."""
    (passages,) = align_all([DocumentPair(a, b)], common, k, gap, promised)
    return passages


def align_all(pairs: Sequence[DocumentPair], common: Hashes, k: int, gap: int, promised: int) -> list[list[Passage]]:
    """The passages of each of several pairs. Programs are short, and an operation on an array costs about a microsecond
    however short the array is; so the pairs stand one after another, and runs are found in all of them at once. None
    reaches into the next pair, because every document ends with a break."""
    a = _concatenated([(both.a, both.taken[0]) for both in pairs])
    b = _concatenated([(both.b, both.taken[1]) for both in pairs])
    found = [find_seeds(both.a, both.b, common, k) for both in pairs]
    places = (
        np.concatenate([seeds.here + first for seeds, first in zip(found, a.first[:-1], strict=True)]),
        np.concatenate([seeds.there + first for seeds, first in zip(found, b.first[:-1], strict=True)]),
    )
    runs = _runs_of_each(a, b, places, k)
    here, there = repeated(a.codes, places, k, promised - k + 1)
    of_one_pair = a.first.searchsorted(here, side="right") == b.first.searchsorted(there, side="right")
    more = _runs_of_each(a, b, (here[of_one_pair], there[of_one_pair]), k)
    return [
        _passages(both, _tile(both, (ours, others), seeds.are_all, common, k, promised), gap)
        for both, seeds, ours, others in zip(pairs, found, runs, more, strict=True)
    ]


class _ConcatenatedDocuments(NamedTuple):
    """Documents one after another, and the tokens of them that are taken."""

    codes: Codes
    first: Positions  # where each begins, and where the last one ends
    taken: TokenSpans


def _concatenated(documents: Sequence[tuple[Document, TokenSpans]]) -> _ConcatenatedDocuments:
    codes = [document.open_codes for document, _ in documents]
    first = np.cumsum([0, *map(len, codes)])
    if len(documents) == 1:
        return _ConcatenatedDocuments(codes[0], first, documents[0][1])
    starts = [taken.start + begin for (_, taken), begin in zip(documents, first[:-1], strict=True)]
    ends = [taken.end + begin for (_, taken), begin in zip(documents, first[:-1], strict=True)]
    return _ConcatenatedDocuments(
        np.concatenate(codes), first, TokenSpans(np.concatenate(starts), np.concatenate(ends))
    )


def _runs_of_each(
    a: _ConcatenatedDocuments, b: _ConcatenatedDocuments, places: tuple[Positions, Positions], k: int
) -> list[list[Tile]]:
    """The runs of each pair around these places."""
    i, j, length = maximal_runs(a.codes, b.codes, places, k, (a.taken, b.taken))
    bounds = i.searchsorted(a.first)
    counts = np.diff(bounds)
    i, j = i - np.repeat(a.first[:-1], counts), j - np.repeat(b.first[:-1], counts)
    runs = list(map(Tile, i.tolist(), j.tolist(), length.tolist()))
    return [runs[begin:end] for begin, end in pairwise(bounds.tolist())]


def _tile(
    both: DocumentPair, found: tuple[list[Tile], list[Tile]], are_all: bool, common: Hashes, k: int, promised: int
) -> list[Tile]:
    """Tiles of runs that were found at two kinds of places, those of the second where the first leave room; if there
    may be more runs than these, also of those that the tiles break."""
    if not any(found):
        return []
    tiling = Tiling((len(both.a.codes), len(both.b.codes)), k)
    for runs in found:
        tiling.fill(runs)
    runs = sorted({*found[0], *found[1]}) if found[1] else found[0]
    others = lru_cache(lambda: all_runs(both, common, k))
    work = WORK - _TOKEN * min(len(both.a.codes), len(both.b.codes))
    for turn in range(_TURNS):
        work = keep(tiling, runs, promised, others, work)
        lost = [] if are_all else broken_runs(both, common, k, promised, (tiling.free(0), tiling.free(1)), turn)
        if not lost:
            break
        if work > 0:
            runs = sorted({*runs, *lost})
        tiling.fill(lost)
    return tiling.tiles


def _passages(both: DocumentPair, tiles: list[Tile], gap: int) -> list[Passage]:
    return join(tiles, _obstacles(both.a, both.taken[0]), _obstacles(both.b, both.taken[1]), gap)


def _obstacles(document: Document, taken: TokenSpans) -> list[int]:
    """The positions that no passage may cross: ends of files, and starts of spans that are taken."""
    return sorted([*(document.first[1:] - 1).tolist(), *taken.start.tolist()])


def join(tiles: list[Tile], a_obstacles: list[int], b_obstacles: list[int], gap: int) -> list[Passage]:
    """Passages of these tiles: tiles that follow each other in both documents are joined, if at most `gap` tokens and
    none of the (ascending) obstacles are between them.

    >>> join([Tile(0, 0, 5), Tile(6, 7, 4), Tile(30, 40, 9)], [], [], gap=3)
    [(Tile(a=0, b=0, length=5), Tile(a=6, b=7, length=4)), (Tile(a=30, b=40, length=9),)]
    """
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
    """Whether a joint lies between the end of one token and the start of another."""
    return bool(((joints >= end) & (joints <= start)).any())
