"""The index, independent authors and pairs, against plain dictionaries and sets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import codes, stream

from moss.engine import candidates
from moss.engine.candidates import PairValues, aligned, shared_weights
from moss.engine.documents import make_document
from moss.engine.groups import clusters
from moss.engine.index import build_index, independent_authors

classes = st.lists(st.tuples(st.sampled_from("abcdef"), codes), min_size=1, max_size=7)
"""Submissions as (owner, tokens); owners may hand in several."""


def documents_of(submissions):
    return [make_document([stream(tokens)], 3, 2) for _, tokens in submissions]


@given(classes)
def test_the_index_lists_for_each_hash_who_has_it(submissions):
    documents = documents_of(submissions)
    index = build_index(documents, np.arange(len(documents)))
    expected: dict[int, list[int]] = {}
    for number, document in enumerate(documents):
        for h in sorted(set(document.hashes.tolist())):
            expected.setdefault(h, []).append(number)
    assert {int(h): index.having(i).tolist() for i, h in enumerate(index.hashes)} == expected
    assert index.authors.tolist() == [len(expected[h]) for h in sorted(expected)]


@given(classes)
def test_what_one_owner_or_one_text_has_counts_once(submissions):
    documents = documents_of(submissions)
    author = independent_authors([owner for owner, _ in submissions], documents)
    for (i, (one, x)), (j, (other, y)) in combinations(enumerate(submissions), 2):
        if one == other or (x == y and x):
            assert author[i] == author[j]
    index = build_index(documents, author)
    for i in range(len(index.hashes)):
        assert index.authors[i] == len({author[d] for d in index.having(i)})


def test_different_owners_with_different_texts_are_independent():
    documents = documents_of([("a", [1, 2, 3]), ("b", [1, 2, 4]), ("c", [])])
    assert len(set(independent_authors(["a", "b", "c"], documents).tolist())) == 3


@pytest.mark.parametrize("way", ["tables", "sorting", "matrices"])
@given(submissions=classes, data=st.data())
def test_shared_weights_are_those_of_all_pairs(way, submissions, data):
    documents = documents_of(submissions)
    index = build_index(documents, np.arange(len(documents)))
    weights = np.array(
        data.draw(st.lists(st.integers(0, 9), min_size=len(index.hashes), max_size=len(index.hashes))), np.int64
    )
    weight_of = dict(zip(index.hashes.tolist(), weights.tolist(), strict=True))
    expected = Counter()
    for (i, x), (j, y) in combinations(enumerate(documents), 2):
        expected[i, j] = sum(weight_of[h] for h in set(x.hashes.tolist()) & set(y.hashes.tolist()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_SPARSE", 0 if way == "sorting" else 10**9)
        patch.setattr(candidates, "_FEW", 1 if way == "matrices" else 10**9)
        patch.setattr(candidates, "_ENTRIES", data.draw(st.integers(1, 9)))
        found = shared_weights(index, weights, len(documents))
    pairs = zip(found.a.tolist(), found.b.tolist(), found.values.tolist(), strict=True)
    assert {(a, b): w for a, b, w in pairs} == {pair: w for pair, w in expected.items() if w}
    assert found.keys.tolist() == sorted(found.keys.tolist())


@pytest.mark.parametrize("dense", [True, False])
def test_aligning_keeps_every_pair(dense, monkeypatch):
    monkeypatch.setattr(candidates, "_DENSE", 10**9 if dense else 0)
    left = PairValues(3, np.array([1, 5]), np.array([0.5, 0.2]))
    right = PairValues(3, np.array([2, 5]), np.array([0.1, 0.9]))
    both, values = aligned([left, right])
    assert both.keys.tolist() == [1, 2, 5]
    assert [found.tolist() for found in values] == [[0.5, 0, 0.2], [0, 0.1, 0.9]]
    assert (both.a.tolist(), both.b.tolist()) == ([0, 0, 1], [1, 2, 2])


def test_clusters_are_sorted_and_complete():
    links = [("d", "c"), ("x", "y"), ("b", "c"), ("a", "b")]
    assert clusters(links) == (("a", "b", "c", "d"), ("x", "y"))
    assert clusters(reversed(links)) == clusters(links)
    assert clusters([]) == ()
