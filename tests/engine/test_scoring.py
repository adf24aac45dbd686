"""Scores: the rules that they keep whatever is compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import stream, words

from moss.engine.documents import make_document
from moss.engine.lists import make_lists
from moss.engine.scoring import (
    ENOUGH,
    Views,
    make_layer,
    make_view,
    pair_scores,
    rarity_weights,
    resemblance,
    variety,
    voice,
)
from moss.engine.traces import make_bags, together

K = 4
texts = st.lists(words, min_size=2, max_size=6)
bags = st.lists(st.lists(st.integers(1, 6), max_size=20), min_size=1, max_size=5)


def codes(text):
    return np.array(text, np.uint64)


NOTHING = np.zeros(0, np.uint64)


def base_trace(base, k):
    return np.unique(make_bags([[codes(base)]], k, 1, NOTHING).hashes) if base else NOTHING


def view(texts, k=K, w=1, max_matches=100, base=(), authors=None):
    traces = make_bags([[codes(text)] for text in texts], k, w, base_trace(base, k))
    return make_view([traces], np.array(range(len(texts)) if authors is None else authors), max_matches)


def views(texts, letters=None, **options):
    """The texts as outlines and wordings; and these as letters."""
    nothing = view([[]] * len(texts))
    return Views(
        view(texts, **options), view(texts, 12, **options), view(texts, 3, **options), nothing, letters or nothing
    )


def table(found):
    return {(a, b): s for a, b, s in zip(found.a.tolist(), found.b.tolist(), found.values.tolist(), strict=True)}


def score_table(texts, letters=None, **options):
    """Scores by pair of positions."""
    return table(pair_scores(views(texts, letters, **options)))


@given(texts)
def test_scores_lie_between_0_and_1(texts):
    assert all(0 < score <= 1 + 1e-12 for score in score_table(texts).values())


@given(texts, st.lists(st.integers(1, 40), min_size=K, max_size=50))
def test_identical_texts_score_1_however_many_there_are(texts, copied):
    class_ = [copied, copied, copied, *texts]
    scores = score_table(class_, authors=[0, 0, 0, *range(1, len(texts) + 1)])
    assert scores[0, 1] == scores[0, 2] == scores[1, 2] == pytest.approx(1)


@given(texts, st.lists(st.integers(1, 40), min_size=K, max_size=50))
def test_identical_texts_score_1_if_letters_count_too(texts, copied):
    class_ = [copied, copied, *texts]
    assert score_table(class_, letters=view(class_, 1))[0, 1] == pytest.approx(1)


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
    assert scores[6, 7] > 1.5 * scores[0, 1] > 0


def test_more_than_max_matches_is_common():
    shared = list(range(100, 130))
    class_ = [[*range(1000 * i, 1000 * i + 40), *shared] for i in range(1, 6)]
    assert len(score_table(class_, max_matches=5)) == 10
    assert score_table(class_, max_matches=4) == {}


def test_one_author_does_not_make_a_passage_common():
    shared = list(range(100, 130))
    class_ = [[*range(1000 * i, 1000 * i + 40), *shared] for i in range(1, 6)]
    assert len(score_table(class_, max_matches=3, authors=[0, 0, 0, 1, 2])) == 10


def test_weights_fall_with_frequency_and_never_vanish_by_rounding():
    weights = rarity_weights(np.arange(1, 100_001), 1_000_000)
    assert (np.diff(weights[:1000]) < 0).all()
    assert weights[-1] > 0


@given(bags)
def test_resemblance_counts_how_often_something_occurs(bags):
    """Written out: of each fingerprint the smaller number of occurrences, at most 8, times its weight."""
    found = make_view([together([codes(bag) << np.uint64(32) for bag in bags])], np.arange(len(bags)), 100)
    values = {value for bag in bags for value in bag}
    weight = {v: int(rarity_weights(np.array([sum(v in bag for bag in bags)]), 100)[0]) for v in values}
    counts = [{v: min(8, bag.count(v)) for v in values} for bag in bags]

    def shared(a, b):
        return sum(weight[v] * min(counts[a][v], counts[b][v]) for v in values)

    expected = {
        (a, b): pytest.approx(shared(a, b) / np.sqrt(float(shared(a, a)) * float(shared(b, b))))
        for b in range(len(bags))
        for a in range(b)
        if shared(a, b)
    }
    assert table(resemblance(found)) == expected


def listed(lists, authors):
    """Each list of documents with the number of authors of its fingerprint; their order says nothing."""
    documents = np.split(lists.documents, lists.first[1:-1])
    return (
        sorted(zip(map(tuple, documents), authors[lists.fingerprint].tolist(), strict=False))
        if len(lists.first) > 1
        else []
    )


@given(
    st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(1, 6), max_size=20), min_size=1, max_size=9), st.data()
)
def test_lists_are_the_same_in_any_room_and_from_any_batches(bags, data):
    traces, author = [codes(bag) for bag in bags], np.arange(len(bags))
    numbers = data.draw(st.permutations(range(len(bags))))
    cut = data.draw(st.integers(0, len(bags)))
    batches = [
        replace(together([traces[n] for n in some]), numbers=np.array(some, np.int64))
        for some in (numbers[:cut], numbers[cut:])
    ]
    whole, authors = make_lists([together(traces)], author, 3)
    for room in (1, 40, 10**9):
        parts, by_parts = make_lists(batches, author, 3, room)
        assert listed(parts, by_parts) == listed(whole, authors)
        assert parts.alone.tolist() == whole.alone.tolist()
        assert parts.different.tolist() == whole.different.tolist()


@given(bags, st.data())
def test_authors_are_counted_not_submissions(bags, data):
    author = np.array([data.draw(st.integers(0, 2)) for _ in bags])
    _, authors = make_lists([together([codes(bag) << np.uint64(32) for bag in bags])], author)
    having = Counter(value for bag in bags for value in set(bag))
    values = sorted(value for value, count in having.items() if count > 1)  # the others are in no list
    assert authors.tolist() == [len({author[i] for i, bag in enumerate(bags) if v in bag}) for v in values]


def test_what_many_have_is_summed_like_what_few_have():
    """Beyond a few dozen submissions what is common goes another way."""
    shared = list(range(100, 120))
    class_ = [[*range(1000 * i, 1000 * i + 9), *shared] for i in range(1, 60)]
    scores = score_table(class_)
    assert len(scores) == 59 * 58 // 2
    assert len({round(score, 12) for score in scores.values()}) == 1


def test_letters_speak_where_outlines_say_little():
    tiny, long = [[1, 2, 3, 4, 5, 6]] * 4, [list(range(1000 * i, 1000 * i + 80)) for i in range(4)]
    spelling = view([list(range(1000 * i, 1000 * i + 60)) for i in range(1, 5)], 3)
    assert voice(views(tiny, spelling)) < 0.5
    assert voice(views(long, spelling)) == 1
    assert voice(views(tiny)) == 1


def test_a_layer_knows_what_is_common():
    documents = [make_document([stream([i, *range(10, 40)])], K, 3) for i in (1, 2, 3)]
    assert len(make_layer("abc", documents, 3).common) == 0
    assert len(make_layer("abc", documents, 2).common) > 0


@pytest.mark.parametrize("limit", [2, 50])
def test_an_empty_class_has_no_scores(limit):
    assert score_table([[], [1, 2]], max_matches=limit) == {}


# Too little to tell.


@given(texts)
def test_variety_is_the_number_of_different_stretches(texts):
    found = views(texts)
    different = [len({tuple(text[i : i + K]) for i in range(len(text) - K + 1)}) for text in texts]
    triples = [len({tuple(text[i : i + 3]) for i in range(len(text) - 2)}) for text in texts]
    expected = [max(a, b / 3) for a, b in zip(different, triples, strict=True)]
    assert variety(found).tolist() == pytest.approx(expected)


def half_alike(length):
    """The score of two texts that share half of their tokens."""
    shared = list(range(100_000, 100_000 + length // 2))
    return score_table([shared + list(range(1000 * i, 1000 * i + length // 2)) for i in (1, 20)])[0, 1]


def test_the_less_there_is_to_tell_the_lower_the_score():
    scores = [half_alike(length) for length in (20, 40, 60, 80)]
    assert scores == sorted(scores)
    assert scores[0] < half_alike(2 * ENOUGH) / 1.5


def test_with_enough_to_tell_length_changes_little():
    assert half_alike(4 * ENOUGH) == pytest.approx(half_alike(8 * ENOUGH), abs=0.03)


@given(st.integers(1, 5), st.integers(20, 200))
def test_saying_the_same_again_and_again_tells_nothing_more(period, length):
    text = [i % period + 1 for i in range(length)]
    assert variety(views([text, [7] * 30]))[0] <= period
