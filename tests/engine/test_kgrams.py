"""k-grams and the tokens that they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import codes, words

from moss.engine.kgrams import covered, hash_kgrams


@given(codes | words, st.integers(1, 10))
def test_equal_kgrams_and_only_those_have_equal_hashes(tokens, k):
    h = hash_kgrams(np.array(tokens, np.uint64), k)
    kgrams = [tuple(tokens[i : i + k]) for i in range(len(tokens) - k + 1)]
    assert len(h) == len(kgrams)
    assert len(set(h.tolist())) == len(set(kgrams))
    assert len(set(zip(h.tolist(), kgrams, strict=True))) == len(set(kgrams))


@given(words, st.integers(1, 10), st.integers(0, 50))
def test_a_kgram_has_the_same_hash_wherever_it_stands(tokens, k, shift):
    moved = np.array([99] * shift + tokens, np.uint64)
    assert np.array_equal(hash_kgrams(moved, k)[shift:], hash_kgrams(np.array(tokens, np.uint64), k))


def test_hashes_are_the_same_for_ever():
    assert hash_kgrams(np.array([1, 2, 3, 4], np.uint64), 3).tolist() == PINNED


PINNED = [13971506341594034467, 920786358278556089]  # a change here makes every stored fingerprint worthless


@given(st.lists(st.integers(0, 50), unique=True).map(sorted), st.integers(1, 8))
def test_covered_tokens(positions, k):
    mask = covered(np.array(positions, np.int64), k, 60)
    assert set(np.flatnonzero(mask)) == {t for p in positions for t in range(p, p + k)}


def test_a_kgram_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        hash_kgrams(np.array([1], np.uint64), 0)
