"""Documents: fingerprints of several files, with base code left out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import codes, stream, words

from moss.engine.documents import BREAK, base_hashes, make_document
from moss.engine.kgrams import hash_kgrams


@given(st.lists(codes, max_size=4), st.integers(1, 6), st.integers(1, 5))
def test_no_fingerprint_spans_two_files(files, k, w):
    document = make_document([stream(file) for file in files], k, w)
    for position, fingerprint in zip(document.positions, document.hashes, strict=True):
        kgram = document.codes[position : position + k]
        assert BREAK not in kgram
        assert hash_kgrams(kgram, k)[0] == fingerprint


@given(st.lists(codes, max_size=4))
def test_size_counts_tokens_not_breaks(files):
    assert make_document([stream(file) for file in files], 3, 2).size == sum(map(len, files))


@given(words, words, st.integers(2, 6), st.integers(1, 5))
def test_no_kgram_of_the_handout_is_a_fingerprint(handout, own, k, w):
    base = base_hashes([make_document([stream(handout)], k, w)], k)
    document = make_document([stream(own[:10] + handout + own[10:])], k, w, base)
    assert not set(document.hashes) & set(base)


@given(words, words, st.integers(2, 6), st.integers(1, 5))
def test_the_handout_is_marked_wherever_it_stands(handout, own, k, w):
    """Every k-gram of the handout counts, not only the winnowed ones: in other surroundings others are selected."""
    base = base_hashes([make_document([stream(handout)], k, w)], k)
    document = make_document([stream([100, *own, 101, *handout, 102])], k, w, base)
    if len(handout) >= k:
        assert document.base[len(own) + 2 :][: len(handout)].all()


def test_an_edited_handout_still_hides_the_rest():
    handout = list(range(1, 101))
    edited = [*handout[:30], 900, *handout[31:60], 901, *handout[61:]]
    base = base_hashes([make_document([stream(handout)], 5, 4)], 5)
    marked = make_document([stream(edited)], 5, 4, base).base
    assert np.flatnonzero(~marked[:-1]).tolist() == [30, 60]


def test_what_surrounds_base_code_still_has_a_fingerprint():
    """A window that holds base and own k-grams selects one of its own, whatever the hashes are."""
    handout, own = list(range(1, 50)), list(range(200, 215))
    base = base_hashes([make_document([stream(handout)], 5, 8)], 5)
    assert len(make_document([stream(handout + own + handout)], 5, 8, base).hashes) >= 2


@given(codes, st.lists(st.booleans(), max_size=80), st.integers(1, 5))
def test_token_spans(tokens, base, k):
    from dataclasses import replace

    document = make_document([stream(tokens)], 3, 2)
    marked = np.zeros(len(document.codes), np.bool_)
    marked[: min(len(base), len(tokens))] = base[: len(tokens)]
    found = replace(document, base=marked).in_own_runs_of(k)
    free = "".join("x" if not marked[i] else " " for i in range(len(tokens)))
    expected = "".join(part if len(part) < 1 or part[0] == " " else part if len(part) >= k else " " * len(part)
                       for part in _stretches(free))  # fmt: skip
    assert "".join("x" if f else " " for f in found[: len(tokens)]) == expected
    assert not found[len(tokens) :].any()


def _stretches(text: str) -> list[str]:
    from itertools import groupby

    return ["".join(group) for _, group in groupby(text)]
