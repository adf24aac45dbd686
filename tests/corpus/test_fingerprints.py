"""Winnowing of many documents at once, against the engine's of one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moss.corpus.ingest.documents import TokenColumns
from moss.corpus.ingest.fingerprints import winnowed
from moss.engine.kgrams import hash_kgrams
from moss.engine.winnowing import winnow_plain

TEXTS = st.lists(st.lists(st.integers(1, 4), max_size=40), max_size=8)


def laid_out(texts):
    codes = np.array([w for text in texts for w in text], np.uint64)
    places = np.concatenate([np.zeros(0, np.int64), *(np.arange(len(text)) for text in texts)])
    return TokenColumns(codes, places * 2, places * 2 + 1, np.cumsum([0, *map(len, texts)]))


@given(TEXTS, st.integers(1, 4), st.integers(1, 6))
def test_each_document_has_the_fingerprints_it_has_alone(texts, k, w):
    found = winnowed(laid_out(texts), k, w)
    for number, text in enumerate(texts):
        h = hash_kgrams(np.array(text, np.uint64), k)
        alone = winnow_plain(h, w)
        mine = found.owner == number
        assert found.hashes[mine].tolist() == h[alone].tolist()
        assert (found.start[mine] // 2).tolist() == alone.tolist()
        assert (found.end[mine] // 2).tolist() == (alone + k - 1).tolist()


@given(TEXTS, st.integers(1, 4), st.integers(1, 6), st.integers(1, 4))
def test_a_wider_window_selects_a_subset(texts, k, w, factor):
    narrow, wide = winnowed(laid_out(texts), k, w), winnowed(laid_out(texts), k, w * factor)
    places = set(zip(narrow.owner.tolist(), narrow.start.tolist(), strict=True))
    assert set(zip(wide.owner.tolist(), wide.start.tolist(), strict=True)) <= places
