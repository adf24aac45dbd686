"""Workers as they are: processes, which are killed, stopped, cancelled and restrained while they work."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from support import odd_jobs
from support.odd_jobs import add, is_alive, job_of, kill, traces, until, worker
from support.schema import open_migrated

from moss.config import LEAST_MEGABYTES, Config
from moss.jobs import supervisor
from moss.jobs.ledger import cancel
from moss.jobs.supervisor import JobForkServer, do_job
from moss.store import Store
from moss.store.tables import AttemptRow, JobState, LogLineRow

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


@pytest.fixture
def config(tmp_path):
    """One machine's settings, with a worker that is soon thought dead."""
    return Config(data=tmp_path, lease_seconds=2)


@pytest.fixture
def store(config):
    made = open_migrated(config.database)
    yield made
    made.close()


def results(store):
    """The job of each result that was stored."""
    with store.reading() as session:
        return sorted(int(key.split()[-1]) for (key,) in session.query(AttemptRow.key) if key.startswith("result of "))


def log_of(store, job_id):
    with store.reading() as session:
        return [line.text for line in session.query(LogLineRow).filter_by(job_id=job_id).order_by(LogLineRow.id)]


def began(config):
    """The process of each attempt."""
    return [int(line[2]) for line in traces(config) if line[0] == "began"]


def grandchildren(config):
    return [int(line[1]) for line in traces(config) if line[0] == "grandchild"]


def wait_for_end(store, job_id):
    until(lambda: job_of(store, job_id).is_over, f"the end of job {job_id}")
    return job_of(store, job_id)


def wait_for_sleep(config):
    until(lambda: ["asleep"] in traces(config), "sleep")


def test_two_workers_do_each_of_twenty_jobs_once(tmp_path, database_url):
    config = Config(data=tmp_path, database_url=database_url, workers=2)
    store = Store(database_url)
    jobs = [add(store, "nothing") for _ in range(20)]
    with worker(config, 2):
        until(lambda: results(store) == jobs, "twenty results")
    assert results(store) == jobs
    assert sorted(int(line[1]) for line in traces(config)) == jobs
    assert {(job_of(store, each).state, job_of(store, each).attempts) for each in jobs} == {(JobState.DONE, 1)}
    store.close()


def test_a_killed_worker_takes_all_its_processes_along_and_another_resumes(config, store):
    job_id = add(store, "sleep the first time")
    with worker(config) as (first,):
        wait_for_sleep(config)
        kill(first.pid)
        until(lambda: not is_alive(began(config)[0]), "the child's death")
    with worker(config):
        job = wait_for_end(store, job_id)
    assert (job.state, job.attempts) == (JobState.DONE, 2)
    assert "its worker stopped without a word (while sleeping)" in " ".join(log_of(store, job_id))
    assert results(store) == [job_id]


def test_a_killed_worker_leaves_no_grandchild_that_hangs(config, store):
    add(store, "dawdle in a grandchild", patient=True)
    with worker(config) as (only,):
        until(lambda: len(grandchildren(config)) == 2, "grandchildren")
        kill(only.pid)
        until(lambda: not any(map(is_alive, began(config) + grandchildren(config))), "their death")


def test_a_killed_child_is_tried_again_and_its_own_processes_die(config, store):
    job_id = add(store, "dawdle in a grandchild", patient=True)
    with worker(config):
        for number in (1, 2, 3):
            until(lambda number=number: len(grandchildren(config)) == 2 * number, f"attempt {number}")
            kill(began(config)[-1])
        job = wait_for_end(store, job_id)
        until(lambda: not any(map(is_alive, grandchildren(config))), "their death")
    assert (job.state, job.attempts) == (JobState.FAILED, 3)
    assert job.reason.startswith("It was tried 3 times. The last time, its process was ended from outside")
    assert results(store) == []


def test_a_killed_grandchild_costs_its_task_only(config, store):
    job_id = add(store, "dawdle in a grandchild")
    with worker(config):
        until(lambda: len(grandchildren(config)) == 2, "grandchildren")
        kill(grandchildren(config)[0])
        job = wait_for_end(store, job_id)
    assert (job.state, job.attempts) == (JobState.DONE, 1)


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT"])
def test_a_stopped_worker_gives_its_jobs_back_at_once(config, store, signal_name):
    job_id = add(store, "sleep the first time")
    with worker(config) as (only,):
        wait_for_sleep(config)
        only.send_signal(signal.Signals[signal_name])
        assert only.wait() == 0
    job = job_of(store, job_id)
    assert (job.state, job.attempts, job.not_before) == (JobState.QUEUED, 0, None)
    until(lambda: not is_alive(began(config)[0]), "the child's death")
    with worker(config):
        assert wait_for_end(store, job_id).state is JobState.DONE
    assert results(store) == [job_id]


