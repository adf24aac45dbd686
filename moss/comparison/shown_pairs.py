"""The pairs that a report shows: the best ones, aligned and described on all cores.

The processes that do it inherit the scanned class; they send back only the described pairs.
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
from moss.engine.index import Layer, make_layer
from moss.hashing import Positions, among, distinct
from moss.model import Pair, Ranking, Submission
from moss.processes.pool import each_trusted, map_trusted

_SMALL = 400_000  # tokens: fewer than this are aligned faster than processes are started
_SMALL_INDEX = 2_000_000  # tokens: fewer than this are put into an index faster than processes are started,
_LARGE_INDEX = 10_000_000  # or so many, if it is an index of what some submissions have
_TOGETHER = 16  # pairs that are aligned together, at most,
_TOKENS = 200_000  # and their tokens
_REACH = 4  # if too few of the best pairs have a passage, so many times the pairs to be shown are tried behind them
_FEW = 10  # submissions: a fingerprint that more of them have is not rare


@dataclass(frozen=True)
class ShownClass:
    """A scanned class of which pairs are to be shown; fingerprints of more than `max_matches` authors are common."""

    submissions: Sequence[Submission]
    scanned: Sequence[ScannedSubmission]
    max_matches: int
    jobs: int

    @cached_property
    def keys(self) -> list[LayerKey]:
        """The keys of all layers that the submissions are in."""
        return layer_order({key for read in self.scanned for key in read.layers})

    def layers(self, asked: Sequence[int] | None = None) -> dict[LayerKey, Layer]:
        """All layers, each with the index of the fingerprints that some submissions have, given by their numbers, or of
        all fingerprints."""
        owners = [submission.owner for submission in self.submissions]

        def layer_of(key: LayerKey) -> Layer:
            documents = self._documents(key)
            some = None if asked is None else [documents[number] for number in asked]
            return make_layer(owners, documents, self.max_matches, some)

        few = sum(read.size for read in self.scanned) < (_SMALL_INDEX if asked is None else _LARGE_INDEX)
        return dict(zip(self.keys, each_trusted(layer_of, self.keys, jobs=1 if few else self.jobs), strict=True))

    def _documents(self, key: LayerKey) -> list[Document]:
        """The document of each submission in a layer."""
        none = make_document((), key.thresholds.noise, key.thresholds.window)
        return [read.layers[key].document if key in read.layers else none for read in self.scanned]

    def size(self, pair: RankedPair) -> int:
        """How many tokens the two of a pair have."""
        return self.scanned[pair.a].size + self.scanned[pair.b].size


@dataclass(frozen=True)
class _ShownPairs:
    """Describes pairs of a class, given the layers in which their fingerprints are."""

    showing: ShownClass
    layers: Mapping[LayerKey, Layer]

    @cached_property
    def _pairer(self) -> PairAligner:
        """One aligner for all pairs, so that it counts each submission's tokens once."""
        return PairAligner({key: layer.common for key, layer in self.layers.items()})

    def __call__(self, ranked: Sequence[RankedPair]) -> list[Pair | None]:
        """These pairs aligned and described; None for a pair that shares nothing long enough to be a passage."""
        scanned, submissions = self.showing.scanned, self.showing.submissions
        found = self._pairer([(scanned[pair.a], scanned[pair.b]) for pair in ranked])
        return [
            describe_pair(pair, figures, self.layers, submissions) if figures.passages else None
            for pair, figures in zip(ranked, found, strict=True)
        ]


def show_pairs(
    showing: ShownClass, ranked: Ranked, most: int, progress: Callable[[int, int], None]
) -> tuple[Pair, ...]:
    """The best pairs of a ranking, at most `most`. Pairs without a passage are replaced by the next ones that share
    something rare: in long texts a short passage ranks behind pairs that merely have many small things in common."""
    pairs: list[Pair] = []
    ranking = ranked.ranking
    places = np.arange(min(most, len(ranking)))
    done = 0
    while len(places):
        end = done + len(places)
        pairs += _aligned(showing, ranked.explain(places), partial(_tell, progress, done, end))
        if not done:
            others = _sharing_rarities(showing, ranking, most) if len(pairs) < most else places[:0]
        places, others = np.split(others, [most - len(pairs)])
        done = end
    return tuple(pairs)


def _sharing_rarities(showing: ShownClass, ranking: Ranking, first: int) -> Positions:
    """The places in the ranking, behind the `first` ones, of pairs that share a fingerprint which few others have, in
    layers whose fingerprints are long enough to mean something; a few times `first` at most."""
    found = [
        layer.index.rare_pairs(_FEW, len(showing.submissions))
        for key, layer in showing.layers().items()
        if key.thresholds.noise >= WORDS.noise
    ]
    low, high = np.minimum(ranking.a, ranking.b)[first:], np.maximum(ranking.a, ranking.b)[first:]
    keys = low.astype(np.int64) * len(showing.submissions) + high
    rare = np.flatnonzero(among(keys, distinct(np.concatenate([np.zeros(0, np.int64), *found]))))
    return first + rare[: _REACH * first]


def _tell(progress: Callable[[int, int], None], before: int, end: int, done: int) -> None:
    """Report that `done` more than `before` are done, of `end` in all."""
    progress(before + done, end)


def _aligned(showing: ShownClass, chosen: Sequence[RankedPair], progress: Callable[[int], None]) -> list[Pair]:
    """These pairs in their order, aligned and described, without pairs that have no passage."""
    sizes = list(map(showing.size, chosen))
    groups = _groups(chosen, sizes)
    describe = _ShownPairs(showing, showing.layers(sorted({number for pair in chosen for number in (pair.a, pair.b)})))
    found: dict[int, list[Pair | None]] = {}
    for number, pairs in map_trusted(describe, groups, jobs=1 if sum(sizes) < _SMALL else showing.jobs):
        found[number] = pairs
        progress(sum(map(len, found.values())))
    return [pair for _, pairs in sorted(found.items()) for pair in pairs if pair is not None]


def _groups(chosen: Sequence[RankedPair], sizes: Sequence[int]) -> list[list[RankedPair]]:
    """The pairs in groups that are aligned together: a few pairs each, and fewer if they are large."""
    groups: list[list[RankedPair]] = []
    room = 0
    for pair, size in zip(chosen, sizes, strict=True):
        if not groups or size > room or len(groups[-1]) == _TOGETHER:
            groups.append([])
            room = _TOKENS
        groups[-1].append(pair)
        room -= size
    return groups
