"""Real runs, whose worker or whose process is killed at every stage: the result is what it would have been, once."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

import pytest
from support.classes import SAMPLES, add_class, add_run
from support.corpora import add_here
from support.odd_jobs import is_alive, job_of, kill, paused, until, worker
from support.server import make_server

from moss.jobs.handlers.sample import add_sample
from moss.model import Stage
from moss.store.results.reports import load_report
from moss.store.tables import (
    CourseRow,
    JobRow,
    JobState,
    NoticeRow,
    PairRow,
    RenderedPageRow,
    ResultRow,
    RunEntryRow,
    RunRow,
    SubmissionRow,
    UploadRow,
)

RECOGNISING = ("unpacking", "reading", "storing", "finishing")


@pytest.fixture
def server(tmp_path):
    with make_server(tmp_path, lease_seconds=1) as made:
        yield made


def start(server):
    """A run of the essays with a corpus, started by the instructor; its id, and its job's."""
    add_here(server.config.data / "corpora" / "old", min((SAMPLES / "essays" / "submissions").iterdir()))
    assignment = add_class(server.store, server.add_course(), SAMPLES / "essays")
    run_id = add_run(server.store, assignment, corpora=("old",))
    with server.store.session() as session:
        job = session.get_one(RunRow, run_id).job
        job.user_id = server.id_of("instructor")
        return run_id, job.id


def found(store, run_id):
    """What a run found, without the time of day."""
    with store.reading() as session:
        report = load_report(session, session.get_one(RunRow, run_id))
        rows = {table.__name__: session.query(table).filter_by(run_id=run_id).count() for table in
                (ResultRow, RunEntryRow, PairRow, RenderedPageRow)}  # fmt: skip
        others = {"notices": session.query(NoticeRow).count(),
                  "jobs": sorted(kind for (kind,) in session.query(JobRow.kind) if kind != "forget")}  # fmt: skip
    return [(pair.a, pair.b, pair.score, pair.matches) for pair in report.pairs], rows, others


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a run finds that nobody disturbs."""
    with make_server(tmp_path_factory.mktemp("undisturbed")) as server:
        run_id, _ = start(server)
        server.work()
        return found(server.store, run_id)


def wait_for_pause(config, place):
    until(lambda: paused(config, place), f"the pause at {place}")
    return paused(config, place)


@contextmanager
def servers(folder, number):
    """Several, each with a database of its own, so that they can be disturbed at the same time."""
    with ExitStack() as stack:
        yield [stack.enter_context(make_server(folder / str(n), lease_seconds=2)) for n in range(number)]


def kill_and_resume(jobs):
    """Kill the worker of each job (given with its server and a place) there, and let another worker do the job."""
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(server.config, pauses=place)) for server, _, place in jobs]
        for (server, job_id, place), (first,) in zip(jobs, workers, strict=True):
            child = wait_for_pause(server.config, place)
            kill(first.pid)
            until(lambda child=child: not is_alive(child), "the child's death")
            assert not job_of(server.store, job_id).is_over, place
    with ExitStack() as stack:
        for server, _, _ in jobs:
            stack.enter_context(worker(server.config))
        for server, job_id, place in jobs:
            until(lambda server=server, job_id=job_id: job_of(server.store, job_id).is_over, f"what ended at {place}")
    for server, job_id, place in jobs:
        job = job_of(server.store, job_id)
        assert (job.state, job.attempts, job.reason) == (JobState.DONE, 2, ""), place


def test_a_run_whose_worker_is_killed_at_any_stage_is_done_by_the_next(tmp_path, undisturbed):
    places = [f"run {stage}" for stage in (*Stage, "committing")]
    with servers(tmp_path, len(places)) as all_servers:
        started = [start(server) for server in all_servers]
        kill_and_resume([(server, job_id, place) for server, (_, job_id), place in
                         zip(all_servers, started, places, strict=True)])  # fmt: skip
        for server, (run_id, _), place in zip(all_servers, started, places, strict=True):
            assert found(server.store, run_id) == undisturbed, place


@pytest.mark.parametrize("stage", ["aligning", "committing"])
def test_the_same_with_postgresql(tmp_path, migrated_postgres_url, undisturbed, stage):
    with make_server(tmp_path, migrated_postgres_url, lease_seconds=1) as server:
        run_id, job_id = start(server)
        kill_and_resume([(server, job_id, f"run {stage}")])
        assert found(server.store, run_id) == undisturbed


def test_a_run_whose_process_is_killed_twice_is_done_in_the_third_attempt(server, undisturbed):
    run_id, job_id = start(server)
    places = ("run aligning", "run committing")
    with worker(server.config, pauses=",".join(places)):
        for place in places:
            kill(wait_for_pause(server.config, place))
        until(lambda: job_of(server.store, job_id).is_over, "the third attempt")
    job = job_of(server.store, job_id)
    assert (job.state, job.attempts) == (JobState.DONE, 3)
    assert found(server.store, run_id) == undisturbed


def test_a_run_that_never_survives_fails_with_a_reason_and_leaves_no_result(server):
    run_id, job_id = start(server)
    places = ("run scanning", "run aligning", "run storing")
    with worker(server.config, pauses=",".join(places)):
        for place in places:
            kill(wait_for_pause(server.config, place))
        until(lambda: job_of(server.store, job_id).is_over, "the end")
    assert job_of(server.store, job_id).state is JobState.FAILED
    page = server.client().get(f"/runs/{run_id}/progress").get_data(as_text=True)
    assert "It was tried 3 times. The last time, its process was ended from outside or crashed (signal 9)." in page
    with server.store.reading() as session:
        assert session.get_one(RunRow, run_id).finished is None
        assert [session.query(table).count() for table in (ResultRow, RunEntryRow, PairRow)] == [0, 0, 0]
        assert "failed" in session.query(NoticeRow).one().text


@pytest.mark.parametrize("stage", ["scanning", "committing"])
def test_a_cancelled_run_stores_nothing(server, stage):
    run_id, job_id = start(server)
    place = f"run {stage}"
    with worker(server.config, pauses=place):
        child = wait_for_pause(server.config, place)
        if stage == "committing":  # it holds SQLite's lock until it is gone, so the wish comes just too late or in time
            kill(child)
        assert server.client().post(f"/runs/{run_id}/cancel").status_code == 303
        until(lambda: job_of(server.store, job_id).is_over, "the end")
        until(lambda: not is_alive(child), "the child's death")
    assert job_of(server.store, job_id).state is JobState.CANCELLED
    with server.store.reading() as session:
        assert [session.query(table).count() for table in (ResultRow, RunEntryRow, PairRow, NoticeRow)] == [0, 0, 0, 0]


def test_an_upload_whose_worker_is_killed_at_any_stage_is_recognised_by_the_next(tmp_path):
    places = [f"sample {stage}" for stage in (*RECOGNISING, "committing")]
    with servers(tmp_path, len(places)) as all_servers:
        kill_and_resume([(server, add_sample(server.store), place) for server, place in
                         zip(all_servers, places, strict=True)])  # fmt: skip
        for server, place in zip(all_servers, places, strict=True):
            with server.store.reading() as session:
                assert [session.query(table).count() for table in (CourseRow, UploadRow, RunRow)] == [1, 1, 1], place
                owners = [
                    owner for (owner,) in session.query(SubmissionRow.owner).filter_by(role="new", confirmed=True)
                ]
                assert len(owners) == len(set(owners)) == 18, place