def test_cancelling_kills_the_process_and_stores_nothing(config, store):
    job_id = add(store, "dawdle in a grandchild", patient=True)
    with worker(config):
        until(lambda: len(grandchildren(config)) == 2, "grandchildren")
        with store.session() as session:
            assert cancel(session, job_id)
        asked = time.monotonic()
        until(lambda: not any(map(is_alive, began(config) + grandchildren(config))), "their death")
        print(f"dead {time.monotonic() - asked:.2f} s after the wish")
        assert wait_for_end(store, job_id).state is JobState.CANCELLED
    assert results(store) == []


def test_a_queued_job_is_cancelled_without_a_worker(config, store):
    job_id = add(store, "nothing")
    with store.session() as session:
        cancel(session, job_id)
    assert job_of(store, job_id).state is JobState.CANCELLED


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS cannot limit memory")
def test_a_job_that_needs_too_much_memory_fails_at_once_and_says_so(config, store):
    job_id = add(store, "fill memory")
    with worker(Config(data=config.data, job_megabytes=LEAST_MEGABYTES)):
        job = wait_for_end(store, job_id)
    assert (job.state, job.attempts) == (JobState.FAILED, 1)
    assert job.reason == "It needed more than the 512 MB of memory that a job may use on this server."


def test_a_job_that_takes_too_long_is_ended_and_says_so(config, store, monkeypatch):
    minutes = itertools.count(step=100.0)
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: next(minutes) * 60)
    job_id = add(store, "dawdle")
    with JobForkServer(odd_jobs.CHILD) as fork_server:
        do_job(store, Config(data=config.data, job_minutes=120), fork_server, job_id)
    job = job_of(store, job_id)
    assert (job.state, job.attempts) == (JobState.FAILED, 1)
    assert job.reason == "It took longer than the 120 minutes that a job may take on this server."


@linux
def test_a_fork_server_that_was_killed_is_replaced(config, store):
    first, second = add(store, "nothing"), add(store, "nothing")
    with JobForkServer(odd_jobs.CHILD) as fork_server:
        do_job(store, config, fork_server, first)
        (pid,) = (pid for pid in children_of(os.getpid()) if b"child" in command_of(pid))
        kill(pid)
        until(lambda: not is_alive(pid), "the fork server's death")
        do_job(store, config, fork_server, second)
    assert results(store) == [first, second]


@linux
def test_whoever_kills_the_guard_kills_all(config, store):
    job_id = add(store, "dawdle in a grandchild", patient=True)
    with JobForkServer(odd_jobs.CHILD) as fork_server:
        attempt = threading.Thread(target=do_job, args=(store, config, fork_server, job_id))
        attempt.start()
        until(lambda: len(grandchildren(config)) == 2, "the grandchildren")
        (child,) = began(config)
        kill(os.getpgid(child))
        attempt.join()
        until(lambda: not any(map(is_alive, [child, *grandchildren(config)])), "the death of all")
    assert job_of(store, job_id).attempts == 1
    assert not job_of(store, job_id).is_over


def children_of(pid):
    return [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]


def command_of(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


def test_accidents_are_tried_again_and_reasons_are_not(config, store):
    jobs = {do: add(store, do) for do in ("divide", "abort", "give up")}
    with worker(Config(data=config.data, workers=3)):
        ends = {do: wait_for_end(store, job_id) for do, job_id in jobs.items()}
    assert (ends["give up"].attempts, ends["give up"].reason) == (1, "Nobody handed anything in.")
    assert (ends["divide"].attempts, ends["abort"].attempts) == (3, 3)
    assert "ZeroDivisionError: division by zero" in ends["divide"].reason
    assert f"(signal {signal.SIGABRT:d})" in ends["abort"].reason


def test_a_short_job_is_done_while_a_long_one_dawdles_and_others_wait_for_it(config, store):
    first, second = add(store, "dawdle"), add(store, "nothing")
    short = add(store, "nothing", line="short")
    with worker(config):
        assert wait_for_end(store, short).state is JobState.DONE
        assert (job_of(store, first).state, job_of(store, second).state) == (JobState.RUNNING, JobState.QUEUED)


def test_a_job_for_which_the_ring_was_lost_is_found(config, store):
    with worker(config):
        job_id = add(store, "nothing")  # nobody rings
        assert wait_for_end(store, job_id).state is JobState.DONE


def test_a_worker_that_sleeps_through_its_lease_has_no_effect_when_it_wakes(config, store):
    job_id = add(store, "sleep the first time")
    with worker(config) as (sleepy,):
        wait_for_sleep(config)
        os.kill(sleepy.pid, signal.SIGSTOP)
        with worker(config):
            until(lambda: job_of(store, job_id).state is JobState.DONE, "the second worker")
        os.kill(sleepy.pid, signal.SIGCONT)
        until(lambda: not is_alive(began(config)[0]), "the end of the first attempt")
    assert results(store) == [job_id]
    assert job_of(store, job_id).attempts == 2
