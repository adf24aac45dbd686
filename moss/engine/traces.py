"""Traces: what a submission leaves behind in one view of it, as a bag of fingerprints.

To rank pairs it does not matter where a fingerprint stands, but it does how often: a program with nine loops of one
kind has more in common with another of nine than with one of a single such loop. So a trace has each fingerprint as
often as it occurs, in no order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moss.engine.kgrams import hash_kgrams
from moss.engine.winnowing import winnow
from moss.hashing import Hashes, among
from moss.model import Codes

_NO_HASHES = np.zeros(0, np.uint64)
_HANDED_OUT = np.uint64(2**64 - 1)  # winnowing selects it only where nothing else is


def trace(streams: Sequence[Codes], k: int, w: int, base: Hashes = _NO_HASHES) -> Hashes:
    """The k-grams of these streams that winnowing selects; those among the (sorted) `base` are left out."""
    return np.concatenate([*(_select(hash_kgrams(codes, k), w, base) for codes in streams), _NO_HASHES])


def _select(h: Hashes, w: int, base: Hashes) -> Hashes:
    if len(base):
        h = np.where(among(h, base), _HANDED_OUT, h)
    selected = h[winnow(h, w)] if w > 1 else h
    return selected[selected != _HANDED_OUT] if len(base) else selected
