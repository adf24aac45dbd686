"""The difference between two runs: laws over any two outcomes, and what becomes of people from run to run."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.chatbot import ANSWERS, STUDENT, add_run_with_answers
from support.classes import SAMPLES, add_class, add_run, add_submission
from support.server import make_server

from moss.model import Baseline, Ranking, Role, Rules, SourceFile, Standing
from moss.model import Submission as Compared
from moss.store.results.run_differences import PairMove, compare_runs, difference, parameters_changed
from moss.store.results.run_outcome import RunMember, RunOutcome, known_by, outcome_of
from moss.store.tables import AssignmentRow, PairRow, PersonRow, RunRow, SubmissionRow

BASELINE = Baseline(pairs=28, typical=0.1, spread=0.1, limit=0.5, far=0.8)


@st.composite
def outcomes(draw) -> RunOutcome:
    """Any class of up to seven, any of whose pairs share something."""
    people = draw(st.lists(st.integers(1, 7), unique=True, max_size=7))
    members = tuple(RunMember(f"person {n}", f"person {n}", Role.NEW, draw(st.integers(1, 99)), n) for n in people)
    pairs = list(combinations(range(len(people)), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    scores = sorted(draw(st.lists(st.floats(0, 1), min_size=len(chosen), max_size=len(chosen))), reverse=True)
    a, b = (np.array([pair[side] for pair in chosen], np.int64) for side in (0, 1))
    ranking = Ranking(a, b, np.array(scores, np.float64))
    return RunOutcome(members, tuple((Role.NEW, n, None, 1) for n in people), ranking, BASELINE, {}, Rules())


def names(change) -> frozenset[str]:
    return frozenset(member.label for member in change.pair)


def ranks(outcome: RunOutcome) -> dict[frozenset[str], int]:
    """The rank of each pair, plainly."""
    pairs = zip(outcome.ranking.a.tolist(), outcome.ranking.b.tolist(), strict=True)
    return {frozenset(outcome.members[p].label for p in pair): rank for rank, pair in enumerate(pairs, 1)}


@given(outcomes(), outcomes(), st.integers(0, 30))
def test_every_one_of_the_best_pairs_is_there_with_its_ranks(before, after, most):
    was, now = ranks(before), ranks(after)
    found = {
        names(c): tuple(place and place.rank for place in c.places) for c in difference(before, after, most).changes
    }
    best = {pair for side in (was, now) for pair, rank in side.items() if rank <= most}
    assert found == {pair: (was.get(pair), now.get(pair)) for pair in best}


@given(outcomes(), st.integers(0, 30))
def test_a_run_does_not_differ_from_itself(outcome, most):
    found = difference(outcome, outcome, most)
    assert {c.move for c in found.changes} <= {PairMove.SAME}
    assert not any(c.gain or c.why for c in found.changes)
    assert (found.came, found.went, found.renewed) == ((), (), ())
    assert len(set(found.standing_out)) == 1


@given(outcomes(), outcomes())
def test_the_other_way_round_everything_is_reversed(before, after):
    there, back = difference(before, after, 99), difference(after, before, 99)
    assert {(names(c), c.climb, c.gain) for c in there.changes} == {(names(c), -c.climb, -c.gain) for c in back.changes}
    assert {m.label for m in there.came} == {m.label for m in back.went}
    assert there.standing_out == (back.standing_out[1], back.standing_out[0], back.standing_out[2])


@given(outcomes(), outcomes())
def test_why_a_pair_is_new_is_told_rightly(before, after):
    known = {member.label for member in before.members}
    for change in difference(before, after, 99).changes:
        assert bool(change.why) is (change.move in (PairMove.NEW, PairMove.GONE))
        if change.move is PairMove.NEW:
            assert change.why == ("shared nothing before" if names(change) <= known else "not compared before")


@given(outcomes(), outcomes())
def test_what_stands_out_is_counted(before, after):
    found = difference(before, after, 99)
    both = [c.stands_out for c in found.changes]
    assert found.standing_out == (sum(b for b, _ in both), sum(a for _, a in both), sum(b and a for b, a in both))


@given(outcomes(), outcomes())
def test_of_pairs_that_were_ranked_by_different_scores_nothing_is_said(before, after):
    same = difference(before, after, 99)
    other = difference(before, replace(after, rules=Rules(score=2)), 99)
    assert same.is_comparable
    assert not other.is_comparable
    assert (other.scores, other.changes, other.standing_out) == ((1, 2), (), (0, 0, 0))
    assert (other.pairs, other.came, other.went, other.renewed) == (same.pairs, same.came, same.went, same.renewed)
    assert difference(before, replace(after, rules=Rules(scan=9, hash=9)), 99).changes == same.changes


@pytest.mark.parametrize(("far", "out", "standing"), [(1.0, 0, Standing.ORDINARY), (0.999999, 1, Standing.FAR)])
def test_in_a_class_too_small_to_tell_only_long_identical_ones_stand_out(far, out, standing):
    members = tuple(RunMember(name, name, Role.NEW, n, n) for n, name in enumerate("ab", 1))
    ranking = Ranking(np.array([0]), np.array([1]), np.array([1.0]))
    small = RunOutcome(members, (("a",), ("b",)), ranking, Baseline(pairs=1, limit=far, far=far), {}, Rules())
    found = difference(small, small, 9)
    assert found.standing_out == (out, out, out)
    assert found.changes[0].after.standing is standing


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path, database_url) as made:
        yield made


def essays(server, course: int, name: str = "Homework 1") -> int:
    return add_class(server.store, course, SAMPLES / "essays", name)


def test_ranks_are_those_of_the_report(server):
    run = add_run(server.store, essays(server, server.add_course()))
    server.work()
    with server.store.reading() as session:
        found = compare_runs(session, session.get_one(RunRow, run), session.get_one(RunRow, run), 20)
        rows = session.query(PairRow).filter_by(run_id=run).order_by(PairRow.rank).limit(20).all()
    assert len(rows) > 1
    # Most pairs of the essays share no whole passage; those are not in the report and must not be counted here.
    assert [(c.after.rank, c.after.page, c.after.score) for c in found.changes] == [
        (row.rank, row.rank, pytest.approx(row.score)) for row in rows
    ]


def test_people_are_known_again_by_themselves_and_not_by_their_names(server):
    assignment = essays(server, server.add_course())
    first = add_run(server.store, assignment)
    server.work()
    with server.store.session() as session:
        row = session.get_one(AssignmentRow, assignment)
        alma, late = session.query(PersonRow).filter_by(name="alma").one(), "A text that was handed in late. " * 30
        alma.name = "Alma Corrected"
        owner = session.query(PersonRow).filter_by(name="celine").one().name
        add_submission(session, row, Compared("late", "zoe", (SourceFile("late.txt", late),)))
        add_submission(session, row, Compared("again", owner, (SourceFile("new.txt", "Something else. " * 40),)))
    second = add_run(server.store, assignment)
    server.work()
    with server.store.reading() as session:
        found = compare_runs(session, session.get_one(RunRow, first), session.get_one(RunRow, second), 10)
    assert [member.label for member in found.came] == ["zoe"]
    assert found.went == ()
    assert [member.label for member in found.renewed] == ["celine"]


def test_a_person_in_two_roles_is_two_submissions(server):
    course = server.add_course()
    earlier = essays(server, course, "Last year")
    now = essays(server, course, "This year")
    run = add_run(server.store, now, archives=(earlier,))
    server.work()
    with server.store.reading() as session:
        outcome = outcome_of(session, session.get_one(RunRow, run))
        assert len(set(outcome.keys)) == len(outcome.members)
        assert len(set(known_by(session, outcome.members, by_name=True))) == len(outcome.members)


def test_runs_of_two_assignments_meet_by_name(server):
    runs = [
        add_run(server.store, essays(server, server.add_course(term=term), term)) for term in ("2026", "2027")
    ]  # fmt: skip
    server.work()
    with server.store.reading() as session:
        found = compare_runs(session, *(session.get_one(RunRow, run) for run in runs), 10)
    assert {c.move for c in found.changes} == {PairMove.SAME}
    assert (found.came, found.went) == ((), ())


def test_a_student_close_to_several_answers_of_a_chatbot_is_there_once(server):
    """Also if another answer is the best in the other run, and if they were something else then."""
    first = add_run_with_answers(server)
    with server.store.session() as session:
        assignment = session.get_one(RunRow, first).assignment_id
        [best, *_] = session.query(SubmissionRow).filter_by(reference="chatbot").order_by(SubmissionRow.id)
        best.left_out = True
    second = add_run(server.store, assignment)
    server.work()
    with server.store.session() as session:
        session.query(SubmissionRow).filter_by(reference="chatbot").update({"reference": "book"})
    third = add_run(server.store, assignment)
    server.work()
    with server.store.reading() as session:
        runs = [session.get_one(RunRow, run) for run in (first, second, third)]
        for before, after, kind in ((0, 0, "chatbot"), (0, 1, "chatbot"), (1, 2, "book")):
            found = compare_runs(session, runs[before], runs[after], 99)
            [change] = [c for c in found.changes if STUDENT in names(c) and names(c) & {*ANSWERS}]
            assert (change.move, change.kind) == (PairMove.SAME, kind)
            assert found.standing_out == (1, 1, 1)


def test_what_was_chosen_otherwise_is_told(server):
    course = server.add_course()
    earlier, now = essays(server, course, "Last year"), essays(server, course, "This year")
    runs = [add_run(server.store, now), add_run(server.store, now, archives=(earlier,), max_matches=5, noise=4)]
    server.work()
    with server.store.reading() as session:
        before, after = (session.get_one(RunRow, run) for run in runs)
        told = {each.name: (each.before, each.after) for each in parameters_changed(session, before, after)}
        assert parameters_changed(session, before, before) == []
    assert told["Ignore passages shared by more than"][1] == "5"
    assert told["Ignore passages shared by more than"][0].endswith(", from the size of the class")
    assert told["Noise"] == ("depends on the language", "4")
    assert told["Earlier assignments"] == ("none", "Programming 1, 2026: Last year")
