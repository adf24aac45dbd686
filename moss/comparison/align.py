"""The alignment of pairs: from two scanned submissions to the passages and figures that a reader sees.

Layers are aligned one after another, own channels first. Tokens that are in a passage of one layer are taken: the next
layer adds only passages elsewhere, so no two regions of a pair overlap. Token positions become character offsets here,
and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from moss.comparison.scanned_files import LayerKey, Located, ScannedSubmission
from moss.engine.alignment import Passage, align_all, split
from moss.engine.documents import Document
from moss.engine.kgrams import covered, ranges
from moss.engine.runs import DocumentPair
from moss.engine.tiles import Tile
from moss.engine.token_spans import FREE, TokenSpans, token_spans
from moss.hashing import Hashes, Positions, among
from moss.model import EqualRun

_NOTHING = np.zeros(0, np.uint64)


class PassageSide(NamedTuple):
    """One side of a passage: a file, and the span from the first matched token to the last."""

    file: int
    start: int
    end: int


class SharedPassage(NamedTuple):
    """A passage that two submissions share."""

    key: LayerKey
    a: PassageSide
    b: PassageSide
    tokens: int
    runs: tuple[EqualRun, ...]
    hashes: Hashes  # the fingerprints in it that both have


class PairFigures(NamedTuple):
    """The figures of a pair: passages, largest first, and on each side the matched and the countable tokens."""

    passages: tuple[SharedPassage, ...]
    matched: tuple[int, int]
    countable: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PairAligner:
    """Aligns pairs of submissions, given the common fingerprints of each layer. Counts of a document are made once for
    all its pairs."""

    common: Mapping[LayerKey, Hashes]
    _tallies: dict[int, _Tally] = field(default_factory=dict)  # by the id of the document

    def __call__(self, pairs: Sequence[tuple[ScannedSubmission, ScannedSubmission]]) -> list[PairFigures]:
        """The figures of each pair; the pairs are aligned together."""
        passages: list[list[SharedPassage]] = [[] for _ in pairs]
        for key in layer_order({key for a, b in pairs for key in a.layers.keys() & b.layers.keys()}):
            numbers = [number for number, (a, b) in enumerate(pairs) if key in a.layers and key in b.layers]
            located = [(pairs[number][0].layers[key], pairs[number][1].layers[key]) for number in numbers]
            found = self._align(key, located, [passages[number] for number in numbers])
            for number, some in zip(numbers, found, strict=True):
                passages[number] += some
        return [self._figures(*both, found) for both, found in zip(pairs, passages, strict=True)]

    def _align(
        self, key: LayerKey, located: Sequence[tuple[Located, Located]], taken: Sequence[Sequence[SharedPassage]]
    ) -> list[list[SharedPassage]]:
        """The passages of each pair in a layer, apart from tokens that are taken."""
        thresholds = key.thresholds
        pairs = [
            DocumentPair(
                a.document,
                b.document,
                (
                    tokens_touching(a, [(p.a.file, p.a.start, p.a.end) for p in passages]),
                    tokens_touching(b, [(p.b.file, p.b.start, p.b.end) for p in passages]),
                ),
            )
            for (a, b), passages in zip(located, taken, strict=True)
        ]
        found = align_all(
            pairs, self.common.get(key, _NOTHING), thresholds.noise, thresholds.passage, thresholds.promised
        )
        return [
            _shared(key, a, b, [p for p in passages if sum(tile.length for tile in p) >= thresholds.passage])
            for (a, b), passages in zip(located, found, strict=True)
        ]

    def _figures(self, a: ScannedSubmission, b: ScannedSubmission, passages: list[SharedPassage]) -> PairFigures:
        passages.sort(key=lambda p: (-p.tokens, p.a.file, p.a.start))
        a_matched, a_countable = self._count(a, [(p.a.file, [(r.a_start, r.a_end) for r in p.runs]) for p in passages])
        b_matched, b_countable = self._count(b, [(p.b.file, [(r.b_start, r.b_end) for r in p.runs]) for p in passages])
        return PairFigures(tuple(passages), (a_matched, b_matched), (a_countable, b_countable))

    def _count(self, side: ScannedSubmission, runs: list[tuple[int, list[tuple[int, int]]]]) -> tuple[int, int]:
        """How many tokens of a submission are matched, and how many count: those and all others that could be
        matched."""
        spans = [(file, start, end) for file, pairs in runs for start, end in pairs]
        matched = countable = 0
        for key, located in side.layers.items():
            if key.own:
                tally = self._tally(key, located.document)
                inside = tokens_inside(located, spans)
                ours = inside.sum(tally.own)
                matched += ours
                countable += ours + int(tally.possible[-1]) - inside.sum(tally.possible)
        return matched, countable

    def _tally(self, key: LayerKey, document: Document) -> _Tally:
        if id(document) not in self._tallies:
            self._tallies[id(document)] = _tally(document, key.thresholds.noise, self.common.get(key, _NOTHING))
        return self._tallies[id(document)]


class _Tally(NamedTuple):
    """Running counts (before each token, and in all) of tokens that are not starter code, and of those that could be
    matched: neither common nor among fewer than k between starter code."""

    own: Positions
    possible: Positions


def _tally(document: Document, k: int, common: Hashes) -> _Tally:
    is_common = covered(document.positions[among(document.hashes, common)], k, len(document.codes))
    possible = document.in_own_runs_of(k) & ~is_common
    return _Tally(np.append(0, np.cumsum(~document.base)), np.append(0, np.cumsum(possible)))


def layer_order(keys: set[LayerKey]) -> list[LayerKey]:
    """The layers in the order of alignment: own channels before the shared one, structure before text, then the
    coarser."""
    return sorted(keys, key=lambda key: (not key.own, key.channel, -key.thresholds.noise, key.thresholds.guarantee))


def _shared(key: LayerKey, a: Located, b: Located, passages: Sequence[Passage]) -> list[SharedPassage]:
    """The passages in characters, cell by cell."""
    if not passages:
        return []
    hashes = _fingerprints(key, a.document, b.document, passages)
    pieces = [(p, h) for passage, h in zip(passages, hashes, strict=True) for p in split(passage, a.joints, b.joints)]
    runs = _runs(a, b, [tile for piece, _ in pieces for tile in piece])
    a_files, b_files = a.files_of([p[0].a for p, _ in pieces]), b.files_of([p[0].b for p, _ in pieces])
    return [
        _piece(key, (a_file, b_file), piece, tuple(islice(runs, len(piece))), found)
        for a_file, b_file, (piece, found) in zip(a_files, b_files, pieces, strict=True)
    ]


def _fingerprints(key: LayerKey, a: Document, b: Document, passages: Sequence[Passage]) -> list[Hashes]:
    """The fingerprints of each passage that both sides have."""
    tiles = np.array([(tile.a, tile.a_end - key.thresholds.noise + 1) for passage in passages for tile in passage])
    begin, end = a.positions.searchsorted(tiles).T
    found = a.hashes.take(ranges(begin, end - begin))
    passage = np.repeat(np.arange(len(passages)), [len(passage) for passage in passages]).repeat(end - begin)
    both = among(found, b.by_hash[0])
    found, passage = found.compress(both), passage.compress(both)
    order = np.lexsort((found, passage))
    found, passage = found.take(order), passage.take(order)
    once = np.ones(len(found), np.bool_)
    once[1:] = (found[1:] != found[:-1]) | (passage[1:] != passage[:-1])
    found, passage = found.compress(once), passage.compress(once)
    bounds = passage.searchsorted(np.arange(len(passages) + 1)).tolist()
    return [found[begin:end] for begin, end in pairwise(bounds)]


def _runs(a: Located, b: Located, tiles: Sequence[Tile]) -> Iterator[EqualRun]:
    """The tiles in characters."""
    i, j, length = np.array(tiles).T
    places = a.start[i], a.end[i + length - 1], b.start[j], b.end[j + length - 1]
    return map(EqualRun, *(place.tolist() for place in places))


def _piece(
    key: LayerKey, files: tuple[int, int], piece: Passage, runs: tuple[EqualRun, ...], hashes: Hashes
) -> SharedPassage:
    return SharedPassage(
        key,
        PassageSide(files[0], runs[0].a_start, runs[-1].a_end),
        PassageSide(files[1], runs[0].b_start, runs[-1].b_end),
        sum(tile.length for tile in piece),
        runs,
        hashes,
    )


Regions = Sequence[tuple[int, int, int]]


def tokens_inside(located: Located, regions: Regions) -> TokenSpans:
    """The tokens that lie wholly in one of these (file, start, end)."""
    if not regions:
        return FREE
    tokens = located.concatenated
    starts, ends = tokens.places(regions)
    return _between(tokens.start.searchsorted(starts), tokens.end.searchsorted(ends, side="right"))


def tokens_touching(located: Located, regions: Regions) -> TokenSpans:
    """The tokens that have a character in one of these (file, start, end)."""
    if not regions:
        return FREE
    tokens = located.concatenated
    starts, ends = tokens.places(regions)
    return _between(tokens.end.searchsorted(starts, side="right"), tokens.start.searchsorted(ends))


def _between(first: Positions, behind: Positions) -> TokenSpans:
    return token_spans(zip(first.tolist(), behind.tolist(), strict=True))
