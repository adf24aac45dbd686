"""Showing: the best pairs, aligned and described, on all cores.

The processes that do it inherit all that was read; what comes back is what a reader sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from moss.comparison.pairing import Pairer, layer_order
from moss.comparison.records import describe_pair
from moss.comparison.scanned import LayerKey, Scanned
from moss.engine.documents import Document, make_document
from moss.engine.index import Index
from moss.engine.scoring import Layer, make_layer
from moss.hashing import Hashes
from moss.model import Pair, Ranking, Submission
from moss.workers import each_trusted, map_trusted

_SMALL = 2_000_000  # tokens: fewer than this are aligned, or put into an index, faster than processes are started
_BATCH = 4  # pairs that a process is given at a time


def make_layers(
    submissions: Sequence[Submission], scanned: Sequence[Scanned], max_matches: int, jobs: int
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


def _document(read: Scanned, key: LayerKey) -> Document:
    located = read.layers.get(key)
    return located.document if located else make_document((), key.thresholds.noise, key.thresholds.window)


@dataclass(frozen=True)
class Showing:
    """A class, of which pairs are to be shown."""

    submissions: Sequence[Submission]
    scanned: Sequence[Scanned]
    layers: Mapping[LayerKey, Layer]

    @cached_property
    def _pairer(self) -> Pairer:
        """One for all pairs: what it finds out about a submission it need not find out again."""
        return Pairer({key: layer.common for key, layer in self.layers.items()})

    def pair(self, a: int, b: int, score: float) -> Pair | None:
        """The pair of two submissions; none if they share nothing long enough to be a passage."""
        figures = self._pairer((self.scanned[a], self.scanned[b]))
        if not figures.passages:
            return None
        return describe_pair(self.submissions[a], self.submissions[b], score, figures, self.layers, self.submissions)


def show(
    showing: Showing, ranking: Ranking, most: int, jobs: int, progress: Callable[[int, int], None]
) -> tuple[Pair, ...]:
    """The best pairs of a ranking, so many at most, without those that have no passage."""
    best = (column[:most].tolist() for column in (ranking.a, ranking.b, ranking.score))
    chosen = list(zip(*best, strict=True))
    small = sum(showing.scanned[number].size for a, b, _ in chosen for number in (a, b)) < _SMALL
    found: dict[int, Pair | None] = {}
    for number, pair in map_trusted(lambda task: showing.pair(*task), chosen, jobs=1 if small else jobs, batch=_BATCH):
        found[number] = pair
        progress(len(found), len(chosen))
    return tuple(pair for _, pair in sorted(found.items()) if pair is not None)
