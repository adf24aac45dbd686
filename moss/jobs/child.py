"""The process that does one attempt at one job: `python -m moss.jobs.child JOB`, started by a worker.

The worker writes the lease to its standard input and keeps that open for as long as it lives. When it ends, however it
ends, so does this process and all that it started. Memory is limited. If there is no result, the worker gives the job
back.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback

from moss.config import MIB, Config, from_environment
from moss.jobs.kinds import function_for
from moss.jobs.ledger import LostLeaseError, fail, give_back
from moss.jobs.work import JobError, Work
from moss.store import Store
from moss.store.tables import Job

OUT_OF_MEMORY = 75  # the exit status that says so


def main() -> None:
    """Do the job."""
    job_id, lease = int(sys.argv[1]), sys.stdin.readline().strip()
    guard = _end_with_the_worker()
    config = from_environment(os.environ)
    _limit_memory(config)
    store = Store(config.database)
    try:
        do(store, config, job_id, lease)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # there may be no memory for anything else
    finally:
        store.close()
        os.kill(guard, signal.SIGKILL)
        os.waitpid(guard, 0)


def do(store: Store, config: Config, job_id: int, lease: str) -> None:
    """One attempt, in this process; an accident other than too little memory is written down."""
    with store.reading() as session:
        job = session.get(Job, job_id)
    if job is None:
        return
    work = Work(store, config, job_id, lease, job.payload, job.course_id, job.user_id)
    try:
        function_for(job.kind)(work)
        why = "its work is incomplete"
    except LostLeaseError:
        why = "it was cancelled"
    except JobError as error:
        with store.session() as session:
            fail(session, job_id, lease, str(error))
        return
    except Exception as error:
        if isinstance(error, MemoryError):
            raise
        traceback.print_exc()
        why = f"something unforeseen happened ({_in_one_line(error)})"
    with store.session() as session:
        give_back(session, job_id, lease, why)  # without effect if the job is done, or another's


def _in_one_line(error: Exception) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}"[:200] if words else type(error).__name__


def _end_with_the_worker() -> int:
    """Start a process that waits until the worker is gone and then ends us and itself.

    It is not a thread, because a process with threads cannot safely fork, and scanning does.
    """
    guard = os.fork()
    if guard == 0:
        while os.read(0, 64):
            pass
        os.killpg(0, signal.SIGKILL)
    return guard


def _limit_memory(config: Config) -> None:
    if sys.platform != "darwin":  # where the limit cannot be set
        limit = config.job_megabytes * MIB
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    main()
