"""The index, independent authors and pairs, against plain dictionaries and sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import codes, stream

from moss.engine.documents import make_document
from moss.engine.index import build_index, independent_authors
from moss.engine.ranking import candidates
from moss.engine.ranking.candidates import Sharing, shared_weights
from moss.engine.union_find import clusters

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


@given(classes, st.integers(2, 4))
def test_rare_pairs_are_those_that_share_what_few_have(submissions, most):
    documents = documents_of(submissions)
    index = build_index(documents, np.arange(len(documents)))
    having = [index.having(i).tolist() for i in range(len(index.hashes))]
    expected = {pair for docs in having if len(docs) <= most for pair in combinations(docs, 2)}
    found = index.rare_pairs(most, len(documents)).tolist()
    assert found == sorted(a * len(documents) + b for a, b in expected)


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
@given(views=st.lists(classes, min_size=1, max_size=3), data=st.data())
def test_what_pairs_share_is_that_of_all_pairs_in_every_view(way, views, data):
    """Several views of as many documents as the largest has; the others have nothing to say about the last ones."""
    count = max(map(len, views))
    lists, weights, expected = [], [], []
    for submissions in views:
        documents = documents_of([*submissions, *[("z", [])] * (count - len(submissions))])
        index = build_index(documents, np.arange(count))
        weight = data.draw(st.lists(st.integers(0, 9), min_size=len(index.hashes), max_size=len(index.hashes)))
        lists.append(index)
        weights.append(np.array(weight, np.int64))
        expected.append(_by_all_pairs(documents, dict(zip(index.hashes.tolist(), weight, strict=True))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_SPARSE", 0 if way == "sorting" else 10**9)
        patch.setattr(candidates, "_FEW", 1 if way == "matrices" else 10**9)
        patch.setattr(candidates, "_ENTRIES", data.draw(st.integers(1, 9)))
        sharing = Sharing(list(zip(lists, weights, strict=True)), count)
        found = [sharing.of(block) for block in sharing.blocks()]
        alone = shared_weights(lists[0], weights[0], count)
    pairs = [pair for block in found for pair in zip(block.a.tolist(), block.b.tolist(), strict=True)]
    assert pairs == sorted(set().union(*expected))
    for number, of_view in enumerate(expected):
        sums = [value for block in found for value in block.sums[number].tolist()]
        assert dict(zip(pairs, sums, strict=True)) == {pair: of_view.get(pair, 0) for pair in pairs}
    assert (
        dict(zip(zip(alone.a.tolist(), alone.b.tolist(), strict=True), alone.values.tolist(), strict=True))
        == expected[0]
    )


def _by_all_pairs(documents, weight_of):
    """The pairs that share anything of weight, and how much."""
    shared = {}
    for (i, x), (j, y) in combinations(enumerate(documents), 2):
        shared[i, j] = sum(weight_of[h] for h in set(x.hashes.tolist()) & set(y.hashes.tolist()))
    return {pair: weight for pair, weight in shared.items() if weight}


def test_clusters_are_sorted_and_complete():
    links = [("d", "c"), ("x", "y"), ("b", "c"), ("a", "b")]
    assert clusters(links) == (("a", "b", "c", "d"), ("x", "y"))
    assert clusters(reversed(links)) == clusters(links)
    assert clusters([]) == ()
