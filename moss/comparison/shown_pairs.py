"""Showing: the best pairs, aligned and described, on all cores.

The processes that do it inherit all that was read; what comes back is what a reader sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from frontends.frontend import WORDS
from moss.comparison.align import PairAligner, layer_order
from moss.comparison.describe import describe_pair
from moss.comparison.rank import Ranked, RankedPair
from moss.comparison.scanned_files import LayerKey, ScannedSubmission
from moss.engine.documents import Document, make_document
from moss.engine.index import Index, Layer, make_layer
from moss.hashing import Hashes, Positions
from moss.model import Pair, Ranking, Submission
from moss.processes.pool import each_trusted, map_trusted

_SMALL = 2_000_000  # tokens: fewer than this are aligned, or put into an index, faster than processes are started
_TOGETHER = 16  # pairs that are aligned together, at most,
_TOKENS = 200_000  # and their tokens
_REACH = 4  # times as many pairs as are to be shown are looked at beyond the best, as long as too few have a passage
_FEW = 10  # who have a fingerprint: what more have is not rare


def make_layers(
    submissions: Sequence[Submission], scanned: Sequence[ScannedSubmission], max_matches: int, jobs: int
) -> dict[LayerKey, Layer]:
    """All layers that these submissions are in, each with its index; what more than `max_matches` authors have is
    common in it."""
    owners = [submission.owner for submission in submissions]
    keys = layer_order({key for read in scanned for key in read.layers})

    def index_of(key: LayerKey) -> tuple[Index, Hashes]:
        layer = make_layer(owners, [_document(read, key) for read in scanned], max_matches)
        return layer.index, layer.common

    found = each_trusted(index_of, keys, jobs=1 if sum(read.size for read in scanned) < _SMALL else jobs)
    return {
        key: Layer([_document(read, key) for read in scanned], *index) for key, index in zip(keys, found, strict=True)
    }


def _document(read: ScannedSubmission, key: LayerKey) -> Document:
    located = read.layers.get(key)
    return located.document if located else make_document((), key.thresholds.noise, key.thresholds.window)


@dataclass(frozen=True)
class ShownClass:
    """A class, of which pairs are to be shown."""

    submissions: Sequence[Submission]
    scanned: Sequence[ScannedSubmission]
    layers: Mapping[LayerKey, Layer]

    @cached_property
    def _pairer(self) -> PairAligner:
        """One for all pairs: what it finds out about a submission it need not find out again."""
        return PairAligner({key: layer.common for key, layer in self.layers.items()})

    def pairs(self, ranked: Sequence[RankedPair]) -> list[Pair | None]:
        """The pairs of two submissions each, with these scores; none in the place of two that share nothing long enough
        to be a passage."""
        found = self._pairer([(self.scanned[pair.a], self.scanned[pair.b]) for pair in ranked])
        return [
            describe_pair(pair, figures, self.layers, self.submissions) if figures.passages else None
            for pair, figures in zip(ranked, found, strict=True)
        ]

    def size(self, pair: RankedPair) -> int:
        """How many tokens the two of a pair have."""
        return self.scanned[pair.a].size + self.scanned[pair.b].size


def show_pairs(
    showing: ShownClass, ranked: Ranked, most: int, jobs: int, progress: Callable[[int, int], None]
) -> tuple[Pair, ...]:
    """The best pairs of a ranking, so many at most. Those that have no passage give their places to the next that share
    something rare: in long texts a short passage ranks behind pairs that merely have many small things in common."""
    pairs: list[Pair] = []
    ranking = ranked.ranking
    places = np.arange(min(most, len(ranking)))
    done = 0
    while len(places):
        end = done + len(places)
        pairs += _aligned(showing, ranked.explain(places), jobs, partial(_tell, progress, done, end))
        if not done:
            others = _sharing_rarities(showing, ranking, most) if len(pairs) < most else places[:0]
        places, others = np.split(others, [most - len(pairs)])
        done = end
    return tuple(pairs)


def _sharing_rarities(showing: ShownClass, ranking: Ranking, first: int) -> Positions:
    """The places, from the first on, of pairs that share a fingerprint that few others have; those of the layers in
    which fingerprints are long enough to tell something by themselves. A few times `first` at most."""
    found = [
        layer.index.rare_pairs(_FEW, len(showing.submissions))
        for key, layer in showing.layers.items()
        if key.thresholds.noise >= WORDS.noise
    ]
    low, high = np.minimum(ranking.a, ranking.b)[first:], np.maximum(ranking.a, ranking.b)[first:]
    keys = low.astype(np.int64) * len(showing.submissions) + high
    rare = np.flatnonzero(np.isin(keys, np.concatenate([np.zeros(0, np.int64), *found])))
    return first + rare[: _REACH * first]


def _tell(progress: Callable[[int, int], None], before: int, end: int, done: int) -> None:
    """Tell that so many more are done than before, of those up to an end."""
    progress(before + done, end)


def _aligned(
    showing: ShownClass, chosen: Sequence[RankedPair], jobs: int, progress: Callable[[int], None]
) -> list[Pair]:
    """These pairs in their order, without those that have no passage."""
    sizes = list(map(showing.size, chosen))
    groups = _groups(chosen, sizes)
    found: dict[int, list[Pair | None]] = {}
    for number, pairs in map_trusted(showing.pairs, groups, jobs=1 if sum(sizes) < _SMALL else jobs):
        found[number] = pairs
        progress(sum(map(len, found.values())))
    return [pair for _, pairs in sorted(found.items()) for pair in pairs if pair is not None]


def _groups(chosen: Sequence[RankedPair], sizes: Sequence[int]) -> list[list[RankedPair]]:
    """The pairs that are aligned together: a few, and fewer if they are large."""
    groups: list[list[RankedPair]] = []
    room = 0
    for pair, size in zip(chosen, sizes, strict=True):
        if not groups or size > room or len(groups[-1]) == _TOGETHER:
            groups.append([])
            room = _TOKENS
        groups[-1].append(pair)
        room -= size
    return groups
