"""Fingerprints of stored token streams, for a table in which one looks up who else has a passage.

Such a table holds, for each file, layer by layer, what winnowing selects (`fingerprints_of`). A passage is looked up
with all its k-grams (`fingerprints_in`): every run of the guarantee's length that it shares with a file is found. They
are made with each language's own thresholds and without regard to base code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from frontends import by_name
from moss.comparison.scan import Scanner
from moss.comparison.scanned_files import LayerKey
from moss.comparison.stream_codec import unpack
from moss.engine.kgrams import hash_kgrams
from moss.engine.winnowing import winnow
from moss.hashing import Hashes, Positions
from moss.model import Offsets, TokenStream


@dataclass(frozen=True, slots=True)
class LocatedFingerprints:
    """Hashes of k-grams, and between which characters of the file each stands."""

    hashes: Hashes
    start: Offsets
    end: Offsets

    def __len__(self) -> int:
        return len(self.hashes)

    def at(self, positions: Positions) -> LocatedFingerprints:
        """The fingerprints at these positions."""
        return LocatedFingerprints(self.hashes[positions], self.start[positions], self.end[positions])


def layer_name(key: LayerKey) -> str:
    """A layer in a few characters, with everything that its fingerprints depend on: `structure/12/16/own`."""
    return f"{key.channel}/{key.thresholds.noise}/{key.thresholds.guarantee}/{'own' if key.own else 'shared'}"


def fingerprints_of(packed: bytes) -> Mapping[str, LocatedFingerprints]:
    """The winnowed fingerprints of a file with these packed streams, by the names of its layers."""
    return _select(packed, lambda key, every: winnow(every.hashes, key.thresholds.window))


def fingerprints_in(packed: bytes, start: int, end: int) -> Mapping[str, LocatedFingerprints]:
    """All k-grams of a file with these packed streams that lie wholly between two of its characters, by the names of
    its layers."""
    return _select(packed, lambda key, every: np.flatnonzero((every.start >= start) & (every.end <= end)))


def _select(
    packed: bytes, choose: Callable[[LayerKey, LocatedFingerprints], Positions]
) -> Mapping[str, LocatedFingerprints]:
    """The chosen k-grams of all streams, by layer."""
    found: dict[str, list[LocatedFingerprints]] = {}
    for part in unpack(packed).parts:
        for key in Scanner(None, {}, None).keys(by_name(part.language)):
            every = _kgrams(part.tokens[key.channel], key.thresholds.noise)
            found.setdefault(layer_name(key), []).append(every.at(choose(key, every)))
    return {name: _joined(pieces) for name, pieces in found.items()}


def _kgrams(stream: TokenStream, k: int) -> LocatedFingerprints:
    hashes = hash_kgrams(stream.codes, k)
    return LocatedFingerprints(hashes, stream.start[: len(hashes)], stream.end[len(stream) - len(hashes) :])


def _joined(pieces: list[LocatedFingerprints]) -> LocatedFingerprints:
    return LocatedFingerprints(
        np.concatenate([piece.hashes for piece in pieces]),
        np.concatenate([piece.start for piece in pieces]),
        np.concatenate([piece.end for piece in pieces]),
    )


def signed(hashes: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> list[int]:
    """Hashes as the numbers that databases store."""
    numbers: list[int] = hashes.view(np.int64).tolist()
    return numbers
