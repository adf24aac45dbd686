"""The family of formulas: one member is the score itself, and each corpus is judged by a choice that it had no part
in."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from moss.engine.ranking.candidates import PairValues
from moss.engine.ranking.score import pair_scores
from moss.intake import collect

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_submissions"
sys.path.append(str(ROOT / "benchmarks"))

import formulas  # noqa: E402
import quality  # noqa: E402
from labelled import Case, Member, make_case  # noqa: E402


def read(*folders):
    return make_case(collect([SAMPLES / folder for folder in folders], [], []).submissions, "auto")


@pytest.mark.parametrize(
    "folders",
    [
        ["java-library/submissions"],
        ["essays/submissions"],
        [
            "python-textstats/submissions",
            "python-textstats/archive",
        ],  # 24, of whose pairs not all are asked for letters
    ],
    ids="+".join,
)
def test_the_chosen_member_gives_the_scores_of_moss(folders):
    case = read(*folders)
    found = pair_scores(case.views())
    member = formulas.scores_by(formulas.CHOSEN, formulas.sums_of(case)[formulas.CHOSEN.weight])
    scores = np.zeros(member.count**2)
    scores[found.keys] = found.values
    assert member.values == pytest.approx(scores[member.keys], abs=1e-7)


def test_every_other_member_gives_other_scores():
    case = read("java-library/submissions")
    sums = formulas.sums_of(case)
    given = {tuple(formulas.scores_by(each, sums[each.weight]).values.round(9)) for each in formulas.FAMILY}
    assert len(given) == len(formulas.FAMILY) > 20


def test_rivals_are_members_that_the_same_sums_give():
    assert set(formulas.RIVALS.values()) <= set(formulas.FAMILY) - {formulas.CHOSEN}
    assert {each.weight for each in formulas.RIVALS.values()} == {formulas.CHOSEN.weight}


def test_a_corpus_has_no_part_in_the_choice_that_is_judged_on_it():
    table = np.array([[0.9, 0.1, 0.1], [0.2, 0.5, 0.7], [0.3, 0.9, 0.2]])
    assert quality.left_out(table) == [1, 0, 2]


def case_with(labels):
    """Four submissions of which these pairs have labels."""
    return Case("text", [Member(name, []) for name in "abcd"], [], truth=labels)


def test_average_precision_puts_equal_wrong_pairs_first_and_misses_what_is_not_ranked():
    ranked = PairValues(4, np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32), np.array([0.9, 0.5, 0.5]))
    case = case_with({(0, 1): 1, (0, 2): 1, (1, 2): 0, (2, 3): 1})
    assert quality.average_precision(case, ranked) == pytest.approx((1 + 2 / 3) / 3)
