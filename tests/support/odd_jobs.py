"""Jobs that behave in odd ways, and real workers and children that know them.

`worker` gives processes that do what `moss worker` does, in a hurry. They are forked by `support.incubator`, and so is
the fork server of each, because to import all that they need takes longer than most tests do; all else is the product's
own. CHILD starts a fork server as the product does.

With the variable ODD_PAUSES a child stands still where it says, so that it can be killed just there: `run scanning` is
a kind of job and a stage, `run committing` the moment before its result is stored for good. Each place holds once.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.orm import Session

from moss.config import Config, environment_of, from_environment
from moss.jobs import job_process, ledger, supervisor
from moss.jobs import worker as working
from moss.jobs.job_context import JobContext, JobError
from moss.jobs.ledger import add_job
from moss.jobs.supervisor import JobForkServer
from moss.processes.pool import map_isolated
from moss.server_jobs import register_jobs
from moss.store import Store
from moss.store.tables import AttemptRow, JobRow
from support.incubator import TESTS, Forked, Hatched, hatch

KIND = "odd"
CHILD = (
    sys.executable,
    "-c",
    f"import sys; sys.path.insert(0, {str(TESTS)!r}); from support.odd_jobs import serve_as_fork_server as s; s()",
    "child",
)


def odd(work: JobContext) -> None:
    """Leave a trace that no transaction can undo, do what is asked, and store one result."""
    trace(work.config, f"began {work.job_id} {os.getpid()}")
    DEEDS[work.payload["do"]](work)
    with work.finishing() as session:
        session.add(AttemptRow(key=f"result of {work.job_id}"))


def trace(config: Config, line: str) -> None:
    """Write a line that is there whatever happens later."""
    with (config.data / "traces").open("a") as file:
        file.write(f"{line}\n")


def traces(config: Config) -> list[list[str]]:
    """The words of each line so far."""
    file = config.data / "traces"
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def dawdle(work: JobContext) -> None:
    """Take a minute, and tell how far it is."""
    for i in range(600):
        work.progress("dawdling", i, 600)
        time.sleep(0.1)


def dawdle_in_a_grandchild(work: JobContext) -> None:
    """Let processes of our own take a minute each, with never a look at who their parents are."""
    work.progress("scanning", 0, 2)
    deadline = 60.0 if work.payload.get("patient") else 3.0
    for _ in map_isolated(sleep, [str(work.config.data)] * 2, jobs=2, deadline=lambda task: deadline):
        pass


def sleep(folder: str) -> None:
    """Sleep for a minute."""
    trace(Config(data=Path(folder)), f"grandchild {os.getpid()}")
    time.sleep(60)


def sleep_the_first_time(work: JobContext) -> None:
    """Sleep for a minute, without a sign of life, in the first attempt; take no time in the next."""
    if sum(line[:2] == ["began", str(work.job_id)] for line in traces(work.config)) == 1:
        work.progress("sleeping", 0, 0)
        trace(work.config, "asleep")
        time.sleep(60)


def fill_memory(work: JobContext) -> None:
    """Ask for more than there is."""
    import numpy as np

    kept = []
    while True:
        kept.append(np.ones(8 * 1024 * 1024))


def give_up(work: JobContext) -> None:
    """Find that it cannot be done."""
    raise JobError("Nobody handed anything in.")


def divide(work: JobContext) -> None:
    """Have an accident."""
    raise ZeroDivisionError("division by zero")


DEEDS: dict[str, Callable[[JobContext], None]] = {
    "nothing": lambda work: None,
    "dawdle": dawdle,
    "dawdle in a grandchild": dawdle_in_a_grandchild,
    "sleep the first time": sleep_the_first_time,
    "fill memory": fill_memory,
    "give up": give_up,
    "divide": divide,
    "abort": lambda work: os.abort(),
}


def pause(work: JobContext, place: str) -> None:
    """Stand still, if this is the place to, and the first to come here."""
    with work.store.reading() as session:
        here = f"{session.get_one(JobRow, work.job_id).kind} {place}"
    if here in os.environ.get("ODD_PAUSES", "").split(",") and not paused(work.config, here):
        trace(work.config, f"paused {os.getpid()} {here}")
        time.sleep(600)


def paused(config: Config, place: str) -> int | None:
    """The process that stood still there, if one has."""
    return next((int(line[1]) for line in traces(config) if line[0] == "paused" and line[2:] == place.split()), None)


def teach_to_pause() -> None:
    """Let jobs stand still where they tell how far they are, and where they hand in."""
    tell, finish = JobContext.progress, ledger.finish

    def progress(work: JobContext, stage: str, done: int, total: int) -> None:
        tell(work, stage, done, total)
        pause(work, stage)

    @contextmanager
    def finishing(work: JobContext) -> Iterator[Session]:
        with work.store.session() as session:
            yield session
            session.flush()
            finish(session, work.job_id, work.lease)
            pause(work, "committing")

    JobContext.progress, JobContext.finishing = progress, finishing  # type: ignore[method-assign]


def hurry() -> None:
    """Let workers look around often and try again soon: nothing of what they do is another, but the tests wait less."""
    working.LOOK_EVERY = 0.25
    working._ASK_EVERY = supervisor._LOOK_EVERY = 0.05
    supervisor._BEAT_EVERY = 0.1
    ledger._FIRST_PAUSE = 0.2


def work() -> None:
    """Be a worker, whose fork server is this process once more."""
    JobForkServer._start = _fork_again  # type: ignore[method-assign]
    hurry()
    working.run_worker(from_environment(os.environ), CHILD)


def _fork_again(fork_server: JobForkServer) -> None:
    """Fork as if the program were started anew, without importing it again; there are no threads yet."""
    fork_server._requests, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            fork_server._requests.close()
            os.setsid()
            os.dup2(theirs.fileno(), 0)
            theirs.close()
            serve_as_fork_server()
        finally:
            os._exit(1)
    theirs.close()
    fork_server._process = Forked(pid)  # type: ignore[assignment]
    fork_server._requests.recv(len(job_process.READY))


def serve_as_fork_server() -> None:
    """Be a fork server whose children stand still where they are told to."""
    hurry()
    teach_to_pause()
    job_process.main()


def add(store: Store, do: str, **payload: object) -> int:
    """A job that does something odd."""
    with store.session() as session:
        job = add_job(session, KIND, {"do": do})
        job.payload = job.payload | payload
        return job.id


@contextmanager
def worker(config: Config, number: int = 1, pauses: str = "") -> Iterator[list[Hatched]]:
    """Workers that know these jobs, in processes of their own; they are stopped at the end, if they still live."""
    environment = os.environ | environment_of(config) | {"ODD_PAUSES": pauses}
    started = [hatch("support.odd_jobs:work", environment) for _ in range(number)]
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def until(condition: Callable[[], object], what: str = "") -> None:
    """Wait for something that is sure to come."""
    end = time.monotonic() + 1800  # however busy the machine: only what hangs takes so long
    while not condition():
        assert time.monotonic() < end, f"still waiting for {what or 'it'}"
        time.sleep(0.05)


def job_of(store: Store, job_id: int) -> JobRow:
    """The job as it stands."""
    with store.reading() as session:
        return session.get_one(JobRow, job_id)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and only not yet buried does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def kill(pid: int) -> None:
    """Kill a process as the kernel does when memory is short: without a word."""
    os.kill(pid, signal.SIGKILL)


register_jobs()
ledger.register(ledger.JobKind(KIND, odd))
