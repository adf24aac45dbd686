"""Classes that are drawn from labelled corpora: who counts as honest, and who stands beside a planted pair."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import standing  # noqa: E402
import standing_rules  # noqa: E402
from labelled import Case, Member, honest_names  # noqa: E402

NAMES = ["ann", "bob", "cleo", "copy-of-ann-1", "copy-of-ann-2", "copy-of-bob-1", "dora", "eli", "fay", "gus", "hal"]
COPIED = [("ann", "copy-of-ann-1"), ("ann", "copy-of-ann-2"), ("bob", "copy-of-bob-1")]


def make_case(corpus):
    level = {(NAMES.index(a), NAMES.index(b)): "made" for a, b in COPIED}
    members = [Member(name, []) for name in NAMES]
    return Case(
        "python", members, [], "a case", corpus, dict.fromkeys(level, 1), level, frozenset([NAMES.index("hal")])
    )


@pytest.mark.parametrize(
    ("made", "honest"),
    [(False, ["cleo", "dora", "eli", "fay", "gus"]), (True, ["ann", "bob", "cleo", "dora", "eli", "fay", "gus"])],
)
def test_originals_are_honest_if_their_copies_were_made_for_the_corpus(made, honest):
    assert honest_names(NAMES, COPIED, {"hal"}, made) == honest


def test_nobody_who_is_doubted_is_honest():
    assert honest_names(NAMES, COPIED, {"ann", "cleo", "hal"}, True) == ["bob", "dora", "eli", "fay", "gus"]


@pytest.mark.parametrize("corpus", ["judged", "emse25-dev"])
def test_a_planted_pair_stands_beside_nobody_of_its_group(corpus):
    drawn = list(standing.planted_classes(make_case(corpus), 6, seed=1))
    assert len(drawn) == 3
    for each in drawn:
        a, b = each.planted
        pair = (each.case.names[a], each.case.names[b])
        assert pair in COPIED
        assert len(set(each.case.names)) == 6
        assert not any(pair[0] in name for name in each.case.names if name not in pair)
        assert "hal" not in each.case.names


def test_draws_depend_on_the_seed_alone():
    case = make_case("judged")
    first, again, other = ([each.case.names for each in standing.honest_classes(case, 3, seed)] for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == standing.DRAWS
    assert list(standing.honest_classes(case, 6, 1)) == []


def test_pairs_that_were_read_as_copies_are_known_in_a_class(tmp_path, monkeypatch):
    table = tmp_path / "reviewed.csv"
    table.write_text("corpus,case,a,b\njudged,a case,dora,eli\njudged,another,cleo,dora\n")
    monkeypatch.setattr(standing, "REVIEWED", table)
    (read,) = {each.read for each in standing.honest_classes(make_case("judged"), 5, 1)}
    assert read == {(1, 2)}  # of cleo, dora, eli, fay, gus


def test_an_alarm_about_a_pair_that_was_read_counts_only_as_labelled(monkeypatch):
    monkeypatch.setattr(standing, "standing_out", lambda case: ({(0, 1), (1, 2)}, {(1, 2)}))
    case = make_case("judged")
    assert standing.honest_row(standing.Drawn(case, None, read=frozenset({(1, 2)}))) == [True, True, True, False]
    assert standing.planted_row(standing.Drawn(case, (0, 1))) == [True, False]


def test_what_is_usual_for_either_is_taken_off():
    scores = np.full((7, 7), 0.2)
    scores[0, 1:] = scores[1:, 0] = 0.6  # alike to everybody
    scores[1, 2] = scores[2, 1] = 0.6  # alike to each other
    found = standing_rules.above_medians(scores)
    assert np.allclose(found, found.T, equal_nan=True)
    assert found[1, 2] == pytest.approx(0.5)  # half as much is not shared as by those two with others
    assert found[0, 3] == pytest.approx(0)
    assert found[3, 4] == pytest.approx(0)


def test_a_ring_of_three_hides_from_the_next_best():
    scores = np.full((6, 6), 0.2)
    pair, ring = scores.copy(), scores.copy()
    pair[0, 1] = pair[1, 0] = 0.9
    ring[:3, :3] = 0.9
    alone, together = map(standing_rules.above_next_best, (pair, ring))
    assert alone[0, 1] > alone[3, 4] + 0.3
    assert together[0, 1] == pytest.approx(together[3, 4])


def test_the_first_rule_is_the_one_in_use():
    scores = np.random.default_rng(1).beta(1, 12, 105)
    assert standing_rules.FAMILY[0].far(scores, False) == standing.estimate(scores, 105).far
    assert len(standing_rules.FAMILY) == len(set(standing_rules.FAMILY)) == 25
    assert standing_rules.Rule(least=0.5).far(scores, False) > standing_rules.OURS.far(scores, False)
