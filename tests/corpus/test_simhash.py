"""Simhash, against its definition written out."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.corpus.near.simhash import features, features_of, simhash, simhashes
from moss.hashing import mix

hashes = st.integers(0, 2**64 - 1)
weights = st.integers(0, 2**16).map(lambda units: units / 64)  # what is summed without rounding
documents = st.lists(st.lists(st.tuples(hashes, weights), max_size=12), max_size=12)


def by_definition(document):
    """Each feature votes for or against each bit, with its weight."""
    fingerprint = 0
    for bit in range(64):
        votes = sum(weight if feature >> bit & 1 else -weight for feature, weight in document)
        fingerprint |= (votes > 0) << bit
    return fingerprint


def arrays(document):
    return (
        np.array([feature for feature, _ in document], np.uint64),
        np.array([weight for _, weight in document], np.float64),
    )


def together(documents):
    joined, weighed = arrays([pair for document in documents for pair in document])
    return simhashes(joined, weighed, np.cumsum([0, *(len(document) for document in documents)]))


@given(documents)
def test_many_documents_are_hashed_as_the_definition_says(documents):
    assert together(documents).tolist() == [by_definition(document) for document in documents]


@given(st.lists(hashes, max_size=20))
def test_without_weights_each_feature_weighs_one(document):
    expected = by_definition([(feature, 1) for feature in document])
    assert simhash(np.array(document, np.uint64)) == expected


@given(st.lists(st.tuples(hashes, st.floats(0, 1e6)), max_size=20), st.randoms())
def test_the_order_of_features_does_not_matter(document, random):
    shuffled = random.sample(document, len(document))
    assert simhash(*arrays(document)) == simhash(*arrays(shuffled))


@pytest.mark.parametrize("weight", [1, 70, 70_000, 5e9], ids=str)
def test_heavy_features_do_not_spill_into_other_bits(weight):
    rng = np.random.default_rng(7)
    document = [(int(feature), weight) for feature in rng.integers(0, 2**64, 41, np.uint64)]
    assert simhash(*arrays(document)) == by_definition(document)


def test_blocks_of_documents_are_the_documents_one_by_one():
    rng = np.random.default_rng(8)
    lengths = rng.choice([0, 1, 30, 3000, 50_000], 60)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    hashed, weighed = rng.integers(0, 2**64, offsets[-1], np.uint64), rng.random(offsets[-1])
    one_by_one = [simhash(hashed[a:b], weighed[a:b]) for a, b in pairwise(offsets)]
    assert simhashes(hashed, weighed, offsets).tolist() == one_by_one


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), 1e18], ids=str)
def test_impossible_weights_are_refused(weight):
    with pytest.raises(ValueError, match="weight"):
        simhash(np.array([1], np.uint64), np.array([weight]))


@given(st.lists(st.integers(0, 8), max_size=30))
def test_features_are_the_words_each_once(words):
    found, weighed = features(np.array(words, np.uint64))
    counts = Counter(words)
    assert len(found) == len(set(found.tolist())) == len(counts)
    assert sorted(weighed) == pytest.approx(sorted(1 + np.log2(count) / 2 for count in counts.values()))


@given(st.lists(st.lists(st.integers(0, 8), max_size=12), max_size=12), st.sampled_from([0, 1, 16]))
def test_features_of_many_documents_are_those_of_each(documents, owner):
    words = np.array([word for document in documents for word in document], np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moss.corpus.near.simhash._TOGETHER", 1 << owner)
        found, weighed, offsets = features_of(words, np.cumsum([0, *map(len, documents)]))
    assert len(offsets) == len(documents) + 1
    for document, (a, b) in zip(documents, pairwise(offsets), strict=True):
        one, weight = features(np.array(document, np.uint64))
        assert found[a:b].tolist() == one.tolist()
        assert weighed[a:b].tolist() == weight.tolist()


def test_a_few_changed_words_change_few_bits():
    rng = np.random.default_rng(9)
    words = mix(rng.integers(0, 2000, 1000, np.uint64))
    edited = words.copy()
    edited[[100, 500]] = 77
    other = mix(rng.integers(0, 2000, 1000, np.uint64) + np.uint64(5000))
    one, two, three = (simhash(*features(text)) for text in (words, edited, other))
    assert (one ^ two).bit_count() <= 8
    assert (one ^ three).bit_count() > 16


def test_no_words_have_the_fingerprint_zero():
    assert simhash(*features(np.empty(0, np.uint64))) == 0
