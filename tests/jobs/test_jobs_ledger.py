"""The ledger: whatever several workers do in whatever order, a job is one worker's at a time and ends once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from moss.jobs import ledger
from moss.jobs.ledger import (
    ATTEMPTS,
    JobKind,
    LostLeaseError,
    add_job,
    beat,
    cancel,
    claim,
    fail,
    finish,
    give_back,
    running,
    tell,
    waiting,
)
from moss.jobs.worker import Janitor
from moss.server_jobs import register_jobs
from moss.store import Store
from moss.store.tables import AttemptRow, JobRow, JobState, LogLineRow, now

register_jobs()

OVER = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


def in_one(store: Store, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a function of the ledger says, in a transaction of its own."""
    with store.session() as session:
        return function(session, *arguments, **options)


def job_in(store: Store, job_id: int) -> JobRow:
    """The job as it stands."""
    with store.reading() as session:
        return session.get_one(JobRow, job_id)


def new_job(store: Store) -> int:
    """A job that waits."""
    return in_one(store, add_job, "anything", {}).id


def log_of(store: Store, job_id: int) -> list[str]:
    """The lines of a job's log."""
    with store.reading() as session:
        return [line.text for line in session.query(LogLineRow).filter_by(job_id=job_id).order_by(LogLineRow.id)]


