"""Stretches of tokens, against plain sets of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moss.engine.token_spans import token_spans

SIZE = 30
spans = st.lists(st.tuples(st.integers(0, SIZE), st.integers(0, SIZE)), max_size=6)


def tokens_of(found):
    return {token for start, end in found for token in range(start, end)}


@given(spans)
def test_they_are_in_order_and_apart_and_have_the_tokens_given(found):
    made = token_spans(found)
    pairs = list(zip(made.start.tolist(), made.end.tolist(), strict=True))
    assert tokens_of(pairs) == tokens_of(found)
    assert all(start < end for start, end in pairs)
    assert all(end < start for (_, end), (start, _) in pairwise(pairs))


@given(spans)
def test_what_is_free_is_counted_to_the_next_and_from_the_last(found):
    made, inside = token_spans(found), tokens_of(found)
    everywhere = np.arange(SIZE + 1)
    assert made.contain(everywhere).tolist() == [token in inside for token in range(SIZE + 1)]
    ahead = [next((t - token for t in range(token, SIZE) if t in inside), None) for token in range(SIZE + 1)]
    assert [free if free <= SIZE else None for free in made.free_from(everywhere).tolist()] == ahead
    before = [next((n for n in range(token) if token - n - 1 in inside), token) for token in range(SIZE + 1)]
    assert made.free_before(everywhere).tolist() == before


@given(spans, st.lists(st.integers(0, 1), min_size=SIZE, max_size=SIZE))
def test_sums_are_those_of_their_tokens(found, values):
    assert token_spans(found).sum(np.append(0, np.cumsum(values))) == sum(values[token] for token in tokens_of(found))
