"""The parts of evidence: which pair is meant, which lines stand beside each other, and the figures in words."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.anonymity import Remover
from moss.model import Baseline, Channel, Match, Pair, Ranking, Region, Report, Role, SubmissionRecord
from moss.report.code.likeness import TokenPair
from moss.report.evidence.code import aligned
from moss.report.evidence.pair_choice import ChoiceError, choose_pair
from moss.report.evidence.redaction import Redaction, flipped
from moss.report.words.pair_words import others_in_words, rarity_of, sameness, standing_in_words

REGION = Region("f", 1, 2, 0, 9)


def match(others=(), tokens=10, a=REGION, b=REGION):
    return Match(a, b, tokens, len(others), Channel.STRUCTURE, tuple(others), ())


def pair(a, b, *matches, score=0.5):
    return Pair(a, b, score, 0.5, 0.5, 0.25, sum(m.tokens for m in matches), 10, 0.0, matches)


def report(ids, ranked, pairs, owners=None, archive=(), show=250):
    records = tuple(
        SubmissionRecord(id, (owners or {}).get(id, id), Role.ARCHIVE if id in archive else Role.NEW, "c", 9, 9, ())
        for id in ids
    )
    place = {id: n for n, id in enumerate(ids)}
    a, b = ([place[names[side]] for names in ranked] for side in (0, 1))
    scores = np.linspace(1, 0.5, len(ranked))
    ranking = Ranking(np.array(a, np.int64), np.array(b, np.int64), scores)
    return Report(datetime.now(UTC), "0", {"show": show}, records, pairs, ranking, (), ())


CLASS = report(
    ["Ada Lovelace", "adam", "bo", "cy-1", "cy-2", "old1", "old2", "team"],
    [
        ("Ada Lovelace", "bo"),
        ("adam", "bo"),
        ("bo", "cy-1"),
        ("bo", "cy-2"),
        ("adam", "cy-1"),
        ("team", "bo"),
        ("adam", "old1"),
    ],
    (
        pair("Ada Lovelace", "bo"),
        pair("adam", "bo"),
        pair("bo", "cy-1"),
        pair("bo", "cy-2"),
        pair("adam", "cy-1"),
        pair("team", "bo"),
    ),
    owners={"cy-1": "cy", "cy-2": "cy", "team": "Dora, Emil"},
    archive=("old1", "old2"),
    show=6,
)


@pytest.mark.parametrize(
    ("first", "second", "number"),
    [
        ("Ada Lovelace", "bo", 1), ("bo", "Ada Lovelace", 1), ("ada l", "bo", 1), ("ADAM", "b", 2), ("adam", "cy", 5),
        ("cy-2", "bo", 4), ("dora", "bo", 6), ("emil", "bo", 6), ("dora, emil", "bo", 6),
    ],
)  # fmt: skip
def test_a_pair_is_found_by_ids_owners_and_beginnings_in_any_order(first, second, number):
    assert choose_pair(CLASS, first, second) == choose_pair(CLASS, second, first) == number


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("ad", "bo", "'ad' could be Ada Lovelace, adam"),
        ("bo", "adams", "no submission 'adams'; did you mean adam"),
        ("bo", "qqqqqq", "it has Ada Lovelace, adam, bo, cy-1, cy-2, …"),
        ("bo", "", "the report has no submission ''"),
        ("bo", "bo", "bo is named twice"),
        ("cy-1", "cy-2", "both by cy"),
        ("bo", "cy", "several pairs fit (bo and cy-1, bo and cy-2); name the submissions"),
        ("old1", "old2", "both earlier work"),
        ("adam", "Ada Lovelace", "share nothing"),
        ("adam", "old1", "only pair 7 by score, and the report shows the first 6: run moss compare again with -n 7"),
    ],
)
def test_what_cannot_be_found_is_explained(first, second, words):
    with pytest.raises(ChoiceError) as caught:
        choose_pair(CLASS, first, second)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_pair_without_a_passage_is_explained():
    shown = report(["a", "b"], [("a", "b")], ())
    with pytest.raises(ChoiceError, match="no passage that is long enough"):
        choose_pair(shown, "a", "b")


def test_a_pair_below_the_threshold_is_explained():
    shown = report(["a", "b"], [("a", "b")], ())
    low = replace(shown, parameters={**shown.parameters, "threshold": 0.9})
    low = replace(low, ranking=replace(low.ranking, score=np.array([0.8765])))
    with pytest.raises(ChoiceError, match=r"score of 0\.8765, .* from 0\.9 on: .* with --threshold 0\.87$"):
        choose_pair(low, "a", "b")


tokens = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=20)


@given(tokens, st.integers(1, 9), st.integers(0, 9), st.integers(1, 9), st.integers(0, 9))
def test_every_line_of_a_passage_stands_once_and_in_order(places, a_first, a_more, b_first, b_more):
    text = "x\n" * 20
    a, b = (Region("f", first, first + more, 0, 1) for first, more in ((a_first, a_more), (b_first, b_more)))
    inside = [
        TokenPair("x", "x", x, y)
        for x, y in places
        if a.start_line <= x // 2 + 1 <= a.end_line and b.start_line <= y // 2 + 1 <= b.end_line
    ]
    rows = aligned(match(a=a, b=b), inside, text, text)
    assert [x for x, _ in rows if x is not None] == list(range(a.start_line, a.end_line + 1))
    assert [y for _, y in rows if y is not None] == list(range(b.start_line, b.end_line + 1))


def test_lines_with_equal_tokens_stand_beside_each_other():
    a, b = "one\ntwo three\n", "zero\none\n\ntwo\nthree\n"
    pairs = [TokenPair("one", "one", 0, 5), TokenPair("two", "two", 4, 10), TokenPair("three", "three", 8, 14)]
    found = match(a=Region("f", 1, 2, 0, 13), b=Region("f", 2, 5, 5, 19))
    assert aligned(found, pairs, a, b) == [(1, 2), (None, 3), (2, 4), (None, 5)]


@pytest.mark.parametrize(
    ("having", "others", "handout", "words"),
    [
        ("", 20, False, "None of the other 20 submissions has it."),
        ("x", 20, True, "1 of the other 20 submissions has it too. It is not starter code."),
        ("xyz", 20, False, "3 of the other 20 submissions have it too."),
        ("", 1, False, "The one other submission does not have it."),
        ("", 0, False, "There were no other submissions to compare with."),
    ],
)
def test_who_else_has_a_passage_in_words(having, others, handout, words):
    assert others_in_words(match(having), others, handout) == words


def test_how_rare_it_all_is_in_words():
    alone, shared = match(tokens=30), match("x", tokens=12)
    assert rarity_of(pair("a", "b", alone, alone), 5) == "No other submission has any of them."
    assert rarity_of(pair("a", "b", alone), 5) == "No other submission has it."
    assert rarity_of(pair("a", "b", shared, shared), 5) == "Each of them is in at least one other submission too."
    told = rarity_of(pair("a", "b", alone, shared), 5)
    assert told == "1 of the 2 passages, with 30 of the 42 tokens, is in no other submission."
    assert rarity_of(pair("a", "b", alone), 0) == ""


def test_how_alike_a_passage_is_in_words():
    same, other = TokenPair("x", "x", 0, 0), TokenPair("x", "y", 0, 0)
    assert sameness(match(tokens=2), [same, same]) == "All 2 tokens are written the same on both sides."
    told = sameness(match(tokens=3), [same, same, other])
    assert told == "2 of its 3 tokens are written the same on both sides, 1 differently."
    assert sameness(match(tokens=3), [other]) == "", "nothing is said of tokens that are not known"


@pytest.mark.parametrize(
    ("score", "words"),
    [(0.1, "which is ordinary"), (0.3, "which is unusual"), (0.6, "which is very unusual")],
)
def test_what_is_ordinary_in_words(score, words):
    baseline = Baseline(28, 0.05, 0.1, 0.2, 0.5)
    told = " ".join(standing_in_words(pair("a", "b", score=score), baseline, 3))
    assert words in told
    assert "number 3 of the 28 pairs" in told
    assert "5% or less" in told
    assert "over 20%" in told


def test_nothing_is_said_of_what_is_not_known():
    assert standing_in_words(pair("a", "b"), Baseline(), 1) == []
    assert "too few" in standing_in_words(pair("a", "b"), Baseline(9, 0.1, 0.1), 1)[1]
    assert "are identical" in standing_in_words(pair("a", "b", score=1), Baseline(9, 0.1, 0.1, 0.999, 0.999), 1)[2]
    assert "so short" in standing_in_words(pair("a", "b"), Baseline(99, 0.1, 0.1, enough=False), 1)[1]
    assert "no score is unusual" in standing_in_words(pair("a", "b"), Baseline(99, 0.9, 0.1, 1, 1), 1)[1]


@given(st.text("ab1_ .\u0301é"))
def test_a_redaction_changes_names_and_nothing_else(text):
    remover = Remover({"ab": "student1"})
    nothing = Remover({})
    closed, opened = Redaction({"x": "y"}, remover, nothing, nothing), Redaction({}, nothing, nothing, nothing)
    assert len(closed.characters(text)) == len(text)
    assert "".join(closed.characters(text)) == remover(text)
    assert "".join(opened.characters(text)) == text


def test_a_pair_from_the_other_side_and_back_is_the_same():
    there = replace(pair("a", "b", match(a=REGION, b=Region("g", 3, 4, 5, 6))), share_a=0.1, share_b=0.9)
    assert flipped(there).share_a == 0.9
    assert flipped(there).matches[0].a.file == "g"
    assert flipped(flipped(there)) == there
