"""The baseline: laws that hold for any scores, and what stands out in classes whose truth is known."""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import moss
from moss.engine.ranking.baseline import _rough_limit, estimate
from moss.model import Baseline, Ranking, Standing, angle

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
SCORES = st.lists(st.floats(0, 1), max_size=60)


def baseline(scores, pairs=None):
    return estimate(np.array(scores, np.float64), len(scores) if pairs is None else pairs)


def rough_limit(scores, pairs):
    return _rough_limit(np.sort(np.array(scores, np.float64))[::-1], pairs)


def ordinary(seed, pairs, typical=0.03, spread=0.1):
    """Scores as honest classes have them: normal on the scale of angles."""
    places = np.random.default_rng(seed).normal(angle(np.array(typical)), spread, pairs)
    return np.sin(np.clip(places, 0, np.pi / 2)) ** 2


# Laws.


@given(SCORES, st.integers(0, 1000))
def test_any_scores_have_a_baseline(scores, apart):
    found = baseline(scores, len(scores) + apart)
    assert found.pairs == len(scores) + apart
    assert 0 <= found.typical <= found.limit <= found.far <= 1
    assert found.spread > 0


@given(SCORES, st.integers(0, 1000), st.randoms(use_true_random=False))
def test_the_order_of_scores_does_not_matter(scores, apart, random):
    shuffled = random.sample(scores, len(scores))
    assert baseline(scores, len(scores) + apart) == baseline(shuffled, len(scores) + apart)


@given(SCORES, st.integers(0, 100))
def test_a_zero_is_a_pair_that_shares_nothing(scores, apart):
    assert baseline(scores, len(scores) + apart) == baseline([*scores, *([0.0] * apart)])


@given(SCORES, st.floats(0, 1), st.floats(0, 1))
def test_a_higher_score_never_stands_lower(scores, one, other):
    found = baseline(scores)
    low, high = sorted((one, other))
    assert found.spreads(low) <= found.spreads(high)
    steps = list(Standing)
    assert steps.index(found.standing(low)) <= steps.index(found.standing(high))


@given(st.floats(0, 1), st.integers(1, 2000))
def test_where_all_are_equally_alike_nobody_stands_out(score, pairs):
    found = baseline([score] * pairs)
    assert found.standing(score) is Standing.ORDINARY
    assert found.typical == pytest.approx(score, abs=1e-9)


@given(SCORES, st.integers(10, 1000), st.data())
def test_how_high_those_score_that_are_set_aside_does_not_matter(scores, apart, data):
    """A copy cannot raise the limit by being a better copy."""
    pairs = len(scores) + apart
    before = baseline(scores, pairs)
    raised = [data.draw(st.floats(score, 1)) if score > rough_limit(scores, pairs) else score for score in scores]
    assert baseline(raised, pairs) == before


@given(SCORES, st.integers(10, 1000), st.data())
def test_a_pair_that_becomes_less_alike_does_not_raise_the_limits_if_it_was_in_the_upper_half(scores, apart, data):
    pairs = len(scores) + apart
    before = baseline(scores, pairs)
    kept = [score for score in scores if not before.typical < score <= rough_limit(scores, pairs)]
    lowered = [data.draw(st.floats(before.typical, score)) for score in scores if score not in kept]
    after = baseline([*kept, *lowered], pairs)
    assert after.limit <= before.limit
    assert after.far <= before.far


@given(SCORES, st.integers(10, 1000))
def test_a_tenth_as_many_pass_the_upper_limit_on_the_scale_of_the_class(scores, apart):
    """The part of the class that is not shared shrinks by the same factor from one limit to the other, at least by that
    of the least scale."""
    found = baseline(scores, len(scores) + apart)
    assert found.expected == 0.1
    assert 1 - found.far <= (1 - found.limit) * 0.1**0.16 + 2e-6


@given(SCORES, st.integers(0, 1000))
def test_identical_ones_that_are_no_chance_are_far_above_in_any_class(scores, apart):
    pairs = len(scores) + apart
    found = estimate(np.array(scores, np.float64), pairs, same=True)
    if pairs:
        assert found.standing(1.0) is Standing.FAR
        plain = baseline(scores, pairs)
        assert (found.limit, found.far) == (min(plain.limit, 0.999999), min(plain.far, 0.999999))


def test_the_limits_rise_with_what_is_typical_and_with_the_spread():
    limits = [baseline(ordinary(1, 5000, typical)).limit for typical in (0.01, 0.05, 0.2)]
    assert limits == sorted(limits)
    limits = [baseline(ordinary(1, 5000, spread=spread)).limit for spread in (0.07, 0.1, 0.15)]
    assert limits == sorted(limits)


def test_more_scores_than_pairs_are_refused():
    with pytest.raises(ValueError, match="more scores than pairs"):
        baseline([0.5, 0.5], 1)


