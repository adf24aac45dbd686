"""Stable 64-bit codes for tokens, which the engine compares; they are equal on every machine and for ever.

>>> hashes = hash_tokens(["if", "while", "if"])
>>> [hex(one) for one in in_vocabulary("java", hashes)]
['0xf9066f8e52390f0f', '0xee30e5c6531e5637', '0xf9066f8e52390f0f']
>>> bool(in_vocabulary("go", hashes)[0] == in_vocabulary("java", hashes)[0])
False
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from moss.hashing import Hashes, Positions, SpanHasher, digests, mix
from moss.model import Codes

Chars = NDArray[np.uint8] | NDArray[np.uint32]

_LONG = 64  # characters: more than any name has
_NARROW_SIGNS = mix(np.arange(256, dtype=np.uint64))


def characters(text: str) -> Chars:
    """The text's code points, in the narrowest array that holds them."""
    try:
        return np.frombuffer(text.encode("latin-1"), np.uint8)
    except UnicodeEncodeError:
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def is_narrow(text: str) -> bool:
    """Whether each character fits into a byte."""
    return text.isascii() or characters(text).dtype == np.uint8


class TokenHasher(SpanHasher):
    """Hashes the tokens of one text. Tokens of more than 64 characters get a digest, because two long ones can be made
    to have the same polynomial."""

    def in_order(self, start: Positions, end: Positions) -> Hashes:
        """The hash of each token, in order, before its bits are scrambled."""
        hashes = super().in_order(start, end)
        long = np.flatnonzero(end - start > _LONG)
        if len(long):
            hashes[long] = digests(self.values, start[long], end[long])
        return hashes


def code(token: str) -> int:
    """The hash of one token, as a `TokenHasher` gives it for its characters."""
    return int(hash_tokens([token])[0])


def hash_tokens(tokens: Sequence[str]) -> Codes:
    """The hash of each token."""
    return mix(polynomials(tokens))


def polynomials(tokens: Sequence[str]) -> Codes:
    """The hash of each token before its bits are scrambled: enough to tell whether two tokens are equal."""
    end = np.cumsum([len(token) for token in tokens], dtype=np.int64)
    return TokenHasher(characters("".join(tokens))).in_order(np.append(0, end)[:-1], end)


def hash_signs(chars: Chars) -> Codes:
    """The hash of each character as a token, as a `TokenHasher` gives it for tokens of one character."""
    return _NARROW_SIGNS[chars] if chars.dtype == np.uint8 else mix(chars.astype(np.uint64))


def in_vocabulary(vocabulary: str, hashes: Codes) -> Codes:
    """The codes of tokens with these hashes in a vocabulary; languages of different vocabularies share no code."""
    return mix(hashes ^ _seed(vocabulary))


@lru_cache
def _seed(vocabulary: str) -> np.uint64:
    return np.uint64(code(f"vocabulary {vocabulary}"))
