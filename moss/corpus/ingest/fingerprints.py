"""The winnowed fingerprints of many documents at once.

The selection is winnowing (Definition 1 of the paper) rather than its robust form, because it has the subset property
without exception: the hashes that a window of w' ≥ w selects are among those that w selects. The rightmost minimum of a
window is the rightmost minimum of every smaller window inside it that holds it. So a document that is asked about may
be read with a wider window than those that are stored, for speed, and still meets them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from moss.corpus.ingest.documents import TokenColumns
from moss.corpus.ingest.shingles import spans_of
from moss.engine.winnowing import rightmost_minima, winnow_plain
from moss.hashing import Hashes, Positions, SpanHasher, order_by_hash
from moss.model import Offsets


@dataclass(frozen=True, slots=True)
class CorpusFingerprints:
    """Selected k-grams, by document."""

    hashes: Hashes
    owner: Positions  # ascending
    start: Offsets  # character offsets in the owner's text
    end: Offsets


_NOWHERE = np.zeros(0, np.int64)
_NONE = CorpusFingerprints(np.zeros(0, np.uint64), _NOWHERE, _NOWHERE, _NOWHERE)


def winnowed(streams: TokenColumns, k: int, w: int) -> CorpusFingerprints:
    """The fingerprints of each document's tokens; a document of fewer than k tokens has none."""
    start, end, owner = spans_of(streams.offsets, k)
    whole = end - start == k
    start, end, owner = start[whole], end[whole], owner[whole]
    hashes = SpanHasher(streams.codes)(start, end)
    chosen = _select(hashes, owner, len(streams.offsets) - 1, w)
    return CorpusFingerprints(hashes[chosen], owner[chosen], streams.start[start[chosen]], streams.end[end[chosen] - 1])


def _select(hashes: Hashes, owner: Positions, documents: int, w: int) -> Positions:
    """The positions that winnowing selects in each document, all windows of all documents at once."""
    first = np.searchsorted(owner, np.arange(documents + 1))
    best = rightmost_minima(hashes, w) if len(hashes) >= w else np.zeros(0, np.int64)
    whole = owner[: len(best)] == owner[w - 1 :] if len(best) else np.zeros(0, np.bool_)
    short = [
        winnow_plain(hashes[low:high], w) + low
        for low, high in zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
        if 0 < high - low < w
    ]
    chosen = best[whole]  # ascending, as windows advance; several windows may have the same one
    chosen = chosen[np.concatenate([[True], chosen[1:] != chosen[:-1]])] if len(chosen) else chosen
    return np.sort(np.concatenate([chosen, *short])) if short else chosen


def joined(parts: list[CorpusFingerprints]) -> CorpusFingerprints:
    """Fingerprints of several kinds together, by document; of equal ones of a document only the first."""
    parts = [_NONE, *parts]
    owner, hashes = np.concatenate([part.owner for part in parts]), np.concatenate([part.hashes for part in parts])
    order = np.argsort(owner, kind="stable")
    order = order[_first_of_equals(hashes[order], owner[order])]
    return CorpusFingerprints(
        hashes[order],
        owner[order],
        np.concatenate([part.start for part in parts])[order],
        np.concatenate([part.end for part in parts])[order],
    )


def _first_of_equals(hashes: Hashes, owner: Positions) -> Positions:
    """The positions, ascending, at which a document has a hash for the first time, so that a phrase that it repeats a
    thousand times is stored once."""
    order = order_by_hash(hashes, owner)
    again = (hashes[order[1:]] == hashes[order[:-1]]) & (owner[order[1:]] == owner[order[:-1]])
    return np.sort(order[~np.append(False, again)]) if len(order) else order