@given(SCORES, st.none() | st.floats(0, 1), st.floats(0, 1))
def test_what_is_far_above_or_has_the_score_that_was_chosen_is_linked(scores, chosen, far):
    best = np.sort(np.array([*scores, far], np.float64))[::-1]
    ranking = Ranking(np.zeros(len(best)), np.ones(len(best)), best)
    linked = best[: Baseline(limit=0, far=far).count_linked(ranking, chosen)]
    assert linked.tolist() == [score for score in best.tolist() if (score > far if chosen is None else score >= chosen)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_a_handful_of_pairs_tells_nothing(scores):
    found = baseline(scores)
    assert not found.is_known
    assert {found.standing(score) for score in scores} == {Standing.ORDINARY}


def test_no_pairs_have_the_baseline_of_an_empty_report():
    assert baseline([]) == Baseline()
    assert Baseline().standing(1.0) is Standing.ORDINARY


def test_pairs_that_share_nothing_cost_no_memory():
    assert baseline([0.99], 10**12).far < 0.99


# Generated classes.


@pytest.mark.parametrize("submissions", [8, 20, 60, 250, 1500])
def test_without_copying_hardly_anything_stands_out(submissions):
    pairs = submissions * (submissions - 1) // 2
    outcomes = [ordinary(seed, pairs) for seed in range(40 if submissions < 1000 else 5)]
    far = sum((scores > baseline(scores).far).any() for scores in outcomes)
    assert far <= len(outcomes) / 10


@pytest.mark.parametrize("submissions", [8, 20, 60, 250, 1500])
@pytest.mark.parametrize("spread", [0.06, 0.1, 0.15])
def test_a_tenth_that_copied_from_each_other_stands_out(submissions, spread):
    pairs = submissions * (submissions - 1) // 2
    copiers = max(2, submissions // 10)
    scores = ordinary(7, pairs, spread=spread)
    scores[: copiers * (copiers - 1) // 2] = 0.95
    found = baseline(scores)
    assert found.standing(0.95) is Standing.FAR
    assert (scores > found.far).sum() <= copiers * (copiers - 1) // 2 + 1


def test_half_of_a_class_with_one_source_is_not_taken_for_ordinary():
    scores = np.concatenate([np.full(190, 0.8), ordinary(3, 590)])  # 20 of 40
    assert baseline(scores).standing(0.8) is Standing.FAR


def test_where_most_is_alike_nothing_can_stand_out():
    found = baseline(ordinary(5, 2000, typical=0.6, spread=0.25))
    assert found.far > 0.999
    assert baseline([1.0] * 310 + [0.1] * 290).far == 1.0


def test_the_limits_are_those_of_an_exponential_tail():
    """A tail that is exponential where it is estimated is passed by as many as are expected."""
    pairs = 20_000
    places = 0.2 * -np.log((np.arange(pairs) + 0.5) / pairs)  # the quantiles of an exponential distribution
    scores = 1 - np.exp(-places)
    found = baseline(scores)
    heavier = 1.5 * np.log(5) * 0.2  # than from the median to the tenth
    assert -np.log(1 - found.limit) == pytest.approx(0.2 * np.log(10) + heavier * np.log(pairs / 10), abs=0.01)
    assert (scores > found.limit).sum() <= 1


# The sample classes.


@cache
def standings(name):
    """For each kind of planted pair, how those pairs stand; and the pairs that stand out and were not planted."""
    folder = SAMPLES / name
    archive = [folder / "archive"] if (folder / "archive").is_dir() else []
    report = moss.compare(
        [folder / "submissions"], base=[folder / "starter"], archive=archive, settings=moss.Settings(jobs=1, show=0)
    )
    ids = [record.id for record in report.submissions]
    ranking = report.ranking
    scores = {
        frozenset((ids[a], ids[b])): score
        for a, b, score in zip(ranking.a.tolist(), ranking.b.tolist(), ranking.score.tolist(), strict=True)
    }
    with (folder / "truth.csv").open(encoding="utf-8", newline="") as file:
        planted = {frozenset((row["a"], row["b"])): row["kind"] for row in csv.DictReader(file)}
    found = [(planted.get(pair, "not planted"), report.baseline.standing(score)) for pair, score in scores.items()]
    return report, found


@pytest.mark.parametrize("name", ["java-library", "python-textstats", "essays"])
def test_what_was_planted_stands_out(name):
    _, found = standings(name)
    hard = {"restructured", "transitive", "comments"}  # rewritten, but for the comments: little is left to see
    small = {"partial", "merged"}  # a part was taken
    assert {standing for kind, standing in found if kind not in hard | small | {"lookalike", "not planted"}} == {
        Standing.FAR
    }
    assert Standing.ORDINARY not in {standing for kind, standing in found if kind in small}


@pytest.mark.parametrize("name", ["java-library", "python-textstats", "essays"])
def test_what_was_not_planted_is_ordinary_and_lookalikes_are_not_far_above(name):
    _, found = standings(name)
    assert {standing for kind, standing in found if kind == "not planted"} == {Standing.ORDINARY}
    assert Standing.FAR not in {standing for kind, standing in found if kind == "lookalike"}


def test_all_pairs_that_may_be_compared_are_counted():
    report, _ = standings("java-library")
    assert report.baseline.pairs == 22 * 21 // 2 - 4 * 3 // 2  # archives are not compared with each other
    report, _ = standings("essays")
    assert report.baseline.pairs == 8 * 7 // 2 >= len(report.ranking)
