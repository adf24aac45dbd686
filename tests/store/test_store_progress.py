"""Time left: honest, in words, and from what earlier runs took if there are any."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.classes import SAMPLES, add_class, add_run, add_submission
from support.server import make_server

from moss.jobs.ledger import add_job, claim, finish, tell
from moss.model import SourceFile, Stage, Submission
from moss.store.results.progress import expected, in_words, left_by_earlier, left_in_stage, progress_of
from moss.store.tables import AssignmentRow, JobRow, JobState, RunRow, now


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "a few seconds"),
        (9.9, "a few seconds"),
        (12, "about 10 seconds"),
        (54, "about 50 seconds"),
        (56, "about 1 minute"),
        (100, "about 2 minutes"),
        (3500, "about 58 minutes"),
        (3590, "about 1 hour"),
        (7300, "about 2 hours"),
    ],
)
def test_words(seconds, words):
    assert in_words(seconds) == words


@given(st.integers(0, 1000), st.integers(0, 1000), st.floats(0, 1e6))
def test_a_stage_says_something_only_once_its_pace_is_known(done, total, spent):
    left = left_in_stage(done, total, spent)
    assert (left is None) == (not total or not done or spent < 2)
    assert left is None or left >= 0


@given(st.sampled_from(Stage), st.integers(0, 100), st.floats(0, 1000))
def test_the_whole_takes_at_least_what_the_later_stages_took(stage, done, spent):
    earlier = dict.fromkeys(Stage, 10.0)
    later = 10.0 * (len(Stage) - 1 - list(Stage).index(stage))
    assert left_by_earlier(earlier, stage, done, 100, spent) >= later


@pytest.fixture
def server(tmp_path, database_url):
    with make_server(tmp_path, database_url) as made:
        yield made


def begun(server, assignment):
    """A run that somebody works on: its id, its job's, and the lease."""
    run_id = add_run(server.store, assignment)
    with server.store.session() as session:
        job_id = session.get_one(RunRow, run_id).job_id
        return run_id, job_id, claim(session, job_id)


def test_the_last_run_says_how_long_this_one_will_take(server):
    assignment = add_class(server.store, server.add_course(), SAMPLES / "essays")
    _, job_id, lease = begun(server, assignment)
    with server.store.session() as session:
        tell(session, job_id, lease, stage="aligning", stage_seconds={"reading": 100.0, "scanning": 200.0})
        finish(session, job_id, lease)
        job = session.get_one(JobRow, job_id)
        job.stage_started, job.finished = now() - timedelta(seconds=1000), now() - timedelta(seconds=700)
    run_id, job_id, lease = begun(server, assignment)
    with server.store.session() as session:
        tell(session, job_id, lease, stage="scanning", stage_started=now() - timedelta(seconds=50), done=1, total=2)
    with server.store.reading() as session:
        progress = progress_of(session, session.get_one(RunRow, run_id))
    assert (progress.state, progress.share) == (JobState.RUNNING, 0.5)
    assert progress.left == "about 6 minutes left"  # 50 seconds of this stage, and 300 of aligning


def test_the_numbers_are_those_of_the_stages_that_the_log_names(server):
    assignment = add_class(server.store, server.add_course(), SAMPLES / "essays")
    run_id = add_run(server.store, assignment)
    server.work()
    with server.store.reading() as session:
        job = session.get_one(RunRow, run_id).job
        named = [line.text.lower() for line in job.lines]
        assert [*job.stage_seconds, job.stage] == named == [stage for stage in Stage if stage is not Stage.ASKING]
        assert all(seconds >= 0 for seconds in job.stage_seconds.values())


def test_a_waiting_run_says_how_many_come_first(server):
    assignment = add_class(server.store, server.add_course(), SAMPLES / "essays")
    runs = [add_run(server.store, assignment) for _ in range(3)]
    with server.store.reading() as session:
        assert [progress_of(session, session.get_one(RunRow, each)).ahead for each in runs] == [0, 1, 2]


def test_what_waits_in_the_other_line_does_not_come_first(server):
    assignment = add_class(server.store, server.add_course(), SAMPLES / "essays")
    with server.store.session() as session:
        for kind in ("export", "recognise", "export"):
            add_job(session, kind, {})
        row = session.get_one(AssignmentRow, assignment)
        for number in range(51):
            text = SourceFile("essay.txt", f"A text of {number}.")
            add_submission(session, row, Submission(f"student {number}", f"student {number}", (text,)))
    large = add_run(server.store, assignment)
    small = add_run(server.store, add_class(server.store, server.add_course("Other"), SAMPLES / "essays"))
    with server.store.reading() as session:
        assert progress_of(session, session.get_one(RunRow, large)).ahead == 2
        assert progress_of(session, session.get_one(RunRow, small)).ahead == 1


def test_what_is_over_tells_how_much_slower_or_faster_the_rest_will_be():
    earlier = {"reading": 1.0, "scanning": 10.0, "aligning": 20.0}
    assert expected({"reading": 2.0, "scanning": 20.0}, earlier) == {"reading": 2.0, "scanning": 20.0, "aligning": 40.0}
    assert expected({"reading": 0.1}, earlier) == earlier, "too short to tell"
    assert expected({}, {}) == {}
