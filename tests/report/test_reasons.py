"""Why a pair scores what it scores: words and bars that follow from the numbers."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from moss.model import (
    Channel,
    Match,
    Pair,
    Ranking,
    Reasons,
    Region,
    Report,
    Role,
    SubmissionRecord,
    ViewReason,
)
from moss.report.page_templates import percent
from moss.report.pages.overview import rows
from moss.report.words.score_reasons import reasons_for, small_but_rare

REGION = Region("f", 1, 2, 0, 9)
VIEWS = ("outline", "structure", "words", "letters")
parts = st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4).filter(lambda found: sum(found) > 0.01)
ratios = st.floats(0.0, 1.0)


def match(tokens, others=0):
    names = tuple(f"other{number}" for number in range(others))
    return Match(REGION, REGION, tokens, others, Channel.STRUCTURE, names, ())


def reasons(weights, proportion, amount):
    whole = sum(weights)
    views = [ViewReason(name, 0.5, weight / whole) for name, weight in zip(VIEWS, weights, strict=True)]
    return Reasons(tuple(views), proportion, amount)


def pair(score, made, *matches, similarity=0.2):
    rarity = sum(m.rarity * m.tokens for m in matches) / max(1, sum(m.tokens for m in matches))
    return Pair("a", "b", score, similarity, 0.5, 0.5, sum(m.tokens for m in matches), 10, rarity, matches, made)


def report(size=5, *pairs):
    names = "abcdefgh"[:size]
    records = tuple(SubmissionRecord(id, id, Role.NEW, "c", 9, 9, ()) for id in names)
    ranking = Ranking(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    return Report(datetime.now(UTC), "0", {"show": 250}, records, pairs, ranking, (), ())


@given(parts, ratios, ratios)
def test_the_bars_add_up_to_the_score_that_is_shown(weights, proportion, more):
    score = proportion + (1 - proportion) * more / 2
    assume(score > 0.005)
    found = reasons_for(report(), pair(score, reasons(weights, proportion, 300.0)))
    assert f"{sum(bar.points for bar in found.bars)}%" == percent(score)
    end = 0.0
    for bar in found.bars:
        assert abs(bar.start - end) < 0.11, "each begins where the last one ends"
        end = bar.start + bar.width
    assert abs(end - 100 * score) < 0.11


def test_nothing_is_said_of_scores_that_an_older_version_made():
    old = pair(0.5, Reasons(), match(40))
    assert reasons_for(report(), old) is None
    assert small_but_rare(old) == ""
    assert reasons_for(report(), pair(0.0, reasons([1, 1, 1, 1], 0.0, 0.0))) is None


def test_a_small_part_that_only_two_have_is_named():
    made = reasons([1, 1, 1, 1], 0.05, 500.0)
    assert small_but_rare(pair(0.35, made, match(300))) == "A small part, but only these two have it."
    assert small_but_rare(pair(0.35, made, match(300), match(9, 1))) == "A small part, but hardly anybody else has it."
    assert reasons_for(report(), pair(0.35, made, match(300))).headline == "A small part, but only these two have it."


def test_a_pair_that_is_alike_all_over_is_no_small_part():
    assert small_but_rare(pair(0.95, reasons([1, 1, 1, 1], 0.9, 500.0), match(300))) == ""


def test_what_others_have_too_is_not_called_rare_and_a_third_is_not_called_small():
    made = reasons([1, 1, 1, 1], 0.05, 500.0)
    assert small_but_rare(pair(0.35, made, match(300, 3))) == ""
    assert small_but_rare(pair(0.35, made, match(300, 3), match(40))) == "", "the 40 do not make the amount"
    assert small_but_rare(pair(0.35, made, match(300, 3), match(280))) != ""
    assert small_but_rare(pair(0.35, made, match(300), similarity=0.4)) == ""
    assert small_but_rare(pair(0.35, made)) == ""


def test_the_list_of_pairs_remarks_on_small_parts_that_stand_out_and_on_no_other():
    made = reasons([1, 1, 1, 1], 0.05, 500.0)
    shown = report(5, pair(0.35, made, match(300)), pair(0.8, reasons([1, 1, 1, 1], 0.7, 500.0), match(300)))
    ordinary = replace(shown.baseline, pairs=10)
    remarks = [row.remark for row in rows(replace(shown, baseline=replace(ordinary, limit=0.3, far=0.4)))]
    assert remarks == ["A small part, but only these two have it.", ""]
    assert [row.remark for row in rows(replace(shown, baseline=ordinary))] == ["", ""]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([4, 4, 1, 1], "Mainly how they are built."),
        ([1, 0, 8, 1], "Mainly how they are worded."),
        ([2, 2, 4, 2], "Mainly how they are built and how they are worded."),
    ],
)
def test_the_headline_names_what_makes_most_of_it(weights, words):
    assert reasons_for(report(), pair(0.81, reasons(weights, 0.8, 20.0), match(50))).headline == words


def test_the_passages_that_weigh_most_are_long_and_rare():
    found = reasons_for(
        report(8), pair(0.6, reasons([1, 1, 1, 1], 0.5, 90.0), match(100, 6), match(60), match(40, 1), match(9))
    )
    assert [each.number for each in found.heavy] == [2, 3, 1]
    assert [each.words for each in found.heavy] == [
        "60 tokens; nobody else has it",
        "40 tokens; 1 other student has it too",
        "100 tokens; 6 other students have it too",
    ]


@pytest.mark.parametrize(
    ("amount", "words"), [(312.4, "about 310 tokens"), (37.2, "about 37 tokens"), (0.3, "about 1 token")]
)
def test_the_amount_is_told_in_round_numbers(amount, words):
    assert words in reasons_for(report(), pair(0.6, reasons([1, 1, 1, 1], 0.4, amount))).bars[-1].meaning


def test_two_alone_are_not_told_that_nobody_else_has_it():
    found = reasons_for(report(2), pair(0.6, reasons([1, 1, 1, 1], 0.4, 310.0), match(80)))
    assert "nobody else to compare with" in found.bars[-1].meaning
    assert [each.words for each in found.heavy] == ["80 tokens"]
