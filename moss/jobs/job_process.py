"""The processes that do jobs. Each worker has one fork server (`main`), which forks for every attempt at a job.

The fork server imports everything that jobs need, once, because that takes longer than many a job does. The worker asks
it over the socket that is its standard input: one byte, and with it one end of a **lifeline** for this attempt alone
(`moss.jobs.lifeline`). What is to be done comes over the lifeline, and only the attempt's own processes learn it.

For each attempt it forks a guard, which forks the process that does the job, with limited memory. If there is no
result, the worker gives the job back. Jobs in turn ask it for processes that read strangers' files
(`moss.jobs.reader_process`), which are forked in the same way.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import traceback
from functools import partial
from typing import Any, NoReturn

from moss.config import Config, from_environment
from moss.jobs.disk_room import NO_ROOM, has_room, is_full
from moss.jobs.job_context import JobContext, JobError
from moss.jobs.ledger import LostLeaseError, fail, give_back, job_kind
from moss.jobs.lifeline import guard
from moss.jobs.reader_process import be_reader, next_folder, open_desk
from moss.processes.pool import OUT_OF_MEMORY, limit_memory
from moss.store import Store
from moss.store.tables import JobRow

READY = b"!"  # sent by the fork server when it has imported everything
ASKED = b"?"  # sent by the worker, with a lifeline

_LARGEST = 1 << 16  # bytes read at once


def main() -> None:
    """Be a fork server: fork a guard for each request, until the worker closes the socket."""
    preload()
    gc.freeze()  # pages that the collector never touches are not copied after a fork
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for guards
    with socket.socket(fileno=os.dup(0)) as requests, open_desk() as desk:
        with contextlib.suppress(BrokenPipeError):  # the worker may be gone by now
            requests.sendall(READY)
        while True:
            ready, _, _ = select.select([requests, desk], [], [])
            if desk in ready and (asked := next_folder(desk)):
                folder, lifeline = asked
                with lifeline:
                    if os.fork() == 0:
                        requests.close()
                        desk.close()
                        guard(partial(be_reader, folder), lifeline)
            if requests in ready:
                attempt = _next(requests)
                if attempt is None:
                    return
                with attempt:
                    if os.fork() == 0:
                        requests.close()
                        desk.close()
                        guard(partial(_attempt, _job_from(attempt)), attempt)


def preload() -> None:
    """Set up the mapping of tables and compile the pages' templates, because either takes longer than a small job
    does."""
    from sqlalchemy.orm import configure_mappers

    from moss.report.page_templates import compile_templates

    configure_mappers()
    compile_templates()


def _next(requests: socket.socket) -> socket.socket | None:
    """The lifeline that comes with the worker's next request; None once the worker is gone."""
    asked, received, _, _ = socket.recv_fds(requests, len(ASKED), 1)
    return socket.socket(fileno=received[0]) if asked else None


def _job_from(lifeline: socket.socket) -> dict[str, Any]:
    """The job that the worker asks for over a lifeline."""
    line = b""
    while not line.endswith(b"\n"):
        part = lifeline.recv(_LARGEST)
        if not part:
            os._exit(1)  # the worker is gone
        line += part
    job: dict[str, Any] = json.loads(line)
    return job


def _attempt(job: dict[str, Any]) -> NoReturn:
    """Do the job in this process, then end the process."""
    status = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0), os.dup2(nowhere, 1)
        os.environ.update(job["settings"])
        config = from_environment(os.environ)
        limit_memory(config.job_megabytes)
        with contextlib.closing(Store(config.database)) as store:
            do(store, config, job["job"], job["lease"])
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY  # there may be no memory for anything else
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def do(store: Store, config: Config, job_id: int, lease: str) -> None:
    """Make one attempt at a job in this process; any error other than MemoryError is stored with the job."""
    with store.reading() as session:
        job = session.get(JobRow, job_id)
    if job is None:
        return
    work = JobContext(store, config, job_id, lease, job.payload, job.course_id, job.user_id)
    try:
        kind = job_kind(job.kind)
        if kind is None:
            raise JobError(f"This version of moss has no jobs of the kind {job.kind!r}.")
        if not kind.on_full_disk and not has_room(config):
            raise JobError(NO_ROOM)
        kind.function(work)
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
        if is_full(error):
            with store.session() as session:
                fail(session, job_id, lease, NO_ROOM)
            return
        traceback.print_exc()
        why = f"something unforeseen happened ({_in_one_line(error)})"
    with store.session() as session:
        give_back(session, job_id, lease, why)  # has no effect if the job is done, or another worker's


def _in_one_line(error: Exception) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}"[:200] if words else type(error).__name__
