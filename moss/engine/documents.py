"""Documents: what one submission is to the engine, in one channel.

The files' streams stand one after another with a BREAK between them, so no k-gram and no match spans two files, and
everything behind is about one array of codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moss.engine.kgrams import covered, hash_kgrams
from moss.engine.winnowing import winnow
from moss.hashing import Hashes, Positions, among, distinct
from moss.model import Codes, TokenStream

BREAK = np.uint64(0)
"""The code of what is no token. A real token has it with a chance of 1 in 2^64, and would merely match nothing."""

Mask = NDArray[np.bool_]
_NO_HASHES = np.zeros(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Document:
    """The tokens of all files of one submission, and the fingerprints that winnowing selected."""

    codes: Codes
    first: Positions  # where each file begins in `codes`; one more entry than files, past the end
    hashes: Hashes  # of the fingerprints, base code left out
    positions: Positions  # of their first tokens, ascending
    base: Mask  # tokens that the instructor handed out

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(self.codes) - len(self.first) + 1

    def in_stretches_of(self, k: int) -> Mask:
        """Which tokens stand among at least k in a row that are not base code."""
        obstacle = np.concatenate([[True], self.base | (self.codes == BREAK), [True]])
        edge = np.flatnonzero(obstacle)
        length = np.diff(edge) - 1  # of the stretch behind each obstacle
        return (np.repeat(length, np.diff(edge)) >= k)[1:] & ~obstacle[1:-1] if len(self.codes) else self.base


def make_document(streams: Sequence[TokenStream], k: int, w: int, base: Hashes = _NO_HASHES) -> Document:
    """A document of these files; `base` are the sorted hashes of all k-grams that were handed out."""
    codes: list[Codes] = []
    first = [0]
    selected: list[tuple[Hashes, Positions]] = []
    handed_out: list[Mask] = []
    for stream in streams:
        h = hash_kgrams(stream.codes, k)
        in_base = among(h, base)
        position = winnow(np.where(in_base, np.uint64(2**64 - 1), h), w)  # base is selected only if all else is base
        position = position[~in_base[position]]
        selected.append((h[position], position + first[-1]))
        handed_out += covered(np.flatnonzero(in_base), k, len(stream)), np.zeros(1, np.bool_)
        codes += stream.codes, np.array([BREAK])
        first.append(first[-1] + len(stream) + 1)
    return Document(
        np.concatenate([*codes, _NO_HASHES]),
        np.array(first),
        np.concatenate([*(h for h, _ in selected), _NO_HASHES]),
        np.concatenate([*(p for _, p in selected), np.zeros(0, np.int64)]),
        np.concatenate([*handed_out, np.zeros(0, np.bool_)]),
    )


def base_hashes(documents: Sequence[Document], k: int) -> Hashes:
    """Sorted hashes of every k-gram of what was handed out, not only of the winnowed ones: in other surroundings other
    k-grams are selected. (Those across a break are among them, and match nothing.)"""
    return distinct(np.concatenate([*(hash_kgrams(document.codes, k) for document in documents), _NO_HASHES]))
