"""Shingles, samples, and the theorem's estimates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.thue_morse import twins

from frontends.normalise.words import scan_words
from moss.corpus.ingest.shingles import (
    at_mask,
    containment,
    masks_for,
    multiples,
    resemblance,
    resemblance_by_smallest,
    set_digests,
    shingle_sets,
    shingles,
    sketches,
    smallest,
    text_digests,
)  # fmt: skip
from moss.hashing import SpanHasher, mix, order_by_hash
from moss.model import Channel

TEXTS = st.lists(st.lists(st.integers(1, 6), max_size=40), max_size=12)
WIDTH = st.integers(1, 6)


def words(text: str) -> np.ndarray:
    return scan_words(text)[Channel.TEXT].codes


def laid_out(texts: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([w for text in texts for w in text], np.uint64), np.cumsum([0, *map(len, texts)])


def naive(text: list[int], w: int) -> set[tuple[int, ...]]:
    return {tuple(text[i : i + w]) for i in range(len(text) - w + 1)} or ({tuple(text)} if text else set())


@pytest.mark.parametrize(("w", "expected"), [(1, 3 / 5), (2, 3 / 6), (3, 3 / 7)])
def test_the_roses_of_the_seminar_report(w, expected):
    a = shingles(words("a rose is a rose is a rose"), w)
    b = shingles(words("A rose is a flower, which is a rose."), w)
    assert resemblance(a, b) == pytest.approx(expected)


def test_the_four_shingles_of_the_paper():
    assert len(shingles(words("a rose is a rose is a rose"), 4)) == 3


@given(TEXTS, WIDTH)
def test_sets_are_those_of_each_text_by_itself(texts, w):
    codes, offsets = laid_out(texts)
    sets = shingle_sets(codes, offsets, w)
    assert len(sets) == len(texts)
    for number, text in enumerate(texts):
        alone = shingles(np.array(text, np.uint64), w)
        assert sets[number].tolist() == alone.tolist() == sorted(alone.tolist())
        assert len(alone) == len(naive(text, w))


@given(st.lists(st.integers(1, 5), max_size=40), st.lists(st.integers(1, 5), max_size=40), WIDTH)
def test_resemblance_and_containment_are_those_of_the_definition(a, b, w):
    A, B = naive(a, w), naive(b, w)
    ours = shingles(np.array(a, np.uint64), w), shingles(np.array(b, np.uint64), w)
    assert resemblance(*ours) == pytest.approx(len(A & B) / len(A | B) if A | B else 1)
    assert containment(*ours) == pytest.approx(len(A & B) / len(A) if A else 1)
    assert resemblance(*ours) == resemblance(*reversed(ours))


@given(TEXTS, WIDTH, st.integers(1, 20))
def test_sketches_are_the_multiples_and_nested(texts, w, sample):
    codes, offsets = laid_out(texts)
    masks = masks_for(np.diff(offsets), sample)
    sketch = sketches(codes, offsets, w, masks)
    for number, S in enumerate(shingle_sets(codes, offsets, w)[n] for n in range(len(texts))):
        m = int(masks[number]) + 1
        assert sketch[number].tolist() == multiples(S, m).tolist()
        assert at_mask(sketch[number], 2 * m - 1).tolist() == multiples(S, 2 * m).tolist()
        assert len(texts[number]) / m <= sample + 1
        assert m == 1 or len(texts[number]) > sample


def random_pair(common: int, only_a: int, only_b: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two sets of random hashes with known sizes: a random permutation of the paper's."""
    values = mix(np.arange(common + only_a + only_b, dtype=np.uint64) + np.uint64(seed << 32))
    a, b = values[: common + only_a], np.concatenate([values[:common], values[common + only_a :]])
    return np.sort(a), np.sort(b)


@pytest.mark.parametrize(("common", "only_a", "only_b"), [(300, 100, 200), (50, 400, 10), (200, 0, 300)])
def test_the_estimates_are_unbiased(common, only_a, only_b):
    exact_r = common / (common + only_a + only_b)
    exact_c = common / (common + only_a)
    by_smallest, by_multiples, contained = [], [], []
    for seed in range(400):
        a, b = random_pair(common, only_a, only_b, seed)
        by_smallest.append(resemblance_by_smallest(smallest(a, 40), smallest(b, 40), 40))
        by_multiples.append(resemblance(multiples(a, 8), multiples(b, 8)))
        contained.append(containment(multiples(a, 8), multiples(b, 8)))
    for found, exact in ((by_smallest, exact_r), (by_multiples, exact_r), (contained, exact_c)):
        error = np.std(found) / np.sqrt(len(found))
        assert abs(np.mean(found) - exact) < 4 * error + 1e-9


@given(st.sets(st.integers(0, 2**64 - 1), max_size=30), st.sets(st.integers(0, 2**64 - 1), max_size=30))
def test_a_large_enough_sample_is_exact(a, b):
    A, B = (np.array(sorted(x), np.uint64) for x in (a, b))
    assert resemblance_by_smallest(A, B, 100) == pytest.approx(resemblance(A, B))
    assert resemblance(multiples(A, 1), multiples(B, 1)) == resemblance(A, B)


@given(TEXTS)
def test_digests_are_equal_for_equal_texts_alone(texts):
    codes, offsets = laid_out(texts)
    found = text_digests(codes, offsets).tolist()
    for i, a in enumerate(texts):
        for j, b in enumerate(texts):
            assert (found[i] == found[j]) == (a == b)


def test_texts_with_equal_polynomials_have_digests_of_their_own():
    codes, offsets = laid_out([*twins(1, 2)])
    assert len(set(SpanHasher(codes)(offsets[:-1], offsets[1:]).tolist())) == 1  # or there is nothing to mend
    assert len(set(text_digests(codes, offsets).tolist())) == 2


@given(TEXTS)
def test_set_digests_are_equal_for_equal_sets_alone(texts):
    codes, offsets = laid_out(texts)
    sets = shingle_sets(codes, offsets, 2)
    found = set_digests(sets, np.zeros(len(texts), np.int64)).tolist()
    for i in range(len(texts)):
        for j in range(len(texts)):
            assert (found[i] == found[j]) == (sets[i].tolist() == sets[j].tolist())


def test_a_shingle_has_words():
    with pytest.raises(ValueError, match="at least one word"):
        shingles(np.zeros(3, np.uint64), 0)


ALIKE = st.builds(lambda upper, lower: upper << 48 | lower, st.integers(0, 3), st.sampled_from([0, 1, 2, 1 << 32]))
OWNERS = st.sampled_from([0, 1, 2, 65_535, 65_536, 200_000])


@given(st.lists(st.tuples(st.one_of(ALIKE, st.integers(0, 2**64 - 1)), OWNERS), max_size=60))
def test_the_order_by_hash_is_that_of_a_stable_sort(rows):
    hashes = np.array([one for one, _ in rows], np.uint64)
    owners = np.array([owner for _, owner in rows], np.int64)
    assert order_by_hash(hashes, owners).tolist() == np.lexsort((hashes, owners)).tolist()
