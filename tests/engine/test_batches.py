"""Batches: what is made of many submissions at once is what is made of each alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moss.engine.batches import make_bags, make_documents
from moss.engine.documents import make_document
from moss.engine.kgrams import hash_kgrams
from moss.engine.traces import trace
from moss.model import TokenStream

streams = st.lists(st.integers(1, 4), max_size=30).map(lambda codes: np.array(codes, np.uint64))
classes = st.lists(st.lists(streams, max_size=3), max_size=6)
handouts = streams.flatmap(lambda codes: st.sampled_from([codes, codes[:0]]))
sizes = st.integers(1, 5)


def stream(codes):
    return TokenStream(codes, np.arange(len(codes)), np.arange(len(codes)) + 1)


@given(classes, handouts, sizes, sizes)
def test_documents_are_those_of_each_submission(many, handout, k, w):
    base = np.unique(hash_kgrams(handout, k))
    together = list(make_documents(many, k, w, base).split())
    alone = [make_document([stream(codes) for codes in streams], k, w, base) for streams in many]
    assert len(together) == len(alone)
    for one, other in zip(together, alone, strict=True):
        for name in ("codes", "first", "hashes", "positions", "base"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


@given(classes, handouts, sizes, sizes)
def test_bags_are_the_traces_of_each_submission(many, handout, k, w):
    base = np.unique(hash_kgrams(handout, k))
    together = make_bags(many, k, w, base).split()
    assert [bag.tolist() for bag in together] == [trace(streams, k, w, base).tolist() for streams in many]
