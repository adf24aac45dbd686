"""Scores: the rules that they keep whatever is compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import stream, words

from moss.engine.documents import base_hashes, make_document
from moss.engine.scoring import make_layer, pair_scores, rarity_weights, strongest

K, W = 4, 3
texts = st.lists(words, min_size=2, max_size=6)


def score_table(texts, max_matches=100, base=None, owners=None):
    """Scores by pair of positions."""
    hashes = np.zeros(0, np.uint64) if base is None else base_hashes([make_document([stream(base)], K, W)], K)
    documents = [make_document([stream(text)], K, W, hashes) for text in texts]
    layer = make_layer(owners or [str(i) for i in range(len(texts))], documents, max_matches)
    found = pair_scores([layer])
    return {(a, b): s for a, b, s in zip(found.a.tolist(), found.b.tolist(), found.values.tolist(), strict=True)}


@given(texts)
def test_scores_lie_between_0_and_1(texts):
    assert all(0 < score <= 1 for score in score_table(texts).values())


@given(texts, st.lists(st.integers(1, 40), min_size=K, max_size=50))
def test_identical_texts_score_1_however_many_there_are(texts, copied):
    scores = score_table([copied, copied, copied, *texts])
    assert scores[0, 1] == scores[0, 2] == scores[1, 2] == 1


@given(texts, st.randoms())
def test_the_order_of_input_changes_nothing(texts, random):
    order = list(range(len(texts)))
    random.shuffle(order)
    moved = score_table([texts[i] for i in order])
    expected = {tuple(sorted((order[a], order[b]))): s for (a, b), s in moved.items()}
    assert score_table(texts) == expected


@given(words, words, words)
def test_nothing_but_base_code_shared_scores_0(base, a, b):
    a, b = [x + 100 for x in a], [x + 200 for x in b]
    assert score_table([a + base, base + b], base=base) == {}


def test_what_few_have_weighs_more_than_what_many_have():
    common, rare = list(range(100, 120)), list(range(200, 220))
    own = [list(range(1000 * i, 1000 * i + 60)) for i in range(1, 9)]
    class_ = [text + common for text in own[:6]]
    class_ += [own[6] + rare, own[7] + rare]
    scores = score_table(class_)
    assert scores[6, 7] > 2 * scores[0, 1] > 0


def test_more_than_max_matches_is_common():
    shared = list(range(100, 130))
    class_ = [[*range(1000 * i, 1000 * i + 40), *shared] for i in range(1, 6)]
    below, above = score_table(class_, max_matches=5), score_table(class_, max_matches=4)
    assert len(below) == 10
    # Where the passage ends, what a window selects depends on the surroundings, so a few seem rarer than they are.
    assert max(above.values(), default=0) < min(below.values()) / 4


def test_one_owner_does_not_make_a_passage_common():
    shared = list(range(100, 130))
    class_ = [[*range(1000 * i, 1000 * i + 40), *shared] for i in range(1, 6)]
    assert len(score_table(class_, max_matches=3, owners=["a", "a", "a", "b", "c"])) == 10


def test_weights_fall_with_frequency_and_never_vanish_by_rounding():
    weights = rarity_weights(np.arange(1, 101), 100, 1000)
    assert (np.diff(weights) < 0).all()
    assert weights[-1] > 0


def test_the_stronger_channel_counts():
    documents = [make_document([stream([i, *range(10, 40)])], K, W) for i in (1, 2)]
    empty = [make_document([], K, W) for _ in range(2)]
    full, none = make_layer("ab", documents, 9), make_layer("ab", empty, 9)
    both = strongest([pair_scores([none]), pair_scores([full])])
    assert both.values.tolist() == pair_scores([full]).values.tolist()


@pytest.mark.parametrize("limit", [2, 50])
def test_an_empty_class_has_no_scores(limit):
    assert score_table([[], [1, 2]], max_matches=limit) == {}
