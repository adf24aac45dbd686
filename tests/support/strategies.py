"""Hypothesis strategies of the property tests, in the words of the domain."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from moss.model import TokenStream


def stream(codes: list[int]) -> TokenStream:
    """A stream of these codes, each token one character wide."""
    n = len(codes)
    return TokenStream(np.array(codes, np.uint64), np.arange(n), np.arange(1, n + 1))


def hashes(values: list[int]) -> np.ndarray:
    """Hashes as the engine has them."""
    return np.array(values, np.uint64)


few_values = st.lists(st.integers(0, 4), max_size=60).map(hashes)
"""Hashes with many equal ones: where ties, chains and repetition happen."""

any_values = st.lists(st.integers(0, 2**64 - 1), max_size=60).map(hashes)

windows = st.integers(1, 12)

codes = st.lists(st.integers(1, 6), max_size=80)
"""Tokens of a small alphabet: repetition everywhere."""

words = st.lists(st.integers(1, 40), max_size=120)
"""Tokens of a larger alphabet: repetition by chance only."""