def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next attempt begin at once."""
    monkeypatch.setattr(ledger, "_FIRST_PAUSE", 0)


def result_of(store: Store, job_id: int, lease: str) -> None:
    """Hand in a result, as a job does: with something stored in the same transaction."""
    with store.session() as session:
        session.add(AttemptRow(key=f"result of {job_id}"))
        session.flush()
        finish(session, job_id, lease)


class Workers(RuleBasedStateMachine):
    """Several workers, of whom some are slow, dead or wrong about what is theirs."""

    store: Store

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[int] = []
        self.holder: dict[int, str] = {}  # who may work on a job, as we think
        self.over: dict[int, JobState] = {}
        self.cancelled: set[int] = set()

    leases = Bundle("leases")

    @rule()
    def add(self) -> None:
        self.jobs.append(new_job(self.store))

    @precondition(lambda self: self.jobs)
    @rule(target=leases, data=st.data())
    def claim(self, data: st.DataObject) -> tuple[int, str]:
        job_id = data.draw(st.sampled_from(self.jobs))
        lease = in_one(self.store, claim, job_id)
        free = job_id not in self.holder and job_id not in self.over
        assert (lease is not None) == free
        if lease:
            self.holder[job_id] = lease
        return job_id, lease or "0" * 32

    def ours(self, job_id: int, lease: str) -> bool:
        return self.holder.get(job_id) == lease

    @rule(lease=leases)
    def beat(self, lease: tuple[int, str]) -> None:
        assert in_one(self.store, beat, *lease) == (self.ours(*lease) and lease[0] not in self.cancelled)

    @rule(lease=leases)
    def tell(self, lease: tuple[int, str]) -> None:
        if self.ours(*lease) and lease[0] not in self.cancelled:
            in_one(self.store, tell, *lease, stage="scanning", done=1, total=2)
        else:
            with pytest.raises(LostLeaseError):
                in_one(self.store, tell, *lease, stage="wrong")

    @rule(lease=leases)
    def finish(self, lease: tuple[int, str]) -> None:
        if self.ours(*lease) and lease[0] not in self.cancelled:
            result_of(self.store, *lease)
            self._ended(lease[0], JobState.DONE)
        else:
            with pytest.raises(LostLeaseError):
                result_of(self.store, *lease)

    @rule(lease=leases)
    def fail(self, lease: tuple[int, str]) -> None:
        ours = self.ours(*lease)
        assert in_one(self.store, fail, *lease, "It cannot be.") == ours
        if ours:
            self._ended(lease[0], JobState.CANCELLED if lease[0] in self.cancelled else JobState.FAILED)

    @rule(lease=leases, counts=st.booleans())
    def give_back(self, lease: tuple[int, str], counts: bool) -> None:
        attempts = job_in(self.store, lease[0]).attempts
        ours = self.ours(*lease)
        assert in_one(self.store, give_back, *lease, "it crashed", counts=counts) == ours
        if ours:
            self._given_back(lease[0], counts and attempts >= ATTEMPTS)

    def _given_back(self, job_id: int, last: bool) -> None:
        if job_id in self.cancelled:
            self._ended(job_id, JobState.CANCELLED)
        elif last:
            self._ended(job_id, JobState.FAILED)
        else:
            del self.holder[job_id]

    @rule()
    def take_back_from_all(self) -> None:
        """All workers that hold something fell silent."""
        attempts = {job_id: job_in(self.store, job_id).attempts for job_id in self.holder}
        janitor = Janitor(self.store, 1)
        janitor.look()
        janitor.look()
        for job_id in list(self.holder):
            self._given_back(job_id, attempts[job_id] >= ATTEMPTS)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        job_id = data.draw(st.sampled_from(self.jobs))
        assert in_one(self.store, cancel, job_id) == (job_id not in self.over)
        if job_id in self.over:
            return
        self.cancelled.add(job_id)
        if job_id not in self.holder:
            self._ended(job_id, JobState.CANCELLED)

    def _ended(self, job_id: int, state: JobState) -> None:
        self.holder.pop(job_id, None)
        self.over[job_id] = state

    @invariant()
    def stands_as_we_think(self) -> None:
        with self.store.reading() as session:
            jobs = {job_id: session.get_one(JobRow, job_id) for job_id in self.jobs}
            held, due = running(session), set(waiting(session))
        for job_id, job in jobs.items():
            assert job.attempts <= ATTEMPTS
            if job_id in self.over:
                assert (job.state, job.lease) == (self.over[job_id], "")
                assert job.finished is not None
            elif job_id in self.holder:
                assert held[job_id][0] == self.holder[job_id]
            else:
                assert job_id in due

    @invariant()
    def every_finished_job_has_one_result(self) -> None:
        with self.store.reading() as session:
            keys = sorted(key for (key,) in session.query(AttemptRow.key) if int(key.split()[-1]) in self.jobs)
        assert keys == sorted(f"result of {job}" for job, state in self.over.items() if state is JobState.DONE)


def test_any_order_of_events_leaves_one_holder_and_one_end(store, monkeypatch):
    no_pause(monkeypatch)
    machine = type("WorkersOnThisStore", (Workers,), {"store": store})
    orders = 25 if store.is_sqlite else 10  # the second database has the same rules and takes longer
    run_state_machine_as_test(machine, settings=settings(max_examples=orders, stateful_step_count=30))


def test_a_pause_grows_with_each_attempt_that_went_wrong(store):
    job_id = new_job(store)
    pauses = []
    for _ in range(ATTEMPTS - 1):
        lease = in_one(store, claim, job_id)
        in_one(store, give_back, job_id, lease, "it crashed")
        job = job_in(store, job_id)
        pauses.append(job.not_before - now())
        assert in_one(store, claim, job_id) is None
        with store.session() as session:
            session.get_one(JobRow, job_id).not_before = now() - timedelta(seconds=1)
    assert timedelta(0) < pauses[0] * 2 < pauses[1]


def test_the_reason_names_the_last_accident(store, monkeypatch):
    no_pause(monkeypatch)
    job_id = new_job(store)
    for number in range(ATTEMPTS):
        in_one(store, give_back, job_id, in_one(store, claim, job_id), f"accident {number}")
    job = job_in(store, job_id)
    assert job.state is JobState.FAILED
    assert job.reason == "It was tried 3 times. The last time, accident 2."
    assert log_of(store, job_id)[0] == "Attempt 1 ended: accident 0."


def test_being_stopped_by_the_operator_costs_no_attempt(store):
    job_id = new_job(store)
    for _ in range(5):
        in_one(store, give_back, job_id, in_one(store, claim, job_id), "the worker was stopped", counts=False)
    job = job_in(store, job_id)
    assert (job.state, job.attempts, job.not_before) == (JobState.QUEUED, 0, None)


def test_a_worker_that_gives_signs_of_life_keeps_its_job(store):
    job_id = new_job(store)
    lease = in_one(store, claim, job_id)
    janitor = Janitor(store, 2)
    for _ in range(6):
        janitor.look()
        assert in_one(store, beat, job_id, lease)
    for _ in range(2):
        janitor.look()
    assert job_in(store, job_id).state is JobState.RUNNING
    janitor.look()
    assert job_in(store, job_id).state is JobState.QUEUED


def test_what_follows_from_an_end_is_undone_with_it(store, monkeypatch):
    """A job's end and what follows from it are one transaction."""
    followed = []

    def follow(session, job):
        followed.append(job.state)
        session.add(AttemptRow(key="followed"))
        raise ZeroDivisionError

    monkeypatch.setattr(ledger, "job_kind", lambda name: JobKind(name, print, follow))
    job_id = new_job(store)
    lease = in_one(store, claim, job_id)
    with pytest.raises(ZeroDivisionError):
        in_one(store, finish, job_id, lease)
    assert followed == [JobState.DONE]
    assert job_in(store, job_id).state is JobState.RUNNING
    with store.reading() as session:
        assert session.query(AttemptRow).count() == 0
