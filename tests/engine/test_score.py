"""The score against its formula written out with dictionaries, and laws that hold in every class."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import stream, words

from moss.engine.documents import make_document
from moss.engine.index import make_layer
from moss.engine.ranking.bags import NOTHING, make_bags, together
from moss.engine.ranking.letters import triples
from moss.engine.ranking.postings import make_postings
from moss.engine.ranking.score import (
    OUTLINE,
    RARE,
    STRUCTURE,
    WORDS,
    Scoring,
    Views,
    make_letter_view,
    make_view,
    pair_scores,
    rarity_weights,
)

texts = st.lists(words, min_size=2, max_size=6)
longer_texts = st.lists(st.lists(st.integers(1, 3), min_size=8, max_size=60), min_size=2, max_size=6)
some_bags = st.lists(st.lists(st.integers(1, 6), max_size=20), min_size=1, max_size=5)
SPECS = (OUTLINE, STRUCTURE, WORDS)


def codes(text):
    return np.array(text, np.uint64)


def fingerprints(text, spec, base=()):
    """What a view has of a text, one after another."""
    handout = np.unique(make_bags([[codes(base)]], spec.k, 1, NOTHING).hashes) if base else NOTHING
    return make_bags([[codes(text)]], spec.k, spec.w, handout).hashes


def views(class_, base=(), max_matches=100, authors=None, letters=True):
    """The same texts in all views."""
    author = np.arange(len(class_)) if authors is None else np.array(authors)
    *made, long, words = [
        make_view(spec, [together([fingerprints(text, spec, base) for text in class_])], author, max_matches)
        for spec in (*SPECS, *RARE)
    ]
    spelled = triples([[codes(text if letters else [])] for text in class_])
    (known,) = triples([[codes(base)]])
    return Views(*made, make_letter_view([together([t[~np.isin(t, known)] for t in spelled])], author), long, words)


def table(found):
    return {(a, b): s for a, b, s in zip(found.a.tolist(), found.b.tolist(), found.values.tolist(), strict=True)}


def score_table(class_, **options):
    """Scores by pair of positions."""
    return table(pair_scores(views(class_, **options)))


def weight(having, count):
    return max(log2((count + 1) / having) - 1, log2((count + 1) / count))


def written_out(class_, letters=True):
    """The formula, in dictionaries, for a class of different authors."""
    count = len(class_)
    seen = [[Counter(fingerprints(text, spec).tolist()) for text in class_] for spec in SPECS]
    seen.append([Counter(each.tolist()) for each in triples([[codes(text if letters else [])] for text in class_])])
    seen += [[Counter(fingerprints(text, spec).tolist()) for text in class_] for spec in RARE]
    rates, times = [1, 3, 2.5, 0.3, 3, 2.5], [1, 2, 1, 1]

    def shared(view, a, b, worth):
        having = Counter(f for bag in seen[view] for f in bag)
        common = seen[view][a].keys() & seen[view][b].keys()
        return rates[view] * sum(worth(having[f]) * min(seen[view][a][f], seen[view][b][f], 8) for f in common)

    def bits(m):
        return weight(m, count)

    def rare(m):
        return min(1, (2 / m) ** 2) if m <= 8 else 0

    own = [[shared(view, i, i, bits) for i in range(count)] for view in range(4)]
    mean = [sum(own[view][i] for view in range(4)) / 4 for i in range(count)]
    scores = {}
    for b in range(count):
        for a in range(b):
            said = possible = 0.0
            for view in range(4):
                g = sqrt(own[view][a] * own[view][b])
                room = g + 0.1 * sqrt(mean[a] * mean[b]) or 1
                said += times[view] * (shared(view, a, b, bits) / room) ** 2
                possible += times[view] * (g / room) ** 2
            amount = max(shared(view, a, b, rare) for view in (4, 5))
            proportion = sqrt(said / possible) if possible else 0
            scores[a, b] = 1 - (1 - proportion) * (1 - 0.5 * amount / (amount + 200))
    return {pair: pytest.approx(score, abs=1e-5) for pair, score in scores.items() if score}


@given(longer_texts)
def test_the_score_is_what_its_formula_says(class_):
    assert score_table(class_) == written_out(class_)


@given(longer_texts)
def test_reasons_are_the_numbers_that_ranked(class_):
    scoring = Scoring(views(class_))
    found = scoring.scores()
    for score, reason in zip(found.values.tolist(), scoring.reasons(found.a, found.b), strict=True):
        amount = reason.amount / (reason.amount + 200)
        assert 1 - (1 - reason.proportion) * (1 - amount / 2) == pytest.approx(score, abs=1e-6)
        assert sum(reason.parts) == pytest.approx(1 if reason.proportion else 0)
        assert all(0 <= alike <= 1 + 1e-9 for alike in reason.alike)


def test_reasons_leave_out_letters_where_they_were_not_compared():
    chance = random.Random(5)
    scoring = Scoring(views([chance.choices(range(1, 5), k=80) for _ in range(60)]))
    found = scoring.scores()
    reasons = scoring.reasons(found.a, found.b)
    assert 0 < sum(reason.alike[3] > 0 for reason in reasons) < len(reasons)
    for score, reason in zip(found.values.tolist(), reasons, strict=True):
        amount = reason.amount / (reason.amount + 200)
        assert 1 - (1 - reason.proportion) * (1 - amount / 2) == pytest.approx(score, abs=1e-6)


@given(texts)
def test_scores_lie_between_0_and_1(class_):
    assert all(0 < score <= 1 for score in score_table(class_).values())


@given(texts, st.lists(st.integers(1, 40), min_size=3, max_size=50))
def test_identical_texts_score_1_however_many_there_are(class_, copied):
    class_ = [copied, copied, copied, *class_]
    scores = score_table(class_, authors=[0, 0, 0, *range(1, len(class_) - 2)])
    assert scores[0, 1] == scores[0, 2] == scores[1, 2] == 1


@given(texts, st.randoms())
def test_the_order_of_input_changes_nothing(class_, chance):
    order = list(range(len(class_)))
    chance.shuffle(order)
    moved = score_table([class_[i] for i in order])
    expected = {tuple(sorted((order[a], order[b]))): s for (a, b), s in moved.items()}
    assert score_table(class_) == expected


@given(words, words, words)
def test_nothing_but_base_code_shared_scores_0(base, a, b):
    a, b = [x + 100 for x in a], [x + 200 for x in b]
    assert score_table([a + base, base + b], base=base, letters=False) == {}


@given(st.lists(st.integers(1, 9), min_size=20, max_size=60), words)
def test_two_alone_can_be_compared(copied, more):
    more = [x + 100 for x in more]
    assert score_table([copied, copied + more])[0, 1] > 0.3


def own_texts(count, length):
    """Texts that have nothing in common."""
    return [list(range(100_000 * i, 100_000 * i + length)) for i in range(1, count + 1)]


def test_what_few_have_weighs_more_than_what_many_have():
    common, rare = list(range(100, 120)), list(range(200, 220))
    own = own_texts(8, 60)
    class_ = [text + common for text in own[:6]] + [text + rare for text in own[6:]]
    scores = score_table(class_)
    assert scores[6, 7] > 1.5 * scores[0, 1] > 0


@given(st.integers(20, 60), st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_what_a_quarter_shares_makes_no_pair(count, seed):
    """Every shared passage is in a quarter of the class or more, and makes up half of each program."""
    chance = random.Random(seed)
    parts = own_texts(6, 20)
    class_ = []
    for own in own_texts(count, 60):
        class_.append([code for part in chance.sample(parts, 3) for code in part] + [code + 50_000 for code in own])
    having = Counter(part[0] for text in class_ for part in parts if part[0] in text)
    if min(having.values()) >= count / 4:
        assert max(score_table(class_, letters=False).values()) <= 0.3


@pytest.mark.parametrize("length", [0, 1000, 10_000, 30_000])
@pytest.mark.parametrize("repetitive", [False, True])
def test_a_part_that_only_two_have_is_a_finding_in_programs_of_any_length(length, repetitive):
    """Three hundred tokens among four hundred submissions, in surroundings that are independent on both sides."""
    chance = np.random.default_rng(length)
    passage = chance.integers(1, 40, 300).tolist()

    def surroundings():
        if not repetitive:
            return chance.integers(1, 40, length).tolist()
        phrases = chance.integers(1, 40, (40, 25)).tolist()  # each program says a few things again and again
        return [code for i in chance.integers(0, 40, length // 25) for code in phrases[i]]

    count = 400 if length <= 1000 else 40  # the others only make the class; with fewer, a part counts for less
    class_ = [surroundings() or chance.integers(1, 40, 300).tolist() for _ in range(count)]
    for i in (0, 1):
        place = int(chance.integers(0, len(class_[i]) + 1))
        class_[i] = class_[i][:place] + passage + class_[i][place:]
    scores = score_table(class_)
    assert sum(score > scores[0, 1] for score in scores.values()) < 10
    assert scores[0, 1] > 0.2


@given(st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_more_copied_never_scores_less(seed):
    chance = np.random.default_rng(seed)
    class_ = [chance.integers(1, 12, 200).tolist() for _ in range(8)]
    source, program = class_[0], class_[1]
    last = 0.0
    for part in range(0, 201, 20):
        mixed = source[:part] + program[part:]
        authors = [0, 0 if part == 200 else 1, *range(2, 8)]
        found = score_table([source, mixed, *class_[2:]], authors=authors).get((0, 1), 0.0)
        assert found >= last - 0.01
        last = found
    assert last == 1


def test_unrelated_text_a_hundred_times_as_long_hides_no_copy():
    chance = np.random.default_rng(1)
    class_ = [chance.integers(1, 30, 300).tolist() for _ in range(20)]
    class_.append(chance.integers(1, 30, 15_000).tolist() + class_[0] + chance.integers(1, 30, 15_000).tolist())
    scores = score_table(class_)
    assert sum(score > scores[0, 20] for score in scores.values()) < len(class_)


def test_more_than_max_matches_is_common():
    class_ = [own + list(range(100, 120)) for own in own_texts(5, 40)]  # too few for long k-grams, whose edges vary
    assert len(score_table(class_, max_matches=5, letters=False)) == 10
    assert score_table(class_, max_matches=4, letters=False) == {}


def test_one_author_does_not_make_a_passage_common():
    class_ = [own + list(range(100, 130)) for own in own_texts(5, 40)]
    assert len(score_table(class_, max_matches=3, authors=[0, 0, 0, 1, 2], letters=False)) == 10


@given(st.integers(2, 100_000))
def test_weights_fall_with_frequency_to_nothing_at_half_of_a_crowd(count):
    weights = rarity_weights(np.arange(1, count + 1), count)
    assert (np.diff(weights) <= 0).all()
    assert (np.diff(weights[: count // 2 - 1]) < 0).all()
    assert (weights[count // 2 + 1 :] == 0).all() if count >= 256 else (weights > 0).all()


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
def test_postings_are_the_same_in_any_room_and_from_any_batches(bags, data):
    found, author = [codes(bag) for bag in bags], np.arange(len(bags))
    numbers = data.draw(st.permutations(range(len(bags))))
    cut = data.draw(st.integers(0, len(bags)))
    batches = [
        replace(together([found[n] for n in some]), numbers=np.array(some, np.int64))
        for some in (numbers[:cut], numbers[cut:])
    ]
    whole, authors = make_postings([together(found)], author, 3)
    for room in (1, 40, 10**9):
        parts, by_parts = make_postings(batches, author, 3, room)
        assert listed(parts, by_parts) == listed(whole, authors)
        assert parts.alone.tolist() == whole.alone.tolist()


@given(some_bags, st.data())
def test_authors_are_counted_not_submissions(bags, data):
    author = np.array([data.draw(st.integers(0, 2)) for _ in bags])
    _, authors = make_postings([together([codes(bag) << np.uint64(32) for bag in bags])], author)
    having = Counter(value for bag in bags for value in set(bag))
    values = sorted(value for value, count in having.items() if count > 1)  # the others are in no list
    assert authors.tolist() == [len({author[i] for i, bag in enumerate(bags) if v in bag}) for v in values]


def test_what_many_have_is_summed_like_what_few_have():
    """Beyond a few dozen submissions what is common goes another way."""
    class_ = [own + list(range(100, 120)) for own in own_texts(40, 9)]
    assert score_table(class_, letters=False) == written_out(class_, letters=False)


def test_letters_are_compared_for_the_best_pairs_of_a_large_class():
    """Two texts of a crowd that share nothing but letters are no pair; of a small class they are."""
    alike = [[1, 2, 3, 9, 1, 2, 4], [1, 2, 3, 8, 1, 2, 4]]
    assert score_table([*alike, *own_texts(3, 30)])[0, 1] > 0
    assert (0, 1) not in score_table([*alike, *own_texts(60, 30)])


def test_a_layer_knows_what_is_common():
    documents = [make_document([stream([i, *range(10, 40)])], 4, 3) for i in (1, 2, 3)]
    assert len(make_layer("abc", documents, 3).common) == 0
    assert len(make_layer("abc", documents, 2).common) > 0


@pytest.mark.parametrize("limit", [2, 50])
def test_an_empty_class_has_no_scores(limit):
    assert score_table([[], [1, 2]], max_matches=limit) == {}
